"""Headings that say a unit: `speed [m/s]`, `speed (m/s)`, `speed / (m/s)`."""

import re
from typing import Any

from dimflow.errors import UnitError, UnitFormatError
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit

_IN_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_NONE = ("", "-", "1")  # what stands for a pure number


def name_and_unit(heading: str) -> tuple[str, str | None]:
    """The two parts of a heading; None where it says no unit."""
    text = heading.strip()
    start = -1
    if text.endswith("]"):
        start = text.rfind("[")
    elif text.endswith(")"):
        start = _opening(text)
        if not text[:start].endswith((" ", "\t")) or text[:start].rstrip().endswith("/"):
            start = -1  # f(x), or a denominator
    if start >= 0:
        return text[:start].rstrip(), text[start + 1 : -1].strip()
    name, slash, unit = text.partition(" / ")
    return (name.rstrip(), unit.strip()) if slash else (text, None)


def _opening(text: str) -> int:
    """Where the parenthesis opens that closes at the end; -1 if it does not."""
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return -1


def units_in_brackets(line: str) -> list[str]:
    """All that stands in square brackets in a line."""
    return [text.strip() for text in _IN_BRACKETS.findall(line)]


def read_unit(text: str) -> Unit:
    """A unit as tables write it: alone or in brackets, `-` for a pure number."""
    text = text.strip()
    if (text[:1], text[-1:]) == ("[", "]") or (text[:1] == "(" and _opening(text) == 0):
        text = text[1:-1].strip()
    return PURE if text in _NONE else Unit(text)


def spelled(unit: Unit) -> str:
    """The unit as a text that reads as the same unit, or UnitFormatError."""
    text = str(unit)
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
