"""Tables of named columns in text files: CSV whose headings, or second row, say the units."""

import csv
from collections.abc import Collection, Mapping, Sequence
from io import StringIO
from typing import Any

import numpy as np

from dimflow.array.dimarray import DimArray, wrap
from dimflow.errors import FileFormatError, ShapeMismatch, UnitError
from dimflow.io.headings import heading_of, name_and_unit, read_unit, spelled
from dimflow.io.numbers import MISSING, Layout, Line, layout, lines_of, read
from dimflow.io.places import Place, name_of, text, write_text
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit

_SAMPLE = 50  # lines that are looked at to find what divides cells
_DELIMITERS = "\t;|,"

Units = Mapping[str, Unit | str] | Sequence[Unit | str] | Unit | str | None


def from_csv(
    path: Place,
    *,
    units: Units = None,
    usecols: Sequence[str | int] | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
    comment: str | None = "#",
    missing: Collection[str] = MISSING,
    dtype: Any = float,
    encoding: str | None = None,
    max_bytes: int = 1 << 30,
    max_columns: int = 10_000,
) -> dict[str, DimArray]:
    """The columns of a table as arrays by name, in the units that the table says.

    The first line holds the headings, unless it is all numbers. Units stand in the headings
    (`speed [m/s]`, `speed (m/s)`, `speed / (m/s)`) or in a row of their own below them; a column
    without one holds pure numbers. `units` says them instead: by name, one for each column read, or
    one for all. Cells are divided by a tab, `;`, `|` or `,`, whichever fits, and an empty one is
    nan. `usecols` chooses columns by name or position.
    """
    style = layout(path, delimiter, decimal, missing, dtype)
    lines, _ = lines_of(text(path, encoding, max_bytes), comment)
    if not lines:
        raise FileFormatError(name_of(path), "it holds no table")
    if delimiter is None:
        style = style._replace(delimiter=_sniffed(style, [n.text for n in lines[:_SAMPLE]]))
    first = style.split(lines[0].text)
    if len(first) > max_columns:
        problem = f"it has {len(first):,} columns, and {max_columns:,} are allowed"
        raise FileFormatError(name_of(path), problem, "allow more: max_columns=...")
    body = lines
    headings = [f"column {i}" for i in range(1, len(first) + 1)]
    if not all(style.is_number(cell) for cell in first):
        headings = [cell or fallback for cell, fallback in zip(first, headings, strict=True)]
        body = lines[1:]
    table = _Columns(style, lines[0].number, headings, usecols)
    table.say(units)
    if body and body is not lines and table.take_unit_row(body[0]):
        body = body[1:]
    rows = read(style, body, len(first), table.chosen)
    return {n: wrap(row, u) for (n, u), row in zip(table.named_units(), rows, strict=True)}


def to_csv(
    path: Place,
    columns: Mapping[str, Any],
    *,
    delimiter: str = ",",
    decimal: str = ".",
    unit_row: bool = False,
    encoding: str = "utf-8",
    overwrite: bool = True,
) -> None:
    """Write arrays as the columns of a table that `from_csv` reads, with every digit.

    The units stand in the headings, `speed [m/s]`, or with `unit_row=True` in the second row.
    """
    layout(path, delimiter, decimal, (), float)
    found = {str(name): column_of(name, value) for name, value in columns.items()}
    check_lengths("to_csv", found)
    if unit_row:
        names = [heading_of(name, PURE) for name in found]
        if any(name != given for name, given in zip(names, found, strict=True)):
            raise UnitError("with a row of units, headings may not look as if they said one too")
        heads = [names, [spelled(unit) or "-" for _, unit in found.values()]]
    else:
        heads = [[heading_of(name, unit) for name, (_, unit) in found.items()]]
    cells = [digits(raw, decimal) for raw, _ in found.values()]
    content = StringIO()
    writer = csv.writer(content, delimiter=delimiter, lineterminator="\n")
    writer.writerows(heads)
    writer.writerows(zip(*cells, strict=True))
    write_text(path, content.getvalue(), encoding, overwrite=overwrite)


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
    if raw.dtype.kind == "b":
        raw = raw.astype(int)
    if raw.dtype.kind == "c":
        texts = [str(value).strip("()") for value in raw]
    elif raw.dtype in (np.dtype("f8"), np.dtype("i8")):
        texts = [repr(value) for value in raw.tolist()]
    else:
        texts = [str(value) for value in raw]
    return texts if decimal == "." else [text.replace(".", decimal) for text in texts]


def _sniffed(style: Layout, lines: list[str]) -> str | None:
    """The delimiter by which most lines have as many cells as the first."""
    best, most = ",", 0
    for mark in _DELIMITERS.replace(style.decimal, ""):
        divided = style._replace(delimiter=mark)
        counts = [len(divided.split(line)) for line in lines]
        agreeing = counts.count(counts[0]) if counts[0] > 1 else 0
        if agreeing > most:
            best, most = mark, agreeing
    counts = [len(line.split()) for line in lines]
    if not most and counts[0] > 1 and len(set(counts)) == 1:
        return None
    return best if best != style.decimal else ";"


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
        self._check_names()

    def _check_names(self) -> None:
        names = [self.names[i] for i in self.chosen]
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
                self.names[position] = key
            self._check_names()
            return
        if isinstance(units, (str, Unit)):
            units = [units] * len(self.chosen)
        if len(units) != len(self.chosen):
            raise UnitError(f"{len(units)} units were given for {len(self.chosen)} columns")
        self.units.update(zip(self.chosen, map(Unit, units), strict=True))

    def take_unit_row(self, line: Line) -> bool:
        """Whether a line holds units: no cell of it is a number, and no heading says a unit."""
        cells = self.style.split(line.text)
        if len(cells) != len(self.headings) or any(self.said[i] is not None for i in self.chosen):
            return False
        chosen = {i: cells[i] for i in self.chosen}
        numbers = {c for c in chosen.values() if self.style.is_number(c)}
        if {c for c in numbers if c != "1" and not self.style.is_missing(c)}:
            return False
        if numbers.issuperset(chosen.values()):
            return False
        for i, cell in chosen.items():
            try:
                self.units.setdefault(i, PURE if self.style.is_missing(cell) else read_unit(cell))
            except UnitError:
                problem = f"{cell!r:.40} is neither a number nor a unit"
                hint = "choose the columns of numbers by usecols=..."
                raise self.style.error(line.number, i, problem, hint) from None
        return True

    def named_units(self) -> list[tuple[str, Unit]]:
        """Name and unit of each chosen column."""
        return [(self.names[i], self._unit(i)) for i in self.chosen]

    def _unit(self, position: int) -> Unit:
        known, said = self.units.get(position), self.said[position]
        if known is not None:
            return known
        try:
            return PURE if said is None else read_unit(said)
        except UnitError as error:
            hint = f"say what it is: units={{{self.headings[position]!r:.60}: ...}}"
            problem = f"the heading says a unit that is none: {error.args[0]!r:.40}"
            raise self.style.error(self.line, position, problem, hint) from error
