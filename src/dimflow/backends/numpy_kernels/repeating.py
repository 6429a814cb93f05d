"""Repeating and inserting on NumPy."""

from typing import Any

import numpy as np

from dimflow.backends.numpy_kernels.joining import widened


def insert(x: Any, obj: Any, values: Any, axis: Any) -> Any:
    """With values before some places; NumPy would cut them to the dtype of the array."""
    return np.insert(widened(x, values), obj, values, axis)
