"""Series, Index and DataFrame beside arrays and units of dimflow, in both orders.

pandas steps back for operands of a higher priority, which ours have, since it has no place for an
array with a unit in a column of plain numbers. What is asked for is done here on its columns.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from dimflow.array import DimArray
from dimflow.array.guests import Guest, guests
from dimflow.array.numpy_host import labelled
from dimflow.errors import ShapeMismatch
from dimflow.io import tables
from dimflow.pandas.column import DimExtensionArray
from dimflow.pandas.reading import numbers_in, quantities, unboxed
from dimflow.units import Unit

Operator = Callable[[Any, Any], Any]


def take_part() -> None:
    """Make dimflow's operators know pandas' classes."""
    guests[pd.Series] = guests[pd.Index] = Guest(numbers_in, _on_series)
    guests[pd.DataFrame] = Guest(unboxed, _on_frame)
    guests[pd.api.extensions.ExtensionArray] = Guest(numbers_in, _on_column)
    labelled.take_part(pd.Series, pd.Index, DimExtensionArray)
    tables.known[pd.DataFrame] = with_labels
    tables.known[pd.Series] = lambda series: with_labels(series.to_frame())


def with_labels(frame: Any) -> Any:
    """A frame whose labels are columns, unless they only count the rows."""
    index = frame.index
    is_count = index.name is None and index.nlevels == 1 and index.equals(pd.RangeIndex(len(frame)))
    return frame if is_count else frame.reset_index()


def series(array: Any, index: Any = None, name: Any = None) -> Any:
    """A Series of a copy of an array with a unit; also `DimArray.to_pandas`."""
    found = array.to_numpy().copy() if array.dtype == bool else DimExtensionArray(array, copy=True)
    return pd.Series(found, index=index, name=name, copy=False)


def _on_column(function: Operator, left: Any, right: Any) -> Any:
    is_left = isinstance(left, pd.api.extensions.ExtensionArray)
    column = DimExtensionArray(left if is_left else right)
    return column._operate(function, right if is_left else left, swapped=not is_left)


def _on_series(function: Operator, left: Any, right: Any) -> Any:
    series = left if isinstance(left, (pd.Series, pd.Index)) else right
    column = quantities(series)
    result = function(column, right) if series is left else function(left, column)
    if isinstance(result, tuple):
        return tuple(_like(series, part) for part in result)
    return _like(series, result)


def _like(series: Any, result: Any) -> Any:
    if isinstance(result, DimArray):
        if result.shape != (len(series),):
            raise ShapeMismatch("an operation with a column", (len(series),), result.shape)
        result = result.data if result.dtype == bool else DimExtensionArray(result)
    if isinstance(series, pd.Index):
        return pd.Index(result, name=series.name)
    made = series._constructor(result, index=series.index, name=series.name, copy=False)
    return made.__finalize__(series)


def _on_frame(function: Operator, left: Any, right: Any) -> Any:
    frame, other = (left, right) if isinstance(left, pd.DataFrame) else (right, left)
    columns = {}
    for place in range(frame.shape[1]):
        part = _part(other, place, frame.shape)
        series = frame.iloc[:, place]
        pair = (series, part) if frame is left else (part, series)
        columns[place] = _on_series(function, *pair)
    made = frame._constructor(columns, index=frame.index)
    made.columns = frame.columns
    return made


def _part(other: Any, place: int, shape: tuple[int, int]) -> Any:
    """What one column of a frame meets: an element of a row of values, a column of a matrix."""
    if isinstance(other, Unit) or not np.ndim(other):
        return other
    if other.shape == shape[1:]:
        return other[place]
    if other.shape == shape:
        return other[:, place]
    raise ShapeMismatch("an operation with a table", shape, other.shape)
