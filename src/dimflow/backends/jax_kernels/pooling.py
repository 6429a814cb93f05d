"""Windows on JAX; pooling follows from them by its definition."""

from itertools import product
from typing import Any

import jax.numpy as jnp
import numpy as np

from dimflow.ops.families.convolution import pooling as rules
from dimflow.ops.families.convolution.geometry import per_axis


def sliding_windows(x: Any, /, window_shape: Any, stride: Any = 1, dilation: Any = 1) -> Any:
    """Gathered by indices that are known without data."""
    x = jnp.asarray(x)
    params = {"window_shape": window_shape, "stride": stride, "dilation": dilation}
    shape = rules._windows_shape((x.shape,), params)
    kernel, strides, dilations = rules._window_params(
        "sliding_windows", x.shape, params, window_shape
    )
    count = len(kernel)
    out = shape[len(shape) - 2 * count : len(shape) - count]
    places = zip(out, kernel, strides, dilations, strict=True)
    keys = []
    for axis, (n, k, s, d) in enumerate(places):
        spread = np.arange(n)[:, None] * s + np.arange(k) * d
        order = [1] * (2 * count)
        order[axis], order[axis + count] = n, k
        keys.append(spread.reshape(order))
    return x[(..., *keys)]


def overlap_add(x: Any, /, shape: Any, stride: Any = 1, dilation: Any = 1) -> Any:
    """One addition of a slice for each place in the window."""
    x = jnp.asarray(x)
    count = len(tuple(shape))
    params = {"shape": shape, "stride": stride, "dilation": dilation}
    result = jnp.zeros(rules._overlap_shape((x.shape,), params), x.dtype)
    out, kernel = x.shape[-2 * count : x.ndim - count], x.shape[x.ndim - count :]
    strides = per_axis("overlap_add", "stride", stride, count, 1)
    dilations = per_axis("overlap_add", "dilation", dilation, count, 1)
    for place in product(*map(range, kernel)):
        spans = zip(place, strides, dilations, out, strict=True)
        key = [slice(i * d, i * d + (n - 1) * s + 1 if n else i * d, s) for i, s, d, n in spans]
        result = result.at[(..., *key)].add(x[(..., *place)])
    return result
