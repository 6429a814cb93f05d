"""Lines of text as numbers: fast where NumPy reads them, and cell by cell where it does not.

The slow way knows missing values, and says in which line and column a cell is no number.
"""

import csv
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from dimflow.errors import FileFormatError, NotANumber
from dimflow.io.places import Place, name_of

MISSING = ("", "NA", "N/A", "#N/A", "NaN", "null", "None", "-", "--", "?")
Missing = Collection[str | float] | str | float
_PIECE = 1 << 13  # lines that are read at once
_EXACT = 2.0**53  # up to here, a float holds every whole number
_LONG = re.compile(r"(?<![.\d])\d{16,}(?![.\deE])")
_GROUPED = r"[+\-]?[0-9]{{1,3}}(?:{0}[0-9]{{3}})+(?:{1}[0-9]*)?(?:[eE][+\-]?[0-9]+)?"
_MARKS = {",": "commas", ".": "points"}
_READERS: dict[str, Callable[[str], Any]] = {"f": float, "i": int, "u": int, "c": complex}


class Line(NamedTuple):
    """A line that is no comment and not blank, and its number in the file."""

    number: int
    text: str


class Layout(NamedTuple):
    """How a text is divided into cells, and cells into numbers."""

    place: Place
    delimiter: str | None  # None: any space
    decimal: str
    missing: frozenset[str]
    missing_numbers: frozenset[float]
    dtype: np.dtype[Any]
    thousands: str | None = None

    def split(self, line: str) -> list[str]:
        """The cells of a line."""
        if self.delimiter is None:
            return line.split()
        reader = csv.reader([line], delimiter=self.delimiter, skipinitialspace=True)
        try:
            cells = next(reader, [])
        except csv.Error as error:  # a cell of 131,072 characters and more
            raise FileFormatError(name_of(self.place), str(error)) from None
        if line.count('"') % 2 and _is_open(line, self.delimiter):
            problem = f"a quote is open at the end of the line: {line!r:.40}"
            hint = "a cell ends in the line that it begins in: join them by a space"
            raise FileFormatError(name_of(self.place), problem, hint)
        return [cell.strip() for cell in cells]

    def is_missing(self, cell: str) -> bool:
        """Whether a cell stands for a value that is not there."""
        return cell.lower() in self.missing

    def is_number(self, cell: str) -> bool:
        """Whether a cell can be read."""
        try:
            self.number(cell)
        except ValueError:
            return False
        return True

    def number(self, cell: str) -> Any:
        """The number in a cell; ValueError if it holds none."""
        found = None if self.is_missing(cell) else self._parsed(cell)
        if found is not None and found not in self.missing_numbers:
            return found
        if self.dtype.kind in "iu":
            raise ValueError("integers have no nan")
        return np.nan

    def _parsed(self, cell: str) -> Any:
        if self.thousands is not None and is_grouped(cell, self.thousands, self.decimal):
            cell = cell.replace(self.thousands, "")
        if self.decimal != ".":
            if "." in cell:
                raise ValueError("a point where commas divide")
            cell = cell.replace(self.decimal, ".")
        if "_" in cell:
            raise ValueError("Python's own notation")
        return _READERS[self.dtype.kind](cell)

    def error(
        self, line: int, column: int | None, problem: str, hint: str | None = None
    ) -> FileFormatError:
        """What is wrong, and where."""
        where = f"line {line}" if column is None else f"line {line}, column {column + 1}"
        return FileFormatError(name_of(self.place), f"{where}: {problem}", hint)


def is_grouped(cell: str, thousands: str, decimal: str) -> bool:
    """Whether a mark stands in a number before every three digits of its whole part."""
    return re.fullmatch(_GROUPED.format(re.escape(thousands), re.escape(decimal)), cell) is not None


def layout(
    place: Place,
    delimiter: str | None,
    decimal: str,
    missing: Missing,
    dtype: Any,
    thousands: str | None = None,
) -> Layout:
    """A layout of arguments that are checked. Numbers that are missing replace no words."""
    kind = np.dtype(dtype)
    if kind.kind not in _READERS:
        raise NotANumber("a table", f"dtype={kind}")
    if decimal not in (".", ","):
        raise ValueError(f"decimal is '.' or ',', but got {decimal!r:.20}")
    if delimiter is not None and (len(delimiter) != 1 or delimiter in (decimal, '"', "\n", "\r")):
        raise ValueError(f"delimiter={delimiter!r:.20} cannot divide cells here")
    if thousands is not None and (
        len(thousands) != 1 or thousands.isalnum() or thousands in (decimal, *'+-"\n\r')
    ):
        raise ValueError(f"thousands={thousands!r:.20} cannot group digits here")
    given: Any = (missing,) if isinstance(missing, str) or np.isscalar(missing) else missing
    numbers = frozenset(float(m) for m in given if not isinstance(m, str))
    words = [m for m in given if isinstance(m, str)] or (MISSING if numbers else ())
    lower = frozenset(m.lower() for m in words)
    return Layout(place, delimiter, decimal, lower, numbers, kind, thousands)


def lines_of(text: str, comment: str | None) -> tuple[list[Line], list[Line]]:
    """The lines that hold something, and the comments, without their mark."""
    lines, comments = [], []
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        bare = line.lstrip()
        if comment and bare.startswith(comment):
            comments.append(Line(number, bare[len(comment) :]))
        elif bare:
            lines.append(Line(number, line))
    return lines, comments


def read(style: Layout, lines: Sequence[Line], count: int, columns: Sequence[int]) -> Any:
    """The chosen columns of lines that have `count` cells each, as the rows of an array."""
    found = np.empty((len(columns), len(lines)), style.dtype)
    for start in range(0, len(lines), _PIECE):  # one odd cell makes one piece slow, and not all
        piece = lines[start : start + _PIECE]
        rows = _read_fast(style, piece, count, columns)
        if rows is None:
            rows = _read_cells(style, piece, count, columns)
        found[:, start : start + len(piece)] = rows
    return found


def _read_fast(style: Layout, lines: Sequence[Line], count: int, columns: Sequence[int]) -> Any:
    """What NumPy reads; None where something is missing, wrong or needs a closer look."""
    texts = [line.text for line in lines]
    if not _is_simple(style, texts, count):
        return None
    if style.decimal != ".":
        texts = [text.replace(style.decimal, ".") for text in texts]
    try:
        table = np.loadtxt(
            texts,
            style.dtype,
            comments=None,
            delimiter=style.delimiter,
            usecols=list(columns),
            ndmin=2,
        )
    except ValueError:
        return None
    is_large = style.dtype == np.float64 and (abs(table) >= _EXACT).any()
    return None if is_large and any(map(_LONG.search, texts)) else table.T


def _is_simple(style: Layout, texts: list[str], count: int) -> bool:
    """Whether each line has the same number of cells, so that counting delimiters is enough."""
    if style.missing_numbers or any(_is_float(word) for word in style.missing):
        return False  # -999
    if style.dtype.kind in "iu" or (style.decimal != "." and any("." in text for text in texts)):
        return False  # NumPy would cut 1.5 to 1 in some versions
    if style.delimiter is None:
        return all(len(text.split()) == count for text in texts)
    mark = style.delimiter
    return all(text.count(mark) == count - 1 and '"' not in text for text in texts)


def _is_float(word: str) -> bool:
    try:
        return float(word) == float(word)
    except ValueError:
        return False


def _read_cells(
    style: Layout, lines: Sequence[Line], count: int, columns: Sequence[int]
) -> np.ndarray[Any, Any]:
    found = np.empty((len(columns), len(lines)), style.dtype)
    for i, (line, cells) in enumerate(_cells(style, lines)):
        if len(cells) != count:
            raise style.error(line, None, f"{len(cells)} cells, where the first line has {count}")
        for j, column in enumerate(columns):
            try:
                found[j, i] = number = style.number(cells[column])
            except (ValueError, OverflowError):
                raise style.error(
                    line,
                    column,
                    f"{cells[column]!r:.40} is not a number",
                    _hint(style, cells[column]),
                ) from None
            if style.dtype == np.float64 and _is_cut(
                cells[column].replace(style.thousands or " ", ""), number
            ):
                problem = f"{cells[column]!r:.40} has more digits than a float holds"
                kind = "uint64" if Decimal(cells[column]) >= 2**63 else "int64"
                hint = f"read whole numbers by themselves: usecols=[...], dtype={kind!r}"
                raise style.error(line, column, problem, hint)
    return found


def _is_open(line: str, delimiter: str) -> bool:
    """Whether a quote that begins a cell is not closed; others are signs, such as inches."""
    strict = csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        next(strict)
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False


def _is_cut(cell: str, number: Any) -> bool:
    """Whether a float has lost digits of a whole number: 9007199254740993 would be ...992."""
    if (
        not isinstance(number, float)
        or not abs(number) >= _EXACT
        or not cell.lstrip("+-").isdigit()
    ):
        return False
    return Decimal(cell) not in (Decimal(repr(number)), Decimal(number))


def _cells(style: Layout, lines: Sequence[Line]) -> Iterator[tuple[int, list[str]]]:
    for line in lines:
        yield line.number, style.split(line.text)


def _hint(style: Layout, cell: str) -> str:
    decimal, other = style.decimal, "," if style.decimal == "." else "."
    if style.thousands is None and is_grouped(cell, other, decimal):
        hint = f"if {_MARKS[other]} group its thousands: thousands={other!r}"
        return hint if decimal in cell or cell.count(other) > 1 else f"{hint}; {_to_divide(style)}"
    if style.thousands is None and is_grouped(cell, decimal, other):
        return f"if {_MARKS[other]} divide its decimals: decimal={other!r}, thousands={decimal!r}"
    if decimal == "." and "," in cell:
        return _to_divide(style)
    return "name what stands for a missing value by missing=..., or choose columns by usecols=..."


def _to_divide(style: Layout) -> str:
    """The call for decimal commas, which commas between cells leave no room for."""
    if style.decimal == ",":
        return "if points divide its decimals: decimal='.'"
    if style.delimiter == ",":
        return "if commas divide its decimals, let ';' divide the cells of the file: decimal=','"
    return "if commas divide its decimals: decimal=','"
