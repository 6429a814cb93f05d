"""Padding on NumPy."""

from typing import Any

import numpy as np

from dimflow.backends.numpy_kernels.creation import uncut
from dimflow.ops.families.shape.padding import as_pairs


def pad_constant(x: Any, pad_width: Any, constant_values: Any) -> Any:
    """By NumPy's own function, which knows one constant for each end."""
    values = 0 if constant_values is None else uncut(constant_values, np.asarray(x).dtype)
    return np.pad(x, as_pairs(pad_width, np.ndim(x)), constant_values=values)


def pad(
    x: Any,
    pad_width: Any,
    mode: Any,
    constant_values: Any,
    end_values: Any,
    stat_length: Any,
    reflect_type: Any,
) -> Any:
    """By NumPy's own function, which takes for each mode only its own keywords."""
    if mode == "constant":
        return pad_constant(x, pad_width, constant_values)
    pad_width = as_pairs(pad_width, np.ndim(x))
    if mode == "linear_ramp":
        return np.pad(x, pad_width, mode, end_values=0 if end_values is None else end_values)
    if mode in ("maximum", "minimum", "mean", "median"):
        return np.pad(x, pad_width, mode, stat_length=stat_length)
    if mode in ("reflect", "symmetric"):
        return np.pad(x, pad_width, mode, reflect_type=reflect_type)
    return np.pad(x, pad_width, mode)
