"""Repeating, rolling and diagonals on Dask, by its own functions."""

from typing import Any

import dask.array as da

from dimflow import ops
from dimflow.backends.dask_blocks.lengths import is_known, unknown_length


def tile(x: Any, /, reps: Any) -> Any:
    """Dask's; of nothing, nothing."""
    counts = tuple(reps) if isinstance(reps, (tuple, list)) else (reps,)
    if not is_known(x):
        raise unknown_length("tile", x)
    if 0 in counts or not x.size:
        ndim = max(len(counts), x.ndim)
        lengths = (1,) * (ndim - x.ndim) + x.shape
        counts = (1,) * (ndim - len(counts)) + counts
        return da.zeros_like(x, shape=tuple(n * r for n, r in zip(lengths, counts, strict=True)))
    return da.tile(x, counts)


def roll(x: Any, /, shift: Any, axis: Any = None) -> Any:
    """Dask's; one shift for several axes as one for each."""
    if axis is not None:
        shifts = shift if isinstance(shift, (tuple, list)) else (shift,)
        axes = axis if isinstance(axis, (tuple, list)) else (axis,)
        count = max(len(shifts), len(axes))
        if len(shifts) != len(axes) and 1 in (len(shifts), len(axes)):
            shift = tuple(shifts) * (count // len(shifts))
            axis = tuple(axes) * (count // len(axes))
    return da.roll(x, shift, axis) if x.size else x


def delete(x: Any, /, obj: Any, axis: Any = None) -> Any:
    """Dask's, along an axis."""
    if axis is None or not x.size:
        assert ops.delete.definition is not None
        return ops.delete.definition(x, obj=obj, axis=axis)
    return da.delete(x, list(obj) if isinstance(obj, tuple) else obj, axis)


def diagonal(x: Any, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Dask's."""
    return da.diagonal(x, offset, axis1, axis2)


def diag(x: Any, /, k: int = 0) -> Any:
    """Dask's."""
    if not is_known(x):
        raise unknown_length("diag", x)
    if not x.size:
        assert ops.diag.definition is not None
        return ops.diag.definition(x, k=k)
    return da.diag(x, k)
