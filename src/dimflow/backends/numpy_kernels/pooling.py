"""Windows and pooling on NumPy."""

from itertools import product
from typing import Any

import numpy as np

from dimflow.backends.numpy_kernels.convolution import add_windows, padded, windows
from dimflow.errors import UnitError
from dimflow.ops.families.convolution import pooling as rules
from dimflow.ops.families.convolution.geometry import per_axis
from dimflow.ops.rules.dtypes import as_floating


def sliding_windows(x: Any, /, window_shape: Any, stride: Any = 1, dilation: Any = 1) -> Any:
    """A read-only view."""
    x = np.asarray(x)
    params = {"window_shape": window_shape, "stride": stride, "dilation": dilation}
    shape = rules._windows_shape((x.shape,), params)
    kernel, strides, dilations = rules._window_params(
        "sliding_windows", x.shape, params, window_shape
    )
    view = windows(x, kernel, strides, dilations)
    lead, count = x.ndim - len(kernel), len(kernel)
    order = (*range(lead), *range(lead + count, len(shape)), *range(lead, lead + count))
    return view.transpose(order)


def overlap_add(x: Any, /, shape: Any, stride: Any = 1, dilation: Any = 1) -> Any:
    """One addition of a slice for each place in the window."""
    x = np.asarray(x)
    count = len(tuple(shape))
    params = {"shape": shape, "stride": stride, "dilation": dilation}
    result = np.zeros(rules._overlap_shape((x.shape,), params), x.dtype)
    lead = x.ndim - 2 * count
    order = (*range(lead), *range(lead + count, x.ndim), *range(lead, lead + count))
    strides = per_axis("overlap_add", "stride", stride, count, 1)
    dilations = per_axis("overlap_add", "dilation", dilation, count, 1)
    add_windows(result, x.transpose(order), strides, dilations)
    return result


def _places(pool: Any, x: Any, fill: Any) -> Any:
    """For each place in the window, the elements of all windows there."""
    wide = padded(x, pool.pairs, fill)
    for place in product(*map(range, pool.kernel)):
        spans = zip(place, pool.stride, pool.dilation, pool.out, strict=True)
        yield wide[(..., *(slice(i * d, i * d + (n - 1) * s + 1, s) for i, s, d, n in spans))]


def _lowest(dtype: Any) -> Any:
    if dtype.kind in "iu":
        return np.iinfo(dtype).min
    return False if dtype.kind == "b" else -np.inf


def max_pool(
    x: Any,
    /,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Any:
    """One pass for each place in the window, which beats a reduction of small windows."""
    x = np.asarray(x)
    params = {
        "kernel_size": kernel_size,
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "ceil_mode": ceil_mode,
    }
    pool = rules.Pool("max_pool", x.shape, params)
    places = _places(pool, x, _lowest(x.dtype))
    result = next(places).copy()
    for part in places:
        np.maximum(result, part, out=result)
    return result


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
    """The same with sums."""
    x = np.asarray(x)
    params = {
        "kernel_size": kernel_size,
        "stride": stride,
        "padding": padding,
        "ceil_mode": ceil_mode,
    }
    pool = rules.Pool("avg_pool", x.shape, params)
    if divisor_override == 0:
        raise UnitError("avg_pool cannot divide by divisor_override=0")
    count = pool.counts(count_include_pad) if divisor_override is None else divisor_override
    places = _places(pool, x, 0)
    result = next(places).astype(as_floating(x.dtype))
    for part in places:
        result += part
    result /= count
    return result
