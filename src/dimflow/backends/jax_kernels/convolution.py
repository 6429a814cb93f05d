"""Convolution by XLA's own instruction."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from dimflow.ops.families.convolution import convolution as rules
from dimflow.ops.families.convolution.geometry import Geometry, per_axis


def _run(x: Any, weight: Any, geometry: Any, groups: int) -> Any:
    dtype = jnp.result_type(x, weight)
    return lax.conv_general_dilated(
        x.astype(dtype),
        weight.astype(dtype),
        window_strides=geometry.stride,
        padding=geometry.padding,
        rhs_dilation=geometry.dilation,
        feature_group_count=groups,
        precision=lax.Precision.HIGHEST,
    )


def conv(
    x: Any, weight: Any, /, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    """Images (N, C, *space) with a weight (O, C/groups, *kernel)."""
    x, weight = jnp.asarray(x), jnp.asarray(weight)
    params = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    rules._conv_shape((x.shape, weight.shape), params)
    return _run(x, weight, Geometry("conv", weight.shape[2:], params), groups)


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
    """The transpose of conv, by x."""
    x, weight = jnp.asarray(x), jnp.asarray(weight)
    params = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    shape = rules._transpose_shape(
        (x.shape, weight.shape), {**params, "output_padding": output_padding}
    )
    geometry = Geometry("conv_transpose", weight.shape[2:], params)
    extra = per_axis("conv_transpose", "output_padding", output_padding, x.ndim - 2)
    ends = zip(geometry.padding, extra, strict=True)
    geometry.padding = tuple((low, high - more) for (low, high), more in ends)
    image = jax.eval_shape(partial(jnp.zeros, shape, jnp.result_type(x, weight)))
    back = jax.linear_transpose(lambda y: _run(y, weight, geometry, groups), image)
    return back(x.astype(image.dtype))[0]


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
    """The transpose of conv, by its weight."""
    x, y = jnp.asarray(x), jnp.asarray(y)
    params = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    shape = rules._weight_shape((x.shape, y.shape), {**params, "kernel_size": kernel_size})
    geometry = Geometry("conv_weight_grad", shape[2:], params)
    weight = jax.eval_shape(partial(jnp.zeros, shape, jnp.result_type(x, y)))
    back = jax.linear_transpose(lambda w: _run(x, w, geometry, groups), weight)
    return back(y.astype(weight.dtype))[0]
