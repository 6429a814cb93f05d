"""Shape on NumPy."""

from typing import Any

import numpy as np


def reshape(x: Any, shape: Any, order: Any) -> Any:
    """By position, since NumPy 2.0 calls the shape otherwise."""
    return np.reshape(x, shape, order=order)
