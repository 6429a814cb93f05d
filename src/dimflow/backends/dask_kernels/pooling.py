"""Windows over blocks: where space is cut, each block takes in what its windows need of the next.

Without cuts the blocks of the axes before space stay as they are.
"""

from typing import Any

from dask.array.lib.stride_tricks import sliding_window_view

from dimflow import ops
from dimflow.backends.dask_blocks.looping import planned, trailing
from dimflow.ops.families.convolution.geometry import per_axis
from dimflow.ops.families.convolution.pooling import space_of


def sliding_windows(x: Any, window_shape: Any, stride: Any = 1, dilation: Any = 1) -> Any:
    """Every window of the last axes; of wider ones with gaps what falls into no gap."""
    params = {"window_shape": window_shape, "stride": stride, "dilation": dilation}
    result = planned(ops.sliding_windows, (x,), params)  # or an error
    count = space_of("sliding_windows", x.shape, window_shape)
    space = range(x.ndim - count, x.ndim)
    if all(x.numblocks[axis] == 1 for axis in space):
        return trailing(ops.sliding_windows, (x,), params, [count])
    steps = per_axis("sliding_windows", "stride", stride, count, 1)
    gaps = per_axis("sliding_windows", "dilation", dilation, count, 1)
    kernel = result.shape[len(result.shape) - count :]
    spans = tuple(d * (k - 1) + 1 for d, k in zip(gaps, kernel, strict=True))
    every = sliding_window_view(x, spans, axis=tuple(space))
    lead = (slice(None),) * (x.ndim - count)
    return every[(*lead, *(slice(None, None, step) for step in (*steps, *gaps)))]


def overlap_add(x: Any, shape: Any, stride: Any = 1, dilation: Any = 1) -> Any:
    """On whole windows and places: each sum takes in many of them."""
    params = {"shape": shape, "stride": stride, "dilation": dilation}
    return trailing(ops.overlap_add, (x,), params, [2 * len(shape)])
