"""Quantities that come into pandas: constructors, assignments, fill values, operators.

Each function here takes the place of one of pandas, see `dimflow.pandas.patches`: it does for
quantities what the original does for its own kinds, and calls the original for everything else.
"""

import operator
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
from pandas.core.col import Expression

from dimflow import ops
from dimflow.array import DimArray
from dimflow.array.core import Core
from dimflow.errors import DimflowError, ShapeMismatch, UnitError, UnsupportedFunction
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.units import PURE
from dimflow.pandas.column import DimExtensionArray, inferred
from dimflow.pandas.dtype import DimDtype
from dimflow.pandas.reading import is_quantity
from dimflow.pandas.scalar import DimScalar
from dimflow.units import Unit

Function = Callable[..., Any]


def sanitize_array(original: Function) -> Function:
    """Every constructor and assignment asks it for a column: an array with a unit becomes one."""

    @wraps(original)
    def sanitize(data: Any, index: Any, *args: Any, **options: Any) -> Any:
        if is_quantity(data):
            data = _column(DimArray(data), index)
        elif isinstance(data, np.ndarray) and data.dtype == object and data.ndim == 1:
            is_free = not args and options.get("dtype") is None
            data = inferred(data) if is_free else data
        return original(data, index, *args, **options)

    return sanitize


def _column(quantity: DimArray, index: Any) -> Any:
    if quantity.unit is PURE:  # a number or a mask, for which pandas has its own columns
        return quantity.to_numpy()[()]
    if quantity.ndim == 0 and index is not None:
        return DimExtensionArray(quantity.reshape((1,))).repeat(len(index))
    return DimExtensionArray(quantity, copy=True)


def frame_constructor(original: Function) -> Function:
    """`DataFrame(x)` and `Index(x)` make plain arrays of what they get before anything else."""

    @wraps(original)
    def init(
        frame: Any,
        data: Any = None,
        index: Any = None,
        columns: Any = None,
        *args: Any,
        **options: Any,
    ) -> None:
        if (
            isinstance(data, list)
            and data
            and all(is_quantity(r) and np.ndim(r) == 1 for r in data)
        ):
            data = ops.stack(data)
        if is_quantity(data) and DimArray(data).unit is not PURE:
            data, index, columns = _table(DimArray(data), index, columns), None, None
        original(frame, data, index, columns, *args, **options)

    return init


def _table(quantity: DimArray, index: Any, columns: Any) -> Any:
    if quantity.ndim == 0 and index is not None and columns is not None:
        parts = [_column(quantity, index)] * len(columns)
    elif quantity.ndim == 1:
        parts = [quantity]
    elif quantity.ndim == 2:
        parts = [quantity[:, place] for place in range(quantity.shape[1])]
    else:
        raise ShapeMismatch("pd.DataFrame", "one or two axes", quantity.shape)
    frame = pd.DataFrame(dict(enumerate(parts)))
    if index is not None:
        frame.index = index
    if columns is not None:
        frame.columns = columns
    return frame


def index_constructor(original: Function) -> Function:
    """See `frame_constructor`."""

    @wraps(original)
    def new(cls: Any, data: Any = None, *args: Any, **options: Any) -> Any:
        if is_quantity(data) and np.ndim(data) == 1:
            data = _column(DimArray(data), None)
        return original(cls, data, *args, **options)

    return new


def array(original: Function) -> Function:
    """`pd.array` knows no dtype of a list or an array by its elements but pandas' own."""

    @wraps(original)
    def make(data: Any, dtype: Any = None, copy: bool = True) -> Any:
        if is_quantity(data) and np.ndim(data) == 1:
            data = _column(DimArray(data), None)
        elif isinstance(data, (list, tuple)) and dtype is None and any(map(is_quantity, data)):
            data = pd.Series(data).array
        return original(data, dtype, copy)

    return make


def maybe_convert_objects(original: Function) -> Function:
    """pandas finds the dtype of lists and of results one by one by it: ours are found too."""

    @wraps(original)
    def convert(objects: Any, *args: Any, **options: Any) -> Any:
        found = original(objects, *args, **options)
        if options.get("convert_non_numeric") and found.dtype == object and found.ndim == 1:
            return inferred(found)
        return found

    return convert


def isna(original: Function) -> Function:
    """`isna` makes a plain array of what it does not know."""

    @wraps(original)
    def isna(obj: Any) -> Any:
        if isinstance(obj, DimScalar) or not is_quantity(obj):
            return original(obj)
        return original(np.asarray(DimArray(obj).to_numpy()))[()]

    return isna


def apply_if_callable(original: Function) -> Function:
    """Every index goes through it: a mask, which is an array of pure numbers, as one of NumPy's.

    And a quantity as a scalar that pandas can hash.
    """

    @wraps(original)
    def apply(key: Any, *args: Any, **options: Any) -> Any:
        if isinstance(key, Core) and key.unit is PURE and kind_of(key) == "b":
            key = DimArray(key).to_numpy()
        elif isinstance(key, tuple) or (isinstance(key, DimArray) and not key.ndim):
            key = _scalar(key)
        return original(key, *args, **options)

    return apply


def inplace_method(original: Function) -> Function:
    """`series += x` calls `Series.__add__`, which leaves quantities to us."""

    @wraps(original)
    def operate(data: Any, other: Any, op: Function) -> Any:
        def function(left: Any, right: Any) -> Any:
            found = op(left, right)
            if found is NotImplemented:
                return getattr(operator, op.__name__)(left, right)
            return found

        return original(data, other, function)

    return operate


def with_op(original: Function) -> Function:
    """And so does `pd.col("a") + x`."""

    @wraps(original)
    def operate(left: Any, op: str, other: Any, *args: Any, **options: Any) -> Any:
        if is_quantity(other) or isinstance(other, Unit):
            quantity = DimArray(1.0, other) if isinstance(other, Unit) else DimArray(other)
            other = Expression(lambda table: _column(quantity, table.index), repr(quantity))
        return original(left, op, other, *args, **options)

    return operate


def coerce_to_target_dtype(original: Function) -> Function:
    """A column that cannot hold a value asks here for another dtype: ours says what it takes."""

    @wraps(original)
    def coerce(block: Any, other: Any, *args: Any, **options: Any) -> Any:
        if isinstance(block.dtype, DimDtype):
            block.values._in_own_unit(other, "a column")
        elif block.dtype != object:
            _refuse_quantities(block.dtype, other)
        return original(block, other, *args, **options)

    return coerce


def replace(original: Function) -> Function:
    """A bare number would be found in no column with a unit, unseen."""
    given = signature(original)

    @wraps(original)
    def replace(block: Any, *args: Any, **options: Any) -> Any:
        if isinstance(block.dtype, DimDtype):
            wanted = given.bind(block, *args, **options).args[1]
            values = wanted if isinstance(wanted, (list, tuple, np.ndarray)) else [wanted]
            block.values._refuse_bare(values, "replace")
        return original(block, *args, **options)

    return replace


def mask_missing(original: Function) -> Function:
    """Where a value to replace stands: a quantity is in no column of plain numbers."""

    @wraps(original)
    def mask_missing(arr: Any, value: Any) -> Any:
        if isinstance(value, DimScalar) and isinstance(arr.dtype, np.dtype) and arr.dtype != object:
            return np.zeros(arr.shape, dtype=bool)
        return original(arr, value)

    return mask_missing


def concat_compat(original: Function) -> Function:
    """`concat` looks at dtypes alone: quantities as objects, such as a row, are columns here.

    A column in which every value is missing takes the unit of the others.
    """

    @wraps(original)
    def concat(to_concat: Any, *args: Any, **options: Any) -> Any:
        units = [part.dtype.unit for part in to_concat if isinstance(part.dtype, DimDtype)]
        if units and len(units) < len(to_concat):
            to_concat = [_column_beside(units[0], part) for part in to_concat]
        return original(to_concat, *args, **options)

    return concat


def _column_beside(unit: Unit, part: Any) -> Any:
    if isinstance(part.dtype, DimDtype) or part.ndim != 1 or part.dtype.kind not in "fO":
        return part
    if pd.isna(part).all():
        return DimExtensionArray(np.full(len(part), np.nan), unit)
    found = inferred(part) if isinstance(part, np.ndarray) and part.dtype == object else part
    return found if isinstance(found, DimExtensionArray) else part


def combine_first(original: Function) -> Function:
    """`concat` would make a column of objects of a column with a unit and one without."""

    @wraps(original)
    def combine(found: Any, other: Any) -> Any:
        if isinstance(found, pd.DataFrame):
            for name in found.columns.intersection(other.columns):
                _meeting(found[name], other[name])
            return original(found, other)
        return original(found, _meeting(found, other))

    return combine


def _meeting(series: Any, other: Any) -> Any:
    """What fills a series, as a column in its unit."""
    if isinstance(series.dtype, DimDtype):
        numbers = series.array._in_own_unit(other.array, "combine_first")
        column = DimExtensionArray(numbers, series.dtype.unit)
        return other._constructor(column, index=other.index, name=other.name)
    if series.dtype != object:
        _refuse_quantities(series.dtype, other)
    return other


def _refuse_quantities(dtype: Any, values: Any) -> None:
    """A column without a unit would become one of objects for a quantity, unseen."""
    if isinstance(getattr(values, "dtype", None), DimDtype):
        found = [DimArray(1.0, values.dtype.unit)]
    else:
        is_object = isinstance(values, np.ndarray) and values.dtype == object
        found = values.ravel() if is_object else [values]
    for value in found:
        if is_quantity(value) and DimArray(value).unit is not PURE:
            raise _no_place(dtype, value)


def _no_place(dtype: Any, value: Any) -> UnitError:
    return UnitError(
        f"a column of {dtype} has no place for a quantity in {DimArray(value).unit}",
        "give the column a unit first: series.dimflow.quantify(unit)",
    )


def setitem_single_column(original: Function) -> Function:
    """`frame.loc[:, "a"] = x` hides why a column does not take a value."""

    @wraps(original)
    def assign(indexer: Any, place: int, value: Any, *args: Any) -> None:
        try:
            original(indexer, place, value, *args)
        except TypeError as error:
            if isinstance(error.__cause__, DimflowError):
                raise error.__cause__ from None
            if is_quantity(value):
                raise _no_place(indexer.obj.dtypes.iloc[place], value) from None
            raise

    return assign


def setitem(original: Function) -> Function:
    """A new row is added before its values are looked at: what is refused is taken back.

    A column that becomes one of objects for a quantity is refused as well.
    """

    @wraps(original)
    def assign(indexer: Any, key: Any, value: Any) -> None:
        found = indexer.obj
        before, length = found._mgr, len(found)
        try:
            original(indexer, key, value)
            if len(found) != length:
                _check_enlarged(before.get_dtypes(), found)
        except Exception:
            if len(found) != length:
                found._mgr = before
            raise

    return assign


def _check_enlarged(before: Any, found: Any) -> None:
    after = found._mgr.get_dtypes()
    if len(before) != len(after):
        return
    for place, (old, new) in enumerate(zip(before, after, strict=True)):
        if new == np.dtype("O") and new != old:
            value = found.iloc[-1] if found.ndim == 1 else found.iloc[-1, place]
            if is_quantity(value):
                raise _no_place(old, value)


def case_when(original: Function) -> Function:
    """It makes a column of objects of two dtypes."""

    @wraps(original)
    def choose(series: Any, caselist: Any) -> Any:
        def full(value: Any) -> Any:
            if callable(value) or series.dtype == object:
                return value
            if not isinstance(series.dtype, DimDtype):
                _refuse_quantities(series.dtype, value)
                return value
            index = value.index if isinstance(value, pd.Series) else series.index
            numbers = np.broadcast_to(series.array._in_own_unit(value, "case_when"), len(index))
            return pd.Series(DimExtensionArray(numbers, series.dtype.unit, copy=True), index=index)

        return original(series, [(cond, full(value)) for cond, value in caselist])

    return choose


def make_na_block(original: Function) -> Function:
    """New columns of one value would be columns of objects, unseen."""

    @wraps(original)
    def make(manager: Any, placement: Any, fill_value: Any = None, **options: Any) -> Any:
        if is_quantity(fill_value):
            raise UnsupportedFunction(
                "a fill value for new columns",
                "pandas would make columns of objects",
                "add the column: frame.assign(name=quantity)",
            )
        return original(manager, placement, fill_value, **options)

    return make


def with_scalars(original: Function) -> Function:
    """pandas gets a scalar or an index that it knows, where it would make a plain array."""

    @wraps(original)
    def method(self: Any, *args: Any, **options: Any) -> Any:
        given = {name: _scalar(value) for name, value in options.items()}
        return original(self, *map(_scalar, args), **given)

    return method


def _scalar(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(map(_scalar, value))
    if isinstance(value, dict):
        return {_scalar(key): _scalar(part) for key, part in value.items()}
    if isinstance(value, DimArray) and value.ndim == 1 and value.unit is not PURE:
        return pd.Index(_column(value, None))
    if isinstance(value, DimArray) and value.ndim == 0 and value.unit is not PURE:
        return DimScalar(value.to_numpy(), value.unit)
    return value
