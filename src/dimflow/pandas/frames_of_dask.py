"""Columns with units in Dask's data frames, which are planned on columns of two made-up values.

A summary is Dask's own of the plain numbers, so that its parts fit together as Dask thinks; the
unit is what pandas' column says of the same summary, and an error of units comes while planning.

Parts may come in other units than were planned: they are converted as they come in.
"""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np
import pandas as pd
from dask.dataframe.core import apply_and_enforce
from dask.dataframe.dispatch import make_meta_dispatch, meta_nonempty
from dask.dataframe.extensions import make_array_nonempty, make_scalar
from dask.dataframe.utils import check_meta

from dimflow.array import DimArray
from dimflow.errors import UnsupportedFunction
from dimflow.ops.rules.units import PURE
from dimflow.pandas.column import DimExtensionArray
from dimflow.pandas.dtype import DimDtype, fit_one_column
from dimflow.pandas.scalar import DimScalar

# The summary of pandas whose unit that of Dask has, of frames too; then those of columns alone.
_OF_ALL = {
    **{name: name for name in ("sum", "mean", "min", "max", "var", "std", "sem", "skew")},
    "kurtosis": "kurt",
}
_OF_COLUMNS = {
    "quantile": "quantile",
    "median": "median",
    "median_approximate": "median",
    "nlargest": "max",
    "nsmallest": "min",
}


def _column(dtype: Any) -> Any:
    return DimExtensionArray._from_sequence([1.0, 2.0], dtype=dtype)


def _scalar(dtype: Any) -> Any:
    return DimArray(1.0, dtype.unit)


def _itself(value: Any, index: Any = None) -> Any:
    return value


make_array_nonempty.register(DimDtype, _column)
make_scalar.register(DimDtype, _scalar)
make_meta_dispatch.register(DimScalar, _itself)
meta_nonempty.register(DimScalar, _itself)


def take_part() -> None:
    """Make the summaries of Dask's columns and frames know units. Plain ones stay as they are."""
    from dask.dataframe.dask_expr._collection import DataFrame, FrameBase, Series

    for home, names in ((FrameBase, _OF_ALL), (Series, _OF_COLUMNS)):
        for name, rule in names.items():
            setattr(home, name, _summary(getattr(home, name), rule))
    FrameBase.kurt = FrameBase.kurtosis
    for home in (DataFrame, Series):
        home.describe = _refusing(home.describe)
    from dask.dataframe import core, groupby
    from dask.dataframe.dask_expr import _concat, _expr, _groupby
    from dask.dataframe.dask_expr.io import _delayed, io

    is_scalar = core.is_scalar
    core.is_scalar = lambda value: isinstance(value, DimScalar) or is_scalar(value)
    for module in (_expr, _groupby, io):
        module.apply_and_enforce = _applied
    _delayed.check_meta, _concat.check_meta = _checked, _fitting
    # Dask plans and ends a deviation as it does a variance, whose unit is the square
    _groupby.Std._meta = property(lambda std: np.sqrt(_groupby.Var(*std.operands)._meta))
    groupby._finalize_std = partial(_deviation, groupby._finalize_std, groupby._finalize_var)


def _deviation(original: Any, variance: Any, parts: Any, **kwargs: Any) -> Any:
    if isinstance(parts[kwargs["sum_column"]].dtype, DimDtype):
        return np.sqrt(variance(parts, adjust_arrow=False, **kwargs))
    return original(parts, **kwargs)


def _applied(*args: Any, **kwargs: Any) -> Any:
    """What a function makes of a part, in the units that were planned; Dask plans some wrongly."""
    return _as_planned(kwargs["_meta"], apply_and_enforce(*args, **kwargs), is_sure=False)


def _checked(part: Any, meta: Any, funcname: str) -> Any:
    return check_meta(_as_planned(meta, part), meta, funcname)


def _fitting(meta_of_part: Any, meta: Any) -> Any:
    """Whether a part can stay as it is in `concat`: it is converted if this raises."""
    if _as_planned(meta, meta_of_part) is not meta_of_part:
        raise ValueError("other units")
    return check_meta(meta_of_part, meta)


def _as_planned(meta: Any, part: Any, *, is_sure: bool = True) -> Any:
    """A part of a column or a frame in the units of its plan; bare numbers have none."""
    is_table = isinstance(part, (pd.Series, pd.DataFrame)) and type(part) is type(meta)
    if not is_table or not _has_units(meta):
        return part
    if part.ndim == 1:
        units = [getattr(found.dtype, "unit", PURE) for found in (meta, part)]
        if part.dtype == meta.dtype or not (is_sure or fit_one_column(units)):
            return part
        numbers = meta.array._in_own_unit(part.array, "a part of a frame of Dask")
        return pd.Series(DimExtensionArray(numbers, meta.dtype.unit), part.index, name=part.name)
    made = part
    for place, name in enumerate(part.columns):
        column = part.iloc[:, place]
        planned = _as_planned(meta[name], column, is_sure=is_sure) if name in meta else column
        if planned is not column:
            made = made.copy(deep=False) if made is part else made
            made.isetitem(place, planned)
    return made


def _summary(original: Callable[..., Any], rule: str) -> Callable[..., Any]:
    @wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        meta = self._meta
        if isinstance(meta, pd.Series) and isinstance(meta.dtype, DimDtype):
            return _of_column(self, original, rule, args, kwargs)
        is_along_columns = kwargs.get("axis", args[0] if args else 0) in (0, "index", None)
        if isinstance(meta, pd.DataFrame) and _has_units(meta) and is_along_columns:
            return _of_frame(self, original, rule, args, kwargs)
        return original(self, *args, **kwargs)

    return method


def _refusing(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def describe(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _has_units(self._meta):
            reason = "its rows would be counts and quantities in one column"
            hint = "compute first, frame.compute().describe(), or ask for mean(), std(), quantile()"
            raise UnsupportedFunction("describe of Dask's columns with units", reason, hint)
        return original(self, *args, **kwargs)

    return describe


def _has_units(meta: Any) -> bool:
    dtypes = [meta.dtype] if meta.ndim == 1 else meta.dtypes
    return any(isinstance(dtype, DimDtype) for dtype in dtypes)


def _of_column(series: Any, original: Any, rule: str, args: Any, kwargs: Any) -> Any:
    unit = series._meta.array._unit_of(rule)
    numbers = _plain_numbers(series)
    found = original(numbers, *args, **kwargs)
    return found if unit is None else _mapped(_in_unit, found, unit)


def _of_frame(frame: Any, original: Any, rule: str, args: Any, kwargs: Any) -> Any:
    if not frame._meta.columns.is_unique:
        reason = "columns of one name could not be told apart in the result"
        raise UnsupportedFunction(f"{rule} of Dask's frame with units", reason, "rename them")
    units = {}
    for name, column in frame._meta.items():
        if isinstance(column.dtype, DimDtype):
            units[name] = column.array._unit_of(rule)
    return _mapped(_in_units, original(_plain_numbers(frame), *args, **kwargs), units)


def _mapped(function: Any, found: Any, units: Any) -> Any:
    from dask.dataframe import map_partitions

    attached = partial(function, units)
    parent = pd.Series(dtype=float)  # whose library a single number is of
    meta = attached(found._meta)
    return map_partitions(attached, found, meta=meta, enforce_metadata=False, parent_meta=parent)


def _plain_numbers(found: Any) -> Any:
    meta = found._meta
    return found.map_partitions(partial(_plain, meta), meta=_plain(meta, meta))


def _plain(meta: Any, part: Any) -> Any:
    part = _as_planned(meta, part)
    if part.ndim == 1:
        return pd.Series(part.array._raw, index=part.index, name=part.name, copy=False)
    plain = part.copy(deep=False)
    for place, dtype in enumerate(part.dtypes):
        if isinstance(dtype, DimDtype):
            column = part.iloc[:, place]
            plain.isetitem(place, _plain(column, column))
    return plain


def _in_unit(unit: Any, value: Any) -> Any:
    if isinstance(value, pd.Series):
        column = DimExtensionArray(value.to_numpy(), unit)
        return pd.Series(column, index=value.index, name=value.name, copy=False)
    return np.nan if np.isnan(value) else DimScalar(value, unit)


def _in_units(units: Any, values: Any) -> Any:
    """A number of each column. They are one column of quantities if all are of one dimension."""
    known = [units.get(name) for name in values.index]
    if not any(unit is not None for unit in known):
        return values
    made = [v if unit is None else _in_unit(unit, v) for v, unit in zip(values, known, strict=True)]
    first = known[0]
    if None in known or not fit_one_column(known):
        return pd.Series(made, index=values.index, dtype=object)
    return pd.Series(made, index=values.index, dtype=DimDtype(first))
