"""Unit: a spelling (`N`, `kg*m/s**2`) that knows its meaning. Interned; algebra is memoised."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from importlib import import_module
from itertools import count
from threading import Lock
from typing import Any, TypeVar, cast, overload
from weakref import WeakValueDictionary

from dimflow.errors import PointError, UnitConversionError, UnitError, UnitRangeError
from dimflow.units import scope
from dimflow.units.dimension import Dimension
from dimflow.units.exponent import Exponent, checked, exponent
from dimflow.units.meaning import PURE_NUMBER, Affine, Atom, Law, Logarithmic, Meaning
from dimflow.units.scale import ONE, Scale

_MEMO_LIMIT = 256  # of one unit
_MEMOS_LIMIT = 1 << 13  # of all units together: a chain of products keeps itself alive
_lock = Lock()
_serials = count()
_stored = count(1)
_interned: WeakValueDictionary[Any, "Unit"] = WeakValueDictionary()

# Set by the array layer: makes an array of a value and a unit, so that `5 * units.m` is one.
make_quantity: Callable[[Any, "Unit", bool], Any] | None = None

T = TypeVar("T")
Spelling = tuple[tuple[Atom, Exponent], ...]


class Unit:
    """A physical unit.

    `Unit("km/h")` parses; `Unit("")` is the unit of pure numbers; `Unit("smoot", dimension,
    scale)` makes one that no registry knows; `Unit("mm[Hg]", ucum=True)` reads a UCUM code.

    Two units are equal if they mean the same, however they are spelled: N == kg*m/s**2. The same
    spelling is always the same object.
    """

    __slots__ = (
        "__weakref__",
        "_derived",
        "_powers",
        "_products",
        "_quotients",
        "_serial",
        "atoms",
        "dimension",
        "factor",
        "key",
    )

    atoms: Spelling
    factor: Scale
    key: Meaning
    dimension: Dimension
    _serial: int  # never used again, unlike id(): the memos are keyed on it
    _products: dict[int | None, "Unit"]
    _quotients: dict[int | None, "Unit"]
    _powers: dict[Any, "Unit"]
    _derived: dict[Any, Any]

    __array_ufunc__ = None  # ndarray * unit comes to us
    __pandas_priority__ = 5000  # and so does series * unit

    def __new__(
        cls,
        symbol: "str | Unit" = "",
        dimension: Any = None,
        scale: Any = None,
        *,
        ucum: bool | str = False,
        style: str | None = None,
    ) -> "Unit":
        if dimension is None and scale is None and style is None and not ucum:
            if type(symbol) is not str:
                return symbol if isinstance(symbol, Unit) else scope.current().parse(symbol)
            stack = scope.entered.get()
            registry = stack[-1] if stack else scope.shared
            known = registry.parsed.get(symbol)
            return registry.parse(symbol) if known is None else known
        if isinstance(ucum, str):
            symbol, ucum = ucum, True
        if isinstance(symbol, Unit):
            raise UnitError("a Unit is complete; dimension, scale and style go with a text")
        if dimension is None and scale is None:
            return scope.current().parse(symbol, style="ucum" if ucum else style)
        return scope.current().ad_hoc(symbol, dimension, scale)

    # What it is

    @property
    def symbol(self) -> str:
        """The spelling in plain ASCII symbols, as `str` gives it."""
        return str(self)

    @property
    def name(self) -> str:
        """The spelling in full names: 'metre/second'."""
        return self.format(names=True)

    @property
    def scale(self) -> float:
        """How many SI base units this is, correctly rounded (for logarithms: the reference)."""
        return float(self.key.scale)

    @property
    def law(self) -> Law:
        """None if linear, else the `Affine` or `Logarithmic` law."""
        return self.key.law

    @property
    def is_dimensionless(self) -> bool:
        """Whether it counts pure numbers, scaled ones such as percent or km/m included."""
        return self.dimension.is_dimensionless

    @property
    def delta(self) -> "Unit":
        """The linear unit in which differences of values in this unit are counted."""
        if self.key.law is None:
            return self
        atom = self.atoms[0][0]
        if isinstance(self.key.law, Affine) and "@" in atom.name:
            return scope.current().without_shift(atom)
        if atom.delta is None:
            problem = "a linear difference, as derivatives have it,"
            raise PointError(problem, self, f"convert it first: x.to({str(self.linear)!r})")
        return make_unit(ONE, ((atom.delta, 1),))

    @property
    def linear(self) -> "Unit":
        """The linear counterpart: W for dBW, K for °C, mol/l for pH; itself if linear."""
        if self.key.law is None:
            return self
        if isinstance(self.key.law, Affine):
            return self.to_base()
        return scope.current().reference_of(self)

    def is_compatible(self, other: "Unit | str", via: Any = None) -> bool:
        """Whether values in this unit can be converted to the other."""
        from dimflow.units.conversion import find_conversion

        try:
            find_conversion(self, Unit(other), via)
        except UnitConversionError:
            return False
        return True

    def conversion_factor(self, to: "Unit | str") -> float:
        """By what to multiply values in this unit to have them in the other, correctly rounded."""
        to = Unit(to)
        return self.remembered(to._serial, lambda: self._factor(to))

    def _factor(self, to: "Unit") -> float:
        from dimflow.units.alike import are_alike
        from dimflow.units.conversion import cannot_convert

        if not are_alike(self, to):
            raise cannot_convert(self, to)
        if self.key is to.key and self.key.law is None:
            return 1.0
        if self.key.law or to.key.law:
            raise PointError(
                "a conversion factor",
                self if self.key.law else to,
                "use dimflow.units.convert, or the .delta or .linear unit",
            )
        factor = float(self.key.scale / to.key.scale)
        if not 0 < factor < float("inf"):
            raise UnitRangeError(f"the factor from {self} to {to} is beyond the range of floats")
        return factor

    def to_base(self) -> "Unit":
        """The coherent SI unit of the same dimension, in base units: N -> kg*m/s**2."""
        from dimflow.units.alike import steps_of

        return scope.current().base_unit(self.dimension) * steps_of(self)

    def simplified(self) -> "Unit":
        """An equal unit in fewer or shorter symbols: J/m -> N, kg*m/s**2 -> N, km/m -> 1000."""
        from dimflow.units.simplify import simplify

        return simplify(self)

    def in_system(self, system: Any) -> "Unit":
        """The unit that a system of units (its name, or a `UnitSystem`) uses for this one."""
        from dimflow.units.systems import find_system

        return find_system(system).unit_for(self)

    # Algebra

    @overload
    def __mul__(self, other: "Unit") -> "Unit": ...
    @overload
    def __mul__(self, other: Any) -> Any: ...
    def __mul__(self, other: Any) -> Any:
        known = self._products.get(getattr(other, "_serial", None))
        if known is not None:
            return known
        if isinstance(other, Unit):
            return _store(self._products, other._serial, _product(self, other, 1))
        return _quantity(other, self)

    def __rmul__(self, other: Any) -> Any:
        return _quantity(other, self)

    @overload
    def __truediv__(self, other: "Unit") -> "Unit": ...
    @overload
    def __truediv__(self, other: Any) -> Any: ...
    def __truediv__(self, other: Any) -> Any:
        known = self._quotients.get(getattr(other, "_serial", None))
        if known is not None:
            return known
        if isinstance(other, Unit):
            return _store(self._quotients, other._serial, _product(self, other, -1))
        return _quantity(other, self, is_inverse=True)

    def __rtruediv__(self, other: Any) -> Any:
        return _quantity(other, self**-1)

    def __pow__(self, power: Any) -> "Unit":
        kind = type(power)
        if kind is int or kind is float:
            key = power
        else:  # a Fraction equals a float by slow Python code, so its key is a pair of integers
            power = power if kind is Fraction else Fraction(exponent(power))
            key = power.as_integer_ratio()
        known = self._powers.get(key)
        if known is not None:
            return known
        exact = exponent(power)
        if exact == 1:
            return self
        spelling = tuple((as_factor(a), checked(e * exact)) for a, e in self.atoms)
        return _store(self._powers, key, make_unit(self.factor**exact, spelling if exact else ()))

    def remembered(self, key: object, make: Callable[[], T]) -> T:
        """What `make` gives, kept with this spelling (a cache keyed on units goes by meaning)."""
        known = self._derived.get(key)
        return _store(self._derived, key, make()) if known is None else cast(T, known)

    def forget(self) -> None:
        """Empty the memos."""
        for memo in (self._products, self._quotients, self._powers, self._derived):
            memo.clear()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return self.key is other.key if isinstance(other, Unit) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.dimension)  # constants, which may equal it, are hashed so

    # Text

    def format(self, style: str = "plain", *, names: bool = False) -> str:
        """Spell it in a style: plain, compact, unicode, latex, siunitx, html, cf or ucum."""
        from dimflow.units.format import format_unit

        return format_unit(self, style, names=names)

    def __str__(self) -> str:
        known = self._derived.get("plain")
        return self.format() if known is None else cast(str, known)

    def __repr__(self) -> str:
        return f"Unit({str(self)!r})"

    def __format__(self, spec: str) -> str:
        from dimflow.units.format import format_spec

        return format_spec(self, spec)

    def _repr_html_(self) -> str:
        return self.format("html")

    def _repr_latex_(self) -> str:
        return f"${self.format('latex')}$"

    # Copies and pickles are the same object

    def __reduce__(self) -> tuple[object, ...]:
        from dimflow.units.wire import decode, encode

        return decode, (encode(self),)

    def __dask_tokenize__(self) -> str:
        """What Dask names results by: N and kg*m/s**2 are one argument, m and km are two."""
        from dimflow.units.wire import meaning_text

        return meaning_text(self)

    def __copy__(self) -> "Unit":
        return self

    def __deepcopy__(self, memo: object) -> "Unit":
        return self


def _store(memo: dict[Any, Any], key: object, result: T) -> T:
    if len(memo) >= _MEMO_LIMIT:
        memo.clear()
    if next(_stored) % _MEMOS_LIMIT == 0:
        for reference in _interned.valuerefs():  # a copy, whatever other threads do
            unit = reference()
            if unit is not None:
                unit.forget()
    memo[key] = result
    return result


def make_unit(factor: Scale, spelling: Iterable[tuple[Atom, Exponent]]) -> Unit:
    """The one Unit of a spelling; exponents of equal atoms are added and zeros left out."""
    exponents: dict[Atom, Exponent] = {}
    for atom, e in spelling:
        exponents[atom] = exponents[atom] + e if atom in exponents else e
    # in the order of the text, where divisors come last
    top = [(atom, checked(e)) for atom, e in exponents.items() if e > 0]
    atoms = (*top, *[(atom, checked(e)) for atom, e in exponents.items() if e < 0])
    key = atoms if factor is ONE else (factor, atoms)  # the hash of a Scale is slow
    unit = _interned.get(key)
    if unit is not None:
        return unit
    meaning = _meaning(factor, atoms)
    with _lock:
        unit = _interned.get(key)
        if unit is None:
            unit = object.__new__(Unit)
            unit.atoms = atoms
            unit.factor = factor
            unit.key = meaning
            unit.dimension = meaning.dimension
            unit._serial = next(_serials)
            unit._products = {}
            unit._quotients = {}
            unit._powers = {}
            unit._derived = {}
            _interned[key] = unit
        return unit


def make_twin(unit: Unit) -> Unit:
    """Another object with the spelling and meaning of a unit, and memos of its own."""
    twin = object.__new__(Unit)
    twin.atoms, twin.factor = unit.atoms, unit.factor
    twin.key, twin.dimension = unit.key, unit.dimension
    twin._serial = next(_serials)
    twin._products, twin._quotients, twin._powers, twin._derived = {}, {}, {}, {}
    return twin


def _meaning(factor: Scale, atoms: Spelling) -> Meaning:
    if not atoms:
        return PURE_NUMBER if factor is ONE else Meaning(PURE_NUMBER.dimension, factor)
    if factor is ONE and len(atoms) == 1 and atoms[0][1] == 1:
        return atoms[0][0].meaning
    dimension, scale = PURE_NUMBER.dimension, factor
    for atom, e in atoms:
        raised = atom.powers.get(e)
        if raised is None:
            meaning = atom.meaning
            raised = meaning.dimension**e, meaning.scale**e
            if len(atom.powers) < _MEMO_LIMIT:
                atom.powers[e] = raised
        dimension, scale = dimension * raised[0], scale * raised[1]
    return Meaning(dimension, scale)


def _product(left: Unit, right: Unit, sign: int) -> Unit:
    if not right.atoms and right.factor is ONE:
        return left
    if not left.atoms and left.factor is ONE and sign == 1:
        return right
    law = left.key.law
    is_falling = isinstance(law, Logarithmic) and law.factor < 0
    if is_falling and sign == -1 and right.dimension is Dimension("solid_angle"):
        hint = f"write the level of the whole: Unit('{left}/({right})')"  # a brightness
        raise PointError("a quotient by a solid angle", left, hint)
    factor = left.factor * (right.factor if sign == 1 else right.factor**-1)
    return make_unit(
        factor,
        [(as_factor(a), e) for a, e in left.atoms]
        + [(as_factor(a), sign * e) for a, e in right.atoms],
    )


def as_factor(atom: Atom) -> Atom:
    """What an atom is as a factor of a product: J/°C is per degree of difference."""
    law = atom.meaning.law
    if law is None:
        return atom
    if isinstance(law, Logarithmic) and law.factor > 0 and not is_ratio(atom.meaning):
        raise _no_factor(atom)  # dBm/Hz is no quotient of logarithms
    return _delta(atom)


def is_ratio(meaning: Meaning) -> bool:
    """Whether a level has no reference, as dB and mag have none."""
    return meaning.scale is ONE and meaning.dimension is PURE_NUMBER.dimension


def _delta(atom: Atom, operation: str = "a product with other units") -> Atom:
    if atom.delta is None:
        raise _no_factor(atom, operation)
    return atom.delta


def _no_factor(atom: Atom, operation: str = "a product with other units") -> PointError:
    hint = "convert to its .linear unit first, or write the level of the whole: dB(mW/Hz)"
    if isinstance(atom.meaning.law, Affine):
        hint = "use its .delta unit"
    return PointError(operation, atom.symbol, hint)


def _quantity(value: Any, unit: Unit, is_inverse: bool = False) -> Any:
    if make_quantity is None:
        import_module("dimflow.array")  # sets it
    assert make_quantity is not None
    return make_quantity(value, unit, is_inverse)
