"""Where in the user's own code an error came from."""

import linecache
import sys
import sysconfig
import traceback
from types import FrameType, TracebackType
from typing import NamedTuple

_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib")})

_SHOWN = 90  # columns of a long line


class Location(NamedTuple):
    """A line of source, and the part of it that was running."""

    file: str
    line: int
    function: str
    text: str
    start: int = 0  # columns of the part in the text
    end: int = 0

    def __str__(self) -> str:
        first = max(0, min(self.start - 10, len(self.text) - _SHOWN))
        text, start, end = self.text[first : first + _SHOWN], self.start - first, self.end - first
        marks = ""
        if 0 <= start < end and (start or end < len(text)):
            marks = "\n    " + " " * start + "^" * (min(end, len(text)) - start)
        shown = f"\n    {text}{marks}" if text else ""  # some code has no source to show
        return f'File "{self.file}", line {self.line}, in {self.function}' + shown


def locate(trace: TracebackType | None) -> Location | None:
    """The innermost line of a traceback that belongs to no library, and never to dimflow."""
    running = [frame for frame, _ in traceback.walk_tb(trace)]
    pairs = zip(running, traceback.extract_tb(trace), strict=True)
    frames = [summary for frame, summary in pairs if not _is_dimflow(frame)]
    own = [f for f in frames if not f.filename.startswith(_LIBRARIES)]
    return _location((own or frames)[-1]) if frames else None


def running_line() -> tuple[str, int, str] | None:
    """File, line and function of the user's own code that is running, found without its text."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not _is_dimflow(frame) and not frame.f_code.co_filename.startswith(_LIBRARIES):
            return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
        frame = frame.f_back
    return None


def line_at(file: str, line: int, function: str) -> Location:
    """A line with its text."""
    return Location(file, line, function, linecache.getline(file, line).strip())


def _is_dimflow(frame: FrameType) -> bool:
    """Whether this is code of dimflow; what it generates belongs to no module."""
    module = frame.f_globals.get("__name__")
    return module is None or module == "dimflow" or module.startswith("dimflow.")


def _location(frame: traceback.FrameSummary) -> Location:
    source = linecache.getline(frame.filename, frame.lineno or 0).rstrip()
    text = source.lstrip()
    indent = len(source) - len(text)
    start = _column(source, frame.colno) - indent
    is_one_line = frame.end_lineno == frame.lineno
    end = _column(source, frame.end_colno) - indent if is_one_line else len(text)
    return Location(frame.filename, frame.lineno or 0, frame.name, text, start, end)


def _column(source: str, offset: int | None) -> int:
    """Columns are counted in bytes of UTF-8."""
    return len(source.encode()[: offset or 0].decode(errors="ignore"))


def with_location(error: Exception, trace: TracebackType | None = None) -> Exception:
    """The error with the line that made it, as a note and as its `location`."""
    found = locate(trace or error.__traceback__)
    if found is not None and not hasattr(error, "location"):
        error.location = found  # type: ignore[attr-defined]
        error.add_note(str(found))
    return error
