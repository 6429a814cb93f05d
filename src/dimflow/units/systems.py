"""Systems of units: SI, CGS, imperial, and those in which constants of nature are one."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from dimflow.errors import UnitError
from dimflow.units.alike import steps_of
from dimflow.units.dimension import Dimension
from dimflow.units.equivalencies import Equivalency, exponents_between
from dimflow.units.exponent import checked
from dimflow.units.tables import builtin
from dimflow.units.unit import Unit


class UnitSystem:
    """Base units, and units preferred for other dimensions.

    In a system with `constants` set to one, dimensions collapse (in natural units a mass is an
    energy); conversion into it and back is by `via=` the system's equivalency.
    """

    def __init__(
        self,
        name: str,
        base: Sequence["Unit | str"],
        preferred: Sequence["Unit | str"] = (),
        constants: Sequence["Unit | str"] = (),
        equivalency: Equivalency | None = None,
    ) -> None:
        self.name = name
        self.base = tuple(Unit(b) for b in base)
        self.preferred = {Unit(p).dimension: Unit(p) for p in reversed(preferred)}
        self._constants = tuple(Unit(c).key for c in constants)
        if constants and equivalency is None:
            equivalency = Equivalency(name, constants=constants, roots=True)
        self.equivalency = equivalency

    def __repr__(self) -> str:
        return f"<UnitSystem {self.name}: {', '.join(map(str, self.base))}>"

    def unit_for(self, unit: "Unit | str") -> Unit:
        """The system's unit for what another unit measures."""
        dimension, steps = Unit(unit).dimension, steps_of(Unit(unit))
        if dimension in self.preferred:
            return self.preferred[dimension] * steps
        # product of base**x * constants**y = dimension; the constants are one in this system
        vectors = (*(b.key for b in self.base), *self._constants)
        powers = exponents_between(vectors, Dimension(), dimension)
        if powers is None:
            raise UnitError(f"the system {self.name!r} has no unit for {dimension}")
        result = steps
        for base, power in zip(self.base, powers, strict=False):
            result = result * base ** checked(power)
        return result


_OTHERS = ("mol", "cd", "rad", "bit")  # what few systems have units of their own for
_SI = ["N", "Pa", "J", "W", "C", "V", "F", "ohm", "S", "Wb", "T", "H", "lm", "lx", "kat", "sr"]
_CGS = ["dyn", "erg", "erg/s", "Ba", "P", "St", "Gal", "Kayser", "gauss", "maxwell", "statC"]
_FPS = ["lbf", "psi", "ft*lbf", "ft*lbf/s", "ft**2", "ft**3", "ft/s", "ft/s**2"]

_DEFINED: dict[str, tuple[Sequence[str], Sequence[str], Sequence[str]]] = {
    "SI": (("kg", "m", "s", "A", "K", *_OTHERS), _SI, ()),
    "SI_base": (("kg", "m", "s", "A", "K", *_OTHERS), (), ()),
    "CGS": (("g", "cm", "s", "abampere", "K", *_OTHERS), _CGS[:-1], ()),
    "imperial": (("lb", "ft", "s", "A", "degR", *_OTHERS), _FPS, ()),
    "US": (
        ("lb", "ft", "s", "A", "degR", *_OTHERS),
        ["mile/hour", "US_liquid_gallon", "horsepower", "BTU", "psi", "lbf", "acre"],
        (),
    ),
    "atomic": (
        (
            "electron_mass",
            "bohr",
            "atomic_unit_of_time",
            "elementary_charge/atomic_unit_of_time",
            "hartree/boltzmann_constant",
            *_OTHERS,
        ),
        ["hartree", "elementary_charge", "reduced_planck_constant"],
        (),
    ),
    "Planck": (
        (
            "planck_mass",
            "planck_length",
            "planck_time",
            "planck_charge/planck_time",
            "planck_temperature",
            *_OTHERS,
        ),
        ["planck_energy", "planck_charge"],
        (),
    ),
    "natural": (
        ("eV", *_OTHERS),
        (),
        (
            "speed_of_light",
            "reduced_planck_constant",
            "boltzmann_constant",
            "vacuum_permittivity",
        ),
    ),
    "geometrized": (
        ("m", *_OTHERS),
        (),
        (
            "speed_of_light",
            "gravitational_constant",
            "boltzmann_constant",
            "4 pi vacuum_permittivity",
        ),
    ),
    # 4 pi epsilon_0 and mu_0/(4 pi) by the convention that defines these units: mu_0 is
    # 4 pi 1e-7 N/A² exactly
    "esu": (("g", "cm", "s", "K", *_OTHERS), (), ("1e7/299792458**2 F/m",)),
    "emu": (("g", "cm", "s", "K", *_OTHERS), (), ("1e-7 N/A**2",)),
    # electric quantities as in esu, magnetic ones as in emu
    "Gaussian": (
        ("g", "cm", "s", "K", *_OTHERS),
        (),
        ("1e7/299792458**2 F/m",),
    ),
}
_MAGNETIC = {"T": "gauss_gaussian", "Wb": "maxwell_gaussian"}


@cache
def _built(name: str) -> UnitSystem:
    with builtin:
        return _build(name)


def _build(name: str) -> UnitSystem:
    base, preferred, constants = _DEFINED[name]
    if name != "Gaussian":
        return UnitSystem(name, base, preferred, constants)
    parts = [e for e in (_built("esu").equivalency, _built("emu").equivalency) if e]
    system = UnitSystem(name, base, (), constants, Equivalency(name, alternatives=parts))
    system.preferred.update({Unit(si).dimension: Unit(own) for si, own in _MAGNETIC.items()})
    return system


def systems() -> list[str]:
    """The names of the systems of units."""
    return list(_DEFINED)


def find_system(system: Any) -> UnitSystem:
    """A system by name (in any case), or itself."""
    if isinstance(system, UnitSystem):
        return system
    for name in _DEFINED:
        if isinstance(system, str) and name.lower() == system.lower():
            return _built(name)
    raise UnitError(f"no system of units is called {repr(system)[:60]}", ", ".join(_DEFINED))
