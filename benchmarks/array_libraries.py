"""The contenders with arrays: how each makes one of a raw array, and what is in its results."""

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from benchmarks.libraries import Astropy, Dimflow, Library, Pint, Unyt
from benchmarks.race import WrongAnswer
from benchmarks.texts import Exponents, Meaning

RAW = "NumPy"  # the same work without units
NONE: Exponents = (0, 0, 0, 0, 0)
_PLAIN = (np.ndarray, np.float64, np.bool_)  # not what is derived from them

# What the statements may name: raw array, unit. SI units but for k, which has to be converted.
ARRAYS = {"x": "a m", "y": "b s", "z": "b m", "k": "b km", "m": "a kg", "v": "b m/s"}
FACTORS = {"k": 1000.0}  # to SI


class SI(NamedTuple):
    """A result in SI base units."""

    values: Any
    exponents: Exponents


@cache
def data(size: int) -> dict[str, Any]:
    """The numbers: from 1 and from 2 on, so that nothing overflows, vanishes or is special."""
    steps = np.arange(size) / size
    return {"a": 1 + steps, "b": 2 + steps}


def in_si(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What the arrays hold in SI units: the truth is computed with these, by NumPy."""
    arrays = {name: raw[text.split()[0]] for name, text in ARRAYS.items()}
    arrays |= {name: arrays[name] * factor for name, factor in FACTORS.items()}
    return {**raw, **arrays, "np": np}


class Saiunit(Library):
    name = package = "saiunit"

    def __init__(self) -> None:
        import saiunit

        known = {
            "m": saiunit.meter,
            "km": saiunit.kmeter,
            "s": saiunit.second,
            "kg": saiunit.kilogram,
            "m/s": saiunit.meter / saiunit.second,
        }
        self.read = known.__getitem__
        self.namespace = {"Quantity": saiunit.Quantity}

    def meaning(self, unit: Any) -> Meaning:
        bases = ("length", "mass", "time", "current", "temperature")
        return Meaning(unit.magnitude, tuple(unit.dim.get_dimension(base) for base in bases))


class Dimtensor(Library):
    name = package = "dimtensor"

    def __init__(self) -> None:
        import dimtensor
        from dimtensor import units

        known = {"m": units.m, "km": units.km, "s": units.s, "kg": units.kg}
        self.read = {**known, "m/s": units.m / units.s}.__getitem__
        self.namespace = {"DimArray": dimtensor.DimArray}

    def meaning(self, unit: Any) -> Meaning:
        of = unit.dimension
        return Meaning(unit.scale, (of.length, of.mass, of.time, of.current, of.temperature))


class NoUnits(Library):
    """NumPy: its numbers are in the unit that the work says they are in."""

    name = RAW
    package = "numpy"

    def __init__(self) -> None:
        self.read = str
        self.namespace = {}

    def meaning(self, unit: Any) -> Meaning:
        raise WrongAnswer("NumPy has no units")


@dataclass(frozen=True)
class Arrays:
    """A library and its arrays."""

    library: Library
    make: Callable[[Any, Any], Any]
    parts: Callable[[Any], tuple[Any, Any]]  # raw array and unit

    @property
    def name(self) -> str:
        return self.library.name

    def namespace(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """What statements on these numbers can use."""
        read = self.library.read
        written = {name: text.split() for name, text in ARRAYS.items()}
        arrays = {name: self.make(raw[of], read(unit)) for name, (of, unit) in written.items()}
        units = {"metre": read("m"), "km": read("km")}
        tools = {"np": np, "loads": pickle.loads, "dumps": _dumps}
        return {**self.library.namespace, **tools, **units, **raw, **arrays}

    def si(self, result: Any) -> SI:
        """A result with a unit in SI base units; one without, as it is."""
        if type(result) in _PLAIN:
            return SI(np.asarray(result), NONE)
        raw, unit = self.parts(result)
        scale, exponents = self.library.meaning(unit)
        return SI(np.asarray(raw) * float(scale), exponents)


def _dumps(value: Any) -> bytes:
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def all_arrays() -> list[Arrays]:
    """Ours first, then NumPy, then our peers. Nobody copies the raw array that it is given."""
    from astropy.units import Quantity as AstropyQuantity
    from unyt import unyt_array

    from dimflow import DimArray

    dimflow, pint, astropy, unyt = Dimflow(), Pint(), Astropy(), Unyt()
    saiunit, dimtensor = Saiunit(), Dimtensor()
    dimflow.namespace["DimArray"] = DimArray
    pint_quantity = pint.namespace["Quantity"] = pint.namespace["ureg"].Quantity
    astropy.namespace["Quantity"] = AstropyQuantity
    unyt.namespace["unyt_array"] = unyt_array
    dimarray, quantity = dimtensor.namespace["DimArray"], saiunit.namespace["Quantity"]
    return [
        Arrays(dimflow, DimArray, lambda x: (x.data, x.unit)),
        Arrays(NoUnits(), lambda raw, unit: raw, lambda x: (x, "")),
        Arrays(pint, pint_quantity, lambda x: (x.magnitude, x.units)),
        Arrays(
            astropy,
            lambda raw, unit: AstropyQuantity(raw, unit, copy=False),
            lambda x: (x.value, x.unit),
        ),
        Arrays(unyt, unyt_array, lambda x: (x.ndview, x.units)),
        Arrays(
            saiunit,
            lambda raw, unit: quantity(raw, unit=unit),
            lambda x: (x.mantissa, x.unit),
        ),
        Arrays(dimtensor, dimarray, lambda x: (x.data, x.unit)),
    ]
