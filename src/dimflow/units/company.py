"""Symbols that people read as another unit beside some units: the A of eV/A, the g of g²/Hz.

The lines `@ambiguous A in eV/A, 1/A = ampere, angstrom` of the definitions list the products in
which a symbol is doubtful. A product is compared by its units and exponents, however it is written
(eV/A, eV A^-1, meV·A⁻¹), and with whatever number before it; a unit without a prefix stands for it
with any. Powers of a product count too: pc/h is doubtful, and so is pc³/h³.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from dimflow.units.definition import Resolved
from dimflow.units.exponent import Exponent
from dimflow.units.grammar import parse
from dimflow.units.spelling import resolve

if TYPE_CHECKING:
    from dimflow.units.meaning import Atom
    from dimflow.units.registry import Registry
    from dimflow.units.unit import Unit

_Part = tuple[str, str, Fraction]  # definition, prefix, exponent
# By the definition of the symbol and by definitions with exponents: prefixes, symbol, other reading
_Company = dict[tuple[str, frozenset[tuple[str, Fraction]]], list[tuple[set[_Part], str, str]]]


class Doubt(NamedTuple):
    """A unit of a product whose symbol is doubtful there, and what else it may be meant as."""

    atom: "Atom"
    exponent: Exponent
    symbols: list[str]
    other: str


def doubts_of(unit: "Unit", registry: "Registry") -> Iterator[Doubt]:
    """The units in a product that would be doubtful if these symbols were written for them."""
    company = registry.remembered("company", lambda: _company(registry))
    found = [registry.definition_of(atom) for atom, _ in unit.atoms]
    exponents = [e for _, e in unit.atoms]
    for one, (atom, e) in zip(found, unit.atoms, strict=True):
        parts = _parts(found, exponents, e)
        if one is None or not parts:
            return
        if Fraction(e).denominator != 1:
            continue
        for wanted, letter, other in company.get(_key(one, parts), ()):
            if all((n, p, times) in wanted or (n, "", times) in wanted for n, p, times in parts):
                is_whole = any(n == one.definition.name and p for n, p, _ in wanted)
                prefix = None if is_whole else one.prefix
                symbols = [p + letter for p in prefix.symbols] if prefix else [letter]
                yield Doubt(atom, e, symbols, f"{prefix.scale} {other}" if prefix else other)


def is_listed(name: str, registry: "Registry") -> bool:
    """Whether a name, with digits set against it or without, is of a unit in the lists."""
    company = registry.remembered("company", lambda: _company(registry))
    found = resolve(name, registry) or resolve(name.rstrip("0123456789"), registry)
    return found is not None and any(known == found.definition.name for known, _ in company)


def _parts(found: list[Resolved | None], exponents: list[Exponent], size: Exponent) -> list[_Part]:
    """Definitions, prefixes and exponents, these as multiples of that of the doubtful unit."""
    parts: list[_Part] = []
    for one, e in zip(found, exponents, strict=True):
        if one is None or one.is_delta:
            return []
        prefix = one.prefix.name if one.prefix else ""
        parts.append((one.definition.name, prefix, Fraction(e) / abs(Fraction(size))))
    return parts


def _key(one: Resolved, parts: list[_Part]) -> tuple[str, frozenset[tuple[str, Fraction]]]:
    return one.definition.name, frozenset((name, e) for name, _, e in parts)


def _company(registry: "Registry") -> _Company:
    """The products of the lines `@ambiguous SYMBOL in PRODUCT, ... = UNIT, OTHER`."""
    company: _Company = {}
    for name, (first, other, *_) in registry.ambiguous.items():
        letter, is_in, text = name.partition(" in ")
        one = registry.resolve(letter) if is_in else None
        if one is None or registry.resolve(first) != one:  # a user's unit has the symbol
            continue
        terms = parse(text).terms
        size = next(term.exponent for term in terms if term.name == letter)
        found = [resolve(term.name, registry) for term in terms]
        parts = _parts(found, [term.exponent for term in terms], size)
        if parts:
            company.setdefault(_key(one, parts), []).append((set(parts), letter, other))
    return company
