"""Scans: each block by itself, then what came before it is joined to it, as Dask does it."""

from math import isnan
from typing import Any

import dask.array as da
import numpy as np
from dask.array.reductions import cumreduction

from dimflow import ops
from dimflow.backends.dask_blocks.lengths import has_empty
from dimflow.backends.dask_blocks.looping import along
from dimflow.backends.dask_kernels.shaping import reshape
from dimflow.ops import Op
from dimflow.ops.rules.shapes import normalized
from dimflow.ops.rules.values import extreme


def cumulative_sum(
    x: Any, axis: int | None = None, dtype: Any = None, *, include_initial: bool = False
) -> Any:
    """Running sums."""
    x, axis = _laid(x, axis)
    if _is_vague(x):
        return _on_rows(ops.cumulative_sum, x, axis, dtype=dtype, include_initial=include_initial)
    result = da.cumsum(x, axis=axis, dtype=dtype)
    return _after(result, axis, 0) if include_initial else result


def cumulative_prod(
    x: Any, axis: int | None = None, dtype: Any = None, *, include_initial: bool = False
) -> Any:
    """Running products."""
    x, axis = _laid(x, axis)
    if _is_vague(x):
        return _on_rows(ops.cumulative_prod, x, axis, dtype=dtype, include_initial=include_initial)
    result = da.cumprod(x, axis=axis, dtype=dtype)
    return _after(result, axis, 1) if include_initial else result


def _laid(x: Any, axis: int | None) -> tuple[Any, int]:
    """The array with the axis to scan along: flat without one.

    Dask would cut the flat array into blocks as long as their number: a million of 100 elements.
    """
    return (reshape(x, -1), 0) if axis is None else (x, axis)


def _after(x: Any, axis: int, start: int) -> Any:
    """The scan behind its value for no elements."""
    first = da.full_like(da.take(x, [0], axis=axis), start) if x.shape[axis] else None
    if first is None:
        lengths = [1 if i == axis % x.ndim else n for i, n in enumerate(x.shape)]
        first = da.full(lengths, start, dtype=x.dtype)
    return da.concatenate([first, x], axis=axis)


def cummax(x: Any, axis: int | None = None) -> Any:
    """Running maxima."""
    return _scanned(ops.cummax, np.maximum, extreme(x, -1), x, axis)


def cummin(x: Any, axis: int | None = None) -> Any:
    """Running minima."""
    return _scanned(ops.cummin, np.minimum, extreme(x, 1), x, axis)


def logcumsumexp(x: Any, axis: int | None = None) -> Any:
    """By logaddexp, which never leaves the scale of its arguments."""
    x = x if x.dtype.kind in "fc" else x.astype(float)
    return _scanned(ops.logcumsumexp, np.logaddexp, -np.inf, x, axis)


def _scanned(op: Op, join: Any, start: Any, x: Any, axis: int | None) -> Any:
    x, axis = _laid(x, axis)
    return (
        _on_rows(op, x, axis) if _is_vague(x) else cumreduction(op, join, start, x, axis, x.dtype)
    )


def _is_vague(x: Any) -> bool:
    """Whether Dask's scans fail: an empty block has no last row for the next to start from."""
    return isnan(x.size) or has_empty(x)


def _on_rows(op: Op, x: Any, axis: int, **params: Any) -> Any:
    return along(op, (x,), {"axis": axis, **params}, normalized(axis, x.ndim))
