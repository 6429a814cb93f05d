"""Fewer and shorter symbols for an equal unit: J/m -> N, kPa*m**2 -> kN, km/m -> 1000."""

from functools import lru_cache

from dimflow.units.alike import is_number, level_exponent
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


def as_shown(unit: Unit) -> Unit:
    """The unit that values are shown in: pure numbers without one (73 mm**2/m**2, 5 km/m).

    Proportions keep theirs: percent, and ratios of a smaller to a larger unit such as g/kg.
    """
    if len(unit.atoms) < 2 or not is_number(unit):
        return unit
    is_proportion = [e for _, e in unit.atoms] == [1, -1] and float(unit.key.scale) < 1
    return unit if is_proportion else make_unit(ONE, ())


def _shortest(unit: Unit) -> Unit:
    candidates = [unit, _merged(unit), _in_base_units(unit), *_with_named_unit(unit)]
    longest = len(str(unit))
    kinds = _kinds(unit)  # kg*m**2 is no J*s**2: seconds have nothing to do with it
    levels = level_exponent(unit)  # are no numbers: dB*m/km is not 0.0001
    fitting = (
        c
        for c in candidates
        if _kinds(c) <= kinds
        and c.key is unit.key
        and (c is unit or _is_simpler(c, unit))
        and level_exponent(c) == levels
    )
    return min((c for c in fitting if len(str(c)) <= longest), key=_length)


def _is_simpler(one: Unit, other: Unit) -> bool:
    """Fewer units or smaller exponents, and no more of either: J*s**3 is no simpler kg*m**2*s."""
    exponents = [[abs(float(e)) for _, e in u.atoms] for u in (one, other)]
    sizes = [(len(each), sum(each)) for each in exponents]
    powers = [max(each, default=0) for each in exponents]
    is_merged = {atom for atom, _ in one.atoms} <= {atom for atom, _ in other.atoms}
    is_less = sizes[0] != sizes[1] and all(a <= b for a, b in zip(*sizes, strict=True))
    return is_less and (is_merged or powers[0] <= powers[1])


def _kinds(unit: Unit) -> set[int]:
    """The base dimensions that occur in a spelling."""
    return {
        i for atom, _ in unit.atoms for i, e in enumerate(atom.meaning.dimension.exponents) if e
    }


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
