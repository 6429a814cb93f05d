"""Numbers as text: read exactly, shown in the fewest digits that say what they are."""

import math
import re
from decimal import Context, Decimal
from fractions import Fraction

Number = Fraction | float  # a float where the value is not rational, or not finite

MAX_PRECISION = 100
_DOUBLE = 17  # digits that tell any double from its neighbours
_ENOUGH = 12  # digits for a reader; a computed double that has no more is what it seems
_PLAIN = range(-4, 16)  # powers of ten that are written out
_DECIMAL = r"(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})"
_EXPONENT = r"[eE][+\-−]?[0-9]"
# A longer number is not read in part: the grammar of units says what is wrong with it.
NUMBER = re.compile(
    rf"""\s* (?P<number> [+\-−]? \s*
          (?: {_DECIMAL} (?:{_EXPONENT}{{1,4}})? (?![0-9]|{_EXPONENT})
            | (?:inf|infinity|nan)(?!\w) | ∞ )) \s*""",
    re.VERBOSE,
)


def read(text: str) -> Number:
    """The value of a text that `NUMBER` matches."""
    bare = text.replace("−", "-").replace("∞", "inf").replace(" ", "")
    return float(bare) if bare.lstrip("+-")[:1] in ("i", "n") else Fraction(bare)


def shown(value: Number, precision: int | None = None) -> str:
    """The value in so many significant digits, or in as many as a double tells apart."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value)
        shortest = Decimal(repr(value))
        digits = min(precision or _DOUBLE, _DOUBLE)
        return _written(Context(prec=digits).plus(shortest))
    if precision is None:
        try:
            return _written(_exact(value) or Decimal(repr(float(value))))
        except OverflowError:
            precision = _DOUBLE
    return _written(Context(prec=precision).divide(value.numerator, value.denominator))


def _exact(value: Fraction) -> Decimal | None:
    """The value, if a double's digits are enough to write it down."""
    rounded = Context(prec=_DOUBLE - 1).divide(value.numerator, value.denominator)
    return rounded if Fraction(rounded) == value else None


def is_exact(value: Number, text: str) -> bool:
    """Whether a text shows the value itself and not a rounded one."""
    if isinstance(value, Fraction):
        return Fraction(text) == value
    if not math.isfinite(value):
        return True
    digits = Decimal(repr(value)).normalize().as_tuple().digits
    return float(text) == value and len(digits) <= _ENOUGH


def readable(value: Number) -> str:
    """The value itself, if its digits can all be shown; else rounded to what one cares to read."""
    text = shown(value)
    return text if is_exact(value, text) else shown(value, _ENOUGH)


def _written(value: Decimal) -> str:
    if not value:
        return "0"
    value = value.normalize(Context(prec=MAX_PRECISION))
    power = value.adjusted()
    if power in _PLAIN:
        return f"{value:f}"
    mantissa = value.scaleb(-power, Context(prec=MAX_PRECISION))
    return f"{mantissa:f}e{power}"


def as_json(value: Number) -> int | float | str:
    """The value as JSON has it: the nearest double, or text where JSON has no such number."""
    if isinstance(value, Fraction):
        if value.denominator == 1 and abs(value) < 1 << 53:
            return int(value)
        try:
            value = float(value)
        except OverflowError:
            return shown(value)
    return value if math.isfinite(value) else str(value)
