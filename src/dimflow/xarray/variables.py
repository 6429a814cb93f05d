"""Variables of xarray with a unit and without: the one place that looks inside them."""

from typing import Any

import numpy as np
import xarray as xr

from dimflow.array import DimArray
from dimflow.errors import UnitConversionError, UnitError
from dimflow.io.attributes import unit_in, with_unit, without_unit
from dimflow.ops.dispatch import interpreter_of
from dimflow.units import Unit


def unit_of(variable: Any) -> Unit | None:
    """The unit that the data of a variable carry; None for plain numbers."""
    data = variable._data if isinstance(variable, xr.Variable) else variable.variable._data
    return data.unit if isinstance(data, DimArray) else None


def label_unit(coordinate: Any) -> Unit | None:
    """The unit of a coordinate, which an index has as an attribute."""
    return unit_of(coordinate) or unit_in(coordinate.attrs)


def holds_numbers(variable: Any) -> bool:
    """Whether the data can have a unit: dates, texts and objects cannot."""
    return np.dtype(variable.dtype).kind in "iufc" if _is_numpy(variable.dtype) else True


def _is_numpy(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype)


def quantified(name: Any, variable: Any, given: Unit | str | None) -> Any:
    """A variable whose data carry the unit that is given, else the one in its attributes."""
    known = unit_of(variable)
    unit = _said(name, variable, given)
    if unit is None:
        return variable
    if known is not None:
        if given is None:
            raise UnitError(
                f"the data of {name!r} are in {known}, and its attributes say {unit}",
                "remove the attribute, or convert: .dimflow.to(...)",
            )
        raise UnitError(f"the data of {name!r} are in {known} already", "convert: .dimflow.to(...)")
    if not holds_numbers(variable):
        if given is None:
            return variable
        raise UnitError(f"{name!r} holds {variable.dtype}, which has no unit")
    made = variable.copy(deep=False, data=_with(variable.data, unit))
    made.attrs = without_unit(variable.attrs)
    return made


def _with(data: Any, unit: Unit) -> Any:
    interpreter_of(type(data))  # an error that names a library that dimflow does not know
    return DimArray(data, unit)


def _said(name: Any, variable: Any, given: Unit | str | None) -> Unit | None:
    try:
        return unit_in(variable.attrs) if given is None else Unit(given)
    except UnitError as error:
        hint = f"say it: quantify({{{name!r}: 'm'}}), or None to leave it alone"
        raise UnitError(f"the unit of {name!r} cannot be read: {error.problem}", hint) from error


def dequantified(variable: Any, style: str | None) -> Any:
    """A variable of plain numbers, its unit in the attributes."""
    unit = unit_of(variable)
    if unit is None:
        return variable
    made = variable.copy(deep=False, data=variable.data.data)
    made.attrs = with_unit(variable.attrs, unit, style)
    return made


def converted(name: Any, variable: Any, target: Unit | str, via: Any = None) -> Any:
    """A variable in another unit; the values of an index by its attribute."""
    unit = unit_of(variable)
    if unit is not None:
        return variable.copy(deep=False, data=variable.data.to(target, via))
    known = unit_in(variable.attrs)
    if known is None:
        raise UnitError(f"{name!r} has no unit", f"give it one: quantify({{{name!r}: 'm'}})")
    if not isinstance(variable, xr.IndexVariable):
        problem = f"{name!r} holds plain numbers, and its unit is an attribute"
        raise UnitError(problem, "make them quantities first: .dimflow.quantify()")
    moved = variable.copy(deep=False, data=DimArray(variable.values, known).to(target, via).data)
    moved.attrs = with_unit(variable.attrs, Unit(target), None)
    return moved


def in_unit_of(name: Any, coordinate: Any, value: Any) -> Any:
    """A label for an index: a quantity in the unit of the coordinate, as a plain number."""
    if isinstance(value, slice):
        ends = (in_unit_of(name, coordinate, end) for end in (value.start, value.stop, value.step))
        return slice(*ends)
    quantity = value.variable if isinstance(value, xr.DataArray) else value
    unit = label_unit(coordinate)
    if isinstance(quantity, xr.Variable):
        if unit_of(quantity) is not None:
            data = _numbers(name, quantity.data, unit)
            return value.copy(deep=False, data=data)
        return value if unit is None else _refuse_bare(name, unit, value)
    if isinstance(quantity, (list, tuple)) and any(_is_quantity(part) for part in quantity):
        quantity = DimArray(list(quantity))
    if _is_quantity(quantity):
        return _numbers(name, DimArray(quantity), unit)
    return value if unit is None else _refuse_bare(name, unit, value)


def tolerance_of(name: Any, coordinate: Any, value: Any) -> Any:
    """How far a label may be off, as a plain number: a difference, also where labels are points."""
    unit = label_unit(coordinate)
    if _is_quantity(value):
        return _numbers(name, DimArray(value), unit and unit.delta)
    return value if unit is None else _refuse_bare(name, unit.delta, value)


def _is_quantity(value: Any) -> bool:
    return isinstance(value, DimArray) or hasattr(value, "unit") or hasattr(value, "units")


def _numbers(name: Any, quantity: DimArray, unit: Unit | None) -> Any:
    if unit is None:
        raise UnitError(
            f"the coordinate {name!r} has no unit, but was asked for a value in {quantity.unit}",
            f"say its unit: x[{name!r}].attrs['units'] = ...",
        )
    try:
        found = quantity.to_numpy(unit)
    except UnitConversionError as error:
        error.add_note(f"for the coordinate {name!r}")
        raise
    return found if found.ndim else found[()]


def _refuse_bare(name: Any, unit: Unit, value: Any) -> Any:
    numbers = np.asarray(value)
    if value is None or numbers.dtype.kind not in "iufc" or unit.is_dimensionless:
        return value
    raise UnitError(
        f"the coordinate {name!r} is in {unit}, but was asked for a number without a unit",
        f"say it with its unit: {name}=5 * Unit({str(unit)!r}); or use xarray's own method",
    )
