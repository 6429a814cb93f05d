"""Segments: those of every block of rows, put together by the same reduction."""

from collections.abc import Callable
from typing import Any

import dask.array as da

from dimflow import ops
from dimflow.backends.dask_blocks.looping import folded
from dimflow.ops import Op


def _folded(op: Op, x: Any, ids: Any, count: int, fold: Callable[..., Any]) -> Any:
    axes = [tuple(range(x.ndim)), (0,)]
    out = (None, *range(1, x.ndim))
    return folded(op, (x, ids), {"num_segments": count}, axes, out, fold)


def segment_sum(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Sums of rows of one id."""
    return _folded(ops.segment_sum, x, segment_ids, num_segments, da.sum)


def segment_prod(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Products of rows of one id."""
    return _folded(ops.segment_prod, x, segment_ids, num_segments, da.prod)


def segment_max(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Maxima of rows of one id."""
    return _folded(ops.segment_max, x, segment_ids, num_segments, da.max)


def segment_min(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Minima of rows of one id."""
    return _folded(ops.segment_min, x, segment_ids, num_segments, da.min)
