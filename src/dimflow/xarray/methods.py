"""xarray's own methods that compute with the numbers of a coordinate, or of the data, in units.

An index holds plain numbers and its unit is an attribute, so `differentiate` and `integrate` would
leave it out, and `interp` takes plain numbers. Objects without quantities go to xarray unchanged.
"""

from collections.abc import Callable, Mapping
from functools import partial, wraps
from inspect import signature
from typing import Any

import numpy as np
import xarray as xr
from xarray import groupers
from xarray.computation import computation
from xarray.core import dtypes, duck_array_ops, indexing, missing
from xarray.core.common import _contains_datetime_like_objects

from dimflow.array import DimArray
from dimflow.array.dimarray import wrap
from dimflow.errors import UnitError, UnitLossError, UnsupportedFunction
from dimflow.io.attributes import with_unit
from dimflow.units import Unit
from dimflow.xarray.replacing import replace, replace_method
from dimflow.xarray.variables import (
    has_quantities,
    holds_numbers,
    in_unit_of,
    is_coordinate,
    is_quantity,
    label_unit,
    plainly,
    refuse_claim,
    tolerance_of,
    unit_after,
    unit_of,
    with_data,
)

_TIMES = {"W": "week", "D": "day", "h": "hour", "m": "minute"}  # NumPy's names of other spelling


def count_coordinates() -> None:
    """Have xarray's methods count the units of coordinates; done once."""
    for name, making in (
        ("differentiate", partial(_along, -1)),
        ("_integrate_one", partial(_along, 1)),
        ("interp", _interp),
        ("drop_sel", _drop_sel),
        ("polyfit", _polyfit),
        ("curvefit", _curvefit),
    ):
        replace_method(xr.Dataset, name, making)
    replace_method(xr.Dataset, "sortby", _sortby)
    replace_method(xr.Variable, "rank", _rank)
    replace_method(groupers.BinGrouper, "factorize", _factorize)
    replace_method(groupers.UniqueGrouper, "factorize", _factorize_unique)
    replace(indexing, "map_index_queries", _map_index_queries)
    replace(missing, "interp_na", _interp_na)
    for name in ("push", "first", "last"):
        replace(duck_array_ops, name, _keeping)
    replace(computation, "_calc_idxminmax", _calc_idxminmax)
    replace(computation, "polyval", _polyval)
    replace(duck_array_ops, "allclose_or_equiv", _allclose)


# Calculus


def _along(power: int, original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def method(self: Any, coord: Any, *args: Any, **kwargs: Any) -> Any:
        variable = self.variables.get(coord)
        if variable is None or not has_quantities(self):
            return original(self, coord, *args, **kwargs)
        call = signature(original).bind(self, coord, *args, **kwargs)
        if _contains_datetime_like_objects(variable):
            resolution = call.arguments.get("datetime_unit") or "s"
            call.arguments["datetime_unit"] = resolution
            unit: Unit | None = Unit(_TIMES.get(resolution, resolution))
        else:
            unit = label_unit(variable)
            if unit is None or not isinstance(variable, xr.IndexVariable):
                refuse_claim(original.__name__.strip("_"), variable, coord)
        if unit is None:
            return original(self, coord, *args, **kwargs)
        if unit_of(variable) is not None:
            call.arguments["self"] = self.assign({coord: with_data(variable, variable.data.data)})
        result = original(*call.args, **call.kwargs)
        made = {
            name: _times(result.variables[name], unit.delta**power)
            for name in result.data_vars
            if variable.dims[0] in self.variables[name].dims
        }
        if coord in result.coords:
            made[coord] = variable
        return result.assign(made)

    return method


def _times(variable: Any, unit: Unit) -> Any:
    data = variable.data
    return with_data(variable, data * unit if isinstance(data, DimArray) else wrap(data, unit))


# Labels


def _labels(found: Any, labels: Mapping[Any, Any]) -> dict[Any, Any]:
    """Labels of indexes as plain numbers, in the units of the coordinates they are for."""
    coords = found.coords
    return {
        name: in_unit_of(name, coords[name].variable, value, strict=False)
        if name in coords
        else value
        for name, value in labels.items()
    }


def _any_quantity(labels: Mapping[Any, Any]) -> bool:
    """Whether units are spoken of at all; what is xarray's alone stays as xarray has it."""
    for value in labels.values():
        ends = (value.start, value.stop, value.step) if isinstance(value, slice) else (value,)
        if any(map(is_quantity, ends)):
            return True
        if isinstance(value, (list, tuple)) and any(map(is_quantity, value)):
            return True
    return False


def _map_index_queries(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def map_index_queries(
        obj: Any, indexers: Any, method: Any = None, tolerance: Any = None, **by_name: Any
    ) -> Any:
        labels = {**(indexers or {}), **by_name}
        if has_quantities(obj) or _any_quantity(labels):
            labels = _labels(obj, labels)
        if is_quantity(tolerance):
            ((name, _),) = labels.items()
            tolerance = tolerance_of(name, obj.coords[name].variable, tolerance)
        return original(obj, labels, method, tolerance)

    return map_index_queries


def _drop_sel(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def drop_sel(self: Any, labels: Any = None, *, errors: Any = "raise", **by_name: Any) -> Any:
        given = {**(labels or {}), **by_name}
        if has_quantities(self) or _any_quantity(given):
            given = _labels(self, given)
        return original(self, given, errors=errors)

    return drop_sel


def _factorize(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def factorize(self: Any, group: Any) -> Any:
        """Edges in the unit of what is grouped; the bins have it as an attribute."""
        positions = not isinstance(group, xr.DataArray)  # along a dimension without labels
        unit = None if positions else unit_of(group)
        if unit is not None:
            variable = with_data(group.variable, group.data.data)
            variable.attrs = with_unit(group.attrs, unit, None)
            if not isinstance(self.bins, int) and not is_quantity(self.bins):
                problem = f"{group.name!r} is in {unit}, and the edges of its bins have no unit"
                raise UnitError(problem, f"say it: DimArray(bins, {str(unit)!r})")
            group = group._replace(variable=variable)
        if is_quantity(self.bins):
            variable = xr.Variable((), 0) if positions else group.variable
            if unit is None and not positions and not is_coordinate(group):
                refuse_claim("groupby_bins", group)
            self.bins = in_unit_of(group.name, variable, self.bins)
        return original(self, group)

    return factorize


def _factorize_unique(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def factorize(self: Any, group: Any) -> Any:
        unit = unit_of(group) if isinstance(group, xr.DataArray) else None
        if unit is not None:
            hint = "the unit of groups is an attribute: x.groupby(g.dimflow.dequantify())"
            raise UnitLossError("groupby", unit, hint)
        return original(self, group)

    return factorize


# Order


def _sortby(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def sortby(self: Any, variables: Any, ascending: bool = True) -> Any:
        """By the numbers of quantities, whose order is that of the quantities."""
        found = variables(self) if callable(variables) else variables
        named = found if isinstance(found, list) else [found]
        keys = [v if isinstance(v, xr.DataArray) else self[v] for v in named]
        plain = [k if unit_of(k) is None else with_data(k, k.data.data) for k in keys]
        return original(self, plain, ascending)

    return sortby


def _rank(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def rank(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Ranks are numbers; those of quantities are those of their numbers."""
        plain = self if unit_of(self) is None else with_data(self, self.data.data)
        return original(plain, *args, **kwargs)

    return rank


# Interpolation, which xarray computes on plain numbers

_PICKING = ("nearest", "nearest-up", "zero", "previous", "next")  # which take values as they are


def _refuse_points(found: Any, dims: Any) -> None:
    """The table's error for what lies along dimensions and cannot be interpolated, as levels."""
    for variable in [found] if isinstance(found, xr.DataArray) else found.data_vars.values():
        unit = unit_of(variable)
        if unit is not None and set(dims) & set(variable.dims):
            unit_after("interp", unit)


def _interp(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def interp(
        self: Any,
        coords: Any = None,
        method: Any = "linear",
        assume_sorted: bool = False,
        kwargs: Any = None,
        method_non_numeric: Any = "nearest",
        **by_name: Any,
    ) -> Any:
        given = {**(coords or {}), **by_name}
        if not has_quantities(self) and not any(map(is_quantity, given.values())):
            return original(self, given, method, assume_sorted, kwargs, method_non_numeric)
        labels = _labels(self, given)
        if method not in _PICKING:
            _refuse_points(self, labels)
        options = _fill_value(self, kwargs)
        return plainly(
            self,
            lambda plain: original(
                plain, labels, method, assume_sorted, options, method_non_numeric
            ),
        )

    return interp


def _fill_value(found: Any, options: Mapping[str, Any] | None) -> Any:
    """The options of an interpolation, whose fill value is a number in the unit of the data."""
    fill = (options or {}).get("fill_value")
    if fill is None or isinstance(fill, str) or (np.isscalar(fill) and np.isnan(fill)):
        return options
    units = {unit for v in found.data_vars.values() if (unit := unit_of(v)) is not None}
    if not is_quantity(fill) or len(units) > 1:
        raise UnsupportedFunction(
            "interp(kwargs={'fill_value': ...})",
            "the value has no unit"
            if not is_quantity(fill)
            else "the variables have several units",
            "interpolate, then fill: x.interp(...).fillna(value), with its unit",
        )
    return {**(options or {}), "fill_value": DimArray(fill).to(units.pop()).data}


def _interp_na(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def interp_na(
        self: Any,
        dim: Any = None,
        use_coordinate: Any = True,
        method: Any = "linear",
        limit: Any = None,
        max_gap: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        if method not in _PICKING:
            _refuse_points(self, [dim])
        if is_quantity(max_gap):
            name = use_coordinate if isinstance(use_coordinate, str) else dim
            max_gap = tolerance_of(name, self.coords[name].variable, max_gap)
        return plainly(
            self,
            lambda plain: original(
                plain, dim, use_coordinate, method, limit, max_gap, *args, **kwargs
            ),
        )

    return interp_na


def _keeping(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def keeping(array: Any, *args: Any, **kwargs: Any) -> Any:
        """Picks values as they are, in their unit."""
        if not isinstance(array, DimArray):
            return original(array, *args, **kwargs)
        return wrap(original(array.data, *args, **kwargs), array.unit)

    return keeping


# Labels of extremes, polynomials


def _calc_idxminmax(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def _calc_idxminmax(
        *, array: Any, dim: Any = None, fill_value: Any = dtypes.NA, **options: Any
    ) -> Any:
        """The label is a quantity, in the unit of the coordinate."""
        if not has_quantities(array):
            return original(array=array, dim=dim, fill_value=fill_value, **options)
        plain = array if unit_of(array) is None else array.copy(data=array.data.data)
        name = array.dims[0] if dim is None and array.ndim == 1 else dim
        coordinate = array.coords[name].variable if name in array.coords else None
        if coordinate is None or not holds_numbers(coordinate):
            return original(array=plain, dim=dim, fill_value=fill_value, **options)
        if is_quantity(fill_value):
            fill_value = in_unit_of(name, coordinate, fill_value)
        found = original(array=plain, dim=dim, fill_value=fill_value, **options)
        return with_data(found, DimArray(found.data, label_unit(coordinate)))

    return _calc_idxminmax


def _polyfit(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def polyfit(self: Any, dim: Any, deg: int, *args: Any, **kwargs: Any) -> Any:
        """Every coefficient has a unit of its own, and an array has one."""
        if not has_quantities(self):
            return original(self, dim, deg, *args, **kwargs)
        coordinate = self.variables.get(dim)
        unit = None if coordinate is None else label_unit(coordinate)
        is_date = coordinate is not None and _contains_datetime_like_objects(coordinate)
        laws = [u.law for v in self.data_vars.values() if (u := unit_of(v)) is not None]
        if is_date or unit is not None or any(law is not None for law in laws):
            raise UnsupportedFunction(
                "polyfit",
                "every coefficient has a unit of its own, and an array has one",
                f"x.dimflow.polyfit({dim!r}, {deg}) has a variable for each, and its "
                ".dimflow.polyval(coord) the fit",
            )
        return original(self, dim, deg, *args, **kwargs)

    return polyfit


def _polyval(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def polyval(coord: Any, coeffs: Any, degree_dim: Any = "degree") -> Any:
        """Coefficients in one unit are those of a polynomial in a pure number."""
        if not has_quantities(coeffs):
            return original(coord, coeffs, degree_dim)
        unit = label_unit(coord.variable) if isinstance(coord, xr.DataArray) else None
        if unit is not None or has_quantities(coord):
            raise UnsupportedFunction(
                "polyval",
                "the coordinate has a unit, and the coefficients have one of their own",
                "take x.dimflow.polyfit(...) and its .dimflow.polyval(coord)",
            )
        return plainly(coeffs, lambda plain: original(coord, plain, degree_dim))

    return polyval


def _curvefit(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def curvefit(self: Any, coords: Any, func: Any, *args: Any, **kwargs: Any) -> Any:
        if has_quantities(self):
            raise UnsupportedFunction(
                "curvefit",
                "every parameter has a unit of its own, which only the function knows",
                "fit the numbers, in units of your choice: x.dimflow.drop_units().curvefit(...)",
            )
        return original(self, coords, func, *args, **kwargs)

    return curvefit


def _allclose(original: Callable[..., Any]) -> Callable[..., Any]:
    """`xr.testing.assert_allclose`, whose bare default of a tolerance has no unit."""
    default = signature(original).parameters["atol"].default

    @wraps(original)
    def close(one: Any, other: Any, rtol: float = 1e-5, atol: Any = default) -> bool:
        labelled = (xr.Variable, xr.DataArray)  # where it says what differs
        one, other = (x.data if isinstance(x, labelled) else x for x in (one, other))
        if not any(map(is_quantity, (one, other))) or is_quantity(atol) or atol != default:
            return bool(original(one, other, rtol, atol))
        return bool(one.shape == other.shape and np.allclose(one, other, rtol, equal_nan=True))

    return close
