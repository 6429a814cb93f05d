"""Exact numbers from users, and exponents: rational, bounded in size, int wherever whole."""

import re
from decimal import Decimal
from fractions import Fraction
from operator import index
from typing import Any

from dimflow.errors import NotANumber, UnitRangeError

Exponent = int | Fraction

MAX_NUMERATOR = 10**9  # the product over an array of n metres is in m**n
MAX_DENOMINATOR = 1000
_MAX_DIGITS = 1200  # all digits of the smallest float are fewer
_MAX_MAGNITUDE = 2000  # of a decimal exponent: 1e2000 is still a number
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
_RATIO = re.compile(r"[+-]?[0-9]+/[0-9]+")


def exact(value: Any) -> Fraction:
    """An int, float, Fraction, Decimal, NumPy scalar or text as a fraction.

    A float counts to its last bit. A text may be decimal or a ratio of integers. What is no finite
    number, or has more digits than anybody means, is a UnitRangeError.
    """
    try:
        if isinstance(value, str):
            return _of_text(value)
        if isinstance(value, Decimal):
            return _of_text(str(value)) if value.is_finite() else _refuse(value)
        if isinstance(value, (float, Fraction)):
            return Fraction(value)
        return Fraction(index(value) if hasattr(value, "__index__") else float(value))
    except TypeError:
        raise NotANumber("an exponent or a scale", type(value).__name__) from None
    except (ValueError, OverflowError, ZeroDivisionError):
        return _refuse(value)


def _of_text(text: str) -> Fraction:
    text = text.strip()
    decimal = _DECIMAL.fullmatch(text)
    if len(text) > _MAX_DIGITS or not (decimal or _RATIO.fullmatch(text)):
        return _refuse(text)
    if decimal and decimal[1] and abs(int(decimal[1])) > _MAX_MAGNITUDE:
        return _refuse(text)
    return Fraction(text.rstrip(".") if decimal and not decimal[1] else text)


def _refuse(value: object) -> Fraction:
    shown = repr(value) if isinstance(value, (str, float, Decimal)) else type(value).__name__
    problem = f"a finite number of moderate size is needed, but got {shown:.60}"
    raise UnitRangeError(problem) from None


def exponent(value: Any) -> Exponent:
    """Any exact number, or a float that stands for a simple fraction (0.5, 1/3), as an exponent."""
    if type(value) is int:
        return checked(value)
    fraction = exact(value)
    if isinstance(value, float):
        simple = fraction.limit_denominator(MAX_DENOMINATOR)
        if float(simple) != value:
            raise UnitRangeError(
                f"{value!r} is not a simple fraction",
                f"give the exponent exactly: fractions.Fraction({simple.numerator}, "
                f"{simple.denominator}), if that is meant",
            )
        fraction = simple
    return checked(fraction)


def checked(value: Exponent) -> Exponent:
    """The exponent in its one form, or an error if it is out of range."""
    if type(value) is int:
        if -MAX_NUMERATOR <= value <= MAX_NUMERATOR:
            return value
    else:
        if value.denominator == 1:
            return checked(int(value.numerator))
        if abs(value.numerator) <= MAX_NUMERATOR and value.denominator <= MAX_DENOMINATOR:
            return value
    raise UnitRangeError(
        "an exponent is out of range",
        f"numerators go to {MAX_NUMERATOR:.0e}, denominators to {MAX_DENOMINATOR}",
    )
