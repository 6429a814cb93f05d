"""Dimensions: what kind of quantity a unit measures, as exponents over nine base dimensions."""

from fractions import Fraction
from functools import lru_cache
from itertools import zip_longest
from operator import add
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from dimflow.errors import UndefinedDimensionError, UnitError, UnitParseError
from dimflow.units.exponent import Exponent, checked, exponent
from dimflow.units.grammar import parse

BASES = (
    "length",
    "mass",
    "time",
    "current",
    "temperature",
    "amount",
    "luminosity",
    "angle",
    "information",
)
# Money is a dimension too, without a unit: who needs one defines it, `USD = [currency] = $`. It is
# stored only where it is not zero.
KINDS = (*BASES, "currency")
BASE_UNITS = {  # in the order in which products of them are written: kg*m/s**2
    "mass": "kilogram",
    "length": "metre",
    "time": "second",
    "current": "ampere",
    "temperature": "kelvin",
    "amount": "mole",
    "luminosity": "candela",
    "angle": "radian",
    "information": "bit",
}

_MEMO_LIMIT = 256
_lock = Lock()
_interned: WeakValueDictionary[tuple[Exponent, ...], "Dimension"] = WeakValueDictionary()


class Dimension:
    """A product of base dimensions with rational exponents.

    Give exponents by position or by name, or a text: `Dimension(length=1, time=-1)`,
    `Dimension("length/time")`, `Dimension("[speed]")`. Equal dimensions are one object.
    """

    __slots__ = ("__weakref__", "_powers", "_products", "exponents")

    exponents: tuple[Exponent, ...]
    _products: dict["Dimension", "Dimension"]
    _powers: dict[Exponent, "Dimension"]

    def __new__(cls, *exponents: Any, **named: Any) -> "Dimension":
        if len(exponents) == 1 and isinstance(exponents[0], str) and not named:
            return read(exponents[0])
        if len(exponents) > len(BASES):
            raise UnitError(f"a Dimension has {len(BASES)} exponents, but got {len(exponents)}")
        values = [exponent(e) for e in exponents] + [0] * (len(KINDS) - len(exponents))
        for name, value in named.items():
            if name not in KINDS:
                raise UnitError(f"no base dimension is called {name!r}", ", ".join(KINDS))
            values[KINDS.index(name)] = exponent(value)
        return _intern(tuple(values))

    @property
    def name(self) -> str | None:
        """The common name, such as 'speed'; None if there is none."""
        return _names().get(self)

    @property
    def formula(self) -> str:
        """The base dimensions and their exponents, such as '[length time^-1]'."""
        parts = [
            base if e == 1 else f"{base}^{e}" if type(e) is int else f"{base}^({e})"
            for base, e in zip(KINDS, self.exponents, strict=False)
            if e
        ]
        return f"[{' '.join(parts)}]"

    @property
    def is_dimensionless(self) -> bool:
        """Whether this is the dimension of a pure number. An angle's is not."""
        return self is DIMENSIONLESS

    def as_tuple(self) -> tuple[Fraction, ...]:
        """The exponents in the order of `BASES`."""
        return tuple(Fraction(e) for e in self.exponents)

    def as_dict(self) -> dict[str, Exponent]:
        """The exponents that are not zero, by the name of their base dimension."""
        return {base: e for base, e in zip(KINDS, self.exponents, strict=False) if e}

    def without_angle(self) -> "Dimension":
        """The same with every angle taken for a pure number."""
        angle = BASES.index("angle")
        return _intern((*self.exponents[:angle], 0, *self.exponents[angle + 1 :]))

    def __mul__(self, other: "Dimension") -> "Dimension":
        if not isinstance(other, Dimension):
            return NotImplemented
        if self is DIMENSIONLESS:
            return other
        known = self._products.get(other)
        if known is not None:
            return known
        if len(self.exponents) == len(other.exponents):
            sums = tuple(map(add, self.exponents, other.exponents))
        else:
            pairs = zip_longest(self.exponents, other.exponents, fillvalue=0)
            sums = tuple(a + b for a, b in pairs)
        known = _interned.get(sums)  # what is interned was checked
        if known is None:
            known = _intern(tuple([checked(e) for e in sums]))
        return _remember(self._products, other, known)

    def __truediv__(self, other: "Dimension") -> "Dimension":
        if not isinstance(other, Dimension):
            return NotImplemented
        return self * other**-1

    def __pow__(self, power: Any) -> "Dimension":
        power = exponent(power)
        known = self._powers.get(power)
        if known is not None:
            return known
        products = tuple(checked(e * power) for e in self.exponents)
        return _remember(self._powers, power, _intern(products))

    def __str__(self) -> str:
        return f"[{self.name.replace(' ', '_')}]" if self.name else self.formula

    def __repr__(self) -> str:
        arguments = ", ".join(
            f"{base}={e}" if type(e) is int else f"{base}='{e}'"
            for base, e in self.as_dict().items()
        )
        return f"Dimension({arguments})"

    def __reduce__(self) -> tuple[object, ...]:
        if len(self.exponents) > len(BASES):
            return _intern, (self.exponents,)
        return Dimension, self.exponents


def _remember(memo: dict[Any, Dimension], key: object, result: Dimension) -> Dimension:
    if len(memo) >= _MEMO_LIMIT:
        memo.clear()
    memo[key] = result
    return result


def _intern(exponents: tuple[Exponent, ...]) -> Dimension:
    if len(exponents) > len(BASES) and not exponents[-1]:
        exponents = exponents[: len(BASES)]
    with _lock:
        dimension = _interned.get(exponents)
        if dimension is None:
            dimension = object.__new__(Dimension)
            dimension.exponents = exponents
            dimension._products = {}
            dimension._powers = {}
            _interned[exponents] = dimension
        return dimension


DIMENSIONLESS = _intern((0,) * len(BASES))

# Common names, each with a formula over base dimensions and names above it. Where a dimension has
# several names the first is the one shown (energy rather than torque).
_NAMED = """
dimensionless: 1
length: length
mass: mass
time: time
current: current
temperature: temperature
amount: amount
luminosity: luminosity
angle: angle
information: information
area: length^2
volume: length^3
solid angle: angle^2
frequency: 1/time
wavenumber: 1/length
speed: length/time
velocity: length/time
acceleration: length/time^2
jerk: length/time^3
angular velocity: angle/time
angular acceleration: angle/time^2
momentum: mass length/time
force: mass length/time^2
energy: force length
torque: energy
power: energy/time
pressure: force/area
action: energy time
angular momentum: action
surface tension: force/length
density: mass/volume
surface density: mass/area
linear density: mass/length
specific volume: volume/mass
moment of inertia: mass area
dynamic viscosity: pressure time
kinematic viscosity: area/time
volumetric flow: volume/time
mass flow: mass/time
mass flux: mass/area/time
number density: 1/volume
irradiance: power/area
radiance: power/area/angle^2
radiant intensity: power/angle^2
specific energy: energy/mass
energy density: pressure
charge: current time
voltage: power/current
electric field: voltage/length
resistance: voltage/current
conductance: 1/resistance
resistivity: resistance length
conductivity: 1/resistivity
capacitance: charge/voltage
inductance: voltage time/current
magnetic flux: voltage time
magnetic flux density: magnetic_flux/area
magnetic field strength: current/length
current density: current/area
charge density: charge/volume
surface charge density: charge/area
permittivity: capacitance/length
permeability: inductance/length
electric dipole moment: charge length
magnetic dipole moment: current area
polarizability: charge area/voltage
heat capacity: energy/temperature
entropy: heat_capacity
specific heat capacity: energy/mass/temperature
thermal conductivity: power/length/temperature
heat transfer coefficient: power/area/temperature
thermal resistance: temperature/power
thermal conductance: power/temperature
thermal expansion: 1/temperature
temperature gradient: temperature/length
heating rate: temperature/time
seebeck coefficient: voltage/temperature
concentration: amount/volume
molar mass: mass/amount
molar energy: energy/amount
molar volume: volume/amount
molar entropy: energy/amount/temperature
molality: amount/mass
catalytic activity: amount/time
luminous flux: luminosity angle^2
illuminance: luminous_flux/area
luminance: luminosity/area
luminous energy: luminous_flux time
luminous efficacy: luminous_flux/power
exposure: charge/mass
dose rate: specific_energy/time
data rate: information/time
spectral flux density: energy/area
spring constant: force/length
"""


# Understood, but not shown: no more likely to be meant than the others of their dimension.
_AMBIGUOUS = {"surface_tension", "spectral_flux_density", "spring_constant"}


@lru_cache(maxsize=1)
def _by_name() -> dict[str, Dimension]:
    known = {base: _intern(tuple(int(b == base) for b in KINDS)) for base in KINDS}
    for line in _NAMED.strip().splitlines():
        name, _, formula = line.partition(": ")
        known[name.replace(" ", "_")] = _evaluate(formula, known)
    return known


@lru_cache(maxsize=1)
def _names() -> dict[Dimension, str]:
    names: dict[Dimension, str] = {}
    for name, dimension in _by_name().items():
        if name not in _AMBIGUOUS:
            names.setdefault(dimension, name.replace("_", " "))
    return names


def _evaluate(text: str, known: dict[str, Dimension]) -> Dimension:
    product = parse(text)
    if not product.factor.is_rational or product.factor.fraction != 1:
        raise UnitParseError(text, 0, "a dimension has no numeric factor")
    result = DIMENSIONLESS
    for term in product.terms:
        if term.name not in known:
            near = [name for name in known if name.startswith(term.name[:3].lower())][:3]
            raise UndefinedDimensionError(term.name, near, text, term.position)
        result = result * known[term.name] ** term.exponent
    return result


@lru_cache(maxsize=256)
def read(text: str) -> Dimension:
    """A dimension from text: '[force]', 'length/time', '[length] [time]^-1', '[speed]'."""
    bare = text.replace("[", "(").replace("]", ")") if text.strip(" []") else "1"
    return _evaluate(bare, _by_name())


def named() -> dict[str, Dimension]:
    """The dimensions that have a common name, by name."""
    return dict(_by_name())
