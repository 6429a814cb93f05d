"""The parts that the texts of errors are made of."""

from collections.abc import Sequence
from typing import Any

_SHOWN = 60  # characters of a user's text that a message repeats


def hinted(hint: str | None) -> str:
    """The line that says how to mend it; nothing without a hint."""
    return f"\n  hint:  {hint}" if hint else ""


def did_you_mean(suggestions: Sequence[str]) -> str | None:
    """Suggestions as a question; None without any."""
    if not suggestions:
        return None
    return "did you mean " + " or ".join(repr(s) for s in suggestions) + "?"


def shown(text: str) -> str:
    """A user's text, not too long and without what a terminal would obey."""
    return printable(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def printable(text: str) -> str:
    """The text without characters that a terminal would obey."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def pointed(text: str, position: int) -> str:
    """The text around a position, with a caret under it."""
    start = max(0, min(position, len(text)) - _SHOWN // 2)
    shown = printable(text[start : start + _SHOWN])
    return f"  in:    {shown}\n         {' ' * (position - start)}^"


def sides(first: str, one: Any, second: str, other: Any) -> str:
    """Two units under each other, with their dimensions."""
    names = first + ":", second + ":"
    texts = str(one) or "1", str(other) or "1"
    name_width, text_width = max(map(len, names)), max(map(len, texts))
    return "\n".join(
        f"  {name:<{name_width}} {text:<{text_width}}   {unit.dimension}"
        for name, text, unit in zip(names, texts, (one, other), strict=True)
    )


def missing_factor(left: Any, right: Any, side: str) -> str:
    """What one side lacks to be of the dimension of the other."""
    factor = left / right
    place = f"the {side}" if side in ("left", "right") else side
    called = f" ({_article(factor.name)} {factor.name})" if factor.name else ""
    return f"a factor of {factor.formula}{called} is missing on {place}"


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"
