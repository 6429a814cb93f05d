"""Which code expects quantities: a program does, and a library that asks for dimflow or uses it.

A library that knows JAX alone may move the numbers of a tree, but not compute with them.
"""

import sys
from functools import cache
from importlib.metadata import packages_distributions, requires
from types import ModuleType
from typing import Any

from dimflow.errors import UnitError
from dimflow.units import Unit


def shown(unit: Unit) -> str:
    """A unit in messages."""
    return str(unit) or "pure numbers"


def computed(library: str, unit: Unit) -> UnitError:
    """The error for a library that met a quantity."""
    return UnitError(
        f"{library} knows no units, and computes with the numbers of {shown(unit)}",
        f"give it plain numbers: x.to_value({str(unit)!r})",
    )


def module_of(frame: Any) -> str:
    """The module whose code runs in a frame."""
    return str(frame.f_globals.get("__name__", ""))


def package_of(frame: Any) -> str:
    """Its package, by which a library is known."""
    return module_of(frame).partition(".")[0]


def is_inside(frame: Any) -> bool:
    """Whether code takes trees apart to put them together with the same units."""
    return package_of(frame) in ("jax", "dimflow")


def is_aware(frame: Any) -> bool:
    """Whether code expects units: a program does, and a library that asks for dimflow or uses it.

    A library is told by its name, since it may be installed in any folder, or in none.
    """
    return _expects_units(package_of(frame))


@cache
def _expects_units(package: str) -> bool:
    found = packages_distributions().get(package)
    if found is None:
        return True
    needed = (text for name in found for text in requires(name) or ())
    return any(text.startswith("dimflow") for text in needed) or _uses_units(package)


def _uses_units(package: str) -> bool:
    """Whether a loaded module of a package has something of ours: a program may share its name."""
    mine = [part for name, part in [*sys.modules.items()] if name.partition(".")[0] == package]
    return any(map(_is_ours, (value for part in mine for value in vars(part).values())))


def _is_ours(value: Any) -> bool:
    """A module, a class or an object of ours; a function may be a patch of theirs.

    Nothing else is looked at, since a deprecated name warns.
    """
    kind = type(value)
    home = value.__name__ if issubclass(kind, ModuleType) else kind.__module__
    home = value.__module__ if issubclass(kind, type) else home
    return str(home).startswith("dimflow")
