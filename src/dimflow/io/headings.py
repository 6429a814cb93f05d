"""Headings that say a unit: `speed [m/s]`, `speed (m/s)`, `speed / (m/s)`."""

import re
from typing import Any

from dimflow.errors import UnitError, UnitFormatError, UnitParseError
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit, scope
from dimflow.units.grammar import BEFORE
from dimflow.units.spelling import ambiguous, is_symbol

_IN_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_WORD = re.compile(r"[^\s\[\]()]+(?:\s*(?:\[[^\[\]]*\]|\([^()]*\)))*|\[[^\[\]]*\]|\S+")
_NUMBER = re.compile(r"[+\-−]?[0-9][0-9.,eE+\-]*")  # Run [3], Year (2020)
# (600 nm) says at which wavelength, and not by which unit
_CONDITION = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(?![eE][+\-]?[0-9])(?=[^\W\d⁰¹²³⁴-⁹]|[°%])")
_MONEY = re.compile(r"[$€£¥]|\b(?:USD|EUR|GBP|JPY|CHF|CNY)\b")
_IN = re.compile(r"in\s+(?=\S)")  # Length (in mm)
_TIMES = re.compile(r"[xX×]\s*(?=10)")  # WBC (x10^3/uL)
_SMALL = frozenset({"a", "in", "at", "as"})  # words that are units too
_NONE = ("", "-", "1")  # what stands for a pure number
_NOT_APPLICABLE = ("n/a", "n.a.", "na")  # which are N/A and the nanoyear too


class _Doubtful(str):
    """What a heading may say as its unit, or may not: `OD (600 nm)`, `counts / s`, `price/kg`."""

    __slots__ = ("readings",)
    readings: tuple[str, str]


def _doubtful(text: str, *readings: str) -> _Doubtful:
    said = _Doubtful(text)
    said.readings = readings[0], readings[1]
    return said


def name_and_unit(heading: str) -> tuple[str, str | None]:
    """The two parts of a heading; None where it says no unit."""
    text = heading.strip()
    start = -1
    if text.endswith("]"):
        start = text.rfind("[")
    elif text.endswith(")"):
        start = _opening(text)
        if text[:start].rstrip().endswith("/"):
            start = -1  # a denominator
    if start < 0:
        return _divided(text)
    name, unit = text[:start].rstrip(), text[start + 1 : -1].strip()
    if _NUMBER.fullmatch(unit) and unit not in _NONE:
        return text, None
    is_against = text[start] == "(" and name == text[:start]
    if is_against and not _may_be_unit(unit):
        return text, None  # f(x)
    if is_against and len(unit) == 1 and unit.isalpha():  # x(t) is a function, t(s) a time
        return name, _doubtful(text, unit, "1")
    if _CONDITION.match(unit) and _may_be_unit(unit):
        return name, _doubtful(unit, "1", _CONDITION.sub(r"\1*", unit))
    bare = _IN.sub("", unit, count=1)
    if bare != unit and _is_unit(bare) and _is_unit(unit) and not _is_pressure(unit):
        return name, _doubtful(unit, bare, f"in*({bare})")  # in mm, but in Hg
    return name, unit


def _divided(text: str) -> tuple[str, str | None]:
    """`t / s` and `v/(m/s)` have a unit. `price/kg` is by the kilogram, or in it."""
    name, stroke, unit = text.partition("/")
    is_spaced, name, unit = name.endswith((" ", "\t")), name.rstrip(), unit.strip()
    if (said := _behind_words(text, name, unit)) is not None:
        return said
    if not stroke or not name or (_NUMBER.fullmatch(unit) and unit not in _NONE):
        return text, None
    if not (is_spaced or _may_be_unit(unit)) or text.casefold() in _NOT_APPLICABLE:
        return text, None  # signal/noise
    if is_spaced and (len(name) == 1 or unit.startswith("(")):
        return name, unit  # as ISO 80000-1 writes quantities: t / s
    if _is_unit(text):
        return name, _doubtful(text, unit, f"{name}/{unit}")  # counts / s, km/h, T/K
    if not (is_spaced or len(name) < 4 or unit.startswith("(")):
        return name, _doubtful(text, unit, f"1/({unit})")
    if _CONDITION.match(unit) and _may_be_unit(unit):
        return name, _doubtful(text, _CONDITION.sub(r"\1*", unit), f"1/({unit})")
    return name, unit


def _behind_words(text: str, above: str, below: str) -> tuple[str, str] | None:
    """`speed m/s` is in metres by the second; `Temperature T / K` may be in kelvin."""
    if not below or below.startswith("("):
        return None
    words = above.split()
    for start in range(1, len(words)):
        if not all(map(_may_go_on, words[start:-1])):
            continue  # heat flux W/m2: a flux is a unit too
        head = " ".join(words[:start]).rstrip(",;:")
        whole = " ".join(words[start:]) + text[len(above) :]
        if words[start] == "in" and start < len(words) - 1:  # speed in m/s
            continue
        if _is_unit(whole):
            named = Unit(whole).dimension.name is not None or not _is_unit(below)
            readings = (whole, below) if named else (below, whole)
            return head, _doubtful(text, *readings)
        if _may_be_unit(whole):
            return head, whole  # it asks for itself
    return None


def _may_go_on(word: str) -> bool:
    """Whether a word may begin a unit of several: a symbol, or the square of square feet."""
    return word in BEFORE or is_symbol(word.rstrip("0123456789²³^*-"), scope.current())


def _is_pressure(text: str) -> bool:
    return str(Unit(text).dimension) == "[pressure]"


def _is_unit(text: str) -> bool:
    try:
        return bool(Unit(text).atoms)
    except UnitError:
        return False


def _may_be_unit(text: str) -> bool:
    try:
        Unit(text)
    except UnitError as error:
        return has_readings(error) or _MONEY.search(text) is not None
    return text not in _NONE


def _opening(text: str) -> int:
    """Where the parenthesis opens that closes at the end; -1 if it does not."""
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return -1


def words(line: str) -> list[str]:
    """The headings of a line that spaces divide: `time [s] speed [m / s]` are two."""
    return _WORD.findall(line)


def units_in_brackets(line: str) -> list[str]:
    """All that stands in square brackets in a line."""
    return [text.strip() for text in _IN_BRACKETS.findall(line)]


def read_unit(text: str) -> Unit:
    """A unit as tables write it: alone or in brackets, `-` for a pure number."""
    if isinstance(text, _Doubtful):
        raise ambiguous(text, 0, text, text.readings)
    text = text.strip()
    if (text[:1], text[-1:]) == ("[", "]") or (text[:1] == "(" and _opening(text) == 0):
        text = text[1:-1].strip()
    refuse_letters(text)
    return PURE if text in _NONE else Unit(text)


def refuse_letters(text: str) -> None:
    """Raise for the C or F of data, which may be degrees, and for N/A, which may say no unit."""
    if f"/{text}" in scope.current().ambiguous:
        written, other = scope.current().ambiguous[f"/{text}"]
        raise ambiguous(text, 0, text, (other, written))
    if text.casefold() in _NOT_APPLICABLE:
        raise ambiguous(text, 0, text, ("1", Unit(text).name))


def suggested(error: UnitError) -> str:
    """The first unit that the hint of an error says to write; "1" where it says none."""
    hint = getattr(error, "hint", None) or ""
    reading = hint.removeprefix("write ").partition(", or ")[0]
    try:
        Unit(reading)
    except UnitError:
        return "1"
    return reading if reading != hint else "1"


def has_readings(error: UnitError) -> bool:
    """Whether a string could not be read because it has two readings, which the hint says."""
    return isinstance(error, UnitParseError) and "two ways" in error.problem


def told(error: UnitError) -> str:
    """What is wrong with a unit, with its readings where it has two."""
    return f"{error.problem}: {error.hint}" if has_readings(error) else error.problem


def explained(error: UnitError, heading: str) -> tuple[str, str]:
    """What is wrong with the unit of a heading, and the call that reads the column all the same."""
    own = suggested(error)
    if has_readings(error):
        return told(error), f"say what it is: units={{{heading!r}: {own!r}}}"
    problem = f"the heading says a unit that is none: {error.args[0]!r:.40}"
    if (money := _MONEY.search(heading)) is not None:
        return problem, f"define the money: dimflow.units.define('{money[0]} = [currency]')"
    own = _standing_in(name_and_unit(heading)[1] or "")
    return problem, f"say its unit, or '1' for pure numbers: units={{{heading!r}: {own!r}}}"


def _standing_in(text: str) -> str:
    """The unit that stands in a text which is none as a whole: ft in `ft bgs`; "1" if none does."""
    text = _TIMES.sub("", _IN.sub("", text, count=1), count=1)
    words = text.split()
    for stop in range(len(words), 0, -1):
        own = " ".join(words[:stop])
        if own not in _SMALL and _is_unit(own):
            return own
    return "1"


def clear(unit: Unit, text: str) -> str:
    """A spelling of a unit, or its name where that may be read as degrees."""
    is_doubtful = f"/{text}" in scope.current().ambiguous or text.casefold() in _NOT_APPLICABLE
    return unit.name if is_doubtful else text


def spelled(unit: Unit) -> str:
    """The unit as a text that reads as the same unit, or UnitFormatError."""
    text = clear(unit, str(unit))
    try:
        is_same = read_unit(text) is unit and not set("[]\n") & set(text)
    except UnitError:
        is_same = False
    if not is_same:
        raise UnitFormatError(
            f"the unit {text!r:.60} would not be read again from a text file",
            "convert to a built-in unit, or save it by dimflow.save",
        )
    return text


def heading_of(name: Any, unit: Unit) -> str:
    """The heading of a column: `name [unit]`, or the name alone for pure numbers."""
    name = str(name).strip()
    text = spelled(unit)
    is_clear = name_and_unit(name)[1] is None
    return name if not text and is_clear else f"{name} [{text}]"
