"""Windows and pooling on PyTorch."""

from math import prod
from typing import Any

import torch

from dimflow import ops
from dimflow.backends.torch_kernels.padding import padded
from dimflow.backends.torch_kernels.reductions import extreme
from dimflow.backends.torch_kernels.windows import add_windows, windows
from dimflow.errors import UnitError
from dimflow.ops.families.convolution import pooling as rules
from dimflow.ops.families.convolution.geometry import per_axis

_functional = torch.nn.functional
_MAX = {1: _functional.max_pool1d, 2: _functional.max_pool2d, 3: _functional.max_pool3d}


def sliding_windows(x: Any, /, window_shape: Any, stride: Any = 1, dilation: Any = 1) -> Any:
    """A view."""
    params = {"window_shape": window_shape, "stride": stride, "dilation": dilation}
    shape = tuple(x.shape)
    rules._windows_shape((shape,), params)
    sizes = rules._window_params("sliding_windows", shape, params, window_shape)
    return windows(x, *sizes)


def overlap_add(x: Any, /, shape: Any, stride: Any = 1, dilation: Any = 1) -> Any:
    """One addition of a slice for each place in the window."""
    count = len(tuple(shape))
    params = {"shape": shape, "stride": stride, "dilation": dilation}
    rules._overlap_shape((tuple(x.shape),), params)
    lead = x.ndim - 2 * count
    order = (*range(lead), *range(lead + count, x.ndim), *range(lead, lead + count))
    strides = per_axis("overlap_add", "stride", stride, count, 1)
    dilations = per_axis("overlap_add", "dilation", dilation, count, 1)
    return add_windows(x.permute(order), shape, strides, dilations)


def max_pool(x: Any, /, kernel_size: Any, **params: Any) -> Any:
    """PyTorch's for fractions in one to three axes of space; by windows otherwise."""
    params = {
        "stride": None,
        "padding": 0,
        "dilation": 1,
        "ceil_mode": False,
        **params,
        "kernel_size": kernel_size,
    }
    shape = tuple(x.shape)
    pool = rules.Pool("max_pool", shape, params)
    rank = len(pool.kernel)
    if rank not in _MAX or not x.is_floating_point():
        lead_pairs = ((0, 0),) * (x.ndim - rank)
        wide = padded(x, (*lead_pairs, *pool.pairs), extreme(x.dtype, -1))
        view = windows(wide, pool.kernel, pool.stride, pool.dilation)
        found = view.amax(pool.last)
        return found[(..., *(slice(n) for n in pool.out))]
    lead = shape[: len(shape) - rank]
    images = x.reshape(1, prod(lead), *pool.space)
    options = (pool.kernel, pool.stride, pool.padding, pool.dilation, params["ceil_mode"])
    return _MAX[rank](images, *options).reshape(*lead, *pool.out)


def avg_pool(
    x: Any,
    /,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """Sums of windows over their counts."""
    params = {
        "kernel_size": kernel_size,
        "stride": stride,
        "padding": padding,
        "ceil_mode": ceil_mode,
    }
    pool = rules.Pool("avg_pool", tuple(x.shape), params)
    if divisor_override == 0:
        raise UnitError("avg_pool cannot divide by divisor_override=0")
    count = pool.counts(count_include_pad) if divisor_override is None else divisor_override
    return ops.divide(pool.windows(x, 0).sum(pool.last), count)
