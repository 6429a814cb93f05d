"""Quantities as people type them: `65 mile/hour`, `-40°C`, `1/3 cup`, `6 ft 2 in`, `mile`."""

import re
from fractions import Fraction
from itertools import pairwise
from math import gcd
from typing import NamedTuple

import dimflow.units.typed_numbers as number
from dimflow.errors import UndefinedUnitError, UnitError, UnitParseError
from dimflow.units import Unit
from dimflow.units.scale import ONE, Scale
from dimflow.units.spelling import ambiguous
from dimflow.units.typed_numbers import NUMBER, Number
from dimflow.units.unit import make_unit

_POWERS = ("**", "^", *"⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_TIMES = "*·×⋅"
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([^\W\d_]+|[°′″'\"])\s*")
_BEHIND = re.compile(r"(?<!\bper)(?<!\bre)(?<![\s*·×⋅/^(])\s+[0-9.]+\s*$", re.IGNORECASE)
# 2 h 30 m: hours and metres
_CHAIN = re.compile(r"[0-9]\s*(?!per\b)[^\W\d_]+\s*+(?<=\s)(?=[0-9.]+\s*[^\W\d_])")
# 1.5d3 and 1.5 e3 as Fortran and people write powers of ten; 12h30 as the time of a day
_POWER_OF_TEN = re.compile(r"(?<=\S)[dD](?!-1\b)[+\-−]?[0-9]+\b|[eE][ ]?[+\-−]?[0-9]+\b")
_TIME = re.compile(r"(?<=[0-9])[^\W\d_]+[0-9]{2,}\b|(?<=[0-9])h[0-9]\b")
# 4k7 and 3V3: a letter in the place of the decimal point, as on resistors and supplies
_LETTER = re.compile(r"(?<=[0-9])([kKMGRVA])([0-9])\b")
_NO_POWER = re.compile(r"(?<=[0-9])e(?=\s|$)")  # 1e m
# 120/80 mmHg: two values, unless the fraction is of those that rulers and recipes have
_OVER = re.compile(r"/\s*([0-9]+(?:\.[0-9]+)?)\s*(?=[^\W\d]|[°%′″'\"])")
_CELLS = re.compile(r"\s*10[eE]\+?[0-9]{1,2} *+/(?! *[0-9])")  # 10E9/L, as laboratories count
_PLAIN = frozenset({2, 3, 4, 5, 6, 8, 9, 16, 32, 64})
_MIXED_NUMBER = re.compile(r"([0-9]+) +([0-9]+)/([0-9]+) *(?=[^\W\d])")
# 3.0 1/s and 2 1/60*W, as arrays are printed; but 1 500/min may be 1500/min
_NUMBERED = re.compile(
    r"(?![0-9]+/[0-9]+(?![0-9]* *[*/·]))[0-9]+(?:\.[0-9]*)?(?:e-?[0-9]+)?(?:[*/·]| l[gnb]\()"
)
_THOUSANDS = re.compile(r"\s*[+\-−]?[0-9]{1,3}\s[0-9]{3}(?![0-9])")
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
    if style is None:
        halves = _MIXED_NUMBER.match(text.strip())
        if halves is not None and int(halves[3]) in _PLAIN and _is_plain(*halves.groups()[1:]):
            whole = Fraction(halves[1]) + Fraction(f"{halves[2]}/{halves[3]}")
            rest = text.strip()[halves.end() :]
            return _without_factor("1", make_unit(Scale(whole), ()) * Unit(rest))
        _refuse_two_values(text, match)
    if style is None and _CELLS.match(text):
        Unit(text.strip())  # raises
    _refuse_separators(text, match.end())
    if style is None:
        _refuse_chains(text, match.end())
    if rest[:1] and rest[0] in _TIMES:
        rest = rest[1:]
    typed = match["number"].replace(" ", "").replace("−", "-")
    if not rest and default is not None:
        return Quantity(number.read(typed), typed, default)
    return _without_factor(typed, Unit(rest.strip(), style=style))


def read_value(text: str, default: Unit | None = None) -> Quantity:
    """A value with its unit. A unit alone is none, nor is a bare number without a default."""
    match = NUMBER.match(text)
    if match is None or text[match.end() :].startswith(_POWERS):
        raise UnitParseError(text, 0, "no number stands before the unit", _how_many(text.strip()))
    return read(text, default)


def _how_many(text: str) -> str | None:
    """What to write instead of a unit alone, a power of ten or a number in words."""
    if not text:
        return "write a number and a unit: '5 m'"
    try:
        return (
            f"write how many: '{float(Unit(text).factor):.15g} {make_unit(ONE, Unit(text).atoms)}'"
        )
    except UnitError:
        pass
    _, _, rest = text.partition(" ")
    try:
        return f"write the number in digits, as in '1 {Unit(rest)}'" if Unit(rest).atoms else None
    except UnitError:
        return None


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
    signs = [{"′": "'", "″": '"'}.get(name, name) for _, name in parts]
    if signs == ["'", '"']:
        feet, inches = (value for value, _ in parts)
        readings = f"{feet} ft {inches} in", f"{feet} arcmin {inches} arcsec"
        raise ambiguous(text, 0, text.strip(), readings)
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


def _is_plain(top: str, bottom: str) -> bool:
    """Whether people would write a value as such a fraction: 3/8 in, 1/60 s."""
    if not (top.isdigit() and bottom.isdigit()) or int(top) >= int(bottom):
        return False
    return top == "1" or (int(bottom) in _PLAIN and gcd(int(top), int(bottom)) == 1)


def _refuse_two_values(text: str, match: re.Match[str]) -> None:
    """120/80 mmHg and 50/60 Hz are two values, and no quotient."""
    typed, over = match["number"].strip(), _OVER.match(text, match.end())
    if over is None or _is_plain(typed.lstrip("+-−"), over[1]):
        return
    unit = text[over.end() :].strip()
    readings = f"{typed} {unit} and {over[1]} {unit}", f"{typed}/{over[1]}*{unit}"
    raise ambiguous(text, match.start("number"), text[: over.end()].strip(), readings)


def _refuse_chains(text: str, position: int) -> None:
    """2 h 30 m is no product, and neither are 12h30 and 1.5d3 powers of a unit."""
    chain = _CHAIN.search(text)
    if chain is not None:
        raise UnitParseError(
            text, chain.end(), "these values are no sum of one dimension in falling units",
            "write a sum as 2 h 30 min, and '*' for a product: 2 h * 30 m",
        )  # fmt: skip
    if (letter := _LETTER.match(text, position)) is not None:
        name, digit = letter.groups()
        unit = name if name in "VA" else {"R": "ohm", "K": "kohm"}.get(name, f"{name}ohm")
        number, rest = text[:position].strip(), text[letter.end() :]
        readings = f"{number}.{digit} {unit}", f"{number}*{name}^{digit}{rest}"
        raise ambiguous(text, position, letter[0], readings)
    if _NO_POWER.match(text, position):
        number, rest = text[:position].strip(), text[position + 1 :]
        readings = f"{number}*e*{rest.strip()}".rstrip("*"), f"{number}{rest}"
        raise ambiguous(text, position, "e", readings)
    for pattern, problem, by in (
        (_POWER_OF_TEN, "this could be a power of ten or of a unit", "e{}"),
        (_TIME, "this could be a time or a power", " h {} min"),
    ):
        match = pattern.match(text, position)
        if match is not None:
            name = match[0].strip().rstrip("+-−0123456789 ")
            power, rest = match[0].strip()[len(name) :].strip(), text[match.end() :]
            number = text[:position].strip()
            both = [f"{number}{by.format(power)}{rest}", f"{number}*{name}^{power}{rest}"]
            is_unit = pattern is _TIME and name != "h"  # 0x10
            hint = "write " + ", or ".join(both[is_unit:])
            raise UnitParseError(text, position, problem, hint)


def _refuse_separators(text: str, position: int) -> None:
    """`1 500 m` and `1,500 m`: what looks like one number must not be read as two.

    Nor is `3 ft 5` a product: it may stand for 3 ft and 5 in.
    """
    rest = text[position:]
    behind = _BEHIND.search(rest)
    if behind is not None:
        at = position + behind.end() - 1
        raise UnitParseError(
            text, at, "a number stands behind a unit", "say its unit, or write '*'"
        )
    if rest[:1] in (",", ".", "'", "_") and rest[1:2].isdigit():
        problem = f"{rest[0]!r} stands inside a number"
    elif _NUMBERED.match(rest) and not _THOUSANDS.match(text):
        return
    elif rest[:1].isdigit():
        problem = "two numbers stand side by side"
    elif rest[:1] == "(" and rest[1:2].isdigit():
        problem = "an uncertainty is not read here"
    else:
        return
    hint = "write a number without separators and with a decimal point: 1500.5"
    raise UnitParseError(text, position, problem, hint)
