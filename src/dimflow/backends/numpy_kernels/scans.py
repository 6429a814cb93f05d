"""Scans on NumPy."""

from typing import Any

import numpy as np


def _accumulated(ufunc: Any, x: Any, axis: int | None, dtype: Any, start: int | None) -> Any:
    """As np.cumsum and np.cumprod do, with the value of no elements first if asked."""
    x = np.asarray(x)
    if axis is None:
        x, axis = x.reshape(-1), 0
    if dtype is None:
        dtype = ufunc.reduce(np.ones(1, x.dtype)).dtype  # small integers grow
    result = ufunc.accumulate(x, axis=axis, dtype=dtype)
    if start is None:
        return result
    shape = list(x.shape)
    shape[axis] = 1
    return np.concatenate([np.full(shape, start, result.dtype), result], axis=axis)


def cumulative_sum(
    x: Any, axis: int | None = None, dtype: Any = None, *, include_initial: bool = False
) -> Any:
    """Running sums."""
    return _accumulated(np.add, x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(
    x: Any, axis: int | None = None, dtype: Any = None, *, include_initial: bool = False
) -> Any:
    """Running products."""
    return _accumulated(np.multiply, x, axis, dtype, 1 if include_initial else None)


def cummax(x: Any, axis: int | None = None) -> Any:
    """Running maxima."""
    return _accumulated(np.maximum, x, axis, np.asarray(x).dtype, None)


def cummin(x: Any, axis: int | None = None) -> Any:
    """Running minima."""
    return _accumulated(np.minimum, x, axis, np.asarray(x).dtype, None)


def logcumsumexp(x: Any, axis: int | None = None) -> Any:
    """By logaddexp, which never leaves the scale of its arguments."""
    x = np.asarray(x)
    x = x if x.dtype.kind in "fc" else x.astype(float)
    return _accumulated(np.logaddexp, x, axis, x.dtype, None)
