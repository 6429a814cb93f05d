"""Indexes in different units: brought to one before xarray compares their numbers.

xarray aligns, joins and concatenates by the numbers of an index and does not look at attributes.
Where quantities take part, the labels of the later objects are converted into the unit of the
first; a label that comes out within rounding of one of the first's becomes that one, since xarray
compares exactly.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any

import numpy as np
import xarray as xr
from xarray.core import coordinates
from xarray.core.groupby import GroupBy
from xarray.core.indexes import Indexes
from xarray.structure import alignment, combine, concat

from dimflow.array import DimArray
from dimflow.errors import UnitConversionError, UnitError
from dimflow.io.attributes import with_unit
from dimflow.units import Unit
from dimflow.xarray.replacing import replace, replace_method
from dimflow.xarray.variables import (
    as_quantity,
    has_quantities,
    holds_numbers,
    in_unit_of,
    label_unit,
    tolerance_of,
    unit_of,
)

_ROUNDING = 8 * np.finfo(float).eps

Labels = dict[Any, Any]  # a coordinate variable by name


def align_units() -> None:
    """Have xarray compare indexes in one unit; done once."""
    replace_method(alignment.Aligner, "__init__", _aligner)
    replace(alignment, "reindex_like", _like)
    replace_method(xr.Dataset, "interp_like", _like)
    replace_method(xr.Dataset, "_all_compat", _compared)
    replace_method(xr.DataArray, "_all_compat", _compared)
    replace(concat, "_dataset_concat", _concatenated)
    replace(combine, "combine_by_coords", _combined)
    replace(coordinates, "assert_coordinate_consistent", _consistent)
    replace_method(GroupBy, "_binary_op", _grouped)
    for kind in (xr.DataArray, xr.Dataset):
        replace_method(kind, "_inplace_binary_op", _in_place)


def _aligner(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def initialise(
        self: Any,
        objects: Iterable[Any],
        join: Any = "inner",
        indexes: Mapping[Any, Any] | None = None,
        exclude_dims: Any = frozenset(),
        exclude_vars: Any = frozenset(),
        method: Any = None,
        tolerance: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        given = tuple(objects)
        if any(map(has_quantities, given)):
            excluded = {exclude_dims} if isinstance(exclude_dims, str) else set(exclude_dims)
            if isinstance(indexes, Indexes):
                given = tuple(in_units_of(dict(indexes.variables), each) for each in given)
            elif indexes:
                indexes, tolerance = _indexers(given[0], indexes, tolerance)
            given = in_one_unit(given, excluded)
        original(
            self,
            given,
            join,
            indexes,
            exclude_dims,
            exclude_vars,
            method,
            tolerance,
            *args,
            **kwargs,
        )

    return initialise


def _indexers(target: Any, indexes: Mapping[Any, Any], tolerance: Any) -> tuple[Any, Any]:
    """Labels and a tolerance as plain numbers, in the units of the coordinates they are for."""
    named = {name: target.coords[name].variable for name in indexes if name in target.coords}
    made = {
        name: in_unit_of(name, named[name], value, strict=False) if name in named else value
        for name, value in indexes.items()
    }
    if len(named) == 1:
        ((name, variable),) = named.items()
        tolerance = tolerance_of(name, variable, tolerance, strict=False)
    return made, tolerance


def in_one_unit(objects: Iterable[Any], excluded: Iterable[Any] = ()) -> tuple[Any, ...]:
    """Labelled objects whose indexes of one name are in one unit: that of the first that has it."""
    known: Labels = {}
    made = []
    for found in objects:
        converted = in_units_of(known, found)
        made.append(converted)
        for name, variable in _labels(converted).items():
            if _unit(variable) is not None and not set(variable.dims) & set(excluded):
                known.setdefault(name, variable)
    return tuple(made)


def _labels(found: Any) -> Labels:
    """The coordinates whose numbers xarray compares: indexes, and scalars that were elements."""
    if not isinstance(found, (xr.DataArray, xr.Dataset)):
        return {}
    coords = found.coords
    indexed = {name: coords[name].variable for name in found.xindexes}
    scalars = {n: c.variable for n, c in coords.items() if not c.ndim and unit_of(c) is None}
    return {**indexed, **scalars}


def _unit(variable: Any) -> Unit | None:
    """The unit of labels; None as well where dimflow cannot read it: `model level`."""
    try:
        return label_unit(variable)
    except UnitError:
        return None


def in_units_of(known: Labels, found: Any) -> Any:
    """A labelled object whose indexes are in the units of others of their names."""
    changed = {}
    for name, variable in _labels(found).items() if known else ():
        if name in known:
            unit, target = _unit(variable), _unit(known[name])
            if None not in (unit, target) and unit is not target and unit != target:
                changed[name] = _converted(name, found, variable, known[name])
    return found.assign_coords(changed) if changed else found


def _converted(name: Any, found: Any, variable: Any, known: Any) -> Any:
    unit, target = label_unit(variable), label_unit(known)
    assert unit is not None
    assert target is not None
    if not holds_numbers(variable):
        raise UnitError(
            f"the bins {name!r} of two groups are in {unit} and in {target}",
            "bring the coordinates to one unit before they are grouped: .dimflow.to(...)",
        )
    if len(found.xindexes.get_all_coords(name, errors="ignore") or ()) > 1:
        raise UnitError(
            f"the levels {name!r} of two indexes are in {unit} and in {target}",
            "bring them to one unit before they are stacked: .dimflow.to(...)",
        )
    try:
        values = DimArray(variable.values, unit).to(target).data
    except UnitConversionError as error:
        error.add_note(f"for the coordinate {name!r}")
        raise
    values = _snapped(values, known.values, abs(DimArray(0.0, unit).to(target).item()))
    return variable.copy(deep=False, data=values)._replace(attrs=_in(variable.attrs, target))


def _in(attrs: Mapping[str, Any], unit: Unit) -> dict[str, Any]:
    return with_unit(attrs, unit, None)


def _snapped(values: Any, known: Any, offset: float) -> Any:
    """Labels, those within rounding of a known one as that one."""
    numbers = np.unique(np.asarray(known, dtype=float))
    numbers = numbers[np.isfinite(numbers)]
    if not numbers.size or not np.size(values):
        return values
    right = np.clip(np.searchsorted(numbers, values), 0, numbers.size - 1)
    left = np.maximum(right - 1, 0)
    nearer = np.abs(numbers[left] - values) < np.abs(numbers[right] - values)
    nearest = np.where(nearer, numbers[left], numbers[right])
    within = np.abs(nearest - values) <= _ROUNDING * (np.abs(nearest) + offset)
    return np.where(within, nearest, values)


def _like(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def like(found: Any, other: Any, *args: Any, **kwargs: Any) -> Any:
        """On the labels of another object: plain numbers too, if that one has quantities."""
        found = in_units_of(_labels(other), found) if has_quantities(other) else found
        return original(found, other, *args, **kwargs)

    return like


def _compared(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def _all_compat(self: Any, other: Any, compat: Any) -> Any:
        """`identical` asks for the same attributes too, and so for the same spelling."""
        if compat != "identical" and (has_quantities(self) or has_quantities(other)):
            try:
                self, other = in_one_unit((self, other))
            except UnitConversionError:
                return False
        return original(self, other, compat)

    return _all_compat


def _concatenated(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def _dataset_concat(datasets: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
        found = _together(datasets)
        return labelled_as(original(found, *args, **kwargs), found)

    return _dataset_concat


def _combined(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def combine_by_coords(data_objects: Iterable[Any] = (), *args: Any, **kwargs: Any) -> Any:
        return original(_together(data_objects), *args, **kwargs)

    return combine_by_coords


def _together(objects: Iterable[Any]) -> list[Any]:
    found = list(objects)
    return list(in_one_unit(found)) if any(map(has_quantities, found)) else found


def _consistent(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def assert_coordinate_consistent(obj: Any, coords: Mapping[Any, Any]) -> None:
        original(in_units_of(dict(coords), obj) if has_quantities(obj) else obj, coords)

    return assert_coordinate_consistent


def labelled_as(result: Any, sources: Iterable[Any]) -> Any:
    """A result whose indexes have the units of its sources, also where attributes are dropped."""
    found = [each for each in sources if isinstance(each, (xr.DataArray, xr.Dataset))]
    is_labelled = isinstance(result, (xr.DataArray, xr.Dataset))
    if not is_labelled or not any(map(has_quantities, found)):
        return result
    for name in result.xindexes:
        variable = result.coords[name].variable
        known = (_labels(each).get(name) for each in found)
        units = (_unit(v) for v in known if v is not None)
        unit = next((unit for unit in units if unit is not None), None)
        if unit is not None and _unit(variable) is None:
            variable.attrs = _in(variable.attrs, unit)
    return result


def _grouped(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def _binary_op(self: Any, other: Any, *args: Any, **kwargs: Any) -> Any:
        """The other in the units of what is grouped, whose labels lose their attributes."""
        if isinstance(other, (xr.DataArray, xr.Dataset)) and has_quantities(self._obj):
            groups = {each.name: each.group for each in self.groupers}
            known = {n: g.variable for n, g in groups.items() if isinstance(g, xr.DataArray)}
            other = in_units_of(known, as_quantity(other))
        return original(self, other, *args, **kwargs)

    return _binary_op


def _in_place(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def _inplace_binary_op(self: Any, other: Any, f: Any) -> Any:
        if has_quantities(self) or has_quantities(other):
            other = in_units_of(_labels(self), other)
        return original(self, other, f)

    return _inplace_binary_op
