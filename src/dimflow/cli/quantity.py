"""Quantities as people type them: `65 mile/hour`, `-40°C`, `1/3 cup`, `10^3 m`, `mile`."""

from fractions import Fraction
from typing import NamedTuple

from dimflow.cli import number
from dimflow.cli.number import NUMBER, Number
from dimflow.errors import UnitParseError
from dimflow.units import Unit
from dimflow.units.scale import ONE
from dimflow.units.unit import make_unit

_POWERS = ("**", "^", *"⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_TIMES = "*·×⋅"


class Quantity(NamedTuple):
    """A value and its unit; `text` is the value as it was typed."""

    value: Number
    text: str
    unit: Unit


def read(text: str, default: Unit | None = None, style: str | None = None) -> Quantity:
    """A value with its unit; a bare number is in the default unit, a bare unit counts one."""
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
