"""Names of several words: `British thermal unit`, `light-year`, `fl. oz.`, `inHg (60 °F)`.

A run of words is looked up whole, the longest first, before it is a product of its words. What is
found is written as one name, with underscores, in the place where it stood. If the same words are
also a product of another meaning, the name counts, except where people write the product too:
that is an error which shows both.
"""

import re
from typing import TYPE_CHECKING, NamedTuple

from dimflow.errors import UnitError, UnitParseError
from dimflow.units.grammar import AFTER, BEFORE, NAME, WORDS, parse
from dimflow.units.spelling import (
    ABBREVIATED,
    DEGREES,
    ambiguous,
    are_short,
    begins_name,
    in_full,
    in_other_words,
    is_subscripted,
    is_symbol,
    resolve,
    respelled,
    singulars,
    unprefixed,
)

if TYPE_CHECKING:
    from dimflow.units.meaning import Atom
    from dimflow.units.registry import Registry
    from dimflow.units.unit import Unit

MAY_BE_WORDS = re.compile(r"[\w%°˚][ \t\-‐‑.(]|%[vwmrR]")
_HUNDREDTHS = ("%", "percent")
_LONGEST = 12  # words of a name
_SEPARATOR = r"[ \t]+|[-‐‑]|\.(?=%)"  # another point is a product: kJ.mol-1
_DIGITS = r"[0-9](?![0-9]* ?/ ?[2-9](?![\w.]))[0-9A-Za-z_]*"  # inHg 60F, but cm 1/2
_RUN = re.compile(rf"(?<!\w){NAME}(?:(?:{_SEPARATOR})(?:{NAME}|{_DIGITS}))+")
_SPLIT = re.compile(f"({_SEPARATOR})")
_EXPONENT = re.compile(r"\^|\*\*|[⁺⁻⁰¹²³⁴-⁹]|[+\-−][0-9]")
# Words of names (fluid ounce, US gallon, mm hg) that with a prefix would be units too
_PARTS = frozenset({"fl", "us", "hg"})
# What a share is of says nothing more; that a mass is in a volume does.
_OF = "v/v|w/w|m/m|n/n|vol/vol|wt/wt|mol/mol|v|w|vol|volume|wt|weight|mass|moles?|RH|rh"
_SHARES = r"%|\b(?:percent|ppmv?|ppb|ppt|parts_per_\w+)\b"
_SHARE = re.compile(rf"({_SHARES})[ \t]?\(?(?:by[ \t])?(?:{_OF})(?![\w/])\)?")
_MASS_IN_VOLUME = re.compile(r"%[ \t]?\(?(?:w|wt|m)/(?:v|vol)(?![\w/])\)?")
_QUALIFIED = re.compile(rf"(?<!\w)({NAME})[ \t]?\(([^()]+)\)")
_LABELLED = re.compile(r"(.*[^\s*/·.(\-])[ \t]+\(([^\d\s()][^()]*)\)")
_ABSOLUTE = "a|abs|absolute|d|diff|differential"
_PRESSURE = re.compile(
    rf"(?<!\w)({NAME}/[cm]?m(?:\^|\*\*)?[²2]|{NAME}/(?:in|ft)(?:\^|\*\*)?[²2]|{NAME})"
    rf"(?:[ \t]?\((?:({_ABSOLUTE})|([gAG])|gauge)\)"
    r"|[ \t_-](?:(abs\b\.?|absolute\b)|gauge\b)|[ \t_.-]([agdAGD])(?![\w.*^+\-⁻]))"
)
# The root of a unit, and no square of a name that begins with root: volts per square root hertz
_ROOT = re.compile(r"\bsquare[ \t-]roots?(?:[ \t]of)?[ \t]+(?=[^\W\d])", re.IGNORECASE)
_AS = re.compile(r"(?<=[^\s*/·.(-])[ \t]+as[ \t]+(?=[^\W\d])")
_MAY_BE_PRESSURE = re.compile(r"\(|abs|gauge|[ \t_.-][agdAGD](?!\w)")
_HYPHENATED = re.compile(r"[ \t]*[-‐‑][^\W\d]")
_DIFFERENCES = ("delta", "Δ")
_MEASURED = re.compile(r"[0-9.]+_?(?:[CFK]|deg_?[CFK])")
_PRESSURES = "[length^-1 mass time^-2]"
_ATMOSPHERE = 101_325  # pascal
_DEGREE = re.compile(r"°([ \t]+)([^\W\d_]+)|°\(([^\W\d_]+)\)")
_BELOW_ZERO = re.compile(r"(?:\bdeg(?:ree)?s?\b|°)[ \t]*(?:[WS]|[Ww]est|[Ss]outh)(?![\w.*^+\-⁻])")
# Points that end an abbreviation (sq. ft., in.) or stand in one (U.S., r.p.m.), unlike kg.m
_DOTTED = re.compile(
    r"(?<![\w.])(?:[a-z]\.(?:(?:[a-z]\.)++|(?: [a-z]\.){2,}+)"
    r"|(?:[A-Z]\.){2,}+|(?:m\.)?[abm]\.[gms]\.l)"
    r"(?=[\s/)-]|$)"
)
_ALL_DOTTED = re.compile(r"(?<![\w.])(?:[^\W\d]{2,}\.){2,}+(?=[\s/)]|$)")  # fl.oz.
_BEFORE_HYPHEN = re.compile(r"(?<=[^\W\d])\.(?=[-‐‑][^\W\d])")  # in.-lb
_POINT = re.compile(r"(?<=[^\W\d])\.(?=[\s\-/)^*]|$)|(?<=\b(?:sq|cu))\.")


class _Found(NamedTuple):
    """A name of several words, and the part of the text that says it."""

    name: str  # as the table spells it
    span: str
    words: list[str]
    separators: list[str]
    is_said: bool  # with symbols for some of its words, in which others read a product: m cd


def joined(text: str, registry: "Registry") -> str:
    """The text with every name of several words as one; other words keep their place."""
    if "." in text:
        text = _BEFORE_HYPHEN.sub("", text)
        text = _DOTTED.sub(lambda m: _abbreviation(m, registry), text)
        text = _ALL_DOTTED.sub(lambda m: m[0].replace(".", " "), text)
        text = _POINT.sub(" ", text)
    if "oot" in text or "OOT" in text:
        text = _ROOT.sub(lambda m: "√".ljust(len(m[0])), text)
    if not text.isascii():
        text = text.replace("º", "°").replace("˚", "°")
    if "°" in text:
        text = _DEGREE.sub(lambda m: _after_degree(m, registry), text)
    if (below := _BELOW_ZERO.search(text)) is not None:
        problem = "degrees west and south are negative values in degrees east and north"
        hint = "write degrees_east, or degrees_north"
        raise UnitParseError(text, below.start(), problem, hint)
    if "%" in text or "pp" in text or "percent" in text:
        text = _MASS_IN_VOLUME.sub(lambda m: "g%".ljust(len(m[0])), text)
        text = _SHARE.sub(_of_something, text)
    if "(" in text:
        text = _QUALIFIED.sub(lambda m: _qualified(m, registry), text)
    if " as " in text:
        _refuse_as(text, registry)
    if _MAY_BE_PRESSURE.search(text):
        text = _PRESSURE.sub(lambda m: _pressure(m, registry), text)
    if text.endswith(")") and (labelled := _LABELLED.fullmatch(text)) is not None:
        text = _without_label(labelled, registry)
    text = _RUN.sub(lambda m: _read_run(m, registry), text)
    if "_" in text and " " in text:  # pounds per square inch absolute, parts per million by mass
        text = _SHARE.sub(_of_something, text)
        if _MAY_BE_PRESSURE.search(text):
            text = _PRESSURE.sub(lambda m: _pressure(m, registry), text)
    return text


def _of_something(match: re.Match[str]) -> str:
    return match[1].ljust(len(match[0]))


def _abbreviation(match: re.Match[str], registry: "Registry") -> str:
    """r.p.m. as rpm, unless its letters are units too, whose product it could be."""
    letters = match[0].replace(".", "").replace(" ", "")
    readings = registry.ambiguous.get(match[0])
    is_product = all(registry.find(letter) for letter in letters)
    if readings is None and is_product and resolve(letters, registry):
        readings = letters, "*".join(letters)
    if readings is not None:
        raise ambiguous(match.string, match.start(), match[0], readings)
    if is_product and not letters.isupper():  # m a.s.l.
        before, after = match.string[: match.start()], match.string[match.end() :]
        parts = [before.rstrip() + after]
        if all(resolve(letter, registry) for letter in letters):
            parts.append(before + "*".join(letters) + after)
        problem = f"{match[0]!r} is an abbreviation of words that are no unit"
        hint = "write " + ", or ".join([part for part in parts if part])
        raise UnitParseError(match.string, match.start(), problem, hint)
    return letters.ljust(len(match[0]))


def _refuse_as(text: str, registry: "Registry") -> None:
    """mg/L as N: what is said to be counted is no factor, least of all an attosecond."""
    match = _AS.search(text)
    if match is None:
        return
    before, after = text[: match.start()], text[match.end() :]
    readings = [before, f"{before}*as*{_AS.sub('*as*', after)}"]
    try:
        registry.read(readings[1])
    except UnitError:
        problem = "what stands behind 'as' says a substance, which is no part of a unit"
        raise UnitParseError(text, match.start() + 1, problem, f"write {before}") from None
    raise ambiguous(text, match.start() + 1, text[match.start() :].strip(), readings)


def _pressure(match: re.Match[str], registry: "Registry") -> str:
    """kPa (abs) as kPa; bar(g) counts from the air pressure of the place, which nobody knows."""
    written, absolute, bracketed, word, letter = match.groups()
    head, stroke, area = written.partition("/")
    mass = registry.atom(head) if stroke else None
    if mass is not None and (force := registry.atom(f"{mass.name}_force")) is not None:
        written = f"{force.symbol}/{area}"  # kg/cm2 (a)
    try:
        unit = registry.read(written) if written not in WORDS else None
    except UnitError:
        return match[0]
    if unit is None or unit.dimension.formula != _PRESSURES or unit.law:
        return match[0]
    if absolute or word:
        return written.ljust(len(match[0]))
    letter = letter or bracketed or "g"
    if letter not in "gG":
        readings = written, f"{written}*{'year' if letter == 'a' else letter}"
    else:
        readings = written, f"{written} @ {_ATMOSPHERE / float(unit.key.scale):.6g}"
    raise ambiguous(match.string, match.start(), match[0], readings)


def _without_label(match: re.Match[str], registry: "Registry") -> str:
    """A unit said twice, as in milligrams per litre (mg/L), is that unit and not its square."""
    if _LABELLED.fullmatch(match[1]) is not None:  # m (m) (m)
        problem = "a unit is said once more at most"
        raise UnitParseError(match[0], match.start(2) - 1, problem, f"write {match[2]}")
    try:
        unit, label = registry.read(match[1]), registry.read(match[2])
    except UnitError:
        return match[0]
    if unit.dimension is not label.dimension:
        return match[0]  # N (m)
    if unit.key is label.key:
        return match[1]
    readings = match[1], match[2], f"{match[1]}*({match[2]})"
    raise ambiguous(match[0], match.start(2), match[2], readings)


def _after_degree(match: re.Match[str], registry: "Registry") -> str:
    letters = match[2] or match[3]
    if not registry.find("°" + letters):
        return match[0]
    return f"°{letters}".ljust(len(match[0]))


def _qualified(match: re.Match[str], registry: "Registry") -> str:
    """psi(g) as psi_g, inHg (60 °F) as inHg_60F, mile (nautical) as nautical_mile."""
    unit, qualifier = match[1], re.sub(r"[\s°]", "", match[2]).replace("-", "_")
    if len(unit) < 2 or unit in WORDS or not qualifier.replace("_", "").isalnum():
        return match[0]
    name = f"{unit}_{qualifier}"
    is_set_against = match[0][len(unit)] == "(" and qualifier not in _ABSOLUTE.split("|")
    if is_set_against and registry.find(unit + qualifier):  # lb(f), kg(f)
        name = unit + qualifier
        if resolve(qualifier, registry) and not resolve(f"{unit}_{qualifier}", registry):
            readings = name, f"{unit}*{qualifier}"
            raise ambiguous(match.string, match.start(), match[0], readings)
    if resolve(name, registry) is None:
        name = f"{qualifier}_{unit}"
        if _MEASURED.fullmatch(qualifier):  # no product of the unit and a temperature
            readings = unit, f"{unit}*({match[2]})"
            raise ambiguous(match.string, match.start(), match[0], readings)
        if resolve(name, registry) is None:
            return match[0]
        if resolve(qualifier, registry):  # oz (fl)
            readings = name, f"{unit}*{qualifier}"
            raise ambiguous(match.string, match.start(), match[0], readings)
    return name.ljust(len(match[0]))


def _read_run(match: re.Match[str], registry: "Registry") -> str:
    parts = _SPLIT.split(match[0])
    words, separators = parts[::2], parts[1::2]
    begin = [_may_begin(pair, registry) for pair in zip(words, [*words[1:], ""], strict=True)]
    if not any(begin):
        return match[0]
    is_wordy = any(_is_word(word.rstrip("0123456789"), registry) for word in words)
    is_wordy = is_wordy or words[0] in DEGREES  # deg N
    result: list[str] = []
    start = 0
    while start < len(words):
        stop = start + 1
        longest = start + _LONGEST if begin[start] else start
        # A square inch is a product; in square inch of mercury, a name may come next.
        is_product = words[start] in BEFORE and separators[start : start + 1] != ["-"]
        shortest = stop + is_product
        for end in range(min(len(words), longest), shortest, -1):
            name = _name(words[start:end], registry, is_wordy)
            is_said = name is None and _has_symbols(words[start:end], registry)
            name = name or in_other_words(words[start:end], registry)
            if name is not None:
                span = "".join(parts[2 * start : 2 * end - 1])
                found = _Found(name, span, words[start:end], separators[start : end - 1], is_said)
                place = match.start() + sum(map(len, parts[: 2 * start]))
                if start and words[start] == "per":
                    readings = name, "1/" + "_".join(words[start + 1 : end])
                    raise ambiguous(match.string, place, span, readings)
                if "per" in words[start + 1 : end] and parts[2 * end - 1 : 2 * end + 1]:
                    _refuse_more(found, match, parts[2 * end - 1 :], registry)
                stop = end
                result.append(_chosen(found, match.string, place, registry))
                break
        else:
            result.append(words[start])
        if stop <= len(separators):
            result.append(separators[stop - 1])
        start = stop
    return "".join(result)


def _refuse_more(
    found: _Found, match: re.Match[str], rest: list[str], registry: "Registry"
) -> None:
    """Mile per hour second: whether that divides by the second or multiplies, nobody can tell."""
    separator, word, *more = rest
    after = "".join(more) + match.string[match.end() :]
    if separator.strip() or word in ("per", *AFTER) or _EXPONENT.match(after):
        return
    if not registry.find(word) and resolve(word, registry) is None:
        return
    before = match.string[: match.end() - len("".join((found.span, *rest)))]
    above, below = re.split(r"\W+per\W+", found.span)[-2:]
    readings = f"{above} per ({below} {word})", f"({found.span})*{word}"
    shown = f"{found.span} {word}"
    raise ambiguous(match.string, len(before), shown, [before + r + after for r in readings])


def _may_begin(pair: tuple[str, str], registry: "Registry") -> bool:
    first, second = pair
    if not second:
        return False
    return second in _HUNDREDTHS or first in _DIFFERENCES or begins_name(first, second, registry)


def _is_word(word: str, registry: "Registry") -> bool:
    """Whether it is more than a symbol: a name, a word of the grammar, or with a capital (Ohm)."""
    return bool(word) and (not is_symbol(word, registry) or (len(word) > 2 and word.istitle()))


def _name(words: list[str], registry: "Registry", is_wordy: bool) -> str | None:
    """How the table spells the words as one name; None if it does not."""
    name = "_".join(words)
    if registry.find(name) is not None:
        return name
    is_difference = words[0] in _DIFFERENCES and words[1] not in _DIFFERENCES
    if is_difference and resolve(name, registry):
        return name
    if words[-1] in _HUNDREDTHS and len(words) == 2:  # mol %, vol.-%, mg percent
        of = registry.atom(words[0])
        for first in (words[0], of.symbol if of else words[0]):
            if (share := registry.atom(f"{first}%")) is not None:
                return share.name
    is_prefixed = any(registry.find(name[n:]) for n in (1, 2) if n < len(words[0]))
    if is_prefixed and words[0] not in DEGREES and resolve(name, registry):  # a short prefix
        return respelled(name, registry) or name
    if not is_wordy:
        return respelled(name, registry)
    prefix = words[0].lower()
    if registry.find_prefix(prefix) is not None and len(prefix) > 3:
        name = prefix + "_".join(words[1:])
        if resolve(name, registry):
            return name
        singular = singulars(words[1].lower()) if len(words) > 2 else []
        for head in singular:
            name = respelled("_".join((prefix + head, *words[2:])), registry) or name
        if singular and registry.find(name.removeprefix(prefix)):
            return name
    known = respelled(name, registry)
    first = words[0].lower()
    heads = ["degree"] if first.rstrip("s") in DEGREES else singulars(first)  # ounces force
    for head in heads if known is None else ():
        known = known or respelled("_".join((head, *words[1:])), registry)
    return known


def _chosen(found: _Found, text: str, place: int, registry: "Registry") -> str:
    """The words as one name or as they stand, if only one of these can be meant."""
    one_by_one = _one_by_one(found, registry)
    if found.name in registry.ambiguous:  # gross ton
        before, after = text[:place], text[place + len(found.span) :]
        in_full = [before + one + after for one in registry.ambiguous[found.name]]
        raise ambiguous(text, place, found.span, in_full)
    one = registry.atom(found.name)
    if one is None:  # megalitre per day, but no millidegree Oechsle
        if one_by_one is not None and one_by_one == unprefixed(found.name, registry):
            return found.span
        raise UnitParseError(
            text, place, f"{found.span!r} has a prefix, which the unit cannot take"
        )
    name = found.name.ljust(len(found.span))
    are_symbols = all(is_symbol(word, registry) for word in found.words)
    is_doubtful = found.is_said or (are_symbols and not _is_as_spelled(found))
    is_doubtful = is_doubtful and not _has_parts(found, registry)
    if is_doubtful:
        are_known = all(resolve(w, registry) or w in registry.ambiguous for w in found.words)
        if (one_by_one is None and are_known) or _has_law(found.words[0], registry):
            return found.span  # electron V, dB A
    is_raised = _is_raised(text, place + len(found.span))
    if one_by_one is None and is_raised and "per" in map(str.lower, found.words):
        return found.span
    is_share = found.words[-1] in _HUNDREDTHS and one.meaning.dimension.is_dimensionless
    is_degree = found.words[0].lower() in DEGREES and not found.is_said
    if one_by_one is None or is_degree or is_share:
        return name
    if is_doubtful and found.is_said and is_raised:
        return found.span
    said = _said_here(found, one, one_by_one, is_doubtful, text[:place], text[place:], registry)
    if said is not None:
        return said
    readings = [
        text[:place] + reading + text[place + len(found.span) :]
        for reading in (found.name, str(one_by_one))
    ]
    raise ambiguous(text, place, found.span, readings)


def _one_by_one(found: _Found, registry: "Registry") -> "Unit | None":
    """The product of the words, if it is one."""
    try:
        return registry.build(found.span, parse(found.span))
    except UnitError:
        return None


def _said_here(
    found: _Found,
    one: "Atom",
    one_by_one: "Unit",
    is_doubtful: bool,
    before: str,
    after: str,
    registry: "Registry",
) -> str | None:
    """The name or the words, which are a product too, if what stands around them says which."""
    name, end = found.name.ljust(len(found.span)), len(found.span)
    before = before.rstrip(" \t")
    is_raised = _is_raised(after, end)
    is_squared = before.endswith("√") or before.split(" ")[-1].lower() in BEFORE
    is_divided = before.endswith(("/", "-", "÷", "per"))
    are_hyphens = any(separator in "-‐‑" for separator in found.separators)
    are_exact = all(map(registry.find, found.words))
    are_symbols = all(is_symbol(word, registry) for word in found.words)
    are_symbols = are_symbols or are_short(found.words, registry)
    is_continued = _HYPHENATED.match(after, end) is not None
    if found.words[1:-1] == ["per"] and (is_raised or is_squared):
        return found.span  # foot per second squared, square foot per second
    is_power = _EXPONENT.match(after, end) is not None
    if is_power and not are_hyphens and are_short(found.words, registry):
        return found.span  # kJ mol-1, bit s-1
    is_quotient = "per" in found.words and (is_divided or is_continued)
    if not (is_raised or is_squared or is_quotient):
        if one_by_one.key is one.meaning:
            is_one = is_divided or (len(found.words) > 2 and "per" not in found.words)
            return name if is_one else found.span  # foot pound force, but mile per hour
        if any(_has_law(word, registry) for word in found.words) and not is_doubtful:
            return name
        is_plain = not (are_symbols or found.is_said) or _has_parts(found, registry)
        is_exponent = any(map(str.isdigit, found.words)) or is_subscripted(found.name, registry)
        is_hyphenated = are_hyphens and are_exact and one.meaning.law is None
        is_hyphenated = is_hyphenated and _is_as_spelled(found)
        if (is_hyphenated or is_plain) and not is_exponent:
            return name  # lb-mol, electron volt, fl oz
    return None


def _has_symbols(words: list[str], registry: "Registry") -> bool:
    return any(word.lower() in ABBREVIATED or is_symbol(word, registry) for word in words)


def _has_parts(found: _Found, registry: "Registry") -> bool:
    """Whether a word is said by a part of names, and no other word in other capitals: Mm Hg."""
    others = [word for word in found.words if word not in _PARTS]
    known = found.name.split("_")
    return (
        len(others) < len(found.words)
        and found.words[-1] != "us"
        and all(
            word in known or (word.islower() and in_full([word], registry) in known)
            for word in others
        )
    )


def _is_as_spelled(found: _Found) -> bool:
    """Whether the words are those of the name, in its capitals, or their plurals: lb-mols."""
    known = found.name.split("_")
    return all(word in known or word.removesuffix("s") in known for word in found.words)


def _is_raised(text: str, end: int) -> bool:
    following = text[end:].lstrip(" \t")
    return bool(_EXPONENT.match(text, end)) or following.startswith((*AFTER, "^", "**"))


def _has_law(word: str, registry: "Registry") -> bool:
    atom = registry.atom(word) if word not in WORDS else None
    return atom is not None and atom.meaning.law is not None
