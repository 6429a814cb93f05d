"""Lazy arrays within a derivative: what of a DaskDimArray there is while a trace follows it.

dimflow.grad(lambda x: (x.rechunk((10, -1)).map_blocks(smoothed) ** 2).sum())(field)
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from dimflow.array import DimArray
from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.autodiff.carrier import Carrier, innermost
from dimflow.autodiff.layout import is_in_batch, relaid
from dimflow.errors import TracedValueError

_READ = frozenset(("chunks", "chunksize", "numblocks", "npartitions"))
_COMPUTED = "compute after the derivative is built, or take the values: dimflow.stop_gradient(x)"
SAY_IT = "say what its derivative is: dimflow.custom_gradient"
_OTHERWISE = f"write it with dimflow's functions or map_blocks, or {SAY_IT}"
_WITHOUT_RULE = f"Dask's method has no derivative: write it with dimflow's functions, or {SAY_IT}"


def refuse_followed(operation: str, args: Sequence[Any], hint: str = _OTHERWISE) -> None:
    """TracedValueError for an operation on blocks that has no derivative."""
    for value in args:
        raw = value._raw if isinstance(value, Core) else value
        if isinstance(raw, Carrier):
            raise TracedValueError(operation, raw.trace.verb, hint)


def refuse_batches(operation: str, raws: Sequence[Any]) -> None:
    """TracedValueError within vmap: blocks do not know of the axis that it hides."""
    for raw in raws:
        if is_in_batch(raw):
            hint = f"use {operation} outside of vmap"
            raise TracedValueError(operation, raw.trace.verb, hint)


class Followed(DimArray):
    """What a derivative finds in lazy arrays beside what all DimArrays have."""

    __slots__ = ()

    @staticmethod
    def _followed(array: DimArray, name: str) -> Any:
        """An attribute of an array that is being differentiated or batched."""
        if name in _READ:
            return getattr(innermost(array._raw), name)
        method = METHODS.get(name)
        if method is not None:
            return partial(method, array)
        raw = array._raw
        assert isinstance(raw, Carrier)
        is_dask = name.startswith("__dask")
        if name.startswith("__") and not is_dask:
            raise AttributeError(f"'DimArray' object has no attribute {name!r}")
        is_computed = is_dask or name in _COMPUTING
        what = "a computation by Dask" if is_dask else f"x.{name}"
        hint = _COMPUTED if is_computed else _WITHOUT_RULE
        raise TracedValueError(what, raw.trace.verb, hint)


_COMPUTING = frozenset(("compute", "persist", "optimize", "visualize", "to_delayed", "store"))


def _rechunked(array: DimArray, chunks: Any = "auto", *args: Any, **kwargs: Any) -> DimArray:
    """The same numbers in other blocks; the cotangent comes back in the blocks of before."""
    raw = relaid(array._raw, lambda x: x.rechunk(chunks, *args, **kwargs))
    return wrap(raw, array._unit)


def _mapped(array: DimArray, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The function on every block; its derivative runs block by block too."""
    from dimflow.dask.blocks import map_blocks

    return map_blocks(func, array, *args, **kwargs)


def _overlapped(
    array: DimArray, func: Callable[..., Any], depth: Any, boundary: Any = None, **kwargs: Any
) -> Any:
    """The function on every block with a part of its neighbours, as its derivative runs."""
    from dimflow.dask.blocks import map_overlap

    return map_overlap(func, array, depth=depth, boundary=boundary, **kwargs)


METHODS: dict[str, Callable[..., Any]] = {
    "rechunk": _rechunked,
    "map_blocks": _mapped,
    "map_overlap": _overlapped,
}
