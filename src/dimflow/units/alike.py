"""Which units may stand side by side: the one rule for `.to`, sums, comparisons, joins and numbers.

Angles and levels are tracked, and both are counted in a unit that is 1: the radian and the neper.
These are absorbed where the rest of two units agrees: rad*m/s beside m/s, Np/m beside 1/m. Units
that count something else (turns, degrees, decibels, events) are not: 1 Hz is 1 or 2π rad/s.
"""

from dimflow.units import scope
from dimflow.units.dimension import DIMENSIONLESS
from dimflow.units.exponent import Exponent
from dimflow.units.meaning import PURE_NUMBER, Affine, Atom, Logarithmic, Meaning
from dimflow.units.scale import ONE
from dimflow.units.unit import Unit, make_unit


def are_alike(one: Unit, other: Unit) -> bool:
    """Whether values in two units may be added, compared, joined and stored in one another.

    A bare number beside a level is neither a ratio nor a level, so it is refused; `.to` says which.
    """
    if one is other:
        return True
    if one.dimension is other.dimension and differ_in_kind(one, other):
        return False
    if one.key.law is not None or other.key.law is not None:
        return one.dimension is other.dimension and not _is_bare_beside_level(one, other)
    is_level = level_exponent(one) != level_exponent(other)
    if one.dimension is other.dimension and not is_level:
        return True
    if one.dimension.without_angle() is not other.dimension.without_angle():
        return False
    if is_level and one.dimension is not other.dimension:
        return False  # a neper is no radian
    atoms = [atom for unit in (one, other) for atom, _ in unit.atoms]
    if is_level:
        atoms = [atom for atom in atoms if _is_level(atom)]
    return not any(map(_counts, atoms))


def differ_in_kind(one: Unit, other: Unit) -> bool:
    """dBA and dBC, pH and pOH, an octave and a decibel, and the hardnesses of two methods."""
    laws = one.key.law, other.key.law
    if isinstance(laws[0], Logarithmic) and isinstance(laws[1], Logarithmic):
        return laws[0].kind != laws[1].kind
    (levels, measures), (other_levels, others) = _kinds(one), _kinds(other)
    is_ratio = any(laws) and not (levels and other_levels)  # pOH as mol/L
    return (levels | {""} != other_levels | {""} and not is_ratio) or len(measures | others) > 1


def is_slope(unit: Unit) -> bool:
    """Whether a linear unit is a quotient of two kinds of levels: dB/decade."""
    return unit.key.law is None and len(_kinds(unit)[0]) > 1


def _kinds(unit: Unit) -> tuple[set[str], set[str]]:
    """The kinds of levels in a unit, and those of linear units."""
    levels, measures = set[str](), set[str]()
    for atom, _ in unit.atoms:
        law = atom.meaning.law
        if atom.kind is None and law is None:
            scope.builtin.atom(atom.name)  # which says so, if it is in the table
        if isinstance(law, Logarithmic):
            levels.add(law.kind_of_steps)
        elif _is_level(atom):
            levels.add(atom.kind or "")
        elif atom.kind:
            measures.add(atom.kind)
    return levels, measures


def is_number(unit: Unit) -> bool:
    """Whether values can be read as pure numbers: in percent and km/m, but not in dB or rad."""
    return unit.dimension is DIMENSIONLESS and unit.key.law is None and not level_exponent(unit)


def level_exponent(unit: Unit) -> Exponent:
    """The power of level in a linear unit: 1 for dB/km, and 0 for most."""
    return sum(e for atom, e in unit.atoms if _is_level(atom))


def steps_of(unit: Unit) -> Unit:
    """The levels that a linear unit counts: in nepers, but those of a kind, in their own unit."""
    nepers = level_exponent(unit)
    own = [(atom, e) for atom, e in unit.atoms if _is_level(atom) and atom.kind]
    nepers -= sum(e for _, e in own)
    steps = make_unit(ONE, own)
    return steps * scope.builtin.unit("delta_Np") ** nepers if nepers else steps


def is_gain(unit: Unit) -> bool:
    """Whether this is a level without a reference: dB, Np, octave."""
    key = unit.key
    return isinstance(key.law, Logarithmic) and key.scale is ONE and key.dimension is DIMENSIONLESS


def is_per_level(unit: Unit) -> bool:
    """Whether levels are counted in the divisor of a linear unit: V/dB, dB/decade."""
    return unit.key.law is None and any(e < 0 and _is_level(atom) for atom, e in unit.atoms)


def is_level_difference(unit: Unit) -> bool:
    """Whether a linear unit counts levels, as the product of dB/km and km does."""
    return unit.dimension is DIMENSIONLESS and unit.key.law is None and level_exponent(unit) == 1


def _is_bare_beside_level(one: Unit, other: Unit) -> bool:
    for level, number in ((one, other), (other, one)):
        if isinstance(level.key.law, Logarithmic) and number.key.law is None:
            if is_level_difference(number):
                return not is_gain(level)
            return number.key is PURE_NUMBER or level_exponent(number) != 0
    return False


def _counts(atom: Atom) -> bool:
    if atom.counts is None:
        scope.builtin.atom(atom.name)  # which says so, if it is in the table
    if atom.counts is None:
        atom.counts = counts_by_itself(atom.meaning)
    return atom.counts


def _is_level(atom: Atom) -> bool:
    if atom.is_level is None:
        is_delta = atom.name.startswith("delta_")
        if is_delta:
            scope.builtin.atom(atom.name)
        if atom.is_level is None:  # of somebody's own unit, read in another process
            meaning = atom.meaning
            is_named = is_delta and meaning.dimension is DIMENSIONLESS
            atom.is_level = is_named and not meaning.scale.is_rational
            atom.counts = atom.is_level or atom.counts
    return atom.is_level


def counts_by_itself(meaning: Meaning) -> bool:
    """Whether a unit that nothing else is known of counts angles by another unit than radians."""
    dimension = meaning.dimension
    if dimension is dimension.without_angle():
        return False
    is_plain = dimension.without_angle() is DIMENSIONLESS
    return meaning.scale is not ONE if is_plain else not meaning.scale.is_rational


# Messages


def readings(source: Unit, target: Unit, names: tuple[str, ...] = ("x",)) -> str | None:
    """How to say which is meant, where two units differ by angles or levels alone.

    `names` are what the user calls the values in the two units, or the one where no other is.
    """
    if isinstance(source.law, Affine) or isinstance(target.law, Affine):
        return None
    if source.dimension is target.dimension and differ_in_kind(source, target):
        return f"{source} and {str(target) or 1} are of different kinds, which no factor connects"
    if source.law is not None or target.law is not None:
        return _level_readings(source, target, names)
    if source.dimension.without_angle() is not target.dimension.without_angle():
        return None
    if level_exponent(source) != level_exponent(target):
        return _difference_readings(source, names[0])
    if source.key is PURE_NUMBER and len(names) > 1:  # a bare number has no `.to`
        source, target, names = target, source, names[::-1]
    hint = _angle_readings(source, target, names[0])
    if target.key is PURE_NUMBER and len(names) > 1:
        hint = f"write a number with its unit: 5 * Unit({str(source)!r}); {hint}"
    return hint


def _angle_readings(source: Unit, target: Unit, name: str) -> str:
    """60 rpm is 1 Hz of cycles or 6.28 1/s of radians: show both readings."""
    from dimflow.units.conversion import through
    from dimflow.units.equivalencies import find_equivalency

    # the dimensions differ in angle alone
    turns = sum(target.dimension.exponents) - sum(source.dimension.exponents)
    found = []
    for via, meaning in (("cycles", "a turn counts as 1"), ("angle", "a radian counts as 1")):
        conversion = through(find_equivalency(via), source, target)
        if conversion is None or (via == "cycles" and abs(turns) != 1):
            continue
        value = f"{float(conversion(1)):.6g} {target}".rstrip()
        call = f"{name}.to({str(target)!r}, via={via!r})"
        found.append(f"{call} gives {value} per {str(source) or 1} ({meaning})")
    return ": ".join(["an angle is not a pure number", *filter(None, ["; ".join(found)])])


def _difference_readings(source: Unit, name: str) -> str:
    """2 dB is 0.23 Np as the logarithm of a field, 0.46 of a power, and 1.58 as a ratio."""
    if not level_exponent(source):
        return (
            f"a pure number is not a level: {name} * Unit('Np') for the logarithm of a ratio of "
            "fields, half of it for one of powers"
        )
    hint = f"a level is not a pure number: {name}.to({str(source.to_base())!r}) is the logarithm "
    if is_level_difference(source):
        ratio = f"{name}.to('dB').to('')"
        return f"{hint}of a ratio of fields; {ratio} is a ratio of powers"
    return f"{hint}of a ratio of fields, and twice that number of one of powers"


def _level_readings(source: Unit, target: Unit, names: tuple[str, ...]) -> str | None:
    is_ratio = (source.law is None or target.law is None) and source.dimension is target.dimension
    if len(names) == 1 and is_ratio and not (level_exponent(source) or level_exponent(target)):
        return f"say that it is meant as a ratio: {names[0]}.to({str(target)!r})"
    if target.law is None:
        source, target, names = target, source, names[::-1]
    x, y = names[0], names[-1]
    if source.law is not None:
        return None
    if is_level_difference(source):
        if is_gain(target):
            return f"say the sign of the ratio first: {x}.to('dB').to({str(target)!r})"
        return f"a difference of levels has no reference: it moves a level, {y} + {x}"
    if source.dimension is not target.dimension or level_exponent(source):
        return None
    return (
        f"write a level with its unit, such as 5 * Unit({str(target)!r}), and convert a ratio "
        f"first: DimArray({x}, {str(source)!r}).to({str(target)!r})"
    )
