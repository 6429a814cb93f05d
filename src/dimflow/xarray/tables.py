"""Columns of pandas with units come in as arrays with units, and labels go out as quantities.

xarray would keep a column as pandas' own kind of array, of which its reductions know nothing, and
its indexes hold plain numbers: their unit is an attribute.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import pandas as pd
import xarray as xr
from xarray.core import variable

from dimflow.array import DimArray
from dimflow.array.dimarray import wrap
from dimflow.errors import UnitError
from dimflow.io import tables
from dimflow.io.attributes import with_unit
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit
from dimflow.xarray.replacing import replace, replace_method
from dimflow.xarray.variables import holds_numbers, label_unit, with_data


def know_columns() -> None:
    """Have xarray make arrays with units of pandas' columns; done once."""
    replace(variable, "_maybe_wrap_data", _wrap_data)
    replace(variable, "_possibly_convert_objects", _convert_objects)
    replace_method(xr.Dataset, "from_dataframe", _from_dataframe)
    tables.known[xr.Dataset] = _as_table


def _as_table(found: Any) -> Any:
    frame = found.dimflow.to_dataframe()
    return tables.known[pd.DataFrame](frame)


def _unit(values: Any) -> Unit | None:
    """The unit of a column or an index of pandas, by its dtype."""
    unit = getattr(values.dtype, "unit", None)  # dates say theirs in a text
    return unit if isinstance(unit, Unit) else None


def _wrap_data(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def wrap_data(data: Any) -> Any:
        is_column = isinstance(data, (pd.Index, pd.api.extensions.ExtensionArray))
        return DimArray(data).copy() if is_column and _unit(data) is not None else original(data)

    return wrap_data


def _convert_objects(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def convert(values: Any) -> Any:
        """Quantities one by one, such as those of a whole table, are an array."""
        if any(isinstance(value, DimArray) for value in values.flat):
            found = pd.Series(values.ravel())
            if _unit(found) is not None:
                return DimArray(found).reshape(values.shape)
        return original(values)

    return convert


def _from_dataframe(original: Callable[..., Any]) -> Any:
    @wraps(original)
    def from_dataframe(cls: Any, dataframe: Any, sparse: bool = False) -> Any:
        """Of plain numbers, and with their units then: `df.to_xarray()` and all others."""
        make = original.__func__  # type: ignore[attr-defined]
        parts = [dataframe.iloc[:, place] for place in range(dataframe.shape[1])]
        plain = dataframe.set_axis(_without_units(dataframe.index))
        for place, part in enumerate(parts):
            if _unit(part) is not None:
                plain.isetitem(place, part.dimflow.magnitude.set_axis(plain.index))
        made = make(cls, plain, sparse)
        found = dict(zip(dataframe.columns, parts, strict=True))
        data = {
            name: with_data(made.variables[name], wrap(made.variables[name].data, unit))
            for name, part in found.items()
            if (unit := _unit(part)) is not None
        }
        for dim, level in zip(made.indexes, _levels(dataframe.index), strict=False):
            if (unit := _unit(level)) is not None:
                made[dim].attrs = with_unit({}, unit, None)
        return made.assign(data)

    return classmethod(from_dataframe)


def _levels(index: Any) -> list[Any]:
    return list(index.levels) if isinstance(index, pd.MultiIndex) else [index]


def _with_levels(index: Any, levels: list[Any]) -> Any:
    is_multiple = isinstance(index, pd.MultiIndex)
    return index.set_levels(levels) if is_multiple else levels[0].set_names(index.names)


def _without_units(index: Any) -> Any:
    """The labels as xarray has them, plain numbers."""
    levels = _levels(index)
    units = [_unit(level) for level in levels]
    if not any(unit is not None for unit in units):
        return index
    plain = [
        level if unit is None else pd.Index(DimArray(level).to_numpy(unit))
        for level, unit in zip(levels, units, strict=True)
    ]
    return _with_levels(index, plain)


def labelled(table: Any, coords: Any) -> Any:
    """A Series or a table with the units of coordinates at its labels, as pandas has them."""
    units = [_label_unit(coords, name) for name in table.index.names]
    if all(unit is None for unit in units):
        return table
    levels = [
        level if unit is None else pd.Index(DimArray(level.to_numpy(), unit), name=level.name)
        for level, unit in zip(_levels(table.index), units, strict=True)
    ]
    return table.set_axis(_with_levels(table.index, levels))


def _label_unit(coords: Any, name: Any) -> Unit | None:
    """None for labels that are no quantities; those of an unknown unit go by their numbers."""
    if name not in coords or not holds_numbers(coords[name].variable):
        return None
    try:
        unit = label_unit(coords[name].variable)
    except UnitError:
        return None
    return None if unit is PURE else unit
