"""`.dimflow` on Series and DataFrame: units in and out of headings, conversions, plain numbers."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
from pandas.api.extensions import register_dataframe_accessor, register_series_accessor

from dimflow import ops
from dimflow.array import DimArray
from dimflow.array.guests import ROUNDINGS
from dimflow.errors import UnitError, UnitParseError
from dimflow.io.headings import has_readings, heading_of, name_and_unit, read_unit, suggested, told
from dimflow.pandas.column import DimExtensionArray, boxed
from dimflow.pandas.dtype import DimDtype
from dimflow.pandas.scalar import DimScalar
from dimflow.units import Dimension, Unit


@register_series_accessor("dimflow")
class SeriesAccessor:
    """The unit of a Series and what can be done with it."""

    def __init__(self, series: Any) -> None:
        self._series = series

    def _column(self) -> DimExtensionArray:
        column = self._series.array
        if not isinstance(column, DimExtensionArray):
            raise UnitError(
                f"the column {self._series.name!r} of {self._series.dtype} has no unit",
                "give it one: series.dimflow.quantify('m/s')",
            )
        return column

    def _like(self, values: Any) -> Any:
        series = self._series
        return series._constructor(values, index=series.index, name=series.name, copy=False)

    def quantify(self, unit: Unit | str) -> Any:
        """Plain numbers as quantities in a unit."""
        if isinstance(self._series.dtype, DimDtype):
            raise UnitError(
                f"the column {self._series.name!r} is in {self._series.dtype.unit} already",
                "convert it: series.dimflow.to(unit)",
            )
        return self._like(DimExtensionArray(self._series, unit, copy=True))

    def dequantify(self) -> Any:
        """Plain numbers, the unit in the name: `speed [m/s]`."""
        made = self.magnitude
        made.name = heading_of("" if made.name is None else made.name, self.unit)
        return made

    @property
    def unit(self) -> Unit:
        """The unit."""
        return self._column()._unit

    units = unit

    @property
    def dimension(self) -> Dimension:
        """The dimension of the unit."""
        return self.unit.dimension

    @property
    def magnitude(self) -> Any:
        """A Series of plain numbers, in the column's own unit."""
        return self._like(self._column()._raw.copy())

    @property
    def quantities(self) -> DimArray:
        """The values as one array of dimflow, which shares them."""
        return self._column().quantities

    def to(self, unit: Unit | str, via: Any = None) -> Any:
        """The same quantities in another unit."""
        return self._like(self._column().to(unit, via))

    def to_value(self, unit: Unit | str) -> Any:
        """A Series of plain numbers in a unit."""
        return self._like(self._column().to(unit)._raw)

    def to_base_units(self) -> Any:
        """The same quantities in SI base units."""
        return self._like(self._column().to(self.unit.to_base()))

    # The same as pandas' own methods, which dimflow taught units

    def clip(self, lower: Any = None, upper: Any = None) -> Any:
        """Within limits that are given with their units."""
        limited = ops.clip(self.quantities, lower, upper)
        return self._like(DimExtensionArray(limited, self.unit))

    def describe(self, percentiles: Any = None) -> Any:
        """The count, and mean, spread and quantiles with their units."""
        found = self.magnitude.describe(percentiles=percentiles)
        spread = self._column()._unit_of("std")
        units = {"count": None, "std": spread}
        values = [
            number if (unit := units.get(label, self.unit)) is None else DimScalar(number, unit)
            for label, number in found.items()
        ]
        return pd.Series(boxed(values), index=found.index, name=found.name)

    def rolling(self, *args: Any, **options: Any) -> Any:
        """Windows of neighbours: `series.dimflow.rolling(3).mean()`, as pandas' own."""
        return self._series.rolling(*args, **options)

    def expanding(self, *args: Any, **options: Any) -> Any:
        """Windows of all that came before."""
        return self._series.expanding(*args, **options)

    def ewm(self, *args: Any, **options: Any) -> Any:
        """All that came before, what is near with more weight."""
        return self._series.ewm(*args, **options)


def _rounding(name: str) -> Callable[..., Any]:
    op = ops.get(name)

    def method(self: SeriesAccessor, *args: Any, unit: Unit | str) -> Any:
        return self._like(DimExtensionArray(op(self.quantities, *args, unit=unit)))

    method.__name__, method.__doc__ = name, f"{op.doc} It counts in a unit."
    return method


for _name in ROUNDINGS:
    setattr(SeriesAccessor, _name, _rounding(_name))


@register_dataframe_accessor("dimflow")
class FrameAccessor:
    """The units of the columns of a table."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    @property
    def units(self) -> Any:
        """A Series with the unit of every column; None for columns that have none."""
        found = [getattr(dtype, "unit", None) for dtype in self._frame.dtypes]
        units = pd.Series(index=self._frame.columns, dtype=object)
        units[:] = boxed(found)
        return units

    def quantify(self, units: Mapping[Any, Unit | str] | None = None, level: Any = None) -> Any:
        """Plain columns as quantities.

        Units come from `units` by name, else from headings such as `speed [m/s]`, which lose them;
        with `level` from that level of the column index, where `-` and nothing are no unit.
        """
        if level is not None:
            return self._by_level(level)
        if units is not None:
            return self._by_name(units)
        frame, names, columns = self._frame, [], {}
        for place, heading in enumerate(frame.columns):
            series = frame.iloc[:, place]
            name, text = _name_and_unit(heading)
            if text is None or isinstance(series.dtype, DimDtype) or _is_none(text, series):
                name, columns[place] = heading, series
            else:
                columns[place] = _quantified(heading, name, text, series)
            names.append(name)
        return self._with(columns, names)

    def _by_name(self, units: Mapping[Any, Unit | str]) -> Any:
        return self._changed(units, lambda column, unit: column.quantify(unit))

    def _by_level(self, level: Any) -> Any:
        frame = self._frame
        texts = frame.columns.get_level_values(level)
        columns = {}
        for place, text in enumerate(texts):
            series = frame.iloc[:, place]
            is_plain = text is None or pd.isna(text) or str(text).strip() in ("", "-")
            columns[place] = series if is_plain else SeriesAccessor(series).quantify(str(text))
        return self._with(columns, frame.columns.droplevel(level))

    def dequantify(self, *, level: bool = False) -> Any:
        """Plain numbers, the units in the headings, or in a level of their own as pint has it."""
        frame = self._frame
        columns: dict[int, Any] = {}
        names: list[Any] = []
        for place, name in enumerate(frame.columns):
            series = frame.iloc[:, place]
            has_unit = isinstance(series.dtype, DimDtype)
            columns[place] = SeriesAccessor(series).magnitude if has_unit else series
            text = str(series.dtype.unit) if has_unit else ""
            if level:
                key = name if isinstance(name, tuple) else (name,)
                names.append((*key, text if has_unit else "-"))
            else:
                names.append(_heading(name, series.dtype.unit) if has_unit else name)
        if level:
            levels = [*frame.columns.names, "unit"]
            return self._with(columns, pd.MultiIndex.from_tuples(names, names=levels))
        return self._with(columns, names)

    def to(self, units: Mapping[Any, Unit | str] | Unit | str) -> Any:
        """Columns in other units: by name, or every column with a unit in one."""
        frame = self._frame
        if not isinstance(units, Mapping):
            units = {
                name: units
                for name, dtype in zip(frame.columns, frame.dtypes, strict=True)
                if isinstance(dtype, DimDtype)
            }
        return self._changed(units, lambda column, unit: column.to(unit))

    def to_base_units(self) -> Any:
        """Every column with a unit in SI base units."""
        frame = self._frame
        parts = [frame.iloc[:, place] for place in range(frame.shape[1])]  # names may repeat
        columns = {
            place: SeriesAccessor(part).to_base_units()
            if isinstance(part.dtype, DimDtype)
            else part
            for place, part in enumerate(parts)
        }
        return self._with(columns, frame.columns)

    def merge(self, right: Any, **options: Any) -> Any:
        """pandas' `merge`, the keys of the other table in the units of this one.

        pandas itself merges on a column in m and one in km only while no key repeats or is missing.
        """
        frame = self._frame
        shared = options.get("on")
        if shared is None and not {"left_on", "left_index"} & options.keys():
            shared = [name for name in frame.columns if name in right.columns]
        ours = _listed(options.get("left_on", shared))
        theirs = _listed(options.get("right_on", shared))
        units = {
            other: frame[name].dtype.unit
            for name, other in zip(ours, theirs, strict=False)
            if isinstance(frame[name].dtype, DimDtype)
        }
        return frame.merge(FrameAccessor(right).to(units), **options)

    def _changed(self, units: Mapping[Any, Unit | str], change: Callable[..., Any]) -> Any:
        """The table with the columns of some names changed; every name is checked."""
        frame = self._frame
        unknown = [name for name in units if name not in frame.columns]
        if unknown:
            known = ", ".join(map(str, frame.columns))
            raise UnitError(f"there is no column {unknown[0]!r}", f"there are {known}")
        parts = [frame.iloc[:, place] for place in range(frame.shape[1])]
        columns = {
            place: change(SeriesAccessor(part), units[name]) if name in units else part
            for place, (name, part) in enumerate(zip(frame.columns, parts, strict=True))
        }
        return self._with(columns, frame.columns)

    def _with(self, columns: Any, names: Any) -> Any:
        made = self._frame._constructor(columns, index=self._frame.index)
        if not isinstance(names, pd.Index):
            names = pd.Index(names).set_names(self._frame.columns.names)
        made.columns = names
        return made


def _heading(name: Any, unit: Unit) -> Any:
    """A name with a unit; of several levels the last one has it."""
    if isinstance(name, tuple) and name:
        return (*name[:-1], heading_of(name[-1], unit))
    return heading_of(name, unit)


def _is_none(text: str, series: Any) -> bool:
    """Whether what looks like a unit is none, of a column without numbers: time (UTC)."""
    if pd.api.types.is_numeric_dtype(series.dtype):
        return False
    try:
        read_unit(text)
    except UnitError as error:
        return not has_readings(error)
    return False


def _quantified(heading: Any, name: Any, text: str, series: Any) -> Any:
    """The column in the unit that its heading says; texts and dates may be meant to be none."""
    if pd.api.types.is_numeric_dtype(series.dtype):
        return SeriesAccessor(series).quantify(_unit_of(heading, text))
    try:
        return SeriesAccessor(series).quantify(read_unit(text))
    except UnitError as error:
        call = f"df.rename(columns={{{heading!r}: {name!r}}}).dimflow.quantify()"
        raise UnitError(
            f"the column {heading!r} of {series.dtype} is no column in {text!r}: {told(error)}",
            f"if it has no unit, rename it: {call}",
        ) from error


def _unit_of(heading: Any, text: str) -> Unit:
    """The unit that a heading says, or an error with the call that says another."""
    try:
        return read_unit(text)
    except UnitParseError as error:
        call = f"quantify({{{heading!r}: {suggested(error)!r}}}).dimflow.quantify()"
        hint = f"say its unit first: {call}"
        raise UnitParseError(text, error.position, told(error), hint) from error


def _name_and_unit(heading: Any) -> tuple[Any, str | None]:
    if isinstance(heading, tuple) and heading:
        name, text = _name_and_unit(heading[-1])
        return (*heading[:-1], name), text
    return name_and_unit(heading) if isinstance(heading, str) else (heading, None)


def _listed(names: Any) -> list[Any]:
    return names if isinstance(names, list) else [] if names is None else [names]
