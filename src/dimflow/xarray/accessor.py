"""`.dimflow` on DataArray and Dataset: units from attributes and back, conversions, selection."""

from collections.abc import Mapping
from typing import Any

import xarray as xr

from dimflow import ops
from dimflow.array import DimArray
from dimflow.array.guests import ROUNDINGS
from dimflow.errors import UnitError
from dimflow.units import Dimension, Unit
from dimflow.xarray.polynomials import evaluated, fitted
from dimflow.xarray.tables import labelled
from dimflow.xarray.variables import (
    as_quantity,
    bounds,
    converted,
    converted_bounds,
    dequantified,
    has_quantities,
    holds_numbers,
    in_unit_of,
    label_unit,
    quantified,
    tolerance_of,
    unit_of,
    unit_of_bounds,
    with_data,
)

Units = Mapping[Any, Any] | Unit | str | None
_LEAVE = object()


class _Labels:
    """What both accessors do by name. Indexes hold plain numbers; their unit is an attribute."""

    _object: Any

    def _variables(self) -> dict[Any, Any]:
        """Every variable by name; that of a DataArray itself under None."""
        raise NotImplementedError

    def _replaced(self, changed: dict[Any, Any]) -> Any:
        """The same object with other variables in place of some."""
        raise NotImplementedError

    def _asked(self, units: Units) -> dict[Any, Any]:
        """Units by name, every name checked."""
        if units is None:
            return {}
        known = self._variables()
        given = dict(units) if isinstance(units, Mapping) else self._one(units)
        unknown = [name for name in given if name not in known]
        if unknown:
            names = ", ".join(str(name) for name in known if name is not None)
            raise UnitError(f"there is no variable {unknown[0]!r}", f"there are {names}")
        return given

    def _one(self, unit: Unit | str) -> dict[Any, Any]:
        raise NotImplementedError

    def quantify(self, units: Units = None, **by_name: Any) -> Any:
        """Plain numbers as quantities.

        Units are given by name, and else read from the attribute `units` as CF has it. Without
        either, and for dates (`days since ...`) and texts, a variable stays as it is, and so does
        one whose unit is given as None. Coordinates that are indexes keep their attribute.
        """
        given = self._asked({**self._asked(units), **by_name} if by_name else units)
        variables = self._variables()
        for name, parent in bounds(variables).items():
            if name not in given and unit_of(variables[name]) is None:
                known = unit_of_bounds(variables[name], variables[parent])
                if (unit := given.get(parent, known)) is not None:
                    given[name] = unit
        changed = {}
        for name, variable in variables.items():
            unit = given.get(name, _LEAVE)
            if unit is None:
                continue
            if name not in self._object.coords:
                variable = variable.to_base_variable()  # `x.depth.dimflow.quantify()`
            elif variable.dims == (name,):
                if unit is not _LEAVE:
                    changed[name] = _labelled(name, variable, unit)
                continue
            changed[name] = quantified(name, variable, None if unit is _LEAVE else unit)
        return self._replaced(changed)

    def dequantify(self, format: str | None = None) -> Any:
        """Plain numbers, their units in the attribute `units`, ready for netCDF.

        In CF's words (`m s-1`), or in another style: plain, compact, unicode, latex, pint's `~P`.
        """
        changed = {name: dequantified(v, format) for name, v in self._variables().items()}
        return self._replaced(changed)

    def to(self, units: Units = None, via: Any = None, **by_name: Any) -> Any:
        """The same quantities in other units; index coordinates by their attribute."""
        given = {**self._asked(units), **self._asked(by_name)}
        variables = self._variables()
        changed = {name: converted(name, variables[name], u, via) for name, u in given.items()}
        for name, parent in bounds(variables).items():
            unit = unit_of_bounds(variables[name], variables[parent])
            if unit is not None and parent in given and name not in given:
                changed[name] = converted_bounds(variables[name], unit, given[parent], via)
        return self._replaced(changed)

    def to_base_units(self) -> Any:
        """All quantities in SI base units."""
        changed = {
            name: converted(name, variable, unit.to_base())
            for name, variable in self._variables().items()
            if (unit := unit_of(variable)) is not None
        }
        return self._replaced(changed)

    def drop_units(self) -> Any:
        """Plain numbers in the units they are in, which are written nowhere."""
        changed = {}
        for name, variable in self._variables().items():
            if unit_of(variable) is not None:
                changed[name] = variable.copy(deep=False, data=variable.data.data)
        return self._replaced(changed)

    # By labels with units

    def _labels(self, indexers: Any, by_name: dict[str, Any]) -> dict[Any, Any]:
        asked = {**(indexers or {}), **by_name}
        coords = self._object.coords
        return {
            name: in_unit_of(name, coords[name].variable, value) if name in coords else value
            for name, value in asked.items()
        }

    def sel(
        self, indexers: Any = None, *, method: Any = None, tolerance: Any = None, **by_name: Any
    ) -> Any:
        """Selected by labels with units, converted to the unit of each coordinate."""
        labels = self._labels(indexers, by_name)
        if tolerance is not None and len(labels) == 1:
            (name,) = labels
            tolerance = tolerance_of(name, self._object.coords[name].variable, tolerance)
        return self._object.sel(labels, method=method, tolerance=tolerance)

    @property
    def loc(self) -> Any:
        """`x.dimflow.loc[{"depth": slice(1 * u.km, 2 * u.km)}]`."""
        return _Loc(self)

    def drop_sel(self, labels: Any = None, **by_name: Any) -> Any:
        """Without what labels with units name."""
        return self._object.drop_sel(self._labels(labels, by_name))

    def reindex(self, indexers: Any = None, *, method: Any = None, **by_name: Any) -> Any:
        """On other labels, given with units; what is missing is NaN."""
        return self._object.reindex(self._labels(indexers, by_name), method=method)

    def reindex_like(self, other: Any, **options: Any) -> Any:
        """On the labels of another object, read in the units of its coordinates."""
        coords = {name: other[name] for name in other.indexes if name in self._object.dims}
        labels = {name: _as_labels(coord) for name, coord in coords.items()}
        return self._object.reindex(self._labels(labels, {}), **options)

    def interp(self, coords: Any = None, *, method: str = "linear", **by_name: Any) -> Any:
        """Interpolated at coordinates with units; the values keep their units."""
        labels = self._labels(coords, by_name)
        return self._object.interp(labels, method=method)

    def interp_like(self, other: Any, **options: Any) -> Any:
        """Interpolated at the coordinates of another object, read in their units."""
        coords = {name: other[name] for name in other.indexes if name in self._object.dims}
        labels = self._labels({name: _as_labels(c) for name, c in coords.items()}, {})
        return self._object.interp(labels, **options)

    def interpolate_na(self, dim: Any = None, **options: Any) -> Any:
        """Missing values from their neighbours."""
        return self._object.interpolate_na(dim, **options)

    def ffill(self, dim: Any, limit: int | None = None) -> Any:
        """Missing values from those before them."""
        return self._object.ffill(dim, limit)

    def bfill(self, dim: Any, limit: int | None = None) -> Any:
        """Missing values from those after them."""
        return self._object.bfill(dim, limit)

    def differentiate(self, coord: Any, edge_order: Any = 1) -> Any:
        """The derivative along a coordinate, per unit of the coordinate; per second along dates."""
        return self._along(coord).differentiate(coord, edge_order)

    def integrate(self, coord: Any) -> Any:
        """The integral along a coordinate, times its unit; in seconds along dates."""
        return self._along(coord).integrate(coord)

    def cumulative_integrate(self, coord: Any) -> Any:
        """The running integral along a coordinate, times its unit; in seconds along dates."""
        return self._along(coord).cumulative_integrate(coord)

    def _along(self, coord: Any) -> Any:
        """With pure numbers as quantities, where xarray's methods would find none at all."""
        coordinate = self._object[coord].variable
        is_plain = label_unit(coordinate) is None and holds_numbers(coordinate)
        if is_plain or has_quantities(self._object):
            return self._object
        data = {
            name: with_data(variable, DimArray(variable.data))
            for name, variable in self._variables().items()
            if name not in self._object.coords
            and set(coordinate.dims) <= set(variable.dims)
            and holds_numbers(variable)
        }
        return self._replaced(data)

    def polyfit(self, dim: Any, deg: int, **options: Any) -> xr.Dataset:
        """A polynomial fit along a coordinate, a variable `polyfit_degree_k` for each coefficient.

        Its `.dimflow.polyval(coord)` is the fit at other places. Along dates the coefficients are
        per second since 1970. The options are xarray's `skipna`, `rcond` and `w`.
        """
        return fitted(self._object, dim, deg, **options)

    @property
    def plot(self) -> Any:
        """xarray's plots of the plain numbers, with their units at the axes."""
        return self.dequantify(format="unicode").plot


class _Loc:
    """Brackets with labels in units."""

    def __init__(self, labels: _Labels) -> None:
        self._accessor = labels

    def __getitem__(self, key: Any) -> Any:
        found = self._accessor._object
        if not isinstance(key, Mapping):
            key = key if isinstance(key, tuple) else (key,)
            key = dict(zip(found.dims, key, strict=False))
        return found.loc[self._accessor._labels(key, {})]


def _as_labels(coordinate: Any) -> Any:
    """The values of an index with the unit of its attribute, if it has one."""
    unit = label_unit(coordinate.variable)
    return coordinate.values if unit is None else DimArray(coordinate.values, unit)


def _labelled(name: Any, variable: Any, unit: Unit | str) -> Any:
    """An index with its unit in the attribute."""
    made = variable.copy(deep=False)
    made.attrs = {**variable.attrs, "units": str(Unit(unit)) or "1"}
    return made


@xr.register_dataarray_accessor("dimflow")
class ArrayAccessor(_Labels):
    """The unit of a DataArray, and what can be done with it."""

    def __init__(self, array: Any) -> None:
        self._object = array

    def _variables(self) -> dict[Any, Any]:
        found = {name: coord.variable for name, coord in self._object.coords.items()}
        own = self._object.name
        name = own if own is not None and own not in found else None
        return {name: self._object.variable, **found}

    def _one(self, unit: Unit | str) -> dict[Any, Any]:
        return {next(iter(self._variables())): unit}

    def _replaced(self, changed: dict[Any, Any]) -> Any:
        own = next(iter(self._variables()))
        made = self._object
        if own in changed:
            made = made._replace(variable=changed[own])
        coords = {name: v for name, v in changed.items() if name != own}
        return _with_coords(made, coords)

    def to_series(self) -> Any:
        """A Series of pandas, of the dtype `dimflow[...]`, and so are its labels."""
        series = self.drop_units().to_series()
        series = series if self.unit is None else series.dimflow.quantify(self.unit)
        return labelled(series, self._object.coords)

    @property
    def unit(self) -> Unit | None:
        """The unit of the data, that of a coordinate by its attribute; None for plain numbers."""
        return unit_of(as_quantity(self._object))

    units = unit

    @property
    def dimension(self) -> Dimension | None:
        """The dimension of the unit; None for plain numbers."""
        return None if self.unit is None else self.unit.dimension

    @property
    def magnitude(self) -> Any:
        """The raw array, in the unit of the data."""
        data = self._object.data
        return data.data if isinstance(data, DimArray) else data

    @property
    def quantities(self) -> DimArray:
        """The data as an array of dimflow."""
        return DimArray(as_quantity(self._object).data)

    def to_value(self, unit: Unit | str | None = None) -> Any:
        """The plain numbers in a unit, as a NumPy array; in that of the data if none is given."""
        return self.quantities.to_numpy(unit)


def _rounding(name: str) -> Any:
    op = ops.get(name)

    def method(self: ArrayAccessor, *args: Any, unit: Unit | str) -> Any:
        found = as_quantity(self._object)
        return with_data(found, op(found.data, *args, unit=unit))

    method.__name__, method.__doc__ = name, f"{op.doc} It counts in a unit."
    return method


for _name in ROUNDINGS:
    setattr(ArrayAccessor, _name, _rounding(_name))


@xr.register_dataset_accessor("dimflow")
class DatasetAccessor(_Labels):
    """The units of a Dataset's variables."""

    def __init__(self, dataset: Any) -> None:
        self._object = dataset

    def _variables(self) -> dict[Any, Any]:
        return dict(self._object.variables)

    def _one(self, unit: Unit | str) -> dict[Any, Any]:
        return dict.fromkeys(self._object.data_vars, unit)

    def _replaced(self, changed: dict[Any, Any]) -> Any:
        names = self._object.data_vars
        made = self._object.assign({n: v for n, v in changed.items() if n in names})
        return _with_coords(made, {n: v for n, v in changed.items() if n not in names})

    def polyval(self, coord: xr.DataArray) -> Any:
        """The fits that `polyfit` has found, at the places of a coordinate with a unit."""
        return evaluated(self._object, coord)

    def to_dataframe(self) -> Any:
        """A table of pandas, its columns and labels of the dtype `dimflow[...]`."""
        frame = self.drop_units().to_dataframe()
        units = {n: u for n, u in self.units.items() if u is not None and n in frame.columns}
        return labelled(frame.dimflow.quantify(units), self._object.coords)

    @property
    def units(self) -> dict[Any, Unit | None]:
        """The unit of every variable and coordinate; None for plain numbers."""
        return {name: unit_of(v) for name, v in self._object.variables.items()}


def _with_coords(made: Any, coords: dict[Any, Any]) -> Any:
    """With other coordinates; untouched ones keep their very index."""
    changed = {name: v for name, v in coords.items() if v is not made.coords[name].variable}
    return made.assign_coords(changed) if changed else made
