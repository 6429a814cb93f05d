"""What the terminal can show: its characters, its width, its colours; and tables to fit it."""

import codecs
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

_GAP = "  "
_UNDER_A_HINT = " " * 9
_NARROWEST = 12  # what a column gives way to
_PRETTY = "·⁻²°µΩ≈…"  # what the Unicode style of units needs
# What stands for a character that the output cannot show; others lose their accents.
_IN_ASCII = {
    "°": "deg",
    "µ": "u",
    "μ": "u",
    "Ω": "ohm",
    "·": "*",
    "×": "x",
    "≈": "~=",
    "…": "...",
    "–": "-",
    "—": "-",
    "−": "-",
    "’": "'",
    "′": "'",
    "″": '"',
    "ħ": "hbar",
    "ß": "ss",
    "ø": "o",
    "Δ": "delta_",
    "π": "pi",
    "ν": "nu",
    "λ": "lambda",
}


def prepare() -> None:
    """Let standard output and error show any text, in ASCII where they cannot do better."""
    codecs.register_error("dimflow.ascii", _in_ascii)
    sys.stdout = sys.stdout or _nowhere()  # None where the shell closed it: >&-
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="dimflow.ascii")
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    unknown = error.object[error.start : error.end]
    return "".join(_IN_ASCII.get(c) or _bare(c) for c in unknown), error.end


def _bare(character: str) -> str:
    import unicodedata

    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return plain or "?"


def style() -> str:
    """The style of units that the output can show: unicode, else plain."""
    try:
        _PRETTY.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return "plain"
    return "unicode"


def about() -> str:
    """The sign for "equal up to rounding"."""
    return "≈" if style() == "unicode" else "~="


def width(stream: TextIO | None = None) -> int | None:
    """The columns of the terminal; None where the output is no terminal, and nothing is cut."""
    import shutil

    return shutil.get_terminal_size().columns if (stream or sys.stdout).isatty() else None


def loud(text: str, stream: TextIO | None = None) -> str:
    """Bold, where the stream shows colours."""
    return _painted(text, "1", stream)


def faint(text: str, stream: TextIO | None = None) -> str:
    """Dim, where the stream shows colours."""
    return _painted(text, "2", stream)


def _painted(text: str, code: str, stream: TextIO | None) -> str:
    stream = stream or sys.stdout
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return text if is_plain or not stream.isatty() or not text else f"\x1b[{code}m{text}\x1b[0m"


def note(text: str) -> None:
    """A line about the answer, for the reader and not for a program: on standard error."""
    sys.stdout.flush()
    print(faint(text, sys.stderr), file=sys.stderr)


def write_json(value: object) -> None:
    """Print a value as JSON, in ASCII where the output is not sure to hold every character."""
    import json

    print(json.dumps(value, indent=2, ensure_ascii=style() != "unicode", allow_nan=False))


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    yielding: Sequence[int],
    right: Sequence[int] = (),
) -> None:
    """Print aligned columns; on a terminal the yielding ones are cut until a row fits the line."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    room = width()
    while room is not None and sum(widths) + len(_GAP) * (len(widths) - 1) > room:
        widest = max(yielding, key=widths.__getitem__)
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
    print(loud(_row(header, widths, right)))
    for row in rows:
        print(_row(row, widths, right))


def _row(cells: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> str:
    shown = [
        cut(cell, room).rjust(room) if i in right else cut(cell, room).ljust(room)
        for i, (cell, room) in enumerate(zip(cells, widths, strict=True))
    ]
    return _GAP.join(shown).rstrip()


def cut(text: str, room: int) -> str:
    """The text, or as much of it as there is room for, with an ellipsis."""
    ellipsis = "…" if style() == "unicode" else "..."
    return text if len(text) <= room else text[: room - len(ellipsis)] + ellipsis


def card(title: str, fields: Sequence[tuple[str, str]]) -> None:
    """Print a title and named lines under it, leaving out those that say nothing."""
    print(loud(title))
    told = [(name, text) for name, text in fields if text]
    names = max((len(name) for name, _ in told), default=0)
    room = width()
    for name, text in told:
        lines = _wrapped(text, room - names - 4) if room and room > names + 24 else [text]
        for i, line in enumerate(lines):
            print(f"  {faint(name.ljust(names)) if i == 0 else ' ' * names}{_GAP}{line}")


def fitted(text: str, stream: TextIO) -> str:
    """Many lines, those too long for the terminal broken and set in under their beginning."""
    room = width(stream)
    if room is None or room < 2 * len(_UNDER_A_HINT):
        return text
    broken = (f"\n{_UNDER_A_HINT}".join(_wrapped(line, room)) for line in text.split("\n"))
    return "\n".join(broken)


def _wrapped(text: str, room: int) -> list[str]:
    """The text in lines; the first keeps its indentation, the others leave room for one."""
    if len(text) <= room:
        return [text]
    from textwrap import wrap

    return wrap(text, room - len(_UNDER_A_HINT), break_long_words=False, break_on_hyphens=False)
