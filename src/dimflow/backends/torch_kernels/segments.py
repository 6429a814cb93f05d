"""Segments on PyTorch. Rows of an id that is none of them go to one row more, which is cut off.

Products go by their definition: the forward mode of PyTorch's scattered products is 0, silently.
"""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import floated
from dimflow.backends.torch_kernels.reductions import extreme
from dimflow.errors import ShapeMismatch


def _ids(x: Any, ids: Any, count: int) -> Any:
    if ids.ndim != 1 or x.shape[:1] != ids.shape:
        wanted = f"one segment id for each of x's rows, {tuple(x.shape[:1])}"
        raise ShapeMismatch("a segment op", wanted, tuple(ids.shape))
    return torch.where((ids >= 0) & (ids < count), ids, count).to(torch.int64)


def _whole(x: Any) -> Any:
    """Small integers and truth values as PyTorch sums them."""
    return x if x.is_floating_point() or x.is_complex() else x.to(torch.int64)


def segment_sum(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Sums of rows of one id."""
    x = _whole(x)
    start = x.new_zeros((num_segments + 1, *x.shape[1:]))
    return start.index_add(0, _ids(x, segment_ids, num_segments), x)[:num_segments]


def segment_mean(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Means of rows of one id; nan where there are none."""
    x = floated(x)
    ones = torch.ones_like(segment_ids)
    counts = segment_sum(ones, segment_ids, num_segments)
    return segment_sum(x, segment_ids, num_segments) / counts.reshape(-1, *[1] * (x.ndim - 1))


def _reduced(x: Any, ids: Any, count: int, start: Any, how: str) -> Any:
    ids = _ids(x, ids, count).reshape(-1, *[1] * (x.ndim - 1)).expand(x.shape)
    first = x.new_full((count + 1, *x.shape[1:]), start)
    return first.scatter_reduce(0, ids, x, how)[:count]


def segment_max(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Maxima of rows of one id."""
    return _reduced(x, segment_ids, num_segments, extreme(x.dtype, -1), "amax")


def segment_min(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Minima of rows of one id."""
    return _reduced(x, segment_ids, num_segments, extreme(x.dtype, 1), "amin")
