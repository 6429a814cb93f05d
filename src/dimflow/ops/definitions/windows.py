"""Windows by places that are known without data, and convolution as products of matrices."""

from math import prod
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.ops.definitions.arranging import kept
from dimflow.ops.families.convolution.geometry import Geometry, per_axis, window_of
from dimflow.ops.rules.transposition import shape_of


def sliding_windows(x: Any, window_shape: Any, stride: Any = 1, dilation: Any = 1) -> Any:
    """Every axis of space taken apart into windows and places within, the last axis first."""
    params = {"window_shape": window_shape, "stride": stride, "dilation": dilation}
    whole = ops.sliding_windows.rule("shape")((shape_of(x),), params)
    count = len(whole) - len(shape_of(x))
    lead = len(shape_of(x)) - count
    out, kernel = whole[lead : lead + count], whole[lead + count :]
    strides = per_axis("sliding_windows", "stride", stride, count, 1)
    dilations = per_axis("sliding_windows", "dilation", dilation, count, 1)
    for i in reversed(range(count)):
        places = np.arange(out[i])[:, None] * strides[i] + np.arange(kernel[i]) * dilations[i]
        x = ops.take(x, places, axis=lead + i)
    first = tuple(lead + 2 * i for i in range(count))
    order = (*range(lead), *first, *(i + 1 for i in first))
    return ops.permute_dims(x, axes=order)


def overlap_add(x: Any, shape: Any, stride: Any = 1, dilation: Any = 1) -> Any:
    """Axis by axis: a sum of as many stretched arrays as a window has places."""
    params = {"shape": shape, "stride": stride, "dilation": dilation}
    ops.overlap_add.rule("shape")((shape_of(x),), params)
    count = len(tuple(shape))
    lead = len(shape_of(x)) - 2 * count
    strides = per_axis("overlap_add", "stride", stride, count, 1)
    dilations = per_axis("overlap_add", "dilation", dilation, count, 1)
    for i in range(count):
        # the places of this axis are the first of those that are left
        x = _laid(x, lead + i, lead + count, tuple(shape)[i], strides[i], dilations[i])
    return x


def _laid(x: Any, axis: int, places: int, length: int, stride: int, dilation: int) -> Any:
    """Windows along one axis added up where they lie; `places` is the axis within windows."""
    total = None
    for i in range(shape_of(x)[places]):
        one = ops.squeeze(kept(x, places, i, i + 1), axis=places)
        wide = _stretched(one, axis, stride)
        before = i * dilation
        after = length - before - shape_of(wide)[axis]
        pads = [(before, after) if j == axis else (0, 0) for j in range(len(shape_of(wide)))]
        wide = ops.pad_constant(wide, pads)
        total = wide if total is None else total + wide
    return total


def _stretched(x: Any, axis: int, step: int) -> Any:
    """Zeros between the elements along an axis."""
    shape = shape_of(x)
    n = shape[axis]
    if step == 1 or n < 2:
        return x
    apart = ops.expand_dims(x, axis=axis + 1)
    pads = [(0, step - 1) if j == axis + 1 else (0, 0) for j in range(len(shape) + 1)]
    flat = ops.reshape(
        ops.pad_constant(apart, pads), shape=(*shape[:axis], n * step, *shape[axis + 1 :])
    )
    return kept(flat, axis, 0, (n - 1) * step + 1)


# Convolution


def _padded(x: Any, pairs: Any) -> Any:
    lead = len(shape_of(x)) - len(pairs)
    return ops.pad_constant(x, (*[(0, 0)] * lead, *pairs)) if any(map(any, pairs)) else x


def _columns(x: Any, geometry: Geometry, groups: int) -> Any:
    """Padded images as (N, G, C/G * kernel, out)."""
    rank = len(geometry.kernel)
    found = ops.sliding_windows(
        _padded(x, geometry.padding),
        window_shape=geometry.kernel,
        stride=geometry.stride,
        dilation=geometry.dilation,
    )
    order = (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
    found = ops.permute_dims(found, axes=order)
    images, channels, *space = shape_of(found)
    rows = channels // groups * prod(geometry.kernel)
    return ops.reshape(found, shape=(images, groups, rows, prod(space[rank:])))


def conv(
    x: Any, weight: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    """One matrix product for each image and group."""
    params = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    shape = ops.conv.rule("shape")((shape_of(x), shape_of(weight)), params)
    geometry = Geometry("conv", shape_of(weight)[2:], params)
    outputs = shape_of(weight)[0] // groups
    filters = ops.reshape(weight, shape=(groups, outputs, prod(shape_of(weight)[1:])))
    return ops.reshape(ops.matmul(filters, _columns(x, geometry, groups)), shape=shape)


def conv_weight_grad(
    x: Any,
    y: Any,
    kernel_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """The products of images and columns, summed over the images."""
    params = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    shape = ops.conv_weight_grad.rule("shape")(
        (shape_of(x), shape_of(y)), {**params, "kernel_size": kernel_size}
    )
    geometry = Geometry("conv_weight_grad", shape[2:], params)
    images, channels, *space = shape_of(y)
    y = ops.reshape(y, shape=(images, groups, channels // groups, prod(space)))
    columns = ops.matrix_transpose(_columns(x, geometry, groups))
    return ops.reshape(ops.sum(ops.matmul(y, columns), axis=0), shape=shape)


def conv_transpose(
    x: Any,
    weight: Any,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """Every element of x spreads over a window of the result."""
    params = {
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "groups": groups,
        "output_padding": output_padding,
    }
    shape = ops.conv_transpose.rule("shape")((shape_of(x), shape_of(weight)), params)
    geometry = Geometry("conv_transpose", shape_of(weight)[2:], params)
    images, channels, *space = shape_of(x)
    rank = len(space)
    inner = channels // groups
    x = ops.reshape(x, shape=(images, groups, inner, prod(space)))
    filters = ops.reshape(weight, shape=(groups, inner, prod(shape_of(weight)[1:])))
    spread = ops.matmul(ops.matrix_transpose(filters), x)
    spread = ops.reshape(spread, shape=(images, shape[1], *geometry.kernel, *space))
    order = (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
    windows = ops.permute_dims(spread, axes=order)
    reach = zip(space, geometry.stride, geometry.spans, strict=True)
    covered = tuple((n - 1) * s + span for n, s, span in reach)
    wide = ops.overlap_add(
        windows, shape=covered, stride=geometry.stride, dilation=geometry.dilation
    )
    return _cut(wide, shape, geometry)


def _cut(wide: Any, shape: Any, geometry: Geometry) -> Any:
    """Without the padding, and with zeros where the result reaches beyond the last window."""
    for i, (low, _) in enumerate(geometry.padding):
        n, wanted = shape_of(wide)[2 + i], shape[2 + i]
        wide = kept(wide, 2 + i, low, min(n, low + wanted))
        missing = wanted - shape_of(wide)[2 + i]
        if missing:
            pads = [(0, missing) if j == 2 + i else (0, 0) for j in range(len(shape))]
            wide = ops.pad_constant(wide, pads)
    return wide


def convolve(x: Any, y: Any, mode: str = "full") -> Any:
    """The windows of the longer signal times the other one turned round."""
    if shape_of(x)[0] < shape_of(y)[0]:
        x, y = y, x
    n, m = shape_of(x)[0], shape_of(y)[0]
    start, stop = window_of("convolve", mode, n, m)
    wide = ops.pad_constant(x, ((m - 1, m - 1),))
    found = ops.matmul(ops.sliding_windows(wide, window_shape=(m,)), ops.flip(y))
    return found[start:stop]
