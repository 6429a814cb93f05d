"""From the spelling of a unit to its definition: prefixes, plurals, laws in texts, near names."""

import re
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING

from dimflow.errors import UnitParseError
from dimflow.units.definition import Definition
from dimflow.units.dimension import Dimension
from dimflow.units.grammar import MAX_LENGTH, Term
from dimflow.units.meaning import Affine, Law, Logarithmic

if TYPE_CHECKING:
    from dimflow.units.registry import Prefix, Registry, Resolved

_LONGEST_PREFIX = 6
_LONGEST_NAME = 100
# Characters that stand for one another, each written as our definitions write it. Python itself
# turns the first four into others of them when they stand in an identifier (NFKC).
_SAME = str.maketrans(
    {
        "\u03bc": "\u00b5",  # Greek mu to the micro sign
        "\u2126": "\u03a9",  # the ohm sign to Greek Omega
        "\u212b": "\u00c5",  # the angstrom sign to the letter
        "\u212a": "K",  # the kelvin sign
        "\u2103": "°C",
        "\u2109": "°F",
        "\u00ba": "°",  # the masculine ordinal, on many keyboards
        "\u0394": "Δ",
        "\u2206": "Δ",  # the increment sign
    }
)

_FUNCTION = re.compile(r"\s*(\w+)\s?\((?:\s*re:?\s)?\s*(.+?)\s*\)\s*")
_UDUNITS = re.compile(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)?\s*(lg|ln|lb)\(\s*re:?\s+(.+?)\s*\)\s*")
_UDUNITS_BASE = {"lg": 10, "ln": 0, "lb": 2}
_SHIFTING = ("@", "from ", "since ", "after ", "ref ")
_SHIFT = re.compile(r"\s*(.+?)\s*(?:@|\b(?:from|since|after|ref)\b)\s*(\S.*?)\s*")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
# What a level in decibels of is defined through the square (ISO 80000-1, root-power quantities)
_FIELDS = (
    "voltage",
    "current",
    "pressure",
    "electric_field",
    "magnetic_field_strength",
    "magnetic_flux_density",
    "speed",
    "acceleration",
    "force",
    "length",
)
_DEGREES = ("degree", "degrees", "deg", "degs", "°")
_DELTA = re.compile(r"(?:delta_|Δ)(.+)")


def resolve(name: str, registry: "Registry") -> "Resolved | None":
    """What a spelling stands for: an exact name before any prefix, a prefix before a plural."""
    from dimflow.units.registry import Resolved

    if len(name) > _LONGEST_NAME:
        return None
    if not name.isascii():
        name = name.translate(_SAME)
    found = registry.find(name)
    if found is not None:
        return Resolved(found)
    prefixed = _prefixed(name, registry)
    if prefixed is not None:
        return prefixed
    for singular in _singulars(name):
        found = registry.find(singular)
        if found is not None and singular in (found.name, *found.aliases):
            return Resolved(found)
        prefixed = _prefixed(singular, registry, names_only=True)
        if prefixed is not None:
            return prefixed
    delta = _DELTA.fullmatch(name)
    if delta is not None:
        of = resolve(delta[1], registry)
        return of._replace(is_delta=True) if of and not of.is_delta else None
    return _capitalised(name, registry)


def _prefixed(name: str, registry: "Registry", names_only: bool = False) -> "Resolved | None":
    """A prefix and a unit. Symbols join symbols, names join names; mixtures come last."""
    from dimflow.units.registry import Resolved

    mixed = None
    for length in range(min(_LONGEST_PREFIX, len(name) - 1), 0, -1):
        prefix = registry.find_prefix(name[:length])
        definition = registry.find(name[length:]) if prefix else None
        if prefix is None or definition is None:
            continue
        short_prefix = name[:length] in prefix.symbols
        long_unit = name[length:] in (definition.name, *definition.aliases)
        short_unit = name[length:] in definition.symbols and not (long_unit and not short_prefix)
        if not _takes(definition, prefix, short_prefix or short_unit):
            continue
        if names_only and not long_unit:
            continue
        if short_prefix == short_unit:
            return Resolved(definition, prefix)
        mixed = mixed or Resolved(definition, prefix)
    return mixed


def _takes(definition: Definition, prefix: "Prefix", is_short: bool) -> bool:
    prefixing = definition.prefixing
    if prefixing == "none":
        return False
    if prefix.is_binary:
        return prefixing == "binary"
    return not is_short or prefixing in ("si", "binary")


def _singulars(name: str) -> list[str]:
    if not name.endswith("s") or len(name) < 4:
        return []
    singulars = [name[:-1]]
    if name.endswith("ies"):
        singulars.append(name[:-3] + "y")
    if name.endswith("es"):
        singulars.append(name[:-2])
    return singulars


def _capitalised(name: str, registry: "Registry") -> "Resolved | None":
    """Newton, Metres: a long name with a capital, as people write them."""
    lower = name[:1].lower() + name[1:]
    if len(name) < 4 or not name[0].isupper() or not name[1:].islower():
        return None
    found = resolve(lower, registry)
    if found is None or lower in found.definition.symbols:
        return None
    return None if found.prefix and lower.removeprefix(found.prefix.name) == lower else found


def joined(text: str, terms: tuple[Term, ...], registry: "Registry") -> tuple[Term, ...]:
    """Terms in which words that make one name are one: nautical mile, degrees Celsius.

    Two words that are units each stay two (kg mol is a product), except after a degree.
    """
    result: list[Term] = []
    for term in terms:
        last = result[-1] if result else None
        if last is not None and _adjoin(text, last, term):
            name = f"{last.name}{'' if last.name == '°' else '_'}{term.name}"
            is_name = last.name in _DEGREES or not (
                resolve(last.name, registry) and resolve(term.name, registry)
            )
            if is_name and resolve(name, registry) is not None:
                result[-1] = Term(name, last.exponent * term.exponent, last.position)
                continue
        result.append(term)
    return tuple(result)


def _adjoin(text: str, one: Term, other: Term) -> bool:
    gap = text[one.position + len(one.name) : other.position]
    return gap == " " and one.exponent in (1, -1)


def near(name: str, registry: "Registry") -> tuple[str, ...]:
    """The nearest names that some unit has, for a message."""
    if len(name) > _LONGEST_NAME:
        return ()
    names = registry.spellings()
    folded = name.casefold()
    cases = (name.lower(), name.capitalize(), name[:1].lower() + name[1:], name.upper())
    same = [n for n in dict.fromkeys(cases) if resolve(n, registry)]
    same += [n for n in names if n.casefold() == folded and n not in same]
    if same:
        return tuple(same[:3])
    prefixes = (p for p in registry.prefixes() if folded.startswith(p.name))
    for prefix in prefixes:
        rest = get_close_matches(folded[len(prefix.name) :], names, 1, 0.75)
        if rest:
            return (prefix.name + rest[0],)
    return tuple(get_close_matches(name, names, 3, 0.7))


def _level_law(law: Logarithmic, reference: Dimension) -> Logarithmic:
    """Bels of a field (root-power) quantity count its square: dB(V) is 20 lg, dB(W) is 10 lg."""
    if reference in {Dimension(name) for name in _FIELDS}:
        return Logarithmic(law.base, 2 * law.factor, field=True)
    return law


def law_text(text: str, registry: "Registry") -> tuple[str, str, Law] | None:
    """A symbol, a reference and a law, if the text states a logarithmic or a shifted unit."""
    if len(text) > MAX_LENGTH:
        return None
    match = _UDUNITS.fullmatch(text)
    if match:
        factor = 1 / Fraction(match[1] or 1)
        reference = match[3]
        law = Logarithmic(_UDUNITS_BASE[match[2]], factor)
        return f"{match[1] or ''} {match[2]}(re {reference})".strip(), reference, law
    match = _FUNCTION.fullmatch(text)
    if match:
        unit = registry.atom(match[1])
        found = unit.meaning.law if unit else None
        if isinstance(found, Logarithmic):
            assert unit is not None
            if found.base == 10 and not found.field and "bel" in unit.name:
                found = _level_law(found, registry.parse(match[2]).dimension)
            return f"{unit.symbol}({match[2]})", match[2], found
    match = _SHIFT.fullmatch(text) if any(word in text for word in _SHIFTING) else None
    if match:
        if not _DECIMAL.fullmatch(match[2]):
            raise UnitParseError(
                text,
                match.start(2),
                "a moment in time is not a unit",
                f"keep the reference time apart and give the unit alone: {match[1]!r}",
            )
        base = registry.parse(match[1])
        offset = Fraction(match[2]) * base.key.scale.fraction
        return f"{base}@{match[2]}", match[1], Affine(offset)
    return None
