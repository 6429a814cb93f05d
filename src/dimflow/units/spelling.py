"""From the spelling of a unit to its definition: prefixes, plurals, laws in texts, near names."""

import re
from functools import cache
from typing import TYPE_CHECKING

from dimflow.errors import UnitParseError, UnitRangeError
from dimflow.units.definition import Definition, Prefix, Resolved
from dimflow.units.dimension import Dimension
from dimflow.units.exponent import exact
from dimflow.units.grammar import MAX_LENGTH, Term, canonical
from dimflow.units.meaning import Affine, Law, Logarithmic

if TYPE_CHECKING:
    from dimflow.units.registry import Registry
    from dimflow.units.unit import Unit

_LONGEST_PREFIX = 24
_LONGEST_NAME = 100
_UDUNITS = {"lg": 10, "ln": 0, "lb": 2}
_SHIFTING = ("from", "since", "after", "ref")
# Quantities whose levels in decibels go by their squares (ISO 80000-1: root-power quantities)
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
    "resistance",
    "voltage/pressure",
    "pressure length",
    "voltage time^(1/2)",
    "current time^(1/2)",
    "pressure time^(1/2)",
    "electric_field time^(1/2)",
)
DEGREES = ("degree", "degrees", "deg", "degs", "°")
_CAPITALISED = re.compile(r"([a-z]*)([A-Z][a-zé]{3,})")
MAY_STATE_A_LAW = re.compile(r"[(@]| (?:from|since|after|ref) ")
_CALLED = re.compile(r"(\w+) ?\(")
_LEVEL = re.compile(r"([0-9][0-9.eE+-]* )?(\w+) ?\((?:re:? )?([^()]*(?:\([^()]*\)[^()]*)*)\)")
_DELTA = re.compile(r"(?:delta_|Δ)(.+)")


def resolve(name: str, registry: "Registry") -> Resolved | None:
    """What a spelling stands for: an exact name before any prefix, a prefix before a plural."""
    if len(name) > _LONGEST_NAME:
        return None
    name = canonical(name)
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


def _prefixed(name: str, registry: "Registry", names_only: bool = False) -> Resolved | None:
    """A prefix and a unit. Symbols join symbols, names join names; mixtures come last."""
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


def _takes(definition: Definition, prefix: Prefix, is_short: bool) -> bool:
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


def _capitalised(name: str, registry: "Registry") -> Resolved | None:
    """Newton, Metres, kiloWatt: a long name with a capital, as people write them."""
    head, capital = _split_capital(name)
    if capital is None or (head and registry.find_prefix(head) is None):
        return None
    lower = head + capital.lower()
    found = resolve(lower, registry)
    if found is None or lower in found.definition.symbols:
        return None
    return None if found.prefix and lower.removeprefix(found.prefix.name) == lower else found


def _split_capital(name: str) -> tuple[str, str | None]:
    """What stands before a last word of four letters or more that begins with a capital."""
    match = _CAPITALISED.fullmatch(name)
    return (match[1], match[2]) if match else ("", None)


def joined(text: str, terms: tuple[Term, ...], registry: "Registry") -> tuple[Term, ...]:
    """Terms in which words that make one name are one: nautical mile, degrees Celsius.

    Two words that are units each stay two (kg mol is a product), except after a degree.
    """
    result: list[Term] = []
    for term in terms:
        last = result[-1] if result else None
        if last is not None and _adjoin(text, last, term):
            name = f"{last.name}{'' if last.name == '°' else '_'}{term.name}"
            is_name = last.name in DEGREES or not (
                resolve(last.name, registry) and resolve(term.name, registry)
            )
            if is_name and resolve(name, registry) is not None:
                result[-1] = Term(name, last.exponent * term.exponent, last.position)
                continue
        result.append(term)
    return tuple(result)


def _adjoin(text: str, one: Term, other: Term) -> bool:
    gap = text[one.position + len(one.name) : other.position]
    return gap.isspace()


def near(name: str, registry: "Registry") -> tuple[str, ...]:
    """The nearest names that some unit has, for a message."""
    from difflib import get_close_matches

    if len(name) > _LONGEST_NAME:
        return ()
    names = registry.spellings()
    folded = name.casefold()
    cases = (name.lower(), name.capitalize(), name[:1].lower() + name[1:], name.upper())
    same = [n for n in dict.fromkeys(cases) if resolve(n, registry)]
    same += [n for n in names if n.casefold() == folded and n not in same]
    if same:
        return tuple(same[:3])
    for prefix in registry.prefixes():
        if folded.startswith(prefix.name):
            close = get_close_matches(folded[len(prefix.name) :], names, 3, 0.75)
            found = [n for n in (prefix.name + rest for rest in close) if resolve(n, registry)]
            if found:
                return tuple(found[:1])
    by_fold = {n.casefold(): n for n in names}
    return tuple(by_fold[n] for n in get_close_matches(folded, by_fold, 3, 0.7))


def law_text(text: str, registry: "Registry") -> "tuple[str, Unit, Law] | None":
    """A symbol, a reference and a law, if the text states a logarithmic or a shifted unit."""
    text = text.strip()
    if len(text) > MAX_LENGTH:
        return None
    if "(" in text:
        return _logarithm(text, registry)
    base, at, zero = text.partition("@")
    if not at:
        words = text.split()
        word = next((w for w in words[1:-1] if w in _SHIFTING), None)
        if word is None:
            return None
        base, _, zero = text.partition(f" {word} ")
    base, zero = base.strip(), zero.strip()
    if not base:
        raise UnitParseError(text, 0, "a unit is missing before this")
    try:
        offset = exact(zero)
    except UnitRangeError:
        raise UnitParseError(
            text,
            text.find(zero) if zero else len(text),
            "a moment in time is not a unit, and a shifted zero needs a number",
            f"keep a reference time apart and give the unit alone: {base!r:.60}",
        ) from None
    unit = registry.parse(base)
    return f"{unit}@{zero}", unit, Affine(offset * unit.key.scale.fraction)


def _logarithm(text: str, registry: "Registry") -> "tuple[str, Unit, Law] | None":
    """dB(mW), mag(AB), 0.1 lg(re 1 mW): a level with its reference, as the whole of a text."""
    for word in _CALLED.findall(text):
        atom = registry.atom(word) if resolve(word, registry) else None
        law = atom.meaning.law if atom else None
        if word in _UDUNITS or isinstance(law, Logarithmic):
            break
    else:
        return None
    match = _LEVEL.fullmatch(text)
    if match is None or match[2] != word:
        raise UnitParseError(
            text,
            text.find(word),
            f"{word}(...) is a level with a reference, and such a level is no factor of a product",
            "write the level of the whole: dB(mW/Hz)",
        )
    if not match[3].strip():
        raise UnitParseError(text, 0, f"{word}() needs a reference, as in {word}(mW)")
    unit = registry.parse(match[3])
    reference = str(unit) or "1"
    is_field = unit.dimension in _fields()
    if word in _UDUNITS:
        step = exact(match[1] or "1")
        if step == 0:
            raise UnitRangeError("a logarithm needs a step that is not zero")
        law = Logarithmic(_UDUNITS[word], 1 / step, is_field)
        return f"{(match[1] or '').strip()} {word}(re {reference})".strip(), unit, law
    assert atom is not None
    assert isinstance(law, Logarithmic)
    resolved = resolve(word, registry)
    called = resolved.definition.name if resolved else ""
    # a level of a field (root-power) quantity counts its square: dB(V) is 20 lg, dB(W) is 10 lg
    if is_field and called in ("bel", "decibel"):
        law = Logarithmic(10, 2 * law.factor, field=True)
    elif called == "neper" and not is_field and not unit.dimension.is_dimensionless:
        law = Logarithmic(0, law.factor / 2)
    return f"{atom.symbol}({reference})", unit, law


@cache
def _fields() -> frozenset[Dimension]:
    return frozenset(Dimension(name) for name in _FIELDS)
