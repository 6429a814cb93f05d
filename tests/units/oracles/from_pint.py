"""pint's default registry as an oracle."""

from functools import cache

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


@cache
def registry() -> pint.UnitRegistry:
    return pint.UnitRegistry(autoconvert_offset_to_baseunit=True)


def read(text: str) -> Reading | None:
    """What pint makes of a text; None if it does not read it."""
    pint_registry = registry()
    try:
        unit = pint_registry.parse_units(text, as_delta=False)
    except (pint.PintError, ArithmeticError, AssertionError, AttributeError, SyntaxError,
            TypeError, ValueError):  # fmt: skip
        return None
    exponents = {_BASES[k]: v for k, v in unit.dimensionality.items() if k not in _COUNTS}

    def to_base(x: float) -> float:
        return pint_registry.Quantity(x, unit).to_base_units().magnitude

    return measured(exponents, to_base)


def spellings() -> list[str]:
    """Every name, symbol and alias, plurals and prefixes aside."""
    return list(registry()._units)


def distinct() -> list[tuple[str, ...]]:
    """The names of each unit."""
    names: dict[str, list[str]] = {}
    for spelling, definition in registry()._units.items():
        names.setdefault(definition.name, []).append(spelling)
    return [tuple(group) for group in names.values()]
