"""Fewer and shorter symbols for an equal unit: J/m -> N, kPa*m**2 -> kN, km/m -> 1000."""

from functools import lru_cache

from dimflow.units.dimension import Dimension
from dimflow.units.exponent import Exponent
from dimflow.units.meaning import Atom
from dimflow.units.scale import ONE, Scale
from dimflow.units.tables import builtin
from dimflow.units.unit import Unit, make_unit

# Coherent units with a name, in order of preference. Not those that share a dimension with 1/s
# or with one another by accident (Hz and Bq, Gy and Sv).
_NAMED = ("N", "J", "W", "Pa", "V", "ohm", "S", "C", "F", "H", "Wb", "T", "lm", "lx", "kat")
_POWERS = (1, -1, 2, -2)


def simplify(unit: Unit) -> Unit:
    """The shortest equal unit found; the unit itself if there is no shorter."""
    if unit.law is not None or len(unit.atoms) < 2:
        return unit
    return unit.remembered("simple", lambda: _shortest(unit))


def _shortest(unit: Unit) -> Unit:
    candidates = [unit, _merged(unit), _in_base_units(unit), *_with_named_unit(unit)]
    longest, atoms = len(str(unit)), len(unit.atoms)
    fitting = (c for c in candidates if c.key is unit.key and len(c.atoms) <= atoms)
    return min((c for c in fitting if len(str(c)) <= longest), key=_length)


def _length(unit: Unit) -> tuple[float, int]:
    """How much there is to read: atoms, their exponents and a numeric factor."""
    weight = sum(1 + abs(float(e)) for _, e in unit.atoms)
    return weight + 2 * (unit.factor is not ONE), len(str(unit))


def _merged(unit: Unit) -> Unit:
    """Atoms of one dimension written by the first of them: ft*inch -> 1/12 ft**2."""
    first: dict[Dimension, Atom] = {}
    factor = unit.factor
    spelling: list[tuple[Atom, Exponent]] = []
    for atom, e in unit.atoms:
        dimension = atom.meaning.dimension
        if dimension.is_dimensionless:
            factor = factor * atom.meaning.scale**e
            continue
        kept = first.setdefault(dimension, atom)
        factor = factor * (atom.meaning.scale / kept.meaning.scale) ** e
        spelling.append((kept, e))
    return make_unit(factor, spelling)


def _in_base_units(unit: Unit) -> Unit:
    """By SI base units alone, with a prefix if one of them is enough: W/V -> A."""
    base = builtin.base_unit(unit.dimension)
    prefix = _prefix(unit.key.scale, 1)
    if prefix and len(base.atoms) == 1 and base.atoms[0][1] == 1 and str(base) != "kg":
        return builtin.parse(prefix + str(base))
    return make_unit(unit.key.scale, ()) * base


def _with_named_unit(unit: Unit) -> list[Unit]:
    """Candidates of one named unit, with a prefix if need be, and base units for the rest."""
    found: list[Unit] = []
    longest, _ = _length(unit)
    for symbol in _NAMED:
        for power in _POWERS:
            named = builtin.parse(symbol) ** power
            rest = unit.dimension / named.dimension
            if 1 + abs(power) + sum(1 + abs(float(e)) for e in rest.exponents if e) > longest:
                continue
            remainder = builtin.base_unit(rest)
            coherent = named * remainder
            prefix = _prefix(unit.key.scale, power)
            if prefix is not None:
                prefixed = builtin.parse(prefix + symbol) ** power
                found.append(prefixed * remainder)
            else:
                found.append(make_unit(unit.key.scale, ()) * coherent)
    return found


@lru_cache(maxsize=256)
def _prefix(scale: Scale, power: int) -> str | None:
    """The SI prefix whose power is the scale, if there is one."""
    if scale is ONE:
        return ""
    for prefix in builtin.prefixes():
        if not prefix.is_binary and prefix.scale**power == scale:
            return prefix.symbol
    return None
