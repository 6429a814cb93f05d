"""Conversions of raw arrays: the steps of a `Conversion`, as functions of any array library."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow.units import Unit, find_conversion
from dimflow.units.conversion import Exponential, Function, Linear, Logarithm, Power, Step
from dimflow.units.scale import ONE, Scale

Converter = Callable[[Any], Any]

_EXACT = 1 << 53  # integers that a double holds
_LOGARITHMS = {0: "log", 2: "log2", 10: "log10"}

# Types of arrays whose library puts linear conversions together, and how it runs one.
lazily: dict[type, Callable[[Any, Linear], Any]] = {}

# Types of arrays whose library makes of long integers fractions that lose digits of theirs, and
# what makes fractions of them that do not.
exactly: dict[type, Converter] = {}


def converter(source: Unit, target: Unit, via: Any = None) -> Converter | None:
    """How raw values in one unit become raw values in another; None if they already are.

    Units that differ by an angle alone convert as if a radian were 1: who calls this for an op has
    a rule that allows it.
    """
    if source.key is target.key:
        return None
    if source.key.law is None and target.key.law is None and via is None:
        return scaled(source.key.scale / target.key.scale)
    return chained(find_conversion(source, target, via).steps)


def checked_converter(source: Unit, target: Unit, via: Any = None) -> Converter | None:
    """The same, where nothing is absorbed: `.to()` and assignment."""
    if source is target:
        return None
    return chained(find_conversion(source, target, via).steps)


def chained(steps: tuple[Step, ...]) -> Converter | None:
    """The steps of a conversion, one after the other."""
    functions = [_function(step) for step in steps]
    if len(functions) <= 1:
        return functions[0] if functions else None

    def convert(x: Any) -> Any:
        for function in functions:
            x = function(x)
        return x

    return convert


def scaled(scale: Scale) -> Converter:
    """Multiply by an exact scale, or divide."""
    step = Linear(scale)
    divides, number = divided_by(scale)
    return _divided(number, step) if divides else _multiplied(number, step)


def divided_by(scale: Scale) -> tuple[bool, float]:
    """A divisor where that is the shorter decimal, else (and False) a factor.

    1 cm is 1/100 m and 1 mm is 1/25.4 inch: so 25.4 mm are 1 inch, and 7 cm are 0.07 m.
    """
    if scale.is_rational and _is_shorter(scale.denominator, scale.numerator):
        return True, float(ONE / scale)
    return False, float(scale)


def _by_parts(x: Any, convert: Converter) -> Any:
    """Complex numbers with both parts scaled: NumPy's product with a real number is one of complex
    numbers, in which 0 * inf is nan.
    """
    result = np.array(x)
    result.real, result.imag = convert(x.real), convert(x.imag)
    return result if isinstance(x, np.ndarray) else result[()]


# Some libraries' operators take no fraction beside integers; the ops always do.


def _divided(divisor: float, step: Linear) -> Converter:
    def convert(x: Any) -> Any:
        if type(x) is np.ndarray:
            return x / divisor if x.dtype.kind != "c" else _by_parts(x, convert)
        if type(x) in lazily:
            return lazily[type(x)](x, step)
        if isinstance(x, np.complexfloating):
            return _by_parts(x, convert)
        x = exact_fraction(x)
        try:
            return x / divisor
        except TypeError:
            return _op("divide", x, divisor)

    return convert


def _multiplied(factor: float, step: Linear) -> Converter:
    def convert(x: Any) -> Any:
        if type(x) is np.ndarray:
            return x * factor if x.dtype.kind != "c" else _by_parts(x, convert)
        if type(x) in lazily:
            return lazily[type(x)](x, step)
        if isinstance(x, np.complexfloating):
            return _by_parts(x, convert)
        x = exact_fraction(x)
        try:
            return x * factor
        except TypeError:
            return _op("multiply", x, factor)

    return convert


def _shifted(step: Linear) -> Converter:
    multiply = None if step.factor is ONE else scaled(step.factor)
    offset = float(step.offset)

    def convert(x: Any) -> Any:
        if type(x) in lazily:
            return lazily[type(x)](x, step)
        x = exact_fraction(x) if multiply is None else multiply(x)
        try:
            return x + offset
        except TypeError:
            return _op("add", x, offset)

    return convert


def exact_fraction(x: Any) -> Any:
    """Long integers as fractions of their digits, where a library would lose some."""
    return exactly[type(x)](x) if type(x) in exactly else x


def _op(name: str, x: Any, number: float) -> Any:
    from dimflow import ops

    return ops.get(name)(x, number)


def _is_shorter(numerator: int, denominator: int) -> bool:
    """Whether a fraction ends as a decimal (or is whole), and its inverse does not."""
    if denominator == 1:
        return 1 < numerator <= _EXACT
    return _ends(denominator) and not _ends(numerator)


def _ends(denominator: int) -> bool:
    """Whether fractions of this denominator end as decimals."""
    return 10**64 % denominator == 0


def _function(step: Step) -> Converter:
    if isinstance(step, Linear):
        return _shifted(step) if step.offset else scaled(step.factor)
    function = _curve(step)
    return lambda x: function(exact_fraction(x))


def _curve(step: Step) -> Converter:
    from dimflow import ops

    if isinstance(step, Power):
        exponent = step.exponent
        return (lambda x: 1 / x) if exponent == -1 else lambda x: x**exponent
    if isinstance(step, Exponential):
        base = float(step.base)
        return ops.exp if step.base == 0 else lambda x: base**x
    if isinstance(step, Logarithm):
        logarithm: Converter = getattr(ops, _LOGARITHMS[step.base])
        return logarithm
    assert isinstance(step, Function)
    return step.function
