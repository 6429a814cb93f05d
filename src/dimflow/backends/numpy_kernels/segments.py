"""Segments on NumPy: rows in the order of their ids, then `reduceat` over the runs."""

from typing import Any

import numpy as np

from dimflow.errors import ShapeMismatch


def _by_segment(ufunc: Any, x: Any, ids: Any, count: int, start: Any, dtype: Any = None) -> Any:
    x, ids = np.asarray(x), np.asarray(ids)
    if ids.ndim != 1 or x.shape[:1] != ids.shape:
        wanted = f"one segment id for each of x's rows, {x.shape[:1]}"
        raise ShapeMismatch("a segment op", wanted, ids.shape)
    dtype = ufunc.reduce(np.ones(1, x.dtype)).dtype if dtype is None else dtype
    result = np.full((count, *x.shape[1:]), start, dtype)
    inside = np.flatnonzero((ids >= 0) & (ids < count))
    order = inside[np.argsort(ids[inside], kind="stable")]
    present, starts = np.unique(ids[order], return_index=True)
    if present.size:
        result[present] = ufunc.reduceat(x[order], starts, axis=0, dtype=dtype)
    return result


def segment_sum(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Sums of rows of one id."""
    return _by_segment(np.add, x, segment_ids, num_segments, 0)


def segment_prod(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Products of rows of one id."""
    return _by_segment(np.multiply, x, segment_ids, num_segments, 1)


def segment_mean(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Means of rows of one id."""
    x, ids = np.asarray(x), np.asarray(segment_ids)
    dtype = np.mean(np.ones(1, x.dtype)).dtype
    total = _by_segment(np.add, x, ids, num_segments, 0, dtype)
    counts = np.bincount(ids[(ids >= 0) & (ids < num_segments)], minlength=num_segments)
    with np.errstate(invalid="ignore"):
        result = total / counts.reshape(-1, *[1] * (x.ndim - 1))
    return result.astype(dtype, copy=False)


def _end(dtype: Any, sign: int) -> Any:
    """What every value of a dtype exceeds, or with -1 what exceeds every value."""
    if dtype.kind == "f":
        return -sign * np.inf
    if dtype.kind == "b":
        return sign < 0
    limits = np.iinfo(dtype)
    return limits.min if sign > 0 else limits.max


def segment_max(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Maxima of rows of one id."""
    dtype = np.asarray(x).dtype
    return _by_segment(np.maximum, x, segment_ids, num_segments, _end(dtype, 1), dtype)


def segment_min(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Minima of rows of one id."""
    dtype = np.asarray(x).dtype
    return _by_segment(np.minimum, x, segment_ids, num_segments, _end(dtype, -1), dtype)
