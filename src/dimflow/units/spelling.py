"""From the spelling of a unit to its definition: prefixes, plurals, laws in texts, near names."""

import re
from collections.abc import Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from dimflow.errors import UndefinedUnitError, UnitError, UnitParseError, UnitRangeError
from dimflow.units.definition import Definition, Prefix, Resolved
from dimflow.units.dimension import Dimension
from dimflow.units.exponent import Exponent, exact
from dimflow.units.grammar import MAX_LENGTH, NAME, WORDS, canonical
from dimflow.units.meaning import Affine, Atom, Law, Logarithmic
from dimflow.units.scale import ONE, Scale
from dimflow.units.unit import Unit, make_unit

if TYPE_CHECKING:
    from dimflow.units.registry import Registry

_LONGEST_PREFIX = 24
_LONGEST_NAME = 100
_MEMO_LIMIT = 4096
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
ABBREVIATED = {"sq": "square", "cu": "cubic"}
_SUBSCRIPT = re.compile(r"_[A-Za-z]$")  # of a symbol: BIT s-1 is no bit_s
DEGREES = ("degree", "degrees", "deg", "degs", "°")
_CAPITALISED = re.compile(r"([a-z]*)([A-Z][a-zé]{2,}[a-zé0-9][0-9]*)")
MAY_STATE_A_LAW = re.compile(r"[(@]| (?:from|since|after|ref) | re:? ")
_RE = re.compile(r"(\w+) re:? (.+)")
_CALLED = re.compile(r"(\w+) ?\(")
_LEVEL = re.compile(r"([0-9][0-9.eE+-]* )?(\w+) ?\((re:? )?([^()]*(?:\([^()]*\)[^()]*)*)\)")
_AT = re.compile(r"(.+?) (?:at|@|ref\.?) 1 ?m\b")
_GLUED = re.compile(r"([^\W\d_]+)([2-9])([^\W\d_]+)")
_SUM = re.compile(r"[0-9.]+ \w+ [0-9.]+ \w+")  # 5 ft 3 in
_DELTA = re.compile(r"(?:delta_|Δ)(.+)")


def resolve(name: str, registry: "Registry") -> Resolved | None:
    """What a spelling stands for: an exact name before any prefix, a prefix before a plural."""
    if len(name) > _LONGEST_NAME:
        return None
    name = canonical(name)
    found = registry.find(name)
    if found is not None:
        return None if is_ambiguous(name, found, registry) else Resolved(found)
    forms = singulars(name)
    if registry.ambiguous and any(n in registry.ambiguous for n in (name, *forms)):
        return None
    prefixed = _prefixed(name, registry)
    if prefixed is not None:
        return prefixed
    for singular in forms:
        found = registry.find(singular)
        if found is not None and singular in (found.name, *found.aliases):
            return Resolved(found)
        prefixed = _prefixed(singular, registry, names_only=True)
        if prefixed is not None:
            return prefixed
    delta = _DELTA.fullmatch(name)
    if delta is not None:
        of = resolve(delta[1], registry)
        return of._replace(is_delta=True) if of and of.definition.law and not of.is_delta else None
    if "_" in name:
        known = respelled(name, registry)
        return resolve(known, registry) if known and known != name else None
    return _capitalised(name, registry)


def is_ambiguous(name: str, found: Definition, registry: "Registry") -> bool:
    """Whether people mean other units too by a symbol of this one; a user's unit has its name."""
    return name != found.name and found.name in registry.ambiguous.get(name, ())


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


def singulars(name: str) -> list[str]:
    """What a plural could be the plural of."""
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


def is_symbol(word: str, registry: "Registry") -> bool:
    """Whether a word is the symbol of a unit, with the symbol of a prefix or without."""
    found = registry.find(word)
    if found is not None:
        return word in found.symbols and word not in (found.name, *found.aliases)
    for length in (1, 2):
        found = registry.find(word[length:]) if registry.find_prefix(word[:length]) else None
        if found is not None and word[length:] in found.symbols:
            return True
    return False


def are_short(words: Sequence[str], registry: "Registry") -> bool:
    """Whether all words are short symbols, be it that they are names too: bit s, kJ mol."""
    found = [registry.find(word) for word in words]
    pairs = zip(found, words, strict=True)
    return all(
        not d.law and w in d.symbols and len(w) < 5 if d else is_symbol(w, registry)
        for d, w in pairs
    )


def is_subscripted(name: str, registry: "Registry") -> bool:
    """Whether an underscore sets a subscript, as in N_A and m_e, rather than divides words."""
    found = registry.find(name) if name.find("_") == 1 else None
    return found is not None and name in found.symbols


class _Wordy(NamedTuple):
    """The names of several words."""

    by_fold: dict[str, str | None]  # by their small letters; None where two units share these
    by_words: dict[str, str | None]  # others, by the names of the units that their words say
    pairs: set[tuple[str, str]]  # the first two words of all, in small letters
    prefix: re.Pattern[str]  # names of prefixes
    begin: dict[tuple[str, str], bool]  # pairs of words that were asked for


def in_other_words(words: Sequence[str], registry: "Registry") -> str | None:
    """The name of the table for some of whose words symbols or plurals stand: us qt."""
    wordy = registry.remembered("wordy", lambda: _wordy(registry))
    said = in_full(words, registry)
    return wordy.by_fold.get(said) or wordy.by_words.get(said)


def in_full(words: Sequence[str], registry: "Registry") -> str:
    """Words with the names of units for their symbols and plurals, as one: us_quart for us qt."""
    return _folded("_".join(_word_in_full(word, registry) for word in words))


def _word_in_full(word: str, registry: "Registry") -> str:
    small = [word.lower()] if word.isupper() or word.istitle() else []
    for known in (word, *singulars(word), *small, *(n for one in small for n in singulars(one))):
        found = registry.find(known)
        is_name = found is not None and known in (found.name, *found.aliases)
        if found is not None and (is_name or known == word) and "_" not in found.name:
            return found.name
    return ABBREVIATED.get(word.lower(), word)


def respelled(name: str, registry: "Registry") -> str | None:
    """The name of the table that differs from this one in capitals or as a singular alone."""
    wordy = registry.remembered("wordy", lambda: _wordy(registry))
    folded = _folded(name)
    for key in (folded, *singulars(folded)):
        if key in wordy.by_fold:
            return wordy.by_fold[key]
    match = wordy.prefix.match(folded)
    if match is not None:
        for key in (folded[match.end() :], *singulars(folded[match.end() :])):
            known = wordy.by_fold.get(key)
            if known is not None:
                return match[0] + known
    return None


def unprefixed(name: str, registry: "Registry") -> Unit | None:
    """What a name with a long prefix would mean if the unit took prefixes."""
    wordy = registry.remembered("wordy", lambda: _wordy(registry))
    match = wordy.prefix.match(name)
    prefix = registry.find_prefix(match[0]) if match else None
    if match is None or prefix is None or registry.atom(name[match.end() :]) is None:
        return None
    unit = registry.unit(name[match.end() :])
    return unit if unit.law is not None else registry.read(f"{prefix.scale}") * unit


def _folded(name: str) -> str:
    """A name in small letters and American."""
    return name.casefold().replace("metre", "meter").replace("litre", "liter")


def begins_name(first: str, second: str, registry: "Registry") -> bool:
    """Whether some name of several words may begin so, with a prefix or without."""
    wordy = registry.remembered("wordy", lambda: _wordy(registry))
    known = wordy.begin.get((first, second))
    if known is None:
        said = {_folded(f"{first}_{second}"), in_full((first, second), registry)}
        words = [pair.split("_") for pair in said]
        known = any(_begins(one, more[0], wordy) for one, *more in words)
        if len(wordy.begin) >= _MEMO_LIMIT:
            wordy.begin.clear()
        wordy.begin[first, second] = known
    return known


def _begins(first: str, second: str, wordy: _Wordy) -> bool:
    match = wordy.prefix.match(first)
    rest = first[match.end() :] if match is not None else first
    if not rest:  # kilo watt
        return True
    heads = {first, first[1:], first[2:], rest, *singulars(first), *singulars(rest)}
    if first.rstrip("s") in DEGREES:
        heads.add("degree")
    seconds = {second, second.removesuffix("s"), *singulars(second)}
    return any((head, one) in wordy.pairs for head in heads for one in seconds)


def _is_short(name: str, registry: "Registry") -> bool:
    found = registry.find(name) if _SUBSCRIPT.search(name) else None
    return found is not None and name in found.symbols


def _wordy(registry: "Registry") -> _Wordy:
    names: dict[str, str | None] = {}
    pairs = set[tuple[str, str]]()
    for name in [*registry.spellings(), *filter(str.isidentifier, registry.ambiguous)]:
        if "_" in name:
            folded = _folded(name)
            first, second, *_ = folded.split("_")
            pairs.add((first, second))
            if not (is_subscripted(name, registry) or _is_short(name, registry)):
                known = names.setdefault(folded, name)
                if known is not name and known and registry.find(known) != registry.find(name):
                    names[folded] = None
    said: dict[str, str | None] = {}
    for key, called in names.items():
        found = registry.find(called) if called else None
        words = in_full(key.split("_"), registry)
        if called and words not in names and (found is None or called not in found.symbols):
            other = said.setdefault(words, called)
            if other and found is not registry.find(other):
                said[words] = None  # two units share it
            first, second, *_ = words.split("_")
            pairs.add((first, second))
    prefixes = "|".join(p.name for p in registry.prefixes())
    return _Wordy(names, said, pairs, re.compile(prefixes), {})


def ambiguous(text: str, position: int, name: str, readings: Sequence[str]) -> UnitParseError:
    """The error of a string that people read in two ways."""
    problem = f"{name!r} could be meant in two ways"
    return UnitParseError(text, position, problem, "write " + ", or ".join(readings))


def refuse_ambiguous(text: str, registry: "Registry") -> None:
    """Raise for a whole string, of more than a name, that could be meant in two ways."""
    if not text.isidentifier() and "/" not in (text[:1], text[-1:]):
        readings = registry.ambiguous.get(canonical(text))
        if readings is not None:
            raise ambiguous(text, 0, text, readings)


def unknown(name: str, text: str, position: int, registry: "Registry") -> UnitParseError:
    """The error for a name in a string: that of two meanings, or that no unit is called so."""
    for known in (name, *singulars(name)):
        if known in registry.ambiguous:
            readings = in_place(registry.ambiguous[known], text, position, name)
            return ambiguous(text, position, known, readings)
    return UndefinedUnitError(name, partial(near, name, registry), text, position)


def refuse_unknown(text: str, registry: "Registry") -> None:
    """Raise for a name that no unit has where an error shows readings that nobody could read."""
    for match in re.finditer(rf"(?<!10(?=[eE][+0-9])){NAME}", text):  # 10E9/L
        name = match[0].rstrip("0123456789")
        is_known = name in WORDS or resolve(name, registry) or resolve(match[0], registry)
        if not is_known and name not in registry.ambiguous:
            raise unknown(match[0], text, match.start(), registry) from None


def with_clear_readings(error: UnitParseError, registry: "Registry") -> UnitParseError:
    """The error with readings that are no errors themselves: of F/100ft, none begins with F."""
    readings = _readings(error)
    if len(readings) < 2:
        return error
    clear: list[str] = []
    for reading in readings:
        other = _refused(reading, registry)
        own = [reading] if other is None else _readings(other)
        clear += own if other is None else [r for r in own if _refused(r, registry) is None]
    if not clear:
        refuse_unknown(error.text, registry)
    error.hint = "write " + ", or ".join(dict.fromkeys(clear)) if clear else None
    return error


def _readings(error: UnitError) -> list[str]:
    """What the hint of an error says to write; names that are near are looked for when asked."""
    known = isinstance(error, UnitParseError) and not isinstance(error, UndefinedUnitError)
    hint = (error.hint or "") if known else ""
    return hint.removeprefix("write ").split(", or ") if ", or " in hint else []


def _refused(reading: str, registry: "Registry") -> UnitError | None:
    """Why a reading cannot be read, as a unit or as a value such as 5 ft 3 in and 65 dBA."""
    try:
        if not _SUM.fullmatch(reading):
            registry.read(reading)
    except UnitParseError as error:
        return error
    except UnitError as error:
        return None if reading[0].isdigit() else error
    return None


def in_place(readings: Sequence[str], text: str, position: int, name: str) -> list[str]:
    """What the whole string would be with each reading of the name that stands there."""
    before, after = text[:position], text[position + len(name) :]
    if not before + after or any("@" in reading for reading in readings):
        return list(readings)
    return [f"{before}{r if r.isidentifier() else f'({r})'}{after}" for r in readings]


def near(name: str, registry: "Registry") -> tuple[str, ...]:
    """The nearest names that some unit has, for a message."""
    from difflib import get_close_matches

    if len(name) > _LONGEST_NAME:
        return ()
    glued = _GLUED.fullmatch(name)
    if glued and resolve(glued[1], registry) and resolve(glued[3], registry):
        return (f"({glued[1]}{glued[2]} {glued[3]})",)  # W/m2K
    delta = _DELTA.fullmatch(name)
    if delta is not None and resolve(delta[1], registry):
        return (delta[1],)  # differences of metres are in metres
    names = registry.spellings()
    folded = name.casefold()
    cases = (name.lower(), name.capitalize(), name[:1].lower() + name[1:], name.upper())
    same = [n for n in dict.fromkeys(cases) if resolve(n, registry)]
    same += [n for n in names if n.casefold() == folded and n not in same]
    same += [n for n in _prefixed_alike(folded, names, registry) if n not in same]
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


def _prefixed_alike(folded: str, names: list[str], registry: "Registry") -> list[str]:
    """Symbols with prefixes that differ in capitals alone: kHz for khz, mPa and MPa for mpa."""
    symbols = [symbol for prefix in registry.prefixes() for symbol in prefix.symbols]
    heads = [symbol for symbol in symbols if folded.startswith(symbol.casefold())]
    found = [h + n for h in heads for n in names if n.casefold() == folded[len(h) :]]
    return [name for name in found if resolve(name, registry)]


def law_text(text: str, registry: "Registry") -> tuple[str, Unit, Law] | None:
    """A symbol, a reference and a law, if the text states a logarithmic or a shifted unit."""
    text = text.strip()
    if len(text) > MAX_LENGTH:
        return None
    level = _RE.fullmatch(text)
    if level is not None:  # dB re 1 µPa
        if (far := _AT.fullmatch(level[2])) is not None:
            problem = "the distance at which a level counts is no part of its unit"
            hint = f"write {level[1]} re {far[1]}, or {level[1]} re {far[1]}*m"
            raise UnitParseError(text, text.find(far[0]) + len(far[1]) + 1, problem, hint)
        text = f"{level[1]}(re {level[2]})"
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
    unit = registry.read(base)
    return f"{unit}@{zero}", unit, Affine(offset * unit.key.scale.fraction)


def _logarithm(text: str, registry: "Registry") -> tuple[str, Unit, Law] | None:
    """dB(mW), mag(AB), 0.1 lg(re 1 mW): a level with its reference, as the whole of a text."""
    for word in _CALLED.findall(text):
        atom = registry.atom(word) if resolve(word, registry) else None
        law = atom.meaning.law if atom else None
        is_named = word in _UDUNITS and re.search(rf"\b{word} ?\(re:? ", text)  # lb (kg) is none
        if is_named or isinstance(law, Logarithmic):
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
    bare = f"{word}({match[4].strip()})"
    if bare in registry.ambiguous and not match[3]:
        raise ambiguous(text, 0, text, registry.ambiguous[bare])
    if not match[4].strip():
        raise UnitParseError(text, 0, f"{word}() needs a reference, as in {word}(mW)")
    if _RE.fullmatch(match[4].strip()) is not None:
        raise UnitParseError(text, text.find(match[4]), "a level has one reference")
    unit = registry.read(match[4])
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
    if atom.meaning.scale is not ONE or not atom.meaning.dimension.is_dimensionless:
        problem = f"{word} has a reference of its own"  # dBm (50 ohm)
        raise UnitParseError(text, text.find("("), problem, f"write {word}")
    resolved = resolve(word, registry)
    called = resolved.definition.name if resolved else ""
    # a level of a field (root-power) quantity counts its square: dB(V) is 20 lg, dB(W) is 10 lg
    if is_field and called in ("bel", "decibel"):
        law = Logarithmic(10, 2 * law.factor, field=True)
    elif called == "neper" and not is_field and not unit.dimension.is_dimensionless:
        law = Logarithmic(0, law.factor / 2)
    symbol = f"{atom.symbol}({reference})"
    return (
        (symbol if symbol not in registry.ambiguous else f"{atom.symbol}(re {reference})"),
        unit,
        law,
    )


@cache
def _fields() -> frozenset[Dimension]:
    return frozenset(Dimension(name) for name in _FIELDS)


def surface_level(factor: Scale, atoms: list[tuple[Atom, Exponent]], registry: "Registry") -> str:
    """The text mag(1/arcsec**2) for the product mag/arcsec2; "" if it is no such product."""
    levels = [(atom, e) for atom, e in atoms if atom.meaning.law is not None]
    if len(levels) != 1 or levels[0][1] != 1:
        return ""
    law = levels[0][0].meaning.law
    if not isinstance(law, Logarithmic) or law.base != 10 or law.factor > 0:
        return ""
    rest = make_unit(factor, [pair for pair in atoms if pair not in levels])
    if rest.dimension**-1 != Dimension("solid_angle"):
        return ""
    return f"mag({registry.reference_of(make_unit(ONE, levels)) * rest})"
