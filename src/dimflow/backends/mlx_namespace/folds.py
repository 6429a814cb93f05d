"""Reductions and scans, with the standard's parameters."""

from collections.abc import Callable
from typing import Any

import mlx.core as mx

__all__ = [
    "argmax",
    "argmin",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]

INDEX = mx.int64  # of indices and counts; signed, so that i - 1 is what it says


def _fold(function: Callable[..., mx.array]) -> Callable[..., mx.array]:
    def fold(
        x: mx.array, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False
    ) -> mx.array:
        return function(x if dtype is None else x.astype(dtype), axis, keepdims)

    return fold


sum, prod, mean = _fold(mx.sum), _fold(mx.prod), _fold(mx.mean)


def _extreme(function: Callable[..., mx.array]) -> Callable[..., mx.array]:
    def extreme(x: mx.array, /, *, axis: Any = None, keepdims: bool = False) -> mx.array:
        return function(x, axis, keepdims)

    return extreme


max, min = _extreme(mx.max), _extreme(mx.min)


def var(
    x: mx.array, /, *, axis: Any = None, correction: Any = 0, keepdims: bool = False
) -> mx.array:
    """The mean square of what differs from the mean; the correction may be a fraction."""
    off = x - mx.mean(x, axis, keepdims=True)
    total = mx.sum(off * off, axis, keepdims=keepdims)
    count = x.size // mx.sum(mx.zeros(x.shape), axis).size if x.size else 0
    left = count - correction
    return total / left if left > 0 else total * mx.nan


def std(
    x: mx.array, /, *, axis: Any = None, correction: Any = 0, keepdims: bool = False
) -> mx.array:
    """The root of the variance."""
    return mx.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def argmax(x: mx.array, /, *, axis: Any = None, keepdims: bool = False) -> mx.array:
    """Where the first of the largest is; a nan counts as such."""
    return _first(mx.argmax, x, axis, keepdims)


def argmin(x: mx.array, /, *, axis: Any = None, keepdims: bool = False) -> mx.array:
    """Where the first of the smallest is; a nan counts as such."""
    return _first(mx.argmin, x, axis, keepdims)


def _first(function: Callable[..., mx.array], x: mx.array, axis: Any, keepdims: bool) -> mx.array:
    keepdims = keepdims and x.ndim > 0  # with no axis to keep, MLX fails
    found = function(x, axis, keepdims)
    if mx.issubdtype(x.dtype, mx.floating):
        holes = mx.isnan(x)
        found = mx.where(mx.any(holes, axis, keepdims), mx.argmax(holes, axis, keepdims), found)
    return found.astype(INDEX)


def count_nonzero(x: mx.array, /, *, axis: Any = None, keepdims: bool = False) -> mx.array:
    """How many are not zero."""
    return mx.sum((x != 0).astype(INDEX), axis, keepdims)


def _scan(function: Callable[..., mx.array], neutral: int) -> Callable[..., mx.array]:
    def scan(
        x: mx.array, /, *, axis: Any = None, dtype: Any = None, include_initial: bool = False
    ) -> mx.array:
        if axis is None:
            x, axis = mx.reshape(x, (-1,)), 0
        if dtype is None and not mx.issubdtype(x.dtype, mx.inexact):
            dtype = mx.sum(mx.zeros(0, x.dtype)).dtype  # narrow integers would wrap
        found = function(x if dtype is None else x.astype(dtype), axis)
        if not include_initial:
            return found
        shape = list(found.shape)
        shape[axis] = 1
        return mx.concatenate([mx.full(shape, neutral, dtype=found.dtype), found], axis)

    return scan


cumulative_sum, cumulative_prod = _scan(mx.cumsum, 0), _scan(mx.cumprod, 1)


def diff(
    x: mx.array, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None
) -> mx.array:
    """Differences of neighbours."""
    parts = [part for part in (prepend, x, append) if part is not None]
    return mx.diff(mx.concatenate(parts, axis) if len(parts) > 1 else x, n, axis)
