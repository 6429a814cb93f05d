"""Padding."""

from typing import Any

import mlx.core as mx
import numpy as np

from dimflow.backends.mlx_kernels.creation import full_like
from dimflow.ops.families.shape.padding import as_pairs


def pad_constant(x: Any, pad_width: Any, *, constant_values: Any = None) -> Any:
    """One constant for all, or one for each end."""
    pairs = as_pairs(pad_width, x.ndim)
    is_array = isinstance(constant_values, mx.array)  # by which mx.pad has no derivative: it dies
    if constant_values is None or not (is_array or np.ndim(constant_values)):
        value = 0 if constant_values is None else constant_values
        return mx.pad(x, list(pairs), constant_values=full_like(x, value, shape=()))
    values = mx.broadcast_to(
        full_like(x, constant_values, shape=np.shape(constant_values)), (x.ndim, 2)
    )
    for axis, (low, high) in enumerate(pairs):
        parts = []
        for end, count in enumerate((low, high)):
            shape = list(x.shape)
            shape[axis] = count
            parts.append(mx.broadcast_to(values[axis, end], shape))
        x = mx.concatenate([parts[0], x, parts[1]], axis)
    return x
