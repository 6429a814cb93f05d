"""Where PyTorch and we part, with the reason. A deviation that no sample shows any more fails."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from tests.contract.opinfo.samples import Call

EVERY = ("value", "gradient", "pairing", "second", "tensors")
DERIVATIVES = EVERY[1:]


def _always(call: Call) -> bool:
    return True


class Deviation(NamedTuple):
    """Laws that some samples of a function do not keep; `takes` says that ours refuses them."""

    names: str
    laws: tuple[str, ...]
    reason: str
    when: Callable[[Call], bool] = _always
    dtypes: tuple[str, ...] = ("float64", "complex128", "float32")

    def applies(self, name: str, dtype: str, law: str, call: Call) -> bool:
        """Whether it speaks of this sample."""
        is_meant = name in self.names.split() and law in self.laws and dtype in self.dtypes
        return is_meant and self.when(call)


def _keyword(name: str, *values: Any) -> Callable[[Call], bool]:
    """A keyword that is given, as one of some values or as anything but None."""

    def when(call: Call) -> bool:
        given = call.sample.kwargs.get(name)
        return given in values if values else given is not None

    return when


def _first(call: Call) -> Any:
    return call.sample.input


def _rank(n: int) -> Callable[[Call], bool]:
    return lambda call: _first(call).ndim == n


def _at_least(n: int) -> Callable[[Call], bool]:
    return lambda call: bool(_first(call).ndim >= n)


def _is_wide_svd(call: Call) -> bool:
    """Whether there are singular vectors of no singular value."""
    full = call.sample.kwargs.get("full_matrices", not call.sample.kwargs.get("some", True))
    return bool(full) and _first(call).shape[-1] != _first(call).shape[-2]


def _has_drop_or_groups(call: Call) -> bool:
    fields = call.sample.kwargs
    return bool(fields.get("dropout_p")) or bool(fields.get("enable_gqa"))


def _is_batched_key(call: Call) -> bool:
    key = call.sample.kwargs
    return any(torch.is_tensor(v) and v.ndim > 1 for v in (key.get("lengths"), key.get("offsets")))


def _is_unfinished(call: Call) -> bool:
    """Whether the segments do not reach to the end."""
    key = call.sample.kwargs
    if _is_batched_key(call):
        return False
    lengths = key["offsets"].diff() if "offsets" in key else key["lengths"]
    return int(lengths.sum()) != _first(call).shape[key["axis"]]


def _starts_mean(call: Call) -> bool:
    is_whole = not _is_batched_key(call) and not _is_unfinished(call)
    return is_whole and call.sample.args[0] == "mean"


def _is_zero_or_empty(call: Call) -> bool:
    return not bool(_first(call).detach().any())


_ZERO_LENGTH = "the derivative of a length of 0 is nan, as in JAX; PyTorch takes 0"
_NUMPY_HAS_NONE = "NumPy has no such function of complex numbers"
_TORCH_LACKS = "PyTorch has no second derivative of these"
_FLASH = "PyTorch has no second derivative of its fast kernel"

DEVIATIONS: tuple[Deviation, ...] = (
    # What ours does not take
    Deviation("logaddexp logcumsumexp", ("takes",), _NUMPY_HAS_NONE, _always, ("complex128",)),
    Deviation("ldexp", ("takes",), "as in NumPy, the exponent is a whole number"),
    Deviation(
        "cat",
        ("takes",),
        "PyTorch skips an empty array of one axis beside others; shapes must fit",
        lambda call: _first(call)[0].shape == (0,) and _first(call)[-1].ndim > 1,
    ),
    Deviation(
        "einsum",
        ("takes",),
        "as in NumPy, axes of an ellipsis are not summed silently",
        lambda call: call.sample.args[0].endswith("-> ij") and "..." in call.sample.args[0],
    ),
    Deviation(
        "tensordot",
        ("takes",),
        "axes of length 1 are not stretched where they are summed",
        lambda call: _first(call).shape == (1, 1, 1),
    ),
    Deviation(
        "gather",
        ("takes",),
        "indices have as many axes as the array",
        lambda call: _first(call).ndim == 1 and call.sample.args[1].ndim == 2,
    ),
    Deviation(
        "linalg.lstsq linalg.lstsq/grad_oriented",
        ("takes",),
        "as in NumPy, of one matrix",
        _at_least(3),
    ),
    Deviation(
        "linalg.matrix_rank",
        ("takes",),
        "one tolerance, absolute or relative",
        lambda call: all(_keyword(n)(call) for n in ("atol", "rtol")),
    ),
    Deviation("searchsorted", ("takes",), "as in NumPy, of one sorted row", _at_least(2)),
    Deviation(
        "histogramdd",
        ("takes",),
        "edges of bins that do not rise are refused",
        lambda call: torch.is_tensor(call.sample.args[0][0]),
    ),
    Deviation(
        "nonzero",
        ("takes",),
        "as in NumPy, not of a number",
        lambda call: _first(call).ndim == 0 and bool(call.sample.kwargs.get("as_tuple")),
    ),
    Deviation(
        "nn.functional.batch_norm",
        ("takes",),
        "images have an axis of channels",
        _rank(1),
    ),
    Deviation(
        "nn.functional.pad/replicate_negative",
        ("takes",),
        "nothing is left to repeat where a negative padding cuts all",
        lambda call: call.number < 3,
    ),
    Deviation(
        "nn.functional.scaled_dot_product_attention",
        ("takes",),
        "neither dropout nor groups of queries",
        _has_drop_or_groups,
    ),
    Deviation(
        "_segment_reduce/lengths _segment_reduce/offsets",
        ("takes",),
        "each row has segments of its own",
        _is_batched_key,
    ),
    Deviation(
        "_segment_reduce/lengths _segment_reduce/offsets",
        ("takes",),
        "every element belongs to a segment, or has an id of none",
        _is_unfinished,
    ),
    Deviation(
        "_segment_reduce/lengths _segment_reduce/offsets",
        EVERY,
        "PyTorch counts the initial value in the sum of a mean, but not in the number",
        _starts_mean,
    ),
    Deviation(
        "linalg.svd svd",
        DERIVATIVES,
        "singular vectors of no singular value are any, so they have no derivative",
        _is_wide_svd,
    ),
    Deviation(
        "linalg.pinv/singular",
        ("value",),
        "as in NumPy, singular values below 1e-15 are cut, which is none in single precision",
        _always,
        ("float32",),
    ),
    # Kinks
    Deviation(
        "linalg.norm/subgradients_at_zero",
        ("gradient", "pairing", "second"),
        _ZERO_LENGTH,
        _is_zero_or_empty,
    ),
    # PyTorch's own limits
    Deviation("native_layer_norm", ("second",), _TORCH_LACKS, lambda call: call.number % 4 == 1),
    Deviation(
        "nn.functional.scaled_dot_product_attention",
        ("second",),
        _FLASH,
        lambda call: not _has_drop_or_groups(call),
    ),
    Deviation(
        "nn.functional.linear_cross_entropy/chunked "
        "nn.functional.linear_cross_entropy/chunked_none",
        ("second",),
        "PyTorch computes this gradient in the forward pass, and takes it for constant",
    ),
    Deviation(
        "masked.logaddexp",
        ("second",),
        "PyTorch gets nan from -inf less -inf; no elements have no influence",
    ),
)

# Functions that PyTorch itself computes with constants or weights of single precision, or that
# cancel: how much more they may differ.
COARSE: dict[str, float] = {
    "cov": 1e2,
    "native_layer_norm": 1e2,
    "nn.functional.layer_norm": 1e2,
    "special.bessel_j0": 1e3,
    "special.bessel_j1": 1e3,
    "special.bessel_y0": 1e3,
    "special.bessel_y1": 1e4,
    "nn.functional.hardsigmoid": 1e2,
}


def deviation(name: str, dtype: str, law: str, call: Call) -> Deviation | None:
    """What is known to part here."""
    for known in DEVIATIONS:
        if known.applies(name, dtype, law, call):
            return known
    return None
