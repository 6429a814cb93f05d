"""The contenders: how each library reads a unit, and what it says the unit means."""

import pickle
from collections.abc import Callable
from fractions import Fraction
from math import isclose
from typing import Any

from benchmarks.race import WrongAnswer
from benchmarks.texts import Meaning

# What the statements of the suites may name, by a text that every library reads.
_NAMED = {
    "N": "N",
    "m": "m",
    "J": "J",
    "K": "K",
    "kg_m_s2": "kg*m/s**2",
    "m_s": "m/s",
}


class Library:
    """One contender. `namespace` is what its statements can use."""

    name: str
    package: str
    read: Callable[[str], Any]
    namespace: dict[str, Any]

    def named(self) -> dict[str, Any]:
        names = {name: self.read(text) for name, text in _NAMED.items()}
        tools = {"half": Fraction(1, 2), "dumps": pickle.dumps, "loads": pickle.loads}
        return {**names, **tools, "read": self.read}

    def meaning(self, unit: Any) -> Meaning:
        raise NotImplementedError

    def require(self, unit: Any, truth: Meaning, work: str) -> None:
        """Raise if the library does not give the unit the meaning it has."""
        scale, exponents = self.meaning(unit)
        if exponents != truth.exponents or not isclose(scale, truth.scale, rel_tol=1e-12):
            raise WrongAnswer(
                f"{self.name}: {work} is {scale} with exponents {exponents}, "
                f"not {float(truth.scale)} with {truth.exponents}"
            )


class Dimflow(Library):
    name = package = "dimflow"

    def __init__(self) -> None:
        from dimflow import units

        self.read = units.Unit
        self.namespace = {
            **self.named(),
            "Unit": units.Unit,
            "units": units,
            "convert": units.convert,
            "mph": units.Unit("mile/hour"),
            "kmh": units.Unit("km/hour"),
            "degC": units.degC,
            "degF": units.degF,
        }

    def meaning(self, unit: Any) -> Meaning:
        return Meaning(unit.scale, unit.dimension.exponents[:5])


class Pint(Library):
    name = package = "pint"
    _BASES = ("length", "mass", "time", "current", "temperature")

    def __init__(self) -> None:
        import pint

        registry: Any = pint.UnitRegistry()
        self._registry = registry
        share: Any = pint.set_application_registry
        share(registry)  # where its pickles look
        self.read = registry.parse_units
        self.namespace = {
            **self.named(),
            "ureg": registry,
            "mph": registry.mile / registry.hour,
            "kmh": registry.km / registry.hour,
            "degC": registry.degC,
            "degF": registry.degF,
        }
        # Its units compare by spelling: N != kg*m/s**2. Its quantities compare by meaning.
        self.namespace |= {
            "one_N": 1 * registry.N,
            "one_J": 1 * registry.J,
            "one_kg_m_s2": 1 * self.read("kg*m/s**2"),
        }

    def meaning(self, unit: Any) -> Meaning:
        scale, _ = self._registry.get_base_units(unit)
        powers = unit.dimensionality
        return Meaning(scale, tuple(powers.get(f"[{base}]", 0) for base in self._BASES))


class Astropy(Library):
    name = package = "astropy"

    def __init__(self) -> None:
        from astropy import units
        from astropy.units import imperial

        self._bases = [units.Unit(base) for base in ("m", "kg", "s", "A", "K")]
        self.read = units.Unit
        self.namespace = {
            **self.named(),
            "u": units,
            "mph": imperial.mile / units.hour,
            "kmh": units.km / units.hour,
            "degC": units.deg_C,
            "degF": imperial.deg_F,
            "temperature": units.temperature(),
        }

    def meaning(self, unit: Any) -> Meaning:
        si = unit.decompose(bases=self._bases)
        powers = dict(zip(si.bases, si.powers, strict=True))
        return Meaning(si.scale, tuple(powers.get(base, 0) for base in self._bases))


class Unyt(Library):
    name = package = "unyt"

    def __init__(self) -> None:
        import unyt
        from unyt import dimensions as d

        self._bases = d.length, d.mass, d.time, d.current_mks, d.temperature
        self.read = unyt.Unit
        self.namespace = {
            **self.named(),
            "unyt": unyt,
            "mph": unyt.Unit("mile/hour"),
            "kmh": unyt.Unit("km/hour"),
            "degF": unyt.Unit("degF"),
            "speed": unyt.unyt_quantity(65.0, "mile/hour"),
            "warmth": unyt.unyt_quantity(20.0, "degC"),
        }

    def meaning(self, unit: Any) -> Meaning:
        powers = unit.dimensions.as_powers_dict()
        return Meaning(unit.base_value, tuple(float(powers.get(base, 0)) for base in self._bases))


def all_libraries() -> list[Library]:
    """Ours first."""
    return [Dimflow(), Pint(), Astropy(), Unyt()]
