"""Columns of numbers in text files, as NumPy's loadtxt and savetxt have them; a comment says units.

# time [s] height [m]
0.0 10.0
0.1 9.95
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dimflow.array.dimarray import DimArray, wrap
from dimflow.errors import DimensionError, FileFormatError, ShapeMismatch, UnitError
from dimflow.io.headings import read_unit, spelled, units_in_brackets
from dimflow.io.notes import units_above
from dimflow.io.numbers import MISSING, Layout, Line, Missing, layout, lines_of, read
from dimflow.io.places import Place, check_is_text, name_of, text, write_text
from dimflow.io.tables import by_name, check_lengths, column_of, digits, known
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.units import PURE
from dimflow.ops.rules.values import refuse_cut
from dimflow.units import Unit
from dimflow.units.alike import are_alike

_UNPACK = "take the columns one by one: unpack=True"
_RELABEL = "if the comment is wrong: DimArray(np.loadtxt(path), unit)"


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
    thousands: str | None = None,
    missing: Missing = MISSING,
    dtype: Any = float,
    encoding: str | None = None,
    max_bytes: int = 1 << 30,
) -> Any:
    """The numbers of a text file as one array, or with `unpack=True` as a tuple of its columns.

    `unit` is that of all numbers, or one for each column; without it, the last comment above the
    numbers that has one in square brackets for each column says them, or the only comment with
    brackets has one for all; if there are no brackets, they are pure. Where both say one, the
    numbers are converted. One array is in the first column's unit, into which the others are
    converted.
    """
    style = layout(path, delimiter, decimal, missing, dtype, thousands)
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
    if unit is not None:
        for i, own in enumerate(_said(style, notes, lines[0].number, chosen, count)):
            _bring(rows, i, own, units[i], ("unit", f"column {chosen[i] + 1}"), _RELABEL)
    if unpack:
        return tuple(wrap(row, unit) for row, unit in zip(rows, units, strict=True))
    for i, own in enumerate(units):
        _bring(rows, i, own, units[0], ("column 1", f"column {i + 1}"), _UNPACK)
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
    check_is_text("savetxt", path)
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
    said = units_above(style, notes, first, count, "unit")
    if said is None:
        return [PURE] * len(chosen)
    try:
        return [read_unit(said.units[i]) for i in chosen]
    except UnitError as error:
        problem = f"a comment says a unit that is none: {error.args[0]!r:.40}"
        raise style.error(said.number, None, problem, "say what it is: unit=...") from error


def _said(
    style: Layout, notes: list[Line], first: int, chosen: list[int], count: int
) -> list[Unit]:
    """The units of a comment that has one for each column; none if it is not certain."""
    try:
        said = units_above(style, notes, first, count, "unit")
        is_certain = said is not None and len(units_in_brackets(said.text)) == count
        return [read_unit(said.units[i]) for i in chosen] if said and is_certain else []
    except (UnitError, FileFormatError):
        return []


def _bring(rows: Any, i: int, own: Unit, target: Unit, names: tuple[str, str], hint: str) -> None:
    """Convert a column in place."""
    if not are_alike(own, target):
        raise DimensionError("loadtxt", target, own, hint, names)
    convert = checked_converter(own, target)
    if convert is not None:
        found = convert(rows[i])
        refuse_cut(found, rows.dtype)
        rows[i] = found


def _columns(data: Any) -> tuple[list[tuple[Any, Unit]], list[str] | None, bool]:
    """Numbers and unit of each column, their names, and whether they are of one array."""
    if isinstance(data, Mapping) or any(base in known for base in type(data).__mro__):
        named = by_name("savetxt", data)
        found = {name: column_of(name, value) for name, value in named.items()}
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
