"""Physical units: exact, complete and nearly free.

    from dimflow import Unit, units
    units.km, units.N == units.kg * units.m / units.s**2
    Unit("J/(kg K)").dimension
    units.convert(65, "mile/hour", "km/h")

Every unit is an attribute of this module, prefixes included; `units.find("pressure")` searches.
"""

from typing import Any

from dimflow.units import scope as _scope
from dimflow.units.conversion import Conversion, convert, find_conversion
from dimflow.units.definition import Definition
from dimflow.units.dimension import Dimension
from dimflow.units.equivalencies import Equivalency
from dimflow.units.meaning import Affine, Atom, Logarithmic, Meaning
from dimflow.units.registry import Registry
from dimflow.units.search import find
from dimflow.units.systems import UnitSystem, find_system, systems
from dimflow.units.unit import Unit
from dimflow.units.wire import decode, encode, from_json, to_json

__all__ = [
    "Affine",
    "Atom",
    "Conversion",
    "Definition",
    "Dimension",
    "Equivalency",
    "Logarithmic",
    "Meaning",
    "Registry",
    "Unit",
    "UnitSystem",
    "convert",
    "decode",
    "define",
    "encode",
    "find",
    "find_conversion",
    "find_system",
    "from_json",
    "load",
    "parse",
    "systems",
    "to_json",
]


def parse(text: str, *, ucum: bool = False, style: str | None = None) -> Unit:
    """Read a unit from text; `style` is ucum, latex, siunitx or html for those notations."""
    return Unit(text, ucum=ucum, style=style)


def define(text: str, *, replace: bool = False) -> Unit | None:
    """Add units to the registry in force: `define("smoot = 67 inch = smt")`."""
    return _scope.current().define(text, replace=replace)


def load(path: Any, *, replace: bool = False) -> None:
    """Add the units of a definitions file to the registry in force."""
    _scope.current().load(path, replace=replace)


def __getattr__(name: str) -> Unit:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _scope.current().unit(name)


def __dir__() -> list[str]:
    registry = _scope.current()
    registry.load_plugins()
    names = (n for n in registry.spellings() if n.isidentifier())
    return sorted({*__all__, *names, *_common_prefixed()})


def _common_prefixed() -> list[str]:
    """Prefixed symbols that people type often, for completion; all others work as well."""
    units = ("m", "g", "s", "A", "mol", "Hz", "N", "Pa", "J", "W", "V", "F", "ohm", "L", "eV", "T")
    names = [p + u for u in units for p in ("n", "u", "m", "c", "k", "M", "G")]
    return [name for name in names if name != "min" and name not in _scope.builtin.ambiguous]
