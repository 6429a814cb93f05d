"""Powers on NumPy."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np


def reciprocal(x: Any) -> Any:
    """1 / x. NumPy's own ufunc gives 0 for the integer 2."""
    return np.divide(1, x)


def static_power(x: Any, exponent: Any) -> Any:
    """x to a number; a Fraction as the nearest float. Integers to a negative one are fractions.

    The operator has shortcuts for small exponents. They give a boolean another dtype if it is an
    array than if it is not, so the ufunc raises those.
    """
    x = np.asarray(x) if isinstance(x, (list, tuple)) else x
    is_fraction = exponent < 0 and np.result_type(x).kind in "biu"
    if is_fraction or isinstance(exponent, (Fraction, Decimal)):
        exponent = float(exponent)
    return np.power(x, exponent) if np.result_type(x) == np.bool_ else x**exponent
