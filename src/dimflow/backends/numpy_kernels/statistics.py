"""Statistics on NumPy."""

from typing import Any

import numpy as np


def weighted_mean(x: Any, weights: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """By np.average, with weights broadcast to the array."""
    x = np.asarray(x)
    full = np.broadcast_to(np.asarray(weights), x.shape)
    average: Any = np.average
    return average(x, axis=axis, weights=full, keepdims=keepdims)
