"""Tables of named columns in text files: CSV whose headings, or second row, say the units."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dimflow.array.dimarray import DimArray, wrap
from dimflow.errors import (
    FileFormatError,
    ShapeMismatch,
    StructureMismatch,
    UnitError,
)
from dimflow.io.headings import (
    explained,
    has_readings,
    heading_of,
    name_and_unit,
    read_unit,
    spelled,
    suggested,
    told,
    units_in_brackets,
    words,
)
from dimflow.io.notes import units_above
from dimflow.io.numbers import MISSING, Layout, Line, Missing, layout, lines_of, read
from dimflow.io.places import Place, check_is_text, name_of, suffix_of, text, write_text
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit

_SAMPLE = 50  # lines that are looked at to find what divides cells
_DELIMITERS = "\t;|,"
_VALUE = re.compile(r"[+\-]?\.?\d\S*\s+\S")  # `1 km` is a value, and the unit of none
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?)?")

known: dict[type, Callable[[Any], Any]] = {}
"""Tables of other libraries: to their columns by name, of which the labels are the first."""

Units = Mapping[str, Unit | str] | Sequence[Unit | str] | Unit | str | None


def from_csv(
    path: Place,
    *,
    units: Units = None,
    usecols: Sequence[str | int] | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
    thousands: str | None = None,
    comment: str | None = "#",
    missing: Missing = MISSING,
    dtype: Any = float,
    encoding: str | None = None,
    max_bytes: int = 1 << 30,
    max_columns: int = 10_000,
) -> dict[str, Any]:
    """The columns of a table as arrays by name, in the units that the table says.

    The first line holds the headings, unless it is all numbers. Units stand in the headings
    (`speed [m/s]`, `speed (m/s)`, `speed / (m/s)`) or in a row of their own below them; a column
    without one holds pure numbers. `units` says them instead: by name, one for each column read, or
    one for all. A table without headings takes the units of a comment above it, as `loadtxt` does.
    Cells are divided by a tab, `;`, `|`, `,` or spaces, whichever fits, and an empty one is nan.
    `thousands=","` reads 1,234.5, which is in quotes where commas divide cells too.
    `usecols` chooses columns by name or position. A column without a unit in which no cell is a
    number is a NumPy array of strings, or of dates if all are such as 2020-12-31T10:30.
    """
    style = layout(path, delimiter, decimal, missing, dtype, thousands)
    lines, notes = lines_of(text(path, encoding, max_bytes), comment)
    if not lines:
        raise FileFormatError(name_of(path), "it holds no table")
    if delimiter is None:
        style = style._replace(delimiter=_sniffed(style, [n.text for n in lines[:_SAMPLE]]))
    first = _cells_of_headings(style, lines[0].text)
    if len(first) > max_columns:
        problem = f"it has {len(first):,} columns, and {max_columns:,} are allowed"
        raise FileFormatError(name_of(path), problem, "allow more: max_columns=...")
    body = lines
    headings = [f"column {i}" for i in range(1, len(first) + 1)]
    if not all(style.is_number(cell) for cell in first):
        headings = [cell or fallback for cell, fallback in zip(first, headings, strict=True)]
        body = lines[1:]
    elif (units is None or isinstance(units, Mapping)) and (
        said := units_above(style, notes, lines[0].number, len(first), "units")
    ):
        names = _cells_of_headings(style, said.text)
        if len(names) == len(first) and not any(name.startswith("[") for name in names):
            headings = names
        else:
            headings = [f"{name} [{unit}]" for name, unit in zip(headings, said.units, strict=True)]
    if units is None and len(headings) == 1:
        _refuse_several(style, lines[0].number, headings[0])
    table = _Columns(style, lines[0].number, headings, usecols)
    table.say(units)
    if body and body is not lines and table.take_unit_row(*body[:2]):
        body = body[1:]
    units_of = dict(zip(table.chosen, table.named_units(), strict=True))
    strings = _strings(style, body, [i for i, (_, unit) in units_of.items() if unit is PURE])
    numbers = [i for i in table.chosen if i not in strings]
    table.refuse_unread(numbers)
    rows = dict(zip(numbers, read(style, body, len(first), numbers), strict=True))
    return {
        name: strings[i] if i in strings else wrap(rows[i], unit)
        for i, (name, unit) in units_of.items()
    }


def _refuse_several(style: Layout, line: int, heading: str) -> None:
    """Raise for one column whose heading says a unit before its end: t [s],speed [m/s]."""
    inside = units_in_brackets(heading.rstrip().removesuffix("]"))
    if any(map(_is_unit, inside)):
        problem = f"one column is found, and its heading says the units of several: {heading!r:.60}"
        hint = "say what divides cells: delimiter=..., which decimal=... and thousands=... may not"
        raise style.error(line, None, problem, hint)


def _cells_of_headings(style: Layout, line: str) -> list[str]:
    return words(line) if style.delimiter is None else style.split(line)


def _strings(style: Layout, lines: Sequence[Line], columns: Sequence[int]) -> dict[int, Any]:
    """The columns whose first cell that is there is no number, as arrays of strings or dates."""
    unknown = set(columns)
    found: set[int] = set()
    for line in lines:
        if not unknown:
            break
        cells = style.split(line.text)
        there = {i for i in unknown if i < len(cells) and not style.is_missing(cells[i])}
        found |= {i for i in there if not style.is_number(cells[i])}
        unknown -= there
    if not found:
        return {}
    parts: dict[int, list[str]] = {i: [] for i in found}
    for cells in (style.split(line.text) for line in lines):
        for i, part in parts.items():
            cell = cells[i] if i < len(cells) else ""
            is_missing = style.is_missing(cell)
            if not is_missing and style.is_number(cell):
                place = next(k for k, word in enumerate(part) if word)
                problem = f"{part[place]!r:.40} is not a number, as {cell!r:.40} below it is"
                hint = "name what stands for a missing value by missing=..., or usecols=..."
                raise style.error(lines[place].number, i, problem, hint)
            part.append("" if is_missing else cell)
    return {i: _dates(part) for i, part in parts.items()}


def _dates(cells: list[str]) -> Any:
    """Dates if all cells are such, with NaT where one is missing; else the strings."""
    if all(not cell or _DATE.fullmatch(cell) for cell in cells):
        try:
            return np.array([cell or "NaT" for cell in cells], dtype="datetime64")
        except ValueError:  # a 13th month
            pass
    return np.array(cells)


def to_csv(
    path: Place,
    columns: Mapping[str, Any],
    *,
    delimiter: str | None = None,
    decimal: str = ".",
    unit_row: bool = False,
    encoding: str = "utf-8",
    overwrite: bool = True,
) -> None:
    """Write arrays as the columns of a table that `from_csv` reads, with every digit.

    The units stand in the headings, `speed [m/s]`, or with `unit_row=True` in the second row. Cells
    are divided by a comma; in a `.tsv` by a tab, and beside decimal commas by a `;`. The labels of
    a table of pandas or xarray are columns, unless they only count the rows.
    """
    check_is_text("to_csv", path)
    if delimiter is None:
        delimiter = "\t" if suffix_of(path) == ".tsv" else ";" if decimal == "," else ","
    layout(path, delimiter, decimal, (), float)
    found = {name: _column(name, value) for name, value in by_name("to_csv", columns).items()}
    check_lengths("to_csv", found)
    if unit_row:
        names = [heading_of(name, PURE) for name in found]
        if any(name != given for name, given in zip(names, found, strict=True)):
            raise UnitError("with a row of units, headings may not look as if they said one too")
        heads = [names, [spelled(unit) or "-" for _, unit in found.values()]]
    else:
        heads = [[heading_of(name, unit) for name, (_, unit) in found.items()]]
    rows = [[_quoted(cell, delimiter) for cell in head] for head in heads]
    cells = [digits(raw, decimal) for raw, _ in found.values()]
    for i, (raw, _) in enumerate(found.values()):
        if raw.dtype.kind == "U":
            cells[i] = [_quoted(cell, delimiter) for cell in cells[i]]
    lines = [delimiter.join(row) or '""' for row in (*rows, *zip(*cells, strict=True))]
    write_text(path, "\n".join([*lines, ""]), encoding, overwrite=overwrite)


def by_name(operation: str, data: Any) -> dict[str, Any]:
    """Columns by name, those of other libraries' tables with their labels."""
    table = next((known[base] for base in type(data).__mro__ if base in known), None)
    data = data if table is None else table(data)
    if not callable(getattr(data, "items", None)):
        problem = f"{type(data).__name__}; write to_csv(path, {{'x': x}}), or savetxt(path, x)"
        raise StructureMismatch(operation, "columns by name", problem)
    found: dict[str, Any] = {}
    for name, column in data.items():
        if str(name) in found:
            raise StructureMismatch(
                operation, "one column of each name", f"two called {name!r:.60}"
            )
        found[str(name)] = column
    return found


def _column(name: Any, value: Any) -> tuple[Any, Unit]:
    """Strings or dates, as `from_csv` reads them, or numbers and their unit."""
    kind = getattr(getattr(value, "dtype", None), "kind", "O")
    if isinstance(value, (list, tuple)) or kind == "O":
        values = list(value) if np.ndim(value) == 1 else []
        if any(isinstance(part, str) for part in values) and all(map(_is_text, values)):
            return np.array([part if isinstance(part, str) else "" for part in values]), PURE
    if kind in "UTM" and np.ndim(value) == 1:
        found = np.asarray(value)
        return found if kind == "M" else found.astype(str), PURE
    return column_of(name, value)


def _is_text(value: Any) -> bool:
    """Whether a cell is a string, or missing among strings."""
    return isinstance(value, str) or value is None or (isinstance(value, float) and value != value)


def _quoted(cell: str, delimiter: str) -> str:
    """A cell of text as it is read again: in quotes if a reader would divide or skip it."""
    if "\n" in cell or "\r" in cell:
        problem = f"the cell {cell!r:.40} has a line break, with which it would not be read again"
        raise UnitError(problem, "write a space in its place")
    if cell.startswith("#") or delimiter in cell or '"' in cell:
        return '"' + cell.replace('"', '""') + '"'
    return cell


def column_of(name: Any, value: Any) -> tuple[Any, Unit]:
    """The numbers of a column and their unit."""
    array = value if isinstance(value, DimArray) else DimArray(value)
    raw = array.to_numpy()
    if raw.ndim != 1:
        raise ShapeMismatch(f"a table (column {name!r})", "one axis", raw.shape)
    return raw, array.unit


def check_lengths(operation: str, columns: Mapping[str, tuple[Any, Unit]]) -> None:
    """Ask for one length, and for at least one column."""
    lengths = {name: len(raw) for name, (raw, _) in columns.items()}
    if not lengths:
        raise ShapeMismatch(operation, "columns", "none")
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name}: {length}" for name, length in lengths.items())
        raise ShapeMismatch(operation, "columns of one length", shown)


def digits(raw: Any, decimal: str = ".") -> list[str]:
    """Every number in the fewest digits that read as the same number."""
    if raw.dtype.kind in "UM":
        return ["" if text == "NaT" else text for text in raw.astype(str).tolist()]
    if raw.dtype.kind == "b":
        raw = raw.astype(int)
    if raw.dtype.kind == "c":
        texts = [str(value).strip("()") for value in raw]
    elif raw.dtype in (np.dtype("f8"), np.dtype("i8")):
        texts = [repr(value) for value in raw.tolist()]
    else:
        texts = [str(value) for value in raw]
    return texts if decimal == "." else [text.replace(".", decimal) for text in texts]


def _is_unit(cell: str) -> bool:
    try:
        read_unit(cell)
    except UnitError:
        return False
    return True


def _sniffed(style: Layout, lines: list[str]) -> str | None:
    """The delimiter by which most lines have as many cells as the first."""
    best, most = ",", 0
    for mark in _DELIMITERS.replace(style.decimal, ""):
        divided = style._replace(delimiter=mark)
        counts = [len(divided.split(line)) for line in lines]
        agreeing = counts.count(counts[0]) if counts[0] > 1 else 0
        if agreeing > most:
            best, most = mark, agreeing
    heading, *rest = lines
    is_one_row = not rest and all(style.is_number(cell) for cell in heading.split())
    count = len(words(heading))
    are_even = count > 1 and all(len(line.split()) == count for line in rest)
    if not most and are_even and (rest or is_one_row):
        return None
    is_taken = best == style.decimal or (best == style.thousands and not most)
    return best if not is_taken else ";"


class _Columns:
    """The headings of a table, the columns chosen of it, and their units as they become known."""

    def __init__(
        self, style: Layout, line: int, headings: list[str], usecols: Sequence[str | int] | None
    ) -> None:
        self.style = style
        self.line = line
        self.headings = headings
        self.names: list[str] = []
        self.said: list[str | None] = []
        for heading in headings:
            name, unit = name_and_unit(heading)
            self.names.append(name or heading)
            self.said.append(unit)
        every = range(len(headings))
        chosen = every if usecols is None else [self._position(key) for key in usecols]
        self.chosen = list(chosen)
        self.units: dict[int, Unit] = {}
        self.unread: dict[int, FileFormatError] = {}  # time (UTC): right over strings and dates
        for i in self.chosen:
            self._read_heading(i)
        self._check_names()

    def _read_heading(self, position: int) -> None:
        said = self.said[position]
        try:
            if said is not None:
                read_unit(said)
        except UnitError as error:
            problem, hint = explained(error, self.headings[position])
            self.unread[position] = self.style.error(self.line, position, problem, hint)

    def refuse_unread(self, numbers: Sequence[int]) -> None:
        """Raise if a heading or a cell below it should be the unit of numbers, and is none."""
        for position in numbers:
            if position in self.unread:
                raise self.unread[position]

    def _check_names(self) -> None:
        names = [self._name(i) for i in self.chosen]
        for k, name in enumerate(names):
            if name in names[:k]:
                raise self.style.error(self.line, self.chosen[k], f"a second column {name!r:.60}")

    def _position(self, key: str | int) -> int:
        """Where a column stands that is called by its name, its whole heading or a position."""
        if isinstance(key, str):
            for known in (self.headings, self.names):
                if key in known:
                    return known.index(key)
        elif -len(self.headings) <= key < len(self.headings):
            return key % len(self.headings)
        hint = "it has " + ", ".join(repr(name) for name in self.names[:20])
        raise FileFormatError(name_of(self.style.place), f"there is no column {key!r:.60}", hint)

    def say(self, units: Units) -> None:
        """Take the units that the caller says; they count more than those of the table."""
        if units is None:
            return
        if isinstance(units, Mapping):
            for key, unit in units.items():
                position = self._position(key)
                self.units[position] = Unit(unit)
                self.unread.pop(position, None)
                self.names[position] = key
            self._check_names()
            return
        if isinstance(units, (str, Unit)):
            units = [units] * len(self.chosen)
        if len(units) != len(self.chosen):
            raise UnitError(f"{len(units)} units were given for {len(self.chosen)} columns")
        self.units.update(zip(self.chosen, map(Unit, units), strict=True))
        self.unread.clear()

    def take_unit_row(self, line: Line, below: Line | None = None) -> bool:
        """Whether a line holds units: no cell of it is a number, and no heading says a unit.

        What stands below a unit is a number, or else both are words of a column of strings.
        """
        cells = self.style.split(line.text)
        if len(cells) != len(self.headings) or any(self.said[i] is not None for i in self.chosen):
            return False
        chosen = {i: cells[i] for i in self.chosen}
        numbers = {c for c in chosen.values() if self.style.is_number(c)}
        if {c for c in numbers if c != "1" and not self.style.is_missing(c)}:
            return False
        if numbers.issuperset(chosen.values()):
            return False
        if any(_VALUE.match(cell) for cell in chosen.values()):
            return False
        said = [i for i, cell in chosen.items() if cell not in numbers and _is_unit(cell)]
        after = None if below is None else self.style.split(below.text)
        if all(after and i < len(after) and not self.style.is_number(after[i]) for i in said):
            return False  # the first row of a table of strings
        for i, cell in chosen.items():
            if i in self.units:
                continue
            try:
                self.units[i] = PURE if self.style.is_missing(cell) else read_unit(cell)
            except UnitError as error:
                problem = f"{cell!r:.40} is neither a number nor a unit"
                hint = "choose the columns of numbers by usecols=..."
                if has_readings(error):
                    problem = told(error)
                    hint = f"say what it is: units={{{self.headings[i]!r}: {suggested(error)!r}}}"
                self.unread[i] = self.style.error(line.number, i, problem, hint)
        return True

    def named_units(self) -> list[tuple[str, Unit]]:
        """Name and unit of each chosen column."""
        return [(self._name(i), self._unit(i)) for i in self.chosen]

    def _name(self, position: int) -> str:
        return (self.headings if position in self.unread else self.names)[position]

    def _unit(self, position: int) -> Unit:
        known, said = self.units.get(position), self.said[position]
        if known is None and said is not None and position not in self.unread:
            return read_unit(said)
        return PURE if known is None else known
