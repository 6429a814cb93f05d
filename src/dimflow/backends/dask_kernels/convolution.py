"""Convolution: images stay in their blocks, each with all of its channels and space."""

from typing import Any

import dask.array as da

from dimflow import ops
from dimflow.backends.dask_blocks.looping import Axes, folded, looped


def conv(
    x: Any, weight: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    """A block of images at a time."""
    params = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    return _on_images(ops.conv, x, weight, params)


def conv_transpose(
    x: Any,
    weight: Any,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """A block of images at a time."""
    params = {"stride": stride, "padding": padding, "output_padding": output_padding}
    params |= {"groups": groups, "dilation": dilation}
    return _on_images(ops.conv_transpose, x, weight, params)


def _on_images(op: Any, x: Any, weight: Any, params: Any) -> Any:
    images: Axes = (0, *[None] * (x.ndim - 1))
    axes = [images, (None,) * weight.ndim]
    return looped(op, (x, weight), params, axes, [images])


def conv_weight_grad(
    x: Any,
    y: Any,
    kernel_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """The sum over all blocks of images."""
    params = {"kernel_size": kernel_size, "stride": stride, "padding": padding}
    params |= {"dilation": dilation, "groups": groups}
    images: Axes = (0, *[None] * (x.ndim - 1))
    out = (None,) * x.ndim
    return folded(ops.conv_weight_grad, (x, y), params, [images, images], out, da.sum)


def convolve(x: Any, y: Any, mode: str = "full") -> Any:
    """Of whole signals."""
    return looped(ops.convolve, (x, y), {"mode": mode}, [(None,), (None,)], [(None,)])
