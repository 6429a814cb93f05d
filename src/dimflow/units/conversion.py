"""Conversions: from one unit to another as a short list of steps, exact where numbers allow it."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from dimflow.errors import (
    ComputationError,
    NotANumber,
    UnitConversionError,
    UnitError,
    UnitRangeError,
)
from dimflow.units.alike import are_alike, is_level_difference, level_exponent, readings
from dimflow.units.exponent import exact
from dimflow.units.meaning import Affine, Logarithmic, Meaning
from dimflow.units.scale import ONE, Scale
from dimflow.units.unit import Unit

if TYPE_CHECKING:
    from dimflow.units.equivalencies import Equivalency

_ZERO = Fraction(0)


class Linear(NamedTuple):
    """Step: `factor * x + offset`."""

    factor: Scale
    offset: Fraction = _ZERO

    def __call__(self, x: Any) -> Any:
        if self.factor is not ONE:
            x = x * float(self.factor)
        return x + float(self.offset) if self.offset else x

    def of_float(self, x: float) -> float:
        """The result for a rational factor, rounded once.

        Where the zero is shifted, the float counts as its shortest decimal: 293.15 K are 20 °C,
        and not 20 °C less what the last bit of 293.15 lacks.
        """
        if not x and not self.offset:
            return x  # with its sign
        written = Decimal(repr(x)) if self.offset else x
        numerator, denominator = written.as_integer_ratio()
        numerator *= self.factor.numerator
        denominator *= self.factor.denominator
        if self.offset:
            numerator = numerator * self.offset.denominator + self.offset.numerator * denominator
            denominator *= self.offset.denominator
        try:
            return numerator / denominator
        except OverflowError:
            return math.inf if numerator > 0 else -math.inf


class Power(NamedTuple):
    """Step: `x ** exponent`."""

    exponent: int

    def __call__(self, x: Any) -> Any:
        if self.exponent < 0 and isinstance(x, float) and x == 0:
            return math.copysign(math.inf, x)
        return 1 / x if self.exponent == -1 else x**self.exponent


class Exponential(NamedTuple):
    """Step: `base ** x`; base 0 stands for e."""

    base: int

    def __call__(self, x: Any) -> Any:
        x = _real(x)
        try:
            return math.exp(x) if self.base == 0 else float(self.base) ** x
        except OverflowError:
            return math.inf


class Logarithm(NamedTuple):
    """Step: the logarithm of x; base 0 stands for e."""

    base: int

    def __call__(self, x: Any) -> Any:
        function = {0: math.log, 2: math.log2, 10: math.log10}[self.base]
        x = _real(x)
        if x <= 0:
            if x == 0:
                return -math.inf
            raise ComputationError("a level", f"{x!r} is negative, so it has no logarithm")
        return function(x)


def _kind(value: Any) -> str:
    return repr(value)[:40] if isinstance(value, (str, bytes)) else type(value).__name__


def _real(x: Any) -> float:
    try:
        return float(x)
    except (TypeError, ValueError):
        raise NotANumber("a conversion to or from a logarithmic unit", _kind(x)) from None


class Function(NamedTuple):
    """Step: any function of the value, as an equivalency gives it."""

    function: Callable[[Any], Any]

    def __call__(self, x: Any) -> Any:
        return self.function(x)


Step = Linear | Power | Exponential | Logarithm | Function


class Conversion(NamedTuple):
    """How values in one unit become values in another."""

    source: Unit
    target: Unit
    steps: tuple[Step, ...]

    def __call__(self, value: Any) -> Any:
        """Convert a number, exactly and rounded once where the steps are linear and rational."""
        if isinstance(value, (int, float, Fraction, Decimal)):
            return self._number(value)
        if value is None or isinstance(value, (str, bytes, list, tuple, dict, set)):
            raise NotANumber("convert", _kind(value))
        for step in self.steps:
            value = step(value)
        return value

    def _number(self, value: "int | float | Fraction | Decimal") -> Any:
        if not self.steps:
            return value
        step = self.steps[0]
        is_short = len(self.steps) == 1 and isinstance(step, Linear) and step.factor.is_rational
        if is_short and type(value) is float and math.isfinite(value):
            return cast(Linear, step).of_float(value)
        if _is_finite(value):
            result = self._exactly(exact(value))
            if result is not None:
                return _like(value, result)
        number: Any = _as_float(value)
        for step in self.steps:
            number = step(number)
        return number

    def _exactly(self, value: Fraction) -> Fraction | None:
        """The value in exact arithmetic, rounded at most once; None if a step is not algebraic."""
        rest = ONE  # the irrational part of the result
        for step in self.steps:
            is_rational = isinstance(step, Linear) and rest is ONE and step.factor.is_rational
            if isinstance(step, Linear) and (is_rational or not step.offset):
                rational = step.factor.fraction
                value = value * rational + step.offset
                rest = rest * (step.factor / Scale(rational))
            elif isinstance(step, Power) and value:
                value, rest = value**step.exponent, rest**step.exponent
            else:
                return None
        if rest is ONE or not value:
            return value
        try:
            size = float(Scale(abs(value)) * rest)
        except UnitRangeError:
            return None
        return Fraction(size if value > 0 else -size) if math.isfinite(size) else None


def _as_float(value: "int | float | Fraction | Decimal") -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a signalling NaN
        return math.nan


def _is_finite(value: "int | float | Fraction | Decimal") -> bool:
    if isinstance(value, Decimal):
        return value.is_finite()
    return not isinstance(value, float) or math.isfinite(value)


def _like(value: object, result: Fraction) -> "float | Fraction | Decimal":
    if isinstance(value, Fraction):
        return result
    if isinstance(value, Decimal):
        return Decimal(result.numerator) / Decimal(result.denominator)
    try:
        return result.numerator / result.denominator
    except OverflowError:
        return math.inf if result > 0 else -math.inf


def convert(value: Any, source: "Unit | str", target: "Unit | str", via: Any = None) -> Any:
    """A number in one unit, in another: `convert(65, "mile/hour", "km/h")` is 104.60736.

    Points convert as points (°C to °F, dBm to W). `via` names an equivalency, or is one, or is a
    list of them, any one of which may do it: `convert(500, "nm", "THz", via="spectral")`.
    """
    unit = value if isinstance(value, Unit) else getattr(value, "unit", None)
    unit = getattr(value, "units", None) if unit is None else unit  # of pint and unyt
    if unit is not None:
        problem = f"convert takes numbers, but got a quantity in {str(unit) or 1}"
        raise UnitError(problem, "a quantity knows its unit: use its own method `to`")
    return find_conversion(Unit(source), Unit(target), via)(value)


def find_conversion(source: Unit, target: Unit, via: Any = None) -> Conversion:
    """The steps from one unit to another; UnitConversionError if there are none.

    Units that differ by radians alone convert as if a radian were 1 (`are_alike`), unless `via`
    says otherwise.
    """
    if via is not None:
        from dimflow.units.equivalencies import find_equivalencies

        for equivalency in find_equivalencies(via):  # a wrong name is an error wherever it stands
            if source.dimension is target.dimension:
                continue
            found = through(equivalency, source, target)
            if found is not None:
                return found
    if not (are_alike(source, target) or _is_ratio_and_level(source, target)):
        raise cannot_convert(source, target, via)
    if _is_difference(source, target) or _is_difference(target, source):
        raise UnitConversionError(source, target, "a difference is not a point on a scale")
    steps = _steps(source, target)
    if steps is None:
        hint = "a ratio of powers and one of fields meet as decibels or nepers alone"
        raise UnitConversionError(source, target, hint)
    return Conversion(source, target, steps)


def _is_ratio_and_level(source: Unit, target: Unit) -> bool:
    """Whether one is a level and the other linear, so that `.to` asks for the ratio by name."""
    if source.dimension is not target.dimension or bool(source.law) is bool(target.law):
        return False
    return not (level_exponent(source) or level_exponent(target))


def _steps(source: Unit, target: Unit) -> tuple[Step, ...] | None:
    for difference, level in ((source, target), (target, source)):
        law = level.key.law
        if isinstance(law, Logarithmic) and is_level_difference(difference):
            factor = difference.key.scale / law.level
            return _merged((Linear(factor if difference is source else factor**-1),))
    return _direct(source.key, target.key)


def through(equivalency: "Equivalency", source: Unit, target: Unit) -> Conversion | None:
    """The conversion that an equivalency makes, if it connects the two units."""
    steps = equivalency.steps(source.dimension, target.dimension)
    if steps is None:
        return None
    return Conversion(
        source, target, _merged((*_to_base(source.key), *steps, *_from_base(target.key)))
    )


def _is_difference(one: Unit, other: Unit) -> bool:
    """Whether one is spelled as a difference (delta_degC) and the other is a point (degC)."""
    is_point = isinstance(other.key.law, Affine)
    return is_point and len(one.atoms) == 1 and one.atoms[0][0].name.startswith("delta_")


@lru_cache(maxsize=4096)
def _direct(a: Meaning, b: Meaning) -> tuple[Step, ...] | None:
    if a is b:
        return ()
    if isinstance(a.law, Logarithmic) and isinstance(b.law, Logarithmic):
        return _between_levels(a, b, a.law, b.law)
    return _merged((*_to_base(a), *_from_base(b)))


def _to_base(meaning: Meaning) -> tuple[Step, ...]:
    law = meaning.law
    if isinstance(law, Logarithmic):
        return (
            Linear(Scale(1 / abs(law.factor))),
            *_sign(law),
            Exponential(law.base),
            Linear(meaning.scale),
        )
    return (Linear(meaning.scale, law.offset if law else _ZERO),)


def _from_base(meaning: Meaning) -> tuple[Step, ...]:
    law = meaning.law
    inverse = meaning.scale**-1
    if isinstance(law, Logarithmic):
        return Linear(inverse), Logarithm(law.base), Linear(Scale(abs(law.factor))), *_sign(law)
    if isinstance(law, Affine):
        return (Linear(inverse, -law.offset * inverse.fraction),)
    return (Linear(inverse),)


def _sign(law: Logarithmic) -> tuple[Step, ...]:
    return (Function(_negative),) if law.factor < 0 else ()


def _negative(x: Any) -> Any:
    return -x


def _between_levels(
    a: Meaning, b: Meaning, one: Logarithmic, other: Logarithmic
) -> tuple[Step, ...] | None:
    """Levels of one reference change by a factor alone; a ratio of fields equals one of powers."""
    is_ratio = a.scale is ONE and a.dimension.is_dimensionless
    are_rising = one.factor > 0 and other.factor > 0
    if one.field != other.field and not (is_ratio and b.scale is ONE and are_rising):
        return None
    steps: list[Step] = [Function(_negative)] if one.factor * other.factor < 0 else []
    offset = Fraction(_logarithm_of(a.scale / b.scale, other.base)) * other.factor
    steps.append(Linear(one.level / other.level, offset))
    return _merged(tuple(steps))


def _logarithm_of(ratio: Scale, base: int) -> float:
    """The logarithm of a scale, also where it is beyond the range of floats."""
    size = float(ratio)
    if not ratio.is_rational or 1e-300 < size < 1e300:
        return float(Logarithm(base)(size))
    return float(Logarithm(base)(ratio.numerator) - Logarithm(base)(ratio.denominator))


def _merged(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Neighbouring linear steps as one, after powers; those that do nothing left out."""
    result: list[Step] = []
    for step in steps:
        last = result[-1] if result else None
        if isinstance(step, Power) and isinstance(last, Linear) and not last.offset:
            result[-1] = step
            step = Linear(last.factor**step.exponent)
        elif (
            isinstance(step, Linear)
            and isinstance(last, Linear)
            and (step.factor.is_rational or not last.offset)
        ):
            result.pop()
            offset = last.offset * step.factor.fraction + step.offset
            step = Linear(last.factor * step.factor, offset)
        result.append(step)
    return tuple(s for s in result if not (isinstance(s, Linear) and s == Linear(ONE)))


def cannot_convert(source: Unit, target: Unit, via: Any = None) -> UnitConversionError:
    """The error for two units that do not meet, with the hint that fits."""
    from dimflow.units.equivalencies import suggested

    hint = readings(source, target)
    if hint is None and not any(unit.key.law or level_exponent(unit) for unit in (source, target)):
        hint = suggested(source.dimension, target.dimension, via)
    return UnitConversionError(source, target, hint)
