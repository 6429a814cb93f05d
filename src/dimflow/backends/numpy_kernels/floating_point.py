"""Floating point on NumPy."""

from typing import Any

import numpy as np


def frexp_mantissa(x: Any) -> Any:
    """The first of NumPy's pair."""
    return np.frexp(x)[0]


def frexp_exponent(x: Any) -> Any:
    """The second of NumPy's pair."""
    return np.frexp(x)[1]
