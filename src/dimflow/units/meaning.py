"""What a unit means, apart from how it is spelled: dimension, exact scale and law."""

from fractions import Fraction
from threading import Lock
from typing import NamedTuple
from weakref import WeakValueDictionary

from dimflow.errors import UnitRangeError
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
    voltage or sound pressure, whose levels are defined through its square. Levels of
    two `kind`s (through two filters, of pH and pOH) do not convert.
    """

    base: int
    factor: Fraction
    field: bool = False
    kind: str = ""

    @property
    def of_gains(self) -> "Logarithmic":
        """The law of what lies between two levels, which no kind matters to."""
        return self._replace(kind="")

    @property
    def kind_of_steps(self) -> str:
        """The kind of its differences, which fall where the quantity grows: magnitudes, pH."""
        return self.kind or ("falling" if self.factor < 0 else "")

    @property
    def level(self) -> Scale:
        """One unit of this law in nepers (ISO 80000-3): ln(10)/20 for decibels of either kind."""
        logarithm = {0: ONE, 2: irrational("ln2"), 10: irrational("ln10")}[self.base]
        return logarithm / Scale(abs(self.factor if self.field else 2 * self.factor))


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


def with_law(base: Meaning, law: Law) -> Meaning:
    """The meaning of a unit that a law stands on."""
    if base.law is not None:
        if law is None:
            return base  # another name for it
        raise UnitRangeError("a law stands on a linear unit, and this one has a law already")
    if isinstance(law, Affine):
        if not base.scale.is_rational:
            raise UnitRangeError("a scale with a shifted zero needs a rational scale")
        if law.offset == 0:
            law = None
    return Meaning(base.dimension, base.scale, law)


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

    __slots__ = (
        "__weakref__",
        "_delta",
        "counts",
        "is_level",
        "kind",
        "meaning",
        "name",
        "powers",
        "symbol",
    )

    name: str
    symbol: str  # in ASCII if the unit has a symbol in ASCII
    meaning: Meaning
    powers: dict[Exponent, tuple[Dimension, Scale]]  # those met before
    # Its definition says so; None until a registry has read it (see units.alike).
    counts: bool | None  # turns, degrees, decibels or events: no radian is 1 beside them
    is_level: bool | None  # the difference of two levels: delta_dB, delta_Np
    kind: str | None  # what it measures alone: values of two kinds do not convert
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
                atom._delta = atom.counts = atom.is_level = atom.kind = None
                atom.powers = {}
                _atoms[key] = atom
            return atom

    def __repr__(self) -> str:
        return f"Atom({self.name!r}, {self.symbol!r}, {self.meaning})"

    @property
    def delta(self) -> "Atom | None":
        """What differences of this unit are counted in, as a linear unit.

        The kelvin for the kelvin, delta_degC for °C; for a level (dB, pH) the step in nepers.
        """
        law = self.meaning.law
        if law is None:
            return self
        if "(" in self.name or "@" in self.name:  # its difference has no name that could be read
            return None
        if self._delta is None:
            if isinstance(law, Affine):
                meaning = Meaning(self.meaning.dimension, self.meaning.scale)
            else:
                meaning = Meaning(DIMENSIONLESS, law.level)
            self._delta = Atom("delta_" + self.name, "delta_" + self.symbol, meaning)
            self._delta.is_level = isinstance(law, Logarithmic)
            if isinstance(law, Logarithmic):
                self._delta.kind = law.kind_of_steps
                # A neper counts as 1 beside pure numbers, as a radian does; a decibel does not.
                is_neper = meaning.scale.is_rational and (law.field or meaning.scale is ONE)
                self._delta.counts = not is_neper
        return self._delta


def noted(atom: Atom, counts: bool, kind: str) -> Atom:
    """The atom, with notes that it counts turns, degrees or events if it does, and of what kind."""
    atom.counts = counts or bool(atom.counts)
    atom.kind = kind
    return atom


_atom_lock = Lock()
_atoms: WeakValueDictionary[tuple[str, str, Meaning], Atom] = WeakValueDictionary()
