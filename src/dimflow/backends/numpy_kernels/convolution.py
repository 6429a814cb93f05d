"""Convolution on NumPy: windows as a view, gathered into columns, one matrix product a group."""

from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from dimflow.ops.families.convolution import convolution as rules
from dimflow.ops.families.convolution.geometry import Geometry

_COLUMNS = 1 << 20  # elements of columns that are held at once


def windows(x: Any, kernel: Any, stride: Any, dilation: Any) -> Any:
    """A read-only view (*lead, *kernel, *out): every window of the last axes."""
    lead = x.ndim - len(kernel)
    steps = x.strides[lead:]
    sizes = zip(x.shape[lead:], kernel, stride, dilation, strict=True)
    out = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in sizes]
    shape = (*x.shape[:lead], *kernel, *out)
    inner = (step * d for step, d in zip(steps, dilation, strict=True))
    outer = (step * s for step, s in zip(steps, stride, strict=True))
    return as_strided(x, shape, (*x.strides[:lead], *inner, *outer), writeable=False)


def padded(x: Any, pairs: Any, fill: Any = 0) -> Any:
    """The array with a border around its last axes."""
    if not any(map(any, pairs)):
        return x
    lead = x.ndim - len(pairs)
    space = [n + low + high for n, (low, high) in zip(x.shape[lead:], pairs, strict=True)]
    result: Any = np.full((*x.shape[:lead], *space), fill, x.dtype)
    inside = [slice(low, low + n) for n, (low, _) in zip(x.shape[lead:], pairs, strict=True)]
    result[(..., *inside)] = x
    return result


def _columns(x: Any, geometry: Any, groups: int) -> Any:
    """Padded images as (N, G, C/G * kernel, out), some images at a time; with their slices."""
    view = windows(x, geometry.kernel, geometry.stride, geometry.dilation)
    rank = len(geometry.kernel)
    rows = x.shape[1] // groups * prod(geometry.kernel)
    out = prod(view.shape[2 + rank :])
    step = max(1, _COLUMNS // max(1, groups * rows * out))
    for start in range(0, x.shape[0], step):
        part = view[start : start + step]
        yield slice(start, start + step), part.reshape(part.shape[0], groups, rows, out)


def conv(
    x: Any, weight: Any, /, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    """One matrix product for each image and group."""
    x, weight = np.asarray(x), np.asarray(weight)
    params = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    shape = rules._conv_shape((x.shape, weight.shape), params)
    geometry = Geometry("conv", weight.shape[2:], params)
    filters = weight.reshape(groups, weight.shape[0] // groups, -1)
    result = np.empty(shape, np.result_type(x, weight))
    flat = result.reshape(shape[0], groups, filters.shape[1], prod(shape[2:]))
    for part, columns in _columns(padded(x, geometry.padding), geometry, groups):
        np.matmul(filters, columns, out=flat[part])
    return result


def conv_weight_grad(
    x: Any,
    y: Any,
    /,
    kernel_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """The products of images and columns, summed over the images."""
    x, y = np.asarray(x), np.asarray(y)
    params = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    shape = rules._weight_shape((x.shape, y.shape), {**params, "kernel_size": kernel_size})
    geometry = Geometry("conv_weight_grad", shape[2:], params)
    images = y.reshape(y.shape[0], groups, y.shape[1] // groups, prod(y.shape[2:]))
    result = np.zeros((groups, y.shape[1] // groups, prod(shape[1:])), np.result_type(x, y))
    for part, columns in _columns(padded(x, geometry.padding), geometry, groups):
        result += np.matmul(images[part], columns.swapaxes(-1, -2)).sum(axis=0, dtype=result.dtype)
    return result.reshape(shape)


def conv_transpose(
    x: Any,
    weight: Any,
    /,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """Every element of x spreads over a window of the result."""
    x, weight = np.asarray(x), np.asarray(weight)
    params = {
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "groups": groups,
        "output_padding": output_padding,
    }
    shape = rules._transpose_shape((x.shape, weight.shape), params)
    geometry = Geometry("conv_transpose", weight.shape[2:], params)
    images = x.reshape(x.shape[0], groups, x.shape[1] // groups, prod(x.shape[2:]))
    filters = weight.reshape(groups, x.shape[1] // groups, prod(weight.shape[1:]))
    columns = np.matmul(filters.swapaxes(-1, -2), images)
    spread = columns.reshape(x.shape[0], shape[1], *geometry.kernel, *x.shape[2:])
    sizes = zip(shape[2:], geometry.padding, strict=True)
    wide: Any = np.zeros((*shape[:2], *(n + sum(pads) for n, pads in sizes)), spread.dtype)
    add_windows(wide, spread, geometry.stride, geometry.dilation)
    inside = zip(shape[2:], geometry.padding, strict=True)
    return np.ascontiguousarray(wide[(..., *(slice(low, low + n) for n, (low, _) in inside))])


def add_windows(target: Any, spread: Any, stride: Any, dilation: Any) -> None:
    """Add windows (*lead, *kernel, *out) where they belong: the transpose of `windows`."""
    rank = len(stride)
    lead = target.ndim - rank
    kernel, out = spread.shape[lead : lead + rank], spread.shape[lead + rank :]
    for place in product(*map(range, kernel)):
        spans = zip(place, stride, dilation, out, strict=True)
        key = [slice(i * d, i * d + (n - 1) * s + 1 if n else i * d, s) for i, s, d, n in spans]
        target[(..., *key)] += spread[(slice(None),) * lead + place]
