"""Comparison on NumPy."""

from typing import Any

import numpy as np


def within(x: Any, y: Any, rtol: Any, atol: Any, equal_nan: bool) -> Any:
    """As NumPy's isclose."""
    return np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)


def isclose(x: Any, y: Any, rtol: Any, atol: Any, equal_nan: bool) -> Any:
    """NumPy's, with its default tolerance."""
    return np.isclose(x, y, rtol=rtol, atol=1e-8 if atol is None else atol, equal_nan=equal_nan)
