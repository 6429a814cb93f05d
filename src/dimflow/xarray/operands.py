"""xarray's objects beside arrays and units of dimflow: they keep their labels and do the work.

An index coordinate beside quantities is one: `wind / wind.x` counts the unit of its attribute.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import xarray as xr
from xarray.computation import apply_ufunc as home
from xarray.core.common import DataWithCoords
from xarray.core.groupby import GroupBy
from xarray.structure import merge

from dimflow.array import DimArray
from dimflow.array.guests import Guest, guests, rounding
from dimflow.array.numpy_host import labelled
from dimflow.errors import UnitError
from dimflow.io.attributes import without_unit
from dimflow.units import Unit
from dimflow.xarray.alignment import labelled_as
from dimflow.xarray.replacing import replace, replace_method
from dimflow.xarray.variables import (
    as_quantity,
    has_quantities,
    refuse_claim,
    remember_elements,
    unit_of,
    without_ranges,
)


def take_part() -> None:
    """Make dimflow's operators and `DimArray(...)` know xarray's classes, and these units."""
    guests[xr.NamedArray] = guests[xr.DataArray] = Guest(_numbers, _leave, _counted)
    guests[xr.Dataset] = guests[xr.DataTree] = guests[GroupBy] = Guest(lambda value: value, _leave)
    labelled.take_part(xr.NamedArray, xr.DataArray)
    for kind in (xr.Variable, xr.DataArray, xr.Dataset):
        replace_method(kind, "_binary_op", _operation)
    replace_method(xr.Variable, "_inplace_binary_op", _operation)
    for kind in (xr.Variable, xr.DataArray):
        replace_method(kind, "_unary_op", _unary_op)
    for name in ("reduce", "coarsen"):
        replace_method(xr.Variable, name, _reduce)
    replace(home, "apply_ufunc", _apply_ufunc)
    replace(home, "apply_variable_ufunc", _apply_ufunc)
    replace(merge, "unique_variable", _unique_variable)
    replace_method(xr.Variable, "__setitem__", _setitem)
    replace_method(DataWithCoords, "isin", _isin)
    replace_method(xr.Variable, "concat", _concat)
    replace_method(xr.IndexVariable, "_finalize_indexing_result", remember_elements)


def _numbers(found: Any) -> Any:
    made = as_quantity(found)
    refuse_claim("DimArray", made)
    return made.data


def _counted(found: Any) -> Any:
    """An index coordinate as quantities; as it is where dimflow cannot read its unit."""
    try:
        return as_quantity(found)
    except UnitError:
        return found


def _leave(function: Any, left: Any, right: Any) -> Any:
    return NotImplemented


def _has_unit(value: Any) -> bool:
    if isinstance(value, (xr.Variable, xr.DataArray)):
        return unit_of(value) is not None
    return isinstance(value, (DimArray, Unit)) or has_quantities(value)


def meet(operation: Any, values: tuple[Any, ...]) -> tuple[Any, ...] | list[Any]:
    """Operands of one operation: beside quantities, a list with labels as quantities.

    Other plain numbers are refused if an attribute claims a unit for them.
    """
    if not any(map(_has_unit, values)):
        return values
    made = [as_quantity(value) for value in values]
    for value in made:
        if isinstance(value, (xr.Variable, xr.DataArray)):
            refuse_claim(operation, value)
        elif isinstance(value, xr.Dataset):
            others = [other for other in made if other is not value]
            for name in value.data_vars:
                if any(_has_unit_beside(other, name) for other in others):
                    refuse_claim(operation, value._variables[name], name)
    return made


def _has_unit_beside(value: Any, name: Any) -> bool:
    if not isinstance(value, xr.Dataset):
        return _has_unit(value)
    return name in value.data_vars and unit_of(value._variables[name]) is not None


def _operation(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def _binary_op(self: Any, other: Any, f: Any, *args: Any, **kwargs: Any) -> Any:
        met = meet(f, (self, other))
        result = original(*met, f, *args, **kwargs)
        return result if isinstance(met, tuple) else without_ranges(_clean(result), *met)

    return _binary_op


def _apply_ufunc(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def apply_ufunc(func: Any, *args: Any, **kwargs: Any) -> Any:
        met = meet(func, args)
        if met is args:
            return original(func, *args, **kwargs)
        with rounding("x"):
            result = original(func, *met, **kwargs)
        if not isinstance(result, tuple):
            return labelled_as(without_ranges(_clean(result), *met), args)
        return tuple(labelled_as(_clean(each), args) for each in result)

    return apply_ufunc


def _unary_op(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def unary_op(self: Any, f: Any, *args: Any, **kwargs: Any) -> Any:
        with rounding("x"):
            return original(self, f, *args, **kwargs)

    return unary_op


def _reduce(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def reduce(self: Any, *args: Any, **kwargs: Any) -> Any:
        return without_ranges(original(self, *args, **kwargs), self)

    return reduce


def _unique_variable(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def unique_variable(name: Any, variables: Any, *args: Any, **kwargs: Any) -> Any:
        return original(name, list(meet("merge", tuple(variables))), *args, **kwargs)

    return unique_variable


def _setitem(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def set_item(self: Any, key: Any, value: Any) -> None:
        if isinstance(value, xr.Variable) and unit_of(self) is not None:
            value = meet("assignment", (self, value))[1]
        original(self, key, value)

    return set_item


def _isin(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def isin(self: Any, test_elements: Any) -> Any:
        return original(*meet("isin", (self, test_elements)))

    return isin


def _concat(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def concat(variables: Any, *args: Any, **kwargs: Any) -> Any:
        return original(meet("concat", tuple(variables)), *args, **kwargs)

    return staticmethod(concat)


def _clean(result: Any) -> Any:
    """Without an attribute of one of the operands that says another unit than the data."""
    if isinstance(result, (xr.Variable, xr.DataArray)) and "units" in result.attrs:
        result.attrs = without_unit(result.attrs)
    return result
