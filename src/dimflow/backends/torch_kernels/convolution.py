"""Convolution on PyTorch: its own for fractions in one to three axes of space.

Integers, and spaces of more axes, go by windows and a matrix product.
"""

from math import prod
from typing import Any

import torch
from torch.nn import grad

from dimflow.backends.torch_kernels.functions import promoted
from dimflow.backends.torch_kernels.linear_algebra import matmul
from dimflow.backends.torch_kernels.padding import padded
from dimflow.backends.torch_kernels.windows import add_windows, windows
from dimflow.ops.families.convolution import convolution as rules
from dimflow.ops.families.convolution.geometry import Geometry, window_of

_functional = torch.nn.functional
_CONV = {1: _functional.conv1d, 2: _functional.conv2d, 3: _functional.conv3d}
_TRANSPOSE = {
    1: _functional.conv_transpose1d,
    2: _functional.conv_transpose2d,
    3: _functional.conv_transpose3d,
}
_WEIGHT: dict[int, Any] = {1: grad.conv1d_weight, 2: grad.conv2d_weight, 3: grad.conv3d_weight}


def _is_native(x: Any, rank: int) -> bool:
    return rank in _CONV and (x.is_floating_point() or x.is_complex())


def _padding(x: Any, geometry: Any) -> tuple[Any, tuple[int, ...]]:
    """What PyTorch pads by itself, alike at both ends; else the array padded before."""
    if all(low == high for low, high in geometry.padding):
        return x, tuple(low for low, _ in geometry.padding)
    return padded(x, geometry.padding), (0,) * len(geometry.padding)


def _columns(x: Any, geometry: Any, groups: int) -> Any:
    """The windows of padded images as (N, G, C/G * kernel, out)."""
    wide = padded(x, geometry.padding)
    view = windows(wide, geometry.kernel, geometry.stride, geometry.dilation)
    rank = len(geometry.kernel)
    order = (0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank))
    rows = x.shape[1] // groups * prod(geometry.kernel)
    return view.permute(order).reshape(x.shape[0], groups, rows, prod(view.shape[2 : 2 + rank]))


def conv(
    x: Any, weight: Any, /, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    """PyTorch's, with a padding of its own at each end."""
    x, weight = promoted(x, weight)
    params = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    shape = rules._conv_shape((tuple(x.shape), tuple(weight.shape)), params)
    geometry = Geometry("conv", weight.shape[2:], params)
    rank = len(geometry.kernel)
    if _is_native(x, rank):
        x, pads = _padding(x, geometry)
        return _CONV[rank](x, weight, None, geometry.stride, pads, geometry.dilation, groups)
    filters = weight.reshape(groups, weight.shape[0] // groups, -1)
    return matmul(filters, _columns(x, geometry, groups)).reshape(shape)


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
    """What PyTorch sends back to a weight."""
    x, y = promoted(x, y)
    params = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    sizes = tuple(x.shape), tuple(y.shape)
    shape = rules._weight_shape(sizes, {**params, "kernel_size": kernel_size})
    geometry = Geometry("conv_weight_grad", shape[2:], params)
    rank = len(geometry.kernel)
    if _is_native(x, rank) and x.is_floating_point():
        x, pads = _padding(x, geometry)
        return _WEIGHT[rank](x, shape, y, geometry.stride, pads, geometry.dilation, groups)
    images = y.reshape(y.shape[0], groups, y.shape[1] // groups, prod(y.shape[2:]))
    found = matmul(images, _columns(x, geometry, groups).mT).sum(0)
    return found.reshape(shape)


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
    """PyTorch's without padding, which is cut off after."""
    x, weight = promoted(x, weight)
    params = {
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "groups": groups,
        "output_padding": output_padding,
    }
    shape = rules._transpose_shape((tuple(x.shape), tuple(weight.shape)), params)
    geometry = Geometry("conv_transpose", weight.shape[2:], params)
    rank = len(geometry.kernel)
    if _is_native(x, rank):
        options = (geometry.stride, 0, geometry.extra, groups, geometry.dilation)
        wide: Any = _TRANSPOSE[rank](x, weight, None, *options)
    else:
        wide = _spread(x, weight, geometry, groups, shape)
    ends = zip(shape[2:], geometry.padding, strict=True)
    return wide[(..., *(slice(low, low + n) for n, (low, _) in ends))]


def _spread(x: Any, weight: Any, geometry: Any, groups: int, shape: Any) -> Any:
    """Every element of x over a window of the result."""
    images = x.reshape(x.shape[0], groups, x.shape[1] // groups, prod(x.shape[2:]))
    filters = weight.reshape(groups, x.shape[1] // groups, prod(weight.shape[1:]))
    columns = matmul(filters.mT, images).reshape(*shape[:2], *geometry.kernel, *x.shape[2:])
    space = [n + sum(pads) for n, pads in zip(shape[2:], geometry.padding, strict=True)]
    return add_windows(columns, space, geometry.stride, geometry.dilation)


def convolve(x: Any, y: Any, mode: str = "full") -> Any:
    """A convolution of one image with the other signal turned around."""
    rules._signal_shape((tuple(x.shape), tuple(y.shape)), {"mode": mode})
    start, stop = window_of("convolve", mode, x.shape[0], y.shape[0])
    full = conv(x[None, None], y.flip(0)[None, None], padding=y.shape[0] - 1)
    return full[0, 0, start:stop]
