"""Columns of Dask's data frames as lazy arrays, and back: the unit is in the dtype of a column."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from dimflow.array.conversion import as_unit
from dimflow.errors import DtypeMismatch, NotANumber, ShapeMismatch, UnitError
from dimflow.ops.rules.units import PURE


def read_frame(cls: Any, frame: Any, unit: Any, lengths: Any) -> Any:
    """A column, or all columns of a frame by name."""
    if not hasattr(frame, "map_partitions") or not hasattr(frame, "npartitions"):
        raise NotANumber("from_dask_dataframe", f"a {type(frame).__name__}, which is not Dask's")
    if not hasattr(frame, "columns") or getattr(frame, "ndim", 2) == 1:
        return _column(cls, frame, unit, lengths)
    units = unit if isinstance(unit, Mapping) else dict.fromkeys(frame.columns, unit)
    unknown = [name for name in units if name not in list(frame.columns)]
    if unknown:
        known = ", ".join(map(str, frame.columns))
        raise UnitError(f"the frame has no column {unknown[0]!r:.60}", f"there are: {known:.200}")
    if lengths is True:
        lengths = _counted(frame)
    return {name: _column(cls, frame[name], units.get(name), lengths) for name in frame.columns}


def _column(cls: Any, series: Any, unit: Any, lengths: Any) -> Any:
    dtype = series.dtype
    own = getattr(dtype, "unit", None) if isinstance(dtype, _dtype_class()) else None
    number = np.dtype(dtype.number) if own is not None else dtype
    if not isinstance(number, np.dtype):
        number = np.dtype(getattr(dtype, "numpy_dtype", object))
    if number.kind not in "biufc":
        raise NotANumber("from_dask_dataframe", f"the column {series.name!r:.60} of {dtype}")
    raw = series.map_partitions(_numbers, meta=np.empty(0, number))
    if lengths is not None:
        raw = _with_lengths(raw, series, lengths)
    if own is None:
        return cls._made(raw, PURE if unit is None else as_unit(unit))
    made = cls._made(raw, own)
    return made if unit is None else made.to(unit, copy=False)


def _with_lengths(raw: Any, series: Any, lengths: Any) -> Any:
    if lengths is True:
        lengths = _counted(series)
    found = tuple(int(n) for n in lengths)
    if len(found) != series.npartitions:
        raise ShapeMismatch("from_dask_dataframe", f"{series.npartitions} lengths", len(found))
    raw._chunks = (found,)
    return raw


def _counted(frame: Any) -> Any:
    return frame.map_partitions(len, meta=("length", "int64")).compute()


def _numbers(series: Any) -> Any:
    """The numbers of a part of a column, in its unit."""
    column = series.array
    found = getattr(column, "_quantities", None)
    return np.asarray(column) if found is None else found.to_numpy()


def write_frame(x: Any, columns: Any, index: Any) -> Any:
    """A Series, or a DataFrame of an array of two axes, whose dtype has the unit."""
    raw = x.data
    if raw.ndim not in (1, 2):
        raise ShapeMismatch("to_dask_dataframe", "1 or 2 axes", raw.shape)
    if raw.dtype.kind == "c":
        raise DtypeMismatch("to_dask_dataframe", "real numbers", raw.dtype, "x.real, x.imag")
    number = "float32" if raw.dtype == np.float32 else "float64"
    dtype = _dtype_class()(x.unit, number)
    return raw.to_dask_dataframe(columns=columns, index=index).astype(dtype)


def _dtype_class() -> Any:
    return import_module("dimflow.pandas").DimDtype
