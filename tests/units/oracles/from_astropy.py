"""astropy.units as an oracle: all its namespaces, and the names of its text formats."""

import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import astropy.units as u
from astropy.units import (
    astrophys,
    cds,
    cgs,
    core,
    deprecated,
    imperial,
    misc,
    photometric,
    required_by_vounit,
    si,
)
from astropy.units.format import FITS, OGIP, VOUnit
from astropy.units.function import FunctionUnitBase
from astropy.units.function import units as functions

from tests.units.oracles.reading import Reading, measured

# astropy tracks the angle and the bit, as we do.
ERASED: frozenset[str] = frozenset()
# What it counts it tracks as well; these are numbers here.
_COUNTS = {"adu", "beam", "bin", "chan", "ct", "DN", "electron", "mgy", "ph", "pix", "vox"}
# Units of nothing else: multiples of the Sun's, of the Crab nebula's.
_ITS_OWN = {"Sun", "Crab"}


def _namespaces() -> dict[str, Mapping[str, Any]]:
    modules = [si, astrophys, misc, photometric, functions, imperial, cgs, cds, required_by_vounit]
    return {
        **{module.__name__.split(".")[2]: vars(module) for module in modules},
        "deprecated": deprecated.local_units,
        "fits": FITS._units,
        "ogip": OGIP._units,
        "vounit": VOUnit._units,
    }


@cache
def table() -> dict[str, Any]:
    """Every name with its unit. A namespace that gives a name another meaning shows: cds.R."""
    found: dict[str, Any] = {}
    for namespace, members in _namespaces().items():
        for name, unit in members.items():
            if not isinstance(unit, (core.UnitBase, FunctionUnitBase)):
                continue
            if name not in found:
                found[name] = unit
            elif unit is not found[name] and of_unit(unit) != of_unit(found[name]):
                found[f"{namespace}.{name}"] = unit
    return found


def name_of(spelling: str) -> str:
    """What stands in a text: the name without its namespace."""
    return spelling.rpartition(".")[2]


@cache
def of_unit(unit: Any) -> Reading | None:
    """An astropy unit as a reading; None if it measures something of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(unit, FunctionUnitBase):
            physical = unit.physical_unit.decompose()
            return measured(_exponents(physical), lambda x: unit.to_physical(x) * physical.scale)
        if unit in (u.deg_C, u.imperial.deg_F):
            return measured({"K": 1}, lambda x: unit.to(u.K, x, equivalencies=u.temperature()))
        unit = unit.decompose()
    if unit.bases == [u.dex] and unit.powers == [1]:
        return measured({}, lambda x: 10 ** (unit.scale * x))
    exponents = _exponents(unit)
    if exponents.keys() & _ITS_OWN:
        return None
    return measured(exponents, lambda x: unit.scale * x)


def _exponents(unit: Any) -> dict[str, Any]:
    powers = {base.name: power for base, power in zip(unit.bases, unit.powers, strict=True)}
    return {name: power for name, power in powers.items() if name not in _COUNTS}


def read(spelling: str) -> Reading | None:
    """What astropy makes of a name, with its namespace or without."""
    unit = table().get(spelling)
    return None if unit is None else of_unit(unit)


def spellings() -> list[str]:
    """Every name of a unit without a prefix."""
    return [name for name, unit in table().items() if not isinstance(unit, core.PrefixUnit)]


def prefixed() -> Iterator[tuple[str, float, str]]:
    """Every prefixed name, the factor, and the name of the unit."""
    for spelling, unit in table().items():
        if isinstance(unit, core.PrefixUnit):
            (base,) = unit.represents.bases
            name = name_of(spelling)
            of = max((n for n in base.names if name.endswith(n)), key=len)
            yield spelling, unit.represents.scale, of


@cache
def distinct() -> list[tuple[str, ...]]:
    """The spellings of each unit."""
    names: dict[int, list[str]] = {}
    for spelling in spellings():
        names.setdefault(id(table()[spelling]), []).append(spelling)
    return [tuple(group) for group in names.values()]
