"""Polynomial fits with units: a variable for each coefficient, since each has a unit of its own."""

import re
from typing import Any

import xarray as xr
from xarray.computation.computation import _ensure_numeric
from xarray.core.common import _contains_datetime_like_objects

from dimflow.array import DimArray
from dimflow.array.dimarray import wrap
from dimflow.errors import UnitError, UnsupportedFunction
from dimflow.units import Unit
from dimflow.xarray.variables import is_coordinate, label_unit, refuse_claim, unit_of, with_data

_NANOSECONDS = 1e9  # in a second: xarray counts dates in them, since 1970
_SECOND, _PURE = "s", ""


def fitted(found: Any, dim: Any, deg: int, **options: Any) -> xr.Dataset:
    """The coefficients by least squares, of powers of the coordinate in a linear unit."""
    for option in ("full", "cov"):
        if options.get(option):
            raise UnsupportedFunction(
                f"polyfit({option}=...)",
                "its results are arrays over all coefficients, which have a unit each",
                f"fit the numbers: x.dimflow.drop_units().polyfit({dim!r}, {deg}, {option}=True)",
            )
    plain = found.dimflow.drop_units()
    if dim in found.coords:
        coordinate = found.coords[dim].variable
        is_date = _contains_datetime_like_objects(coordinate)
        unit = Unit(_SECOND) if is_date else label_unit(coordinate)
        if unit is not None and not is_date:
            numbers = coordinate.data if unit_of(coordinate) else DimArray(coordinate.values, unit)
            unit = unit.linear
            plain = plain.assign_coords({dim: (coordinate.dims, numbers.to_numpy(unit))})
    else:
        unit, is_date = None, False
    along = Unit(_PURE) if unit is None else unit
    scale = _NANOSECONDS if is_date else 1.0
    fit = plain.polyfit(dim, deg, **options)
    units = {name: unit_of(v) or Unit(_PURE) for name, v in found.dimflow._variables().items()}
    made = {}
    for name, coefficients in fit.items():
        prefix, _, _ = str(name).rpartition("polyfit_coefficients")
        own = units[prefix.removesuffix("_")] if prefix else next(iter(units.values()))
        for k in range(deg + 1):
            one = coefficients.sel(degree=k, drop=True)
            wanted = own if k == 0 else own.delta / along**k
            made[f"{prefix}polyfit_degree_{k}"] = with_data(one, wrap(one.data * scale**k, wanted))
    return xr.Dataset(made)


def evaluated(fit: xr.Dataset, coord: Any) -> Any:
    """The polynomials of a fit at coordinates, in their units."""
    x = _numbers(coord)
    values: dict[str, Any] = {}
    named = [re.fullmatch(r"(?:(.*)_)?polyfit_degree_(\d+)", str(name)) for name in fit]
    found = [(match[1] or "", int(match[2]), match[0]) for match in named if match]
    if not found:
        raise UnitError("there are no coefficients", "fit first: x.dimflow.polyfit('x', 1)")
    for name, _, key in sorted(found, reverse=True):  # Horner's method
        known = values.get(name)
        values[name] = fit[key] if known is None else known * x + fit[key]
    constant = {name: fit[key] for name, k, key in found if k == 0}
    made = {name: xr.broadcast(v, x)[0] if v is constant[name] else v for name, v in values.items()}
    return made[""].rename(None) if set(made) == {""} else xr.Dataset(made)


def _numbers(coord: xr.DataArray) -> Any:
    if _contains_datetime_like_objects(coord.variable):
        seconds = _ensure_numeric(coord) / _NANOSECONDS
        return with_data(seconds, DimArray(seconds.data, _SECOND))
    if not is_coordinate(coord):
        refuse_claim("polyval", coord)
    unit = label_unit(coord.variable)
    if unit is None:
        return coord
    data = coord.data if unit_of(coord) is not None else DimArray(coord.values, unit)
    made = with_data(coord.variable.to_base_variable(), data.to(unit.linear))
    return coord._replace(variable=made)
