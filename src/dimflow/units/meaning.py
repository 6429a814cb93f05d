"""What a unit means, apart from how it is spelled: dimension, exact scale and law."""

from fractions import Fraction
from threading import Lock
from typing import NamedTuple
from weakref import WeakValueDictionary

from dimflow.units.dimension import DIMENSIONLESS, Dimension
from dimflow.units.exponent import Exponent
from dimflow.units.scale import ONE, Scale, irrational


class Affine(NamedTuple):
    """Zero of the unit lies elsewhere than zero of the quantity: °C, °F.

    The quantity in SI base units is `scale * x + offset`.
    """

    offset: Fraction


class Logarithmic(NamedTuple):
    """The unit counts logarithms of a ratio to a reference: dB, pH, magnitudes.

    The quantity in SI base units is `scale * base**(x / factor)`; the scale is the reference.
    Base 0 stands for e. `field` says that the quantity is a field (root-power) quantity such as
    voltage or sound pressure, whose levels are defined through its square.
    """

    base: int
    factor: Fraction
    field: bool = False

    @property
    def level(self) -> Scale | None:
        """One unit of this law in nepers (ISO 80000-3): ln(10)/20 for decibels of either kind.

        None where levels fall as the quantity grows (pH, magnitudes).
        """
        if self.factor < 0:
            return None
        logarithm = {0: ONE, 2: irrational("ln2"), 10: irrational("ln10")}.get(self.base)
        if logarithm is None:
            return None
        return logarithm / Scale(self.factor if self.field else 2 * self.factor)


Law = Affine | Logarithmic | None  # None: linear


class Meaning:
    """Dimension, scale in SI base units, and law. Equal meanings are one object."""

    __slots__ = ("__weakref__", "dimension", "law", "scale")

    dimension: Dimension
    scale: Scale
    law: Law

    def __new__(cls, dimension: Dimension, scale: Scale, law: Law = None) -> "Meaning":
        key = dimension, scale, law
        with _lock:
            meaning = _interned.get(key)
            if meaning is None:
                meaning = object.__new__(cls)
                meaning.dimension = dimension
                meaning.scale = scale
                meaning.law = law
                _interned[key] = meaning
            return meaning

    def __repr__(self) -> str:
        law = f", {self.law}" if self.law else ""
        return f"Meaning({self.dimension}, {self.scale}{law})"

    def __reduce__(self) -> tuple[object, ...]:
        return Meaning, (self.dimension, self.scale, self.law)


_lock = Lock()
_interned: WeakValueDictionary[tuple[Dimension, Scale, Law], Meaning] = WeakValueDictionary()

PURE_NUMBER = Meaning(DIMENSIONLESS, ONE)


def prefixed(meaning: Meaning, prefix: Scale) -> Meaning:
    """The meaning of a unit with a prefix; a decibel is a tenth of a bel of the same reference."""
    law = meaning.law
    if isinstance(law, Logarithmic):
        law = law._replace(factor=law.factor / prefix.fraction)
        return Meaning(meaning.dimension, meaning.scale, law)
    return Meaning(meaning.dimension, meaning.scale * prefix, law)


class Atom:
    """A unit with a name of its own, prefix included: metre, kilometre, degree_Celsius.

    Interned by all its fields, so an atom that comes out of a file is the one that a registry
    made, if they agree, with no look-up by name.
    """

    __slots__ = ("__weakref__", "_delta", "meaning", "name", "powers", "symbol")

    name: str
    symbol: str  # in ASCII if the unit has a symbol in ASCII
    meaning: Meaning
    powers: dict[Exponent, tuple[Dimension, Scale]]  # those met before
    _delta: "Atom | None"

    def __new__(cls, name: str, symbol: str, meaning: Meaning) -> "Atom":
        key = name, symbol, meaning
        with _atom_lock:
            atom = _atoms.get(key)
            if atom is None:
                atom = object.__new__(cls)
                atom.name = name
                atom.symbol = symbol
                atom.meaning = meaning
                atom._delta = None
                atom.powers = {}
                _atoms[key] = atom
            return atom

    def __repr__(self) -> str:
        return f"Atom({self.name!r}, {self.symbol!r}, {self.meaning})"

    @property
    def delta(self) -> "Atom | None":
        """What differences of this unit are counted in, as a linear unit.

        The kelvin for the kelvin, delta_degC for °C; for a level without a reference (dB, Np)
        the level in nepers; None for other logarithmic units.
        """
        law = self.meaning.law
        if law is None:
            return self
        if "(" in self.name or "@" in self.name:  # its difference has no name that could be read
            return None
        if self._delta is None:
            if isinstance(law, Affine):
                meaning = Meaning(self.meaning.dimension, self.meaning.scale)
            elif (
                self.meaning.scale is ONE and law.level and self.meaning.dimension is DIMENSIONLESS
            ):
                meaning = Meaning(DIMENSIONLESS, law.level)
            else:
                return None
            self._delta = Atom("delta_" + self.name, "delta_" + self.symbol, meaning)
        return self._delta


_atom_lock = Lock()
_atoms: WeakValueDictionary[tuple[str, str, Meaning], Atom] = WeakValueDictionary()
