"""Exponents: exact rational numbers, kept as int wherever they are whole."""

from fractions import Fraction
from typing import Any

from dimflow.errors import UnitRangeError

Exponent = int | Fraction

MAX_NUMERATOR = 10**9  # the product over an array of n metres is in m**n
MAX_DENOMINATOR = 1000


def exponent(value: Any) -> Exponent:
    """Any exact number, or a float that stands for a simple fraction (0.5, 1/3), as an exponent."""
    if type(value) is int:
        result: Exponent = value
    elif isinstance(value, float):
        result = _of_float(value)
    else:
        try:
            fraction = Fraction(value)
        except (TypeError, ValueError, OverflowError, ZeroDivisionError):
            raise UnitRangeError(
                f"an exponent must be an integer or a fraction, but got {value!r}"
            ) from None
        result = fraction.numerator if fraction.denominator == 1 else fraction
    return checked(result)


def checked(value: Exponent) -> Exponent:
    """The exponent in its one form, or an error if it is out of range."""
    if type(value) is int:
        if -MAX_NUMERATOR <= value <= MAX_NUMERATOR:
            return value
    else:
        if value.denominator == 1:
            return checked(value.numerator)
        if abs(value.numerator) <= MAX_NUMERATOR and value.denominator <= MAX_DENOMINATOR:
            return value
    raise UnitRangeError(
        "an exponent is out of range",
        f"numerators go to {MAX_NUMERATOR:.0e}, denominators to {MAX_DENOMINATOR}",
    )


def _of_float(value: float) -> Exponent:
    if value - value != 0:  # infinite or not a number
        raise UnitRangeError(f"an exponent must be finite, but got {value!r}")
    fraction = Fraction(value).limit_denominator(MAX_DENOMINATOR)
    if float(fraction) != value:
        raise UnitRangeError(
            f"{value!r} is not a simple fraction",
            "give the exponent as fractions.Fraction or as text",
        )
    return fraction.numerator if fraction.denominator == 1 else fraction
