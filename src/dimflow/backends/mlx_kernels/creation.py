"""New arrays shaped like others."""

from typing import Any

import mlx.core as mx

from dimflow.ops.rules.values import refuse_cut


def zeros_like(x: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Of zeros, and of another shape if asked."""
    return mx.zeros(x.shape if shape is None else shape, dtype or x.dtype)


def ones_like(x: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Of ones, and of another shape if asked."""
    return mx.ones(x.shape if shape is None else shape, dtype or x.dtype)


def stop_gradient(x: Any) -> Any:
    """The values, that no transformation of MLX's differentiates through."""
    return mx.stop_gradient(x)


def full_like(x: Any, fill_value: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Of a value, which may be an array that stretches to the shape."""
    dtype = x.dtype if dtype is None else dtype
    refuse_cut(fill_value, dtype)
    shape = x.shape if shape is None else (shape,) if isinstance(shape, int) else shape
    value = fill_value if isinstance(fill_value, mx.array) else mx.array(fill_value, dtype)
    return mx.broadcast_to(value.astype(dtype), shape)  # mx.full counts its derivative twice
