"""Quantities as people type them: `65 mile/hour`, `-40°C`, `1/3 cup`, `6 ft 2 in`, `mile`."""

import re
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from dimflow.cli import number
from dimflow.cli.number import NUMBER, Number
from dimflow.errors import UndefinedUnitError, UnitParseError
from dimflow.units import Unit
from dimflow.units.scale import ONE
from dimflow.units.unit import make_unit

_POWERS = ("**", "^", *"⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_TIMES = "*·×⋅"
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([^\W\d_]+|[°′″'\"])\s*")
_MIXED = re.compile(rf"\s*[+\-−]?\s*(?!\S*[0-9][eE][0-9])(?P<sum>(?:{_PART.pattern}){{2,6}})")


class Quantity(NamedTuple):
    """A value and its unit; `text` is the value as it was typed.

    Of `6 ft 2 in` the unit is the last one, the value 74, and the text `6 ft 2`.
    """

    value: Number
    text: str
    unit: Unit


def read(text: str, default: Unit | None = None, style: str | None = None) -> Quantity:
    """A value with its unit; a bare number is in the default unit, a bare unit counts one."""
    mixed = _mixed(text) if style is None else None
    if mixed is not None:
        return mixed
    match = NUMBER.match(text)
    if match is None or text[match.end() :].startswith(_POWERS):
        return _without_factor("1", Unit(text, style=style))
    rest = text[match.end() :]
    _refuse_separators(text, match.end())
    if rest[:1] and rest[0] in _TIMES:
        rest = rest[1:]
    typed = match["number"].replace(" ", "").replace("−", "-")
    if not rest and default is not None:
        return Quantity(number.read(typed), typed, default)
    return _without_factor(typed, Unit(rest.strip(), style=style))


def is_number(text: str) -> bool:
    """Whether a text is a value without a unit."""
    return NUMBER.fullmatch(text) is not None


def has_value(text: str) -> bool:
    """Whether a text is a value with a unit; `1/s` is a unit."""
    match = NUMBER.match(text)
    return match is not None and text[match.end() :][:1] not in ("", "/", *_TIMES, *_POWERS)


def _mixed(text: str) -> Quantity | None:
    """A sum over ever smaller units of one kind, 6 ft 2 in; None for anything else."""
    match = _MIXED.fullmatch(text)
    if match is None:
        return None
    parts = _PART.findall(match["sum"])
    try:
        units = [Unit(name) for _, name in parts]
    except UndefinedUnitError:
        return None
    smallest = units[-1]
    if any(unit.law or unit.dimension is not smallest.dimension for unit in units):
        return None
    factors = [unit.key.scale / smallest.key.scale for unit in units]
    if not all(factor.is_rational for factor in factors):
        return None
    if any(one.fraction <= next_.fraction for one, next_ in pairwise(factors)):
        return None
    pairs = zip(parts, factors, strict=True)
    total = sum((Fraction(value) * factor.fraction for (value, _), factor in pairs), Fraction(0))
    typed = text.strip().removesuffix(parts[-1][1]).rstrip().replace("−", "-")
    return Quantity(-total if typed[0] == "-" else total, typed, smallest)


def _without_factor(typed: str, unit: Unit) -> Quantity:
    """A number in the unit goes into the value: 1/3 cup, 5 L/(100 km)."""
    value = number.read(typed)
    if unit.factor is ONE or not unit.factor.is_rational:
        return Quantity(value, typed, unit)
    value = value * unit.factor.fraction
    text = number.shown(value)
    if isinstance(value, Fraction) and value.denominator < 1000 and Fraction(text) != value:
        text = str(value)
    return Quantity(value, text, make_unit(ONE, unit.atoms))


def _refuse_separators(text: str, position: int) -> None:
    """`1 500 m` and `1,500 m`: what looks like one number must not be read as two."""
    rest = text[position:]
    if rest[:1] in (",", ".", "'", "_") and rest[1:2].isdigit():
        problem = f"{rest[0]!r} stands inside a number"
    elif rest[:1].isdigit():
        problem = "two numbers stand side by side"
    elif rest[:1] == "(" and rest[1:2].isdigit():
        problem = "an uncertainty is not read here"
    else:
        return
    hint = "write a number without separators and with a decimal point: 1500.5"
    raise UnitParseError(text, position, problem, hint)
