"""Variables of xarray with a unit and without: the one place that looks inside them."""

import sys
from collections.abc import Callable
from functools import wraps
from types import FrameType
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import xarray as xr

from dimflow.array import DimArray
from dimflow.array.dimarray import wrap
from dimflow.errors import UnitConversionError, UnitError
from dimflow.io.attributes import is_time, unit_in, with_unit, without_unit
from dimflow.io.headings import suggested, told
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.rules.dtypes import kind_of
from dimflow.units import Unit
from dimflow.units.alike import is_number
from dimflow.units.tables import builtin

_NANOSECOND = builtin.parse("ns")  # whatever a scope makes of the names
RADIAN = builtin.parse("rad")


def unit_of(variable: Any) -> Unit | None:
    """The unit that the data of a variable carry; None for plain numbers."""
    data = variable._data if isinstance(variable, xr.Variable) else variable.variable._data
    return data.unit if isinstance(data, DimArray) else None


def label_unit(coordinate: Any) -> Unit | None:
    """The unit of a coordinate, which an index has as an attribute; no unit of dates in numbers."""
    unit = unit_of(coordinate)
    if unit is None and is_undecoded(coordinate):
        name, text = getattr(coordinate, "name", None) or "x", str(coordinate.attrs["units"])
        raise UnitError(
            f"the coordinate {name!r} counts time ({text!r:.60}), which is no pure number",
            "decode the dates: xr.decode_cf(dataset); or take them for durations: "
            f"x.dimflow.quantify({{{name!r}: {_readable(text)!r}}})",
        )
    return unit_in(coordinate.attrs) if unit is None else unit


def is_undecoded(variable: Any) -> bool:
    """Whether plain numbers are dates, by their attribute: `days since 2000-01-01`."""
    return is_time(str(variable.attrs.get("units"))) and holds_numbers(variable)


def has_quantities(found: Any) -> bool:
    """Whether a labelled object holds data or coordinates with units."""
    if isinstance(found, xr.DataArray):
        return unit_of(found.variable) is not None or has_quantities(found._coords)
    variables = found._variables if isinstance(found, xr.Dataset) else found
    return isinstance(variables, dict) and any(unit_of(v) is not None for v in variables.values())


def with_data(found: Any, data: Any) -> Any:
    """A variable or an array of other data, which have a unit of their own or none."""
    made = found.copy(deep=False, data=data)
    made.attrs = without_unit(found.attrs)
    return made


def plainly(
    found: Any, function: Callable[[Any], Any], unit_after: Callable[[Unit], Unit] | None = None
) -> Any:
    """A function of plain numbers on a labelled object; its variables keep their units.

    The units of data may change; those of coordinates do not.
    """
    if not has_quantities(found):
        return function(found)
    units = {name: unit_of(v) for name, v in found.dimflow._variables().items()}
    coords = set(found.coords)
    wanted = {
        name: unit if name in coords or unit_after is None else unit_after(unit)
        for name, unit in units.items()
        if unit is not None
    }
    accessor = function(found.dimflow.drop_units()).dimflow
    made = accessor._variables()
    changed = {
        name: with_data(made[name], wrap(made[name].data, unit))
        for name, unit in wanted.items()
        if name in made and unit_of(made[name]) is None
    }
    return accessor._replaced(changed)


def unit_after(name: str, unit: Unit) -> Unit:
    """The unit of a reduction or an interpolation, or its error, from the table."""
    sample = DimArray(np.array([1.0, 2.0]), unit)
    made: Any
    if name == "interp":
        made = np.interp(1.5, [1.0, 2.0], sample)
    else:
        made = getattr(np, name)(sample, *((0.5,) if name == "quantile" else ()))
    return made.unit if isinstance(made, DimArray) else Unit("")


# The numbers of index labels that were picked as elements, `x[1]`: computed ones are others
_elements: WeakValueDictionary[int, Any] = WeakValueDictionary()


def remember_elements(original: Callable[..., Any]) -> Callable[..., Any]:
    """What indexes an index: an element of it is a label still."""

    @wraps(original)
    def _finalize_indexing_result(self: Any, dims: Any, data: Any) -> Any:
        made = original(self, dims, data)
        if self._attrs and not made.dims and isinstance(made._data, np.ndarray):
            _elements[id(made._data)] = made._data
        return made

    return _finalize_indexing_result


def is_coordinate(found: Any) -> bool:
    """Whether plain numbers are the labels of an index, so that its attribute says their unit.

    Attributes outlive arithmetic: those of `q.x**2` are still those of `q.x`.
    """
    variable = found.variable if isinstance(found, xr.DataArray) else found
    if isinstance(variable, xr.IndexVariable):
        return True
    if variable.dims:
        return False
    if isinstance(found, xr.DataArray) and found._coords.get(found.name) is variable:
        return True  # `x.isel(t=0).t`, also of a copy
    return _elements.get(id(variable._data)) is variable._data


def as_quantity(found: Any) -> Any:
    """The numbers of a coordinate with the unit of its attribute; anything else as it is."""
    if not isinstance(found, (xr.DataArray, xr.Variable)) or unit_of(found) is not None:
        return found
    unit = label_unit(found) if is_coordinate(found) and holds_numbers(found) else None
    if unit is None:
        return found
    variable = found.variable if isinstance(found, xr.DataArray) else found
    made = with_data(variable.to_base_variable(), wrap(variable.data, unit))
    return found._replace(variable=made) if isinstance(found, xr.DataArray) else made


def claimed_unit(found: Any) -> str | None:
    """What an attribute says of plain numbers, unless that is "1": their unit before arithmetic."""
    variable = found.variable if isinstance(found, xr.DataArray) else found
    if not variable._attrs or unit_of(variable) is not None or not holds_numbers(variable):
        return None
    try:
        unit = unit_in(variable._attrs)
    except UnitError:
        return str(variable._attrs["units"])
    try:
        unit = unit or unit_in({"units": variable._attrs.get("unit")})
    except UnitError:
        return None  # whatever `unit` is, it is none of ours
    if is_undecoded(variable):
        return str(variable._attrs["units"])
    return None if unit is None or unit == Unit("") else str(unit)


def refuse_claim(operation: Any, found: Any, inside: Any = None) -> None:
    """Raise for plain numbers beside a quantity whose unit is only claimed by an attribute.

    They are an array, or the variable of this name inside another object.
    """
    claim = claimed_unit(found)
    if claim is None:
        return
    name = getattr(found, "name", None) if inside is None else inside
    x = "x" if isinstance(found, xr.DataArray) else "xr.DataArray(x)"
    unit = repr(_readable(claim))
    made, bare = f"{x}.dimflow.quantify({unit})", f"{x}.drop_attrs()"
    if inside is not None:
        made, bare = f"x.dimflow.quantify({{{name!r}: {unit}}})", f"x[{name!r}].drop_attrs()"
    before = f"{labels_named(name)}.dimflow.quantify()"
    first = f"compute with quantities: f({before})"
    if is_turned(claim):
        first = f"np.sin and np.cos read plain numbers as radians: np.sin({before})"
    raise UnitError(
        f"{_named(operation)} got plain numbers{'' if name is None else f' ({name!r})'} whose "
        f"attribute says {claim!r}, but attributes outlive arithmetic",
        f"{first}; if they are pure numbers by now: {bare}; if still in that unit: {made}",
    )


def labels_named(name: Any) -> str:
    """How an error calls the labels that plain numbers of this name were computed from."""
    return f"q.{name}" if str(name).isidentifier() else "labels"


def is_turned(claim: str) -> bool:
    """Whether a unit is one of angles, and not the radian, which NumPy's functions take."""
    try:
        unit = Unit(claim)
    except UnitError:
        return False
    return unit.dimension == RADIAN.dimension and unit != RADIAN


_COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}


def _named(operation: Any) -> str:
    """What the user called: the outermost function of xarray, or else the operation."""
    from dimflow.transforms.nan_watches import OPERATORS

    known = OPERATORS | _COMPARISONS
    called = getattr(operation, "func", operation)  # of a partial
    name = called if isinstance(called, str) else getattr(called, "__name__", "a function")
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = str(frame.f_globals.get("__name__")).split(".")
        if module[0] not in ("xarray", "dimflow", "numpy"):
            break
        inner = frame.f_code.co_name.strip("_")
        is_public = frame.f_code.co_name[0] not in "_<" or {inner, inner[1:]} & known.keys()
        if module[0] == "xarray" and module[1:2] != ["util"] and is_public:  # decorators are there
            name = inner
        frame = frame.f_back
    name = name.strip("_").removesuffix("_method")
    return known.get(name) or known.get(name[1:], name)  # of `radd` and `iadd`


def _readable(text: str) -> str:
    try:
        return str(Unit(text.partition(" since ")[0]))
    except UnitError:
        return "m"


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
    if packed := [key for key in ("scale_factor", "add_offset") if key in variable.attrs]:
        raise UnitError(
            f"{name!r} holds packed numbers, whose {' and '.join(packed)} is still to be applied",
            "unpack them: xr.decode_cf(x), or open the file as xarray does by itself",
        )
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
        own = suggested(error)
        call = f"quantify({own!r})" if name is None else f"quantify({{{name!r}: {own!r}}})"
        what = "say it, or '1' for pure numbers" if own == "1" else "say it"
        hint = f"{what}: {call}" + ("" if name is None else ", or None to leave it alone")
        raise UnitError(f"the unit of {name!r} cannot be read: {told(error)}", hint) from error


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
        made = variable.copy(deep=False, data=variable.data.to(target, via))
        return made if made.data.unit.key is unit.key else _unpacked(made)
    known = unit_in(variable.attrs)
    if known is None:
        raise UnitError(f"{name!r} has no unit", f"give it one: quantify({{{name!r}: 'm'}})")
    if not isinstance(variable, xr.IndexVariable):
        problem = f"{name!r} holds plain numbers, and its unit is an attribute"
        raise UnitError(problem, "make them quantities first: .dimflow.quantify()")
    moved = variable.copy(deep=False, data=DimArray(variable.values, known).to(target, via).data)
    moved.attrs = with_unit(variable.attrs, Unit(target), None)
    return moved if Unit(target).key is known.key else _unpacked(moved)


# How a file packs numbers and which it takes for valid, in the unit that they were read in
_PACKING = ("dtype", "scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned")
_RANGES = ("valid_min", "valid_max", "valid_range", "actual_range", "missing_value", "_FillValue")


def _unpacked(variable: Any) -> Any:
    """A variable in another unit than its file's: its compression stays, its packing does not."""
    variable.encoding = {k: v for k, v in variable.encoding.items() if k not in _PACKING}
    variable.attrs = {
        k: v for k, v in variable.attrs.items() if k not in _RANGES and k not in _PACKING
    }
    return variable


def without_ranges(result: Any, *sources: Any) -> Any:
    """A result, without the ranges of what it was computed from if that is in another unit."""
    if isinstance(result, (xr.Variable, xr.DataArray)) and result.attrs.keys() & set(_RANGES):
        units = [unit_of(v) for v in sources if isinstance(v, (xr.Variable, xr.DataArray))]
        unit = unit_of(result)
        if any(
            known is not None and (unit is None or known.key is not unit.key) for known in units
        ):
            result.attrs = {k: v for k, v in result.attrs.items() if k not in _RANGES}
    return result


def bounds(variables: dict[Any, Any]) -> dict[Any, Any]:
    """The bounds of cells by name, and of what they are: CF has both in one unit."""
    named = {
        found: name
        for name, variable in variables.items()
        for key in ("bounds", "climatology")
        if isinstance(found := variable.attrs.get(key, variable.encoding.get(key)), str)
    }
    return {found: name for found, name in named.items() if found in variables and found != name}


def unit_of_bounds(variable: Any, parent: Any) -> Unit | None:
    """The unit of the bounds of cells, which is that of what they bound."""
    try:
        known = unit_of(variable) or (unit_in(variable.attrs) or label_unit(parent))
        return known if holds_numbers(variable) else None
    except UnitError:
        return None


def converted_bounds(variable: Any, unit: Unit, target: Unit | str, via: Any) -> Any:
    """Bounds in another unit; plain numbers stay plain."""
    data = DimArray(variable.data, unit).to(target, via)
    made = variable.copy(deep=False, data=data if unit_of(variable) is not None else data.data)
    if "units" in variable.attrs:
        made.attrs = with_unit(variable.attrs, Unit(target), None)
    return _unpacked(made)


def in_unit_of(name: Any, coordinate: Any, value: Any, strict: bool = True) -> Any:
    """A label for an index: a quantity in the unit of the coordinate, as a plain number.

    Numbers without a unit are refused, or else, as xarray's own methods take them, in the unit of
    the coordinate; labelled numbers are in the unit that their attributes say.
    """
    if isinstance(value, slice):
        ends = (value.start, value.stop, value.step)
        return slice(*(in_unit_of(name, coordinate, end, strict) for end in ends))
    if isinstance(value, (list, tuple)) and any(is_quantity(part) for part in value):
        value = DimArray(list(value))
    is_labelled = isinstance(value, (xr.DataArray, xr.Variable))
    if not strict and not is_labelled and not is_quantity(value):
        return value
    if is_quantity(value) and not holds_numbers(coordinate):
        return _as_duration(name, coordinate, value)
    unit = label_unit(coordinate)
    if is_labelled:
        return _labels_in_unit(name, unit, value, strict)
    if is_quantity(value):
        return _numbers(name, DimArray(value), unit)
    return _refuse_bare(name, unit, value) if unit is not None and strict else value


def _as_duration(name: Any, coordinate: Any, value: Any, kinds: str = "m") -> Any:
    """Labels that are durations are found by quantities."""
    if coordinate.dtype.kind not in kinds:
        unit = (value if isinstance(value, DimArray) else DimArray(value)).unit
        raise UnitError(
            f"the coordinate {name!r} holds {coordinate.dtype}, but was asked for a value in {unit}"
        )
    found = np.rint(DimArray(value).to_numpy(_NANOSECOND)).astype("timedelta64[ns]")
    if isinstance(value, (xr.DataArray, xr.Variable)):
        return with_data(value, found)
    return found if found.ndim else found[()]


def _labels_in_unit(name: Any, unit: Unit | None, value: Any, strict: bool) -> Any:
    variable = value.variable if isinstance(value, xr.DataArray) else value
    own = label_unit(variable)
    if own is None or (unit is None and unit_of(variable) is None):
        return _refuse_bare(name, unit, value) if unit is not None and strict else value
    if not is_coordinate(value) and (strict or own != unit):
        refuse_claim(f"the index {name!r}", value)
    quantity = variable.data if unit_of(variable) else DimArray(variable.values, own)
    made = variable.to_base_variable().copy(data=_numbers(name, quantity, unit))
    made.attrs = without_unit(variable.attrs)
    if unit is not None:
        made.attrs = with_unit(made.attrs, unit, None)
    return value._replace(variable=made) if isinstance(value, xr.DataArray) else made


def tolerance_of(name: Any, coordinate: Any, value: Any, strict: bool = True) -> Any:
    """How far a label may be off, as a plain number: a difference, also where labels are points."""
    if not strict and not is_quantity(value):
        return value
    if is_quantity(value) and not holds_numbers(coordinate):
        return _as_duration(name, coordinate, value, "mM")
    unit = label_unit(coordinate)
    if is_quantity(value):
        return _numbers(name, DimArray(value), unit and unit.delta)
    return value if unit is None else _refuse_bare(name, unit.delta, value)


def is_quantity(value: Any) -> bool:
    """Whether a value carries a unit: ours, or of another library; dates have a string there."""
    if isinstance(value, DimArray):
        return True
    if isinstance(value, (xr.DataArray, xr.Variable)):
        return unit_of(value) is not None
    unit = getattr(value, "unit", None) or getattr(value, "units", None)
    return unit is not None and not isinstance(unit, str) and not callable(unit)


def _numbers(name: Any, quantity: DimArray, unit: Unit | None) -> Any:
    if unit is None and not is_number(quantity.unit):
        raise UnitError(
            f"the coordinate {name!r} has no unit, but was asked for a value in {quantity.unit}",
            f"say its unit: x[{name!r}].attrs['units'] = ...",
        )
    try:
        is_mask = kind_of(quantity.data) == "b"
        found = quantity.to_numpy("" if unit is None or is_mask else unit)
    except UnitConversionError as error:
        error.add_note(f"for the coordinate {name!r}")
        raise
    return found if found.ndim else found[()]


def _refuse_bare(name: Any, unit: Unit, value: Any) -> Any:
    numbers = np.asarray(value)
    if value is None or numbers.dtype.kind not in "iufc" or is_number(unit):
        return value
    raise UnitError(
        f"the coordinate {name!r} is in {unit}, but was asked for a number without a unit",
        f"say it with its unit: {name}=5 * Unit({str(unit)!r}); or use xarray's own method",
    )
