"""Convolution by MLX's own, which wants channels last and rounds float64 to single precision."""

from typing import Any

import mlx.core as mx

from dimflow import ops
from dimflow.ops.families.convolution import convolution as rules
from dimflow.ops.families.convolution.geometry import Geometry


def conv(
    x: Any, weight: Any, /, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    """In MLX's layout where it has a kernel for dtype, groups and number of axes."""
    params = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    shape = rules._conv_shape((x.shape, weight.shape), params)  # which checks them too
    rank = x.ndim - 2
    dtype = mx.result_type(x, weight)
    fits = dtype in (mx.float32, mx.float16, mx.bfloat16) and rank <= 3 and 0 not in shape
    if not fits or 0 in weight.shape or (groups > 1 and rank == 3):
        return ops.conv.rule("definition")(x, weight, **params)
    geometry = Geometry("conv", weight.shape[2:], params)
    low, high = zip(*geometry.padding, strict=True)
    result = mx.conv_general(
        _channels_last(x.astype(dtype)),
        _channels_last(weight.astype(dtype)),
        stride=list(geometry.stride),
        padding=(list(low), list(high)),
        kernel_dilation=list(geometry.dilation),
        groups=groups,
    )
    return mx.moveaxis(result, -1, 1)


def _channels_last(x: Any) -> Any:
    return mx.moveaxis(x, 1, -1)
