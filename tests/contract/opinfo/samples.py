"""PyTorch's samples as calls of ours: the same tree of arguments, with NumPy's arrays as leaves."""

import warnings
from collections.abc import Iterator
from functools import lru_cache
from itertools import count
from typing import Any, NamedTuple

import torch
from torch.utils import _pytree as pytree

from tests.contract.evaluate import quietly
from tests.contract.opinfo import (
    algebra,
    elementwise,
    indexing,
    losses,
    masked,
    networks,
    reducing,
    shaping,
)
from tests.contract.opinfo.registry import ADAPTERS

__all__ = ["ADAPTERS", "Call", "calls", "record", "records"]
_FAMILIES = (algebra, elementwise, indexing, losses, masked, networks, reducing, shaping)

DTYPES = {"float64": torch.float64, "complex128": torch.complex128, "float32": torch.float32}


@lru_cache(maxsize=1)
def records() -> dict[str, Any]:
    """PyTorch's records by name and variant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal import common_utils
        from torch.testing._internal.common_methods_invocations import op_db
        from torch.testing._internal.opinfo import core
    # For every sample it searches the stack for a test of unittest: most of the time, for nothing.
    common_utils.extract_test_fn = core.extract_test_fn = lambda: None
    return {name_of(op): op for op in op_db}


def record(name: str) -> Any:
    """One of PyTorch's records."""
    return records()[name]


def name_of(op: Any) -> str:
    """The name of a record, with its variant after a slash."""
    return f"{op.name}/{op.variant_test_name}" if op.variant_test_name else str(op.name)


class Call(NamedTuple):
    """One sample: PyTorch's own, and which of its leaves are differentiated."""

    number: int
    sample: Any
    leaves: list[Any]
    spec: Any
    places: tuple[int, ...]  # of the leaves that are differentiated

    @property
    def tensors(self) -> list[Any]:
        """The tensors that are differentiated."""
        return [self.leaves[i] for i in self.places]

    def arguments(self, values: Any, convert: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments with other values for what is differentiated, and the rest converted."""
        found = list(self.leaves)
        for i, leaf in enumerate(found):
            found[i] = convert(leaf)
        for i, value in zip(self.places, values, strict=True):
            found[i] = value
        return pytree.tree_unflatten(found, self.spec)


def calls(name: str, dtype: str, *, reference: bool = False) -> Iterator[Call]:
    """The samples of a record in a dtype, in PyTorch's order and from one seed."""
    op = record(name)
    kind = DTYPES[dtype]
    torch.manual_seed(0)
    source = op.reference_inputs if reference else op.sample_inputs
    differentiates = kind in op.supported_backward_dtypes("cpu") and not reference
    drawn = iter(source("cpu", kind, requires_grad=differentiates))
    for number in count():
        sample = quietly(next, drawn, None)  # PyTorch draws some by functions it deprecates
        if sample is None:
            return
        leaves, spec = pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))
        places = tuple(
            i for i, x in enumerate(leaves) if isinstance(x, torch.Tensor) and x.requires_grad
        )
        yield Call(number, sample, leaves, spec, places)


def to_numpy(leaf: Any) -> Any:
    """A tensor as NumPy's array, a dtype as its name, a shape as a tuple."""
    if isinstance(leaf, torch.Tensor):
        return leaf.numpy(force=True).copy()
    if isinstance(leaf, torch.dtype):
        return str(leaf).removeprefix("torch.")
    return leaf


def to_tensor(leaf: Any) -> Any:
    """The same for the engine on tensors."""
    return leaf.detach() if isinstance(leaf, torch.Tensor) else to_numpy(leaf)


def results_of(found: Any) -> list[Any]:
    """The arrays of a result, None for what is left out."""
    if isinstance(found, (tuple, list)):
        return [leaf for part in found for leaf in results_of(part)]
    return [found]
