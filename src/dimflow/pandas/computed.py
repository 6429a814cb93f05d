"""Methods that pandas computes on plain floats: ours run on the numbers, and a rule has the unit.

Each function here takes the place of one of pandas, see `dimflow.pandas.patches`.
"""

import copy
import math
import operator
from collections.abc import Callable
from functools import reduce, wraps
from typing import Any

import numpy as np
import pandas as pd

from dimflow.array import DimArray
from dimflow.array.durations import SECOND
from dimflow.errors import UnitError, UnitLossError
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.units import PURE, unlike
from dimflow.pandas.column import DimExtensionArray
from dimflow.pandas.dtype import DimDtype
from dimflow.pandas.reading import is_quantity
from dimflow.pandas.scalar import DimScalar
from dimflow.units import Unit
from dimflow.units.alike import are_alike

Function = Callable[..., Any]


def select_describe_func(original: Function) -> Function:
    """`describe` puts its results into a column of floats: ours keeps them one by one."""

    @wraps(original)
    def select(data: Any) -> Any:
        if isinstance(data.dtype, DimDtype):
            return lambda series, percentiles: series.dimflow.describe(percentiles)
        return original(data)

    return select


def index_to_interp_indices(original: Function) -> Function:
    """Interpolation by an index is by its numbers, in whatever unit."""

    @wraps(original)
    def indices(index: Any, method: str) -> Any:
        is_ours = isinstance(index.dtype, DimDtype)
        return original(pd.Index(index.array._raw) if is_ours else index, method)

    return indices


def plot(original: Function) -> Function:
    """Plots of pandas take plain floats, and a histogram cuts objects into bins."""

    @wraps(original)
    def plot(accessor: Any, *args: Any, **options: Any) -> Any:
        data = accessor._parent
        columns = [data] if data.ndim == 1 else [data.iloc[:, i] for i in range(data.shape[1])]
        try:
            for column in columns:
                if options.get("kind") == "hist" and isinstance(column.dtype, DimDtype):
                    column.array._pure("plot.hist")
            return original(accessor, *args, **options)
        except UnitLossError as error:
            hint = _plain_plot(data, options)
            raise UnitLossError("a plot of pandas", error.unit, hint) from None

    return plot


def _plain_plot(data: Any, options: dict[str, Any]) -> str:
    """The call that plots plain numbers, with the units in the names."""
    given = {name: options[name] for name in ("kind", "x", "y") if options.get(name) is not None}
    if data.ndim == 1:
        name = "series"
    else:
        name, after = "df", data.dimflow.dequantify().columns
        headings = dict(zip(data.columns, after, strict=True))
        for axis in given.keys() & {"x", "y"}:
            asked = given[axis]
            if isinstance(asked, list):
                given[axis] = [headings.get(each, each) for each in asked]
            else:
                given[axis] = headings.get(asked, asked)
    texts = ", ".join(f"{option}={value!r}" for option, value in given.items())
    return f"take the numbers, the units in the names: {name}.dimflow.dequantify().plot({texts})"


def compute(original: Function) -> Function:
    """`nlargest` and `nsmallest` partition plain numbers: ours are those of the column's unit."""

    @wraps(original)
    def select(selection: Any, method: str) -> Any:
        series = selection.obj
        if not isinstance(series.dtype, DimDtype):
            return original(selection, method)
        plain = type(selection)(series.dimflow.magnitude, selection.n, selection.keep)
        return original(plain, method).dimflow.quantify(series.dtype.unit)

    return select


def apply_columnwise(original: Function) -> Function:
    """Windows run over plain floats: ours are those of each column, and the rule gives the unit."""

    @wraps(original)
    def apply_to(window: Any, function: Any, name: str, *args: Any, **options: Any) -> Any:
        selected = window._selected_obj
        if not _columns_of(selected):
            return original(window, function, name, *args, **options)
        units = {place: c._unit_of(name) for place, c in _columns_of(selected).items()}
        plain = copy.copy(window)
        plain.obj, plain._cache = _numbers_of(window.obj), {}
        found = original(plain, function, name, *args, **options)
        return _with_units(found, units)

    return apply_to


def prep_values(original: Function) -> Function:
    """Only `corr` and `cov` of windows still come here with a unit.

    The error is no TypeError, since pandas makes its own error of those.
    """

    @wraps(original)
    def prepare(window: Any, values: Any) -> Any:
        if isinstance(values.dtype, DimDtype) and values.dtype.unit is not PURE:
            raise UnitError(
                f"this window of pandas ({type(window).__name__}) would lose the unit",
                "roll over plain numbers: series.dimflow.magnitude.rolling(...)",
            )
        return original(window, values)

    return prepare


def _columns_of(data: Any) -> dict[int, DimExtensionArray]:
    """The columns with units of a Series or a table, by place."""
    parts = [data] if data.ndim == 1 else [data.iloc[:, i] for i in range(data.shape[1])]
    return {i: p.array for i, p in enumerate(parts) if isinstance(p.dtype, DimDtype)}


def _numbers_of(data: Any) -> Any:
    """A Series or a table with plain numbers, in the units that its columns have."""
    if data.ndim == 1:
        return data.dimflow.magnitude if _columns_of(data) else data
    plain = data.copy(deep=False)
    for place, column in _columns_of(data).items():
        plain.isetitem(place, column._raw)
    return plain


def _with_units(found: Any, units: dict[int, Any]) -> Any:
    """Plain results with the units that belong to them; None is no unit."""
    for place, unit in units.items():
        if unit is not None and found.ndim == 1:
            return found.dimflow.quantify(unit)
        if unit is not None:
            found.isetitem(place, DimExtensionArray(found.iloc[:, place], unit))
    return found


def quantile(original: Function) -> Function:
    """`groupby(...).quantile` makes plain floats of its columns; see `apply_columnwise`."""

    @wraps(original)
    def of_groups(groups: Any, q: Any = 0.5, interpolation: str = "linear", **options: Any) -> Any:
        selected = groups._obj_with_exclusions
        units = {i: c._unit_at(interpolation) for i, c in _columns_of(selected).items()}
        if not units:
            return original(groups, q, interpolation, **options)
        plain = copy.copy(groups)
        plain.obj, plain._cache = _numbers_of(groups.obj), {}
        return _with_units(original(plain, q, interpolation, **options), units)

    return of_groups


def inferring(original: Function) -> Function:
    """What pandas computed one by one are objects: those of one dimension become columns."""

    @wraps(original)
    def method(self: Any, *args: Any, **options: Any) -> Any:
        found = original(self, *args, **options)
        return found.infer_objects() if isinstance(found, (pd.Series, pd.DataFrame)) else found

    return method


def dot(original: Function) -> Function:
    """A product of objects, which loses the errors of its elements: ours are of whole columns."""

    @wraps(original)
    def product(frame: Any, other: Any) -> Any:
        if isinstance(other, (pd.Series, pd.DataFrame)):
            shared = frame.columns.union(other.index)
            if len(shared) > max(len(frame.columns), len(other.index)):
                return original(frame, other)  # an error of its own
            left, right = frame.reindex(columns=shared), other.reindex(index=shared)
        else:
            is_list = isinstance(other, (list, tuple)) and any(map(is_quantity, other))
            make = pd.Series if is_list or np.ndim(other) == 1 else pd.DataFrame
            left, right = frame, make(other, index=frame.columns)
        if not any(_columns_of(data) or _has_objects(data) for data in (left, right)):
            return original(frame, other)
        if right.ndim == 1:
            return _dot(left, right)
        found = {i: _dot(left, right.iloc[:, i]) for i in range(right.shape[1])}
        return frame._constructor(found, index=frame.index).set_axis(right.columns, axis=1)

    return product


def _has_objects(data: Any) -> bool:
    """Whether quantities of many dimensions are in it."""
    parts = [data] if data.ndim == 1 else [part for _, part in data.items()]
    objects = [part for part in parts if part.dtype == np.dtype("O")]
    return any(is_quantity(value) for part in objects for value in part)


def _dot(frame: Any, factors: Any) -> Any:
    terms = (frame.iloc[:, place] * factors.iloc[place] for place in range(frame.shape[1]))
    return reduce(operator.add, terms).rename(None)


def reduce_rows(original: Function) -> Function:
    """A row of columns of many dimensions is one of objects, of which pandas says another error."""

    @wraps(original)
    def reduce_frame(
        frame: Any,
        op: Any,
        name: str,
        *,
        axis: Any = 0,
        skipna: bool = True,
        numeric_only: bool = False,
        filter_type: Any = None,
        **options: Any,
    ) -> Any:
        is_row = axis is not None and frame._get_axis_number(axis) == 1
        if is_row and filter_type is None and name != "prod":
            _check_row(frame, name)
        found = original(
            frame,
            op,
            name,
            axis=axis,
            skipna=skipna,
            numeric_only=numeric_only,
            filter_type=filter_type,
            **options,
        )
        return found.infer_objects() if is_row and _columns_of(frame) else found

    return reduce_frame


def _check_row(frame: Any, name: str) -> None:
    if not _columns_of(frame):
        return
    units = [
        (str(label), getattr(part.dtype, "unit", PURE))
        for label, part in frame.items()
        if pd.api.types.is_numeric_dtype(part.dtype) and not part.isna().all()
    ]
    for label, unit in units[1:]:
        first, known = units[0]
        if not are_alike(unit, known):
            raise unlike(name, known, unit, (first, label))
        for pair in ((unit, known), (known, unit)):
            checked_converter(*pair)  # a point beside a difference is its error


def transpose(original: Function) -> Function:
    """Columns of one dimension become columns of the first unit, where pandas has objects."""

    @wraps(original)
    def turned(frame: Any, *args: Any, **options: Any) -> Any:
        dtypes = list(frame.dtypes)
        if all(isinstance(dtype, DimDtype) for dtype in dtypes) and len(set(dtypes)) > 1:
            shared = dtypes[0]._get_common_dtype(dtypes)
            frame = frame if shared is None else frame.astype(shared)
        return original(frame, *args, **options)

    return turned


def corr(original: Function) -> Function:
    """A correlation has no unit, and is the same in every unit."""

    @wraps(original)
    def of_numbers(data: Any, *args: Any, **options: Any) -> Any:
        plain = [_numbers_of(d) if isinstance(d, (pd.Series, pd.DataFrame)) else d for d in args]
        if isinstance(other := options.get("other"), (pd.Series, pd.DataFrame)):
            options["other"] = _numbers_of(other)
        return original(_numbers_of(data), *plain, **options)

    return of_numbers


def cov(original: Function) -> Function:
    """The covariance of two columns, in the product of the units of their deviations."""

    @wraps(original)
    def of_numbers(left: Any, other: Any, *args: Any, **options: Any) -> Any:
        units = [c._unit_of("std") for data in (left, other) for c in _columns_of(data).values()]
        found = original(_numbers_of(left), _numbers_of(other), *args, **options)
        return (
            found
            if not units or np.isnan(found)
            else DimScalar(found, math.prod(units, start=PURE))
        )

    return of_numbers


def has_invalid_return_type(original: Any) -> Any:
    """`eval` looks for a dtype of both sides, and a unit times a number has none: ours decide."""
    return property(
        lambda op: not _has_units(op) and original.fget(op),
        doc=original.__doc__,
    )


def _has_units(op: Any) -> bool:
    """Whether one is a column with a unit, or a unit itself: `2*@u.m`."""
    return any(isinstance(kind, DimDtype) or kind is Unit for kind in op.operand_types)


def to_timedelta(original: Function) -> Function:
    """Durations in their unit, where plain numbers would be nanoseconds."""

    @wraps(original)
    def convert(arg: Any, unit: Any = None, *args: Any, **options: Any) -> Any:
        column = arg.array if isinstance(arg, (pd.Series, pd.Index)) else arg
        if not isinstance(column, (DimExtensionArray, DimArray)):
            return original(arg, unit, *args, **options)
        if unit is not None:
            raise UnitError("to_timedelta got a unit for durations that have one")
        numbers = DimArray(column).to_value(SECOND)
        if isinstance(arg, (pd.Series, pd.Index)):
            numbers = pd.Series(numbers, index=getattr(arg, "index", None), name=arg.name)
        found = original(numbers, "s", *args, **options)
        return pd.Index(found) if isinstance(arg, pd.Index) else found

    return convert
