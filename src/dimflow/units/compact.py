"""Prefixes that bring a number between 1 and 1000: 0.003 m -> 3 mm."""

from dimflow.units import scope
from dimflow.units.definition import Prefix, Resolved
from dimflow.units.meaning import Atom
from dimflow.units.unit import Unit, make_unit


def compact(unit: Unit, size: float) -> Unit:
    """The unit with another prefix of its first factor, in which a number has at most 3 places.

    The unit itself for 0 and for points on a scale, and where its first factor takes no prefix.
    """
    found = _prefixable(unit.atoms[0][0]) if unit.atoms else None
    if found is None or not size or unit.law is not None or not found.definition.takes_symbols:
        return unit
    candidates = [_with_prefix(unit, found, prefix) for prefix in (None, *_prefixes(found))]
    sizes = {other: size * unit.conversion_factor(other) for other in candidates}
    fitting = [other for other in sizes if _rounded(sizes[other]) >= 1]
    return min(fitting, key=sizes.__getitem__) if fitting else max(sizes, key=sizes.__getitem__)


def _prefixable(atom: Atom) -> Resolved | None:
    """The unit that takes prefixes: gram for kilogram, which is a unit of its own."""
    registry = scope.current()
    found = registry.definition_of(atom)
    if found is None or found.definition.takes_symbols:
        return found
    for prefix in registry.prefixes():
        inner = registry.find(atom.name.removeprefix(prefix.name))
        if inner is not None and inner.takes_symbols and inner is not found.definition:
            return Resolved(inner, prefix)
    return found


def _rounded(size: float) -> float:
    """A conversion may have lost the last digit of 1."""
    return float(f"{size:.14g}")


def _prefixes(found: Resolved) -> list[Prefix]:
    """The binary prefixes for a unit that has one (KiB), else those of powers of 1000; below 1
    there are no binary ones.
    """
    is_binary = found.prefix is not None and found.prefix.is_binary
    thousand = 1024.0 if is_binary else 1000.0
    powers = {1000.0**n for n in range(-10, 0)} | {thousand**n for n in range(1, 11)}
    scales = {prefix: float(prefix.scale) for prefix in scope.current().prefixes()}
    return [
        prefix
        for prefix, scale in scales.items()
        if scale in powers and prefix.is_binary is (is_binary and scale > 1)
    ]


def _with_prefix(unit: Unit, found: Resolved, prefix: Prefix | None) -> Unit:
    name = found.definition.name
    atom = scope.current().atom(name if prefix is None else prefix.name + name)
    assert atom is not None
    return make_unit(unit.factor, ((atom, unit.atoms[0][1]), *unit.atoms[1:]))
