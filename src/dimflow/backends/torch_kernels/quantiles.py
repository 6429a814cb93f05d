"""Quantiles on PyTorch, from sorted rows. Methods that jump, and weights, go by the definition."""

from typing import Any

import torch
from torch import Tensor

from dimflow import ops
from dimflow.backends.torch_kernels.functions import floated
from dimflow.errors import UnitError
from dimflow.ops.rules.shapes import normalized

# Hyndman and Fan's α and β: the place of q among n values is n q + α + q (1 - α - β) - 1.
_ENDS = {
    "linear": (1.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
    "interpolated_inverted_cdf": (0.0, 1.0),
}


def _rows(x: Any, axes: tuple[int, ...]) -> Any:
    """What is reduced as one axis at the end."""
    kept = [a for a in range(x.ndim) if a not in axes]
    return x.permute((*kept, *axes)).reshape([x.shape[a] for a in kept] + [-1])


def _found(x: Any, q: Any, method: str, skips_nan: bool) -> Any:
    """The quantiles q (of one axis) of each row, in an axis at the end."""
    ordered = torch.sort(x, -1).values  # nan come last
    alpha, beta = _ENDS[method]
    count: Any = x.shape[-1]
    if skips_nan:
        count = (~torch.isnan(x)).sum(-1, keepdim=True)
    places = count * q + (alpha + q * (1 - alpha - beta)) - 1
    last = torch.as_tensor(count - 1, device=x.device).clamp(min=0)
    places = torch.minimum(places.clamp(min=0), last.to(places.dtype))
    places = places.expand(*x.shape[:-1], q.shape[0])
    low = torch.floor(places).to(torch.int64)
    high = torch.minimum(low + 1, last.expand(low.shape))
    share = (places - low).to(torch.promote_types(x.dtype, places.dtype))
    below, above = ordered.gather(-1, low), ordered.gather(-1, high)
    result = below + torch.where(share > 0, (above - below) * share, 0)
    if skips_nan:
        return result
    return torch.where(torch.isnan(ordered[..., -1:]), ordered[..., -1:], result)


def _quantile(x: Any, q: Any, axis: Any, method: str, keepdims: bool, skips_nan: bool) -> Any:
    x = floated(x)
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise UnitError(f"quantiles lie between 0 and 1, but got {q}")
        q = torch.full((), q, dtype=x.dtype, device=x.device)
    axes = normalized(axis, x.ndim)
    found = _found(_rows(x, axes), floated(q).reshape(-1), method, skips_nan).movedim(-1, 0)
    kept = [1 if a in axes else n for a, n in enumerate(x.shape) if keepdims or a not in axes]
    return found.reshape((*q.shape, *kept))


def _kernel(name: str, scale: float, skips_nan: bool) -> Any:
    def kernel(
        x: Any,
        q: Any,
        axis: Any = None,
        method: str = "linear",
        keepdims: bool = False,
        *,
        weights: Any = None,
    ) -> Any:
        if weights is None and method in _ENDS:
            return _quantile(x, q / scale, axis, method, keepdims, skips_nan)
        definition = ops.get(name).definition
        assert definition is not None
        options = {"axis": axis, "method": method, "keepdims": keepdims, "weights": weights}
        return definition(x, q, **options)

    kernel.__name__ = name
    return kernel


quantile = _kernel("quantile", 1, False)
percentile = _kernel("percentile", 100, False)
nanquantile = _kernel("nanquantile", 1, True)
nanpercentile = _kernel("nanpercentile", 100, True)


def median(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The mean of the two in the middle; PyTorch's own gives the lower one."""
    return _quantile(x, 0.5, axis, "linear", keepdims, False)


def nanmedian(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The same of elements that are not nan."""
    return _quantile(x, 0.5, axis, "linear", keepdims, True)
