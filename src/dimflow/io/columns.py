"""Columns of numbers in text files, as NumPy's loadtxt and savetxt have them; a comment says units.

# time [s] height [m]
0.0 10.0
0.1 9.95
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from dimflow.array.dimarray import DimArray, wrap
from dimflow.errors import DimensionError, FileFormatError, ShapeMismatch, UnitError
from dimflow.io.headings import read_unit, spelled, units_in_brackets
from dimflow.io.numbers import MISSING, Layout, Line, layout, lines_of, read
from dimflow.io.places import Place, name_of, text, write_text
from dimflow.io.tables import check_lengths, column_of, digits
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit


def loadtxt(
    path: Place,
    unit: Unit | str | Sequence[Unit | str] | None = None,
    *,
    unpack: bool = False,
    usecols: Sequence[int] | int | None = None,
    skiprows: int = 0,
    delimiter: str | None = None,
    comments: str | None = "#",
    decimal: str = ".",
    missing: Collection[str] = MISSING,
    dtype: Any = float,
    encoding: str | None = None,
    max_bytes: int = 1 << 30,
) -> Any:
    """The numbers of a text file as one array, or with `unpack=True` as a tuple of its columns.

    `unit` is that of all numbers, or one for each column; without it, the last comment above the
    numbers that has units in square brackets says them, and if there is none, they are pure. One
    array is in the first column's unit, into which the others are converted.
    """
    style = layout(path, delimiter, decimal, missing, dtype)
    lines, notes = lines_of(text(path, encoding, max_bytes), comments)
    lines = [line for line in lines if line.number > skiprows]
    if not lines:
        raise FileFormatError(name_of(path), "it holds no numbers")
    if comments:
        lines = [Line(line.number, line.text.partition(comments)[0]) for line in lines]
    count = len(style.split(lines[0].text))
    chosen = _chosen(path, usecols, count)
    rows = read(style, lines, count, chosen)
    units = _units(style, unit, notes, lines[0].number, chosen, count)
    if unpack:
        return tuple(wrap(row, unit) for row, unit in zip(rows, units, strict=True))
    for i, own in enumerate(units):
        _bring(rows, i, own, units[0])
    table = rows[0] if len(chosen) == 1 else np.ascontiguousarray(rows.T)
    return wrap(table, units[0])


def savetxt(
    path: Place,
    data: Any,
    *,
    names: Sequence[str] | None = None,
    fmt: str | None = None,
    delimiter: str = " ",
    comments: str = "# ",
    encoding: str = "utf-8",
    overwrite: bool = True,
) -> None:
    """Write an array of one or two axes, or columns, below a comment that says their units.

    `data` is an array, a list of columns or a mapping of names to columns. `fmt` is one of NumPy's,
    such as "%.6e"; without it every digit is written.
    """
    layout(path, None if delimiter == " " else delimiter, ".", (), float)
    columns, own_names, is_one = _columns(data)
    names = own_names if names is None else list(names)
    if names is not None and len(names) != len(columns):
        raise ShapeMismatch("savetxt", f"{len(columns)} names", len(names))
    for name in names or ():
        if set("[]\n\r") & set(str(name)):
            raise UnitError(f"{name!r:.60} cannot be the name of a column here")
    texts = [spelled(unit) for _, unit in columns]
    if names is not None:
        heading = delimiter.join(f"{n} [{t}]" for n, t in zip(names, texts, strict=True))
    else:
        heading = delimiter.join(f"[{t}]" for t in (texts[:1] if is_one else texts))
    if fmt is None:
        cells = [digits(raw) for raw, _ in columns]
    else:
        cells = [[fmt % value for value in raw.tolist()] for raw, _ in columns]
    rows = map(delimiter.join, zip(*cells, strict=True))
    content = "\n".join([comments + heading, *rows, ""])
    write_text(path, content, encoding, overwrite=overwrite)


def _chosen(path: Place, usecols: Sequence[int] | int | None, count: int) -> list[int]:
    if usecols is None:
        return list(range(count))
    chosen = [usecols] if isinstance(usecols, int) else list(usecols)
    for column in chosen:
        if not -count <= column < count:
            problem = f"there is no column {column}, of {count}"
            raise FileFormatError(name_of(path), problem)
    return [column % count for column in chosen]


def _units(
    style: Layout, asked: Any, notes: list[Line], first: int, chosen: list[int], count: int
) -> list[Unit]:
    if isinstance(asked, (str, Unit)):
        return [Unit(asked)] * len(chosen)
    if asked is not None:
        if len(asked) != len(chosen):
            raise UnitError(f"{len(asked)} units were given for {len(chosen)} columns")
        return [Unit(unit) for unit in asked]
    said = [note for note in notes if note.number < first and units_in_brackets(note.text)]
    if not said:
        return [PURE] * len(chosen)
    number, line = said[-1]
    texts = units_in_brackets(line)
    if len(texts) == 1:
        texts = texts * count
    if len(texts) != count:
        problem = f"{len(texts)} units for {count} columns"
        raise style.error(number, None, problem, "say them: unit=[...]")
    try:
        return [read_unit(texts[i]) for i in chosen]
    except UnitError as error:
        problem = f"a comment says a unit that is none: {error.args[0]!r:.40}"
        raise style.error(number, None, problem, "say what it is: unit=...") from error


def _bring(rows: Any, i: int, own: Unit, target: Unit) -> None:
    """Convert a column in place."""
    if own.dimension is not target.dimension:
        hint = "take the columns one by one: unpack=True"
        names = "column 1", f"column {i + 1}"
        raise DimensionError("loadtxt", target, own, hint, names)
    convert = checked_converter(own, target)
    if convert is not None:
        rows[i] = convert(rows[i])


def _columns(data: Any) -> tuple[list[tuple[Any, Unit]], list[str] | None, bool]:
    """Numbers and unit of each column, their names, and whether they are of one array."""
    if isinstance(data, Mapping):
        found = {str(name): column_of(name, value) for name, value in data.items()}
        check_lengths("savetxt", found)
        return list(found.values()), list(found), False
    if isinstance(data, (list, tuple)) and any(isinstance(part, DimArray) for part in data):
        parts = {str(i): column_of(i, value) for i, value in enumerate(data)}
        check_lengths("savetxt", parts)
        return list(parts.values()), None, False
    array = data if isinstance(data, DimArray) else DimArray(data)
    raw = array.to_numpy()
    if raw.ndim not in (1, 2):
        raise ShapeMismatch("savetxt", "one or two axes", raw.shape)
    rows = [raw] if raw.ndim == 1 else list(raw.T)
    return [(row, array.unit) for row in rows], None, True
