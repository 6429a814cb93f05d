"""pint's default registry as an oracle."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pint

from tests.units.oracles.reading import Reading, measured

# pint takes radian and bit for the number one.
ERASED = frozenset({"rad", "bit"})
_BASES = {
    "[mass]": "kg",
    "[length]": "m",
    "[time]": "s",
    "[current]": "A",
    "[temperature]": "K",
    "[substance]": "mol",
    "[luminosity]": "cd",
}
_COUNTS = {"[printing_unit]"}  # the pixel, a number here
_REFUSALS = (
    pint.PintError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    SyntaxError,
    TypeError,
    ValueError,
)


@cache
def registry() -> pint.UnitRegistry:
    return pint.UnitRegistry(autoconvert_offset_to_baseunit=True)


@cache
def definitions() -> dict[str, Any]:
    """What every spelling stands for, by a registry that has read nothing yet."""
    return dict(pint.UnitRegistry()._units)


def read(text: str) -> Reading | None:
    """What pint makes of a text; None if it does not read it."""
    quantity = registry().Quantity
    try:
        unit = registry().parse_units(text, as_delta=False)
    except _REFUSALS:
        return None
    exponents = {_BASES[k]: v for k, v in unit.dimensionality.items() if k not in _COUNTS}
    return measured(exponents, lambda x: quantity(x, unit).to_base_units().magnitude)


def spellings() -> list[str]:
    """Every name, symbol and alias."""
    return list(definitions())


def plurals() -> Iterator[tuple[str, str]]:
    """Every plural that pint reads, with its singular."""
    for name in spellings():
        found = registry().parse_unit_name(f"{name}s")
        if found and found[0][:2] == ("", definitions()[name].name):
            yield f"{name}s", name


@cache
def distinct() -> list[tuple[str, ...]]:
    """The spellings of each unit, its name first."""
    names: dict[str, list[str]] = {}
    for spelling, definition in definitions().items():
        names.setdefault(definition.name, [definition.name]).append(spelling)
    return [tuple(dict.fromkeys(group)) for group in names.values()]


def prefixed() -> Iterator[tuple[str, float, str]]:
    """Every prefixed spelling, the factor, and the unit that pint finds behind the prefix."""
    known, prefixes = definitions(), registry()._prefixes
    for spelling, definition in known.items():
        for prefix in prefixes:
            text = prefix + spelling
            if not prefix or text in known:
                continue
            (found, unit, _), *_ = registry().parse_unit_name(text)
            of = spelling if unit == definition.name else unit
            yield text, float(prefixes[found].value) if found else 1.0, of
