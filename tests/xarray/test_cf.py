"""What CF says of a variable besides its unit: dates as numbers, bounds of cells, valid ranges."""

import numpy as np
import pytest
import xarray as xr

from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import UnitConversionError, UnitError

# Dates that were not decoded: right as the decoded ones, or refused

CALLS = {
    "integrate": lambda x: x.integrate("time"),
    "cumulative_integrate": lambda x: x.cumulative_integrate("time"),
    "differentiate": lambda x: x.differentiate("time"),
    "dimflow.integrate": lambda x: x.dimflow.integrate("time"),
    "dimflow.differentiate": lambda x: x.dimflow.differentiate("time"),
    "polyfit": lambda x: x.polyfit("time", 1).polyfit_coefficients,
    "dimflow.polyfit": lambda x: x.dimflow.polyfit("time", 1).polyfit_degree_1,
    "dimflow.polyval": lambda x: x.dimflow.polyfit("time", 1).dimflow.polyval(x.time),
    "product": lambda x: x * x.time,
    "reflected": lambda x: x.time * x,
    "quotient": lambda x: x / x.time,
    "of a step": lambda x: x[1:] * x.time.diff("time"),
    "of one label": lambda x: x * x.time[1],
    "of a unit": lambda x: x.time * u.W,
    "gradient": lambda x: np.gradient(x, x.time),
    "trapezoid": lambda x: np.trapezoid(x, x.time),
    "DimArray": lambda x: DimArray(x.time),
    "idxmax": lambda x: x.idxmax(),
    "interp": lambda x: x.interp(time=0.5 * u.day),
    "sel": lambda x: x.sel(time=1 * u.day),
    "dimflow.sel": lambda x: x.dimflow.sel(time=1 * u.day),
    "mean": lambda x: x.mean("time"),
    "rolling": lambda x: x.rolling(time=2).mean(),
    "isel": lambda x: x.isel(time=1),
    "where": lambda x: x.where(x.time >= x.time[0]),
}


def outcome(call, x):
    try:
        found = call(x)
    except Exception as error:
        return error
    return found.data if isinstance(found, xr.DataArray) else found


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("calendar", ["standard", "360_day", "noleap"])
@pytest.mark.parametrize("step", ["days", "hours", "seconds", "minutes"])
def test_dates_that_are_numbers_are_no_pure_numbers(step, calendar, name):
    attrs = {"units": f"{step} since 2000-01-01", "calendar": calendar}
    power = ("time", [1.0, 2.0, 4.0] * u.W)
    raw = xr.Dataset({"p": power}, coords={"time": ("time", [0.0, 1.0, 2.0], attrs)})
    found = outcome(CALLS[name], raw.p)
    if isinstance(found, Exception):
        assert isinstance(found, UnitError), found
        return
    wanted = outcome(CALLS[name], xr.decode_cf(raw).p)
    assert found.unit == wanted.unit
    np.testing.assert_allclose(found.to_value(wanted.unit), wanted.data)


def test_the_hint_for_dates_works():
    attrs = {"units": "hours since 2000-01-01"}
    power = ("time", [1.0, 2.0, 4.0] * u.W)
    raw = xr.Dataset({"p": power}, coords={"time": ("time", [0.0, 1.0, 2.0], attrs)})
    with pytest.raises(UnitError, match="counts time") as caught:
        raw.p.integrate("time")
    assert "x.dimflow.quantify({'time': 'h'})" in str(caught.value)
    found = raw.p.dimflow.quantify({"time": "h"}).integrate("time").data
    decoded = xr.decode_cf(raw).p.integrate("time").data
    assert found.to_value("J") == decoded.to_value("J")


# Labels that are durations

HOURS = xr.DataArray(
    [1.0, 2.0, 4.0] * u.W,
    dims="t",
    coords={"t": np.array([0, 3600, 7200], "m8[s]").astype("m8[ns]")},
)
LABELS = {
    "one": (lambda x: x.sel(t=1 * u.h), [2.0]),
    "accessor": (lambda x: x.dimflow.sel(t=3600 * u.s), [2.0]),
    "several": (lambda x: x.sel(t=[0, 60] * u.min), [1.0, 2.0]),
    "slice": (lambda x: x.sel(t=slice(30 * u.min, 2 * u.h)), [2.0, 4.0]),
    "loc": (lambda x: x.loc[{"t": 1 * u.h}], [2.0]),
    "nearest": (
        lambda x: x.sel(t=50 * u.min, method="nearest", tolerance=20 * u.min),
        [2.0],
    ),
    "labelled": (lambda x: x.sel(t=xr.DataArray([0, 2] * u.h, dims="z")), [1.0, 4.0]),
    "interp": (lambda x: x.interp(t=30 * u.min), [1.5]),
    "reindex": (lambda x: x.reindex(t=[2, 0] * u.h), [4.0, 1.0]),
    "drop_sel": (lambda x: x.drop_sel(t=[1] * u.h), [1.0, 4.0]),
}


@pytest.mark.parametrize("name", LABELS)
def test_durations_are_found_by_quantities(name):
    call, wanted = LABELS[name]
    np.testing.assert_allclose(np.ravel(call(HOURS).data.to_value("W")), wanted)
    with pytest.raises(UnitConversionError):
        HOURS.sel(t=1 * u.m)
    dates = HOURS.assign_coords(t=np.array(["2000-01-01", "2000-01-02", "2000-01-03"], "M8[ns]"))
    with pytest.raises(UnitError, match="holds datetime64"):
        dates.sel(t=1 * u.h)


# Bounds of cells


@pytest.mark.parametrize("key", ["bounds", "climatology"])
@pytest.mark.parametrize("place", ["attrs", "encoding"])
@pytest.mark.parametrize("own", [None, "km"])
@pytest.mark.parametrize("unit", ["km", "degC"])
@pytest.mark.parametrize("is_coordinate", [True, False])
def test_bounds_are_in_the_unit_of_what_they_bound(key, place, own, unit, is_coordinate):
    attrs = {} if own is None else {"units": unit}
    cells = xr.Dataset(
        {"x_bnds": (("x", "b"), [[0.0, 1.0], [1.0, 2.0]], attrs)},
        coords={"x": ("x", [0.5, 1.5], {"units": unit})},
    )
    getattr(cells.x.variable, place)[key] = "x_bnds"
    cells = cells.set_coords("x_bnds") if is_coordinate else cells
    target = {"km": "m", "degC": "K"}[unit]
    wanted = DimArray([[0.0, 1.0], [1.0, 2.0]], unit)
    q = cells.dimflow.quantify()
    assert np.all(q.x_bnds.data == wanted)
    moved = q.dimflow.to(x=target)
    assert str(moved.x_bnds.data.unit) == target
    np.testing.assert_allclose(moved.x_bnds.data.data, wanted.to_value(target))
    written = moved.dimflow.dequantify()
    assert written.x_bnds.attrs["units"] == written.x.attrs["units"]
    plain = cells.dimflow.to(x=target)
    np.testing.assert_allclose(plain.x_bnds.data, wanted.to_value(target))
    assert plain.x_bnds.attrs.get("units") == (None if own is None else target)
    assert cells.dimflow.quantify(x_bnds=None).x_bnds.dtype == float


def test_bounds_of_dates_stay_plain():
    attrs = {"units": "days since 2000-01-01", "bounds": "t_bnds"}
    cells = xr.Dataset({"t_bnds": (("t", "b"), [[0.0, 1.0]])}, coords={"t": ("t", [0.5], attrs)})
    assert isinstance(cells.dimflow.quantify().t_bnds.data, np.ndarray)


# Valid ranges hold in the unit that they were read in

RANGED = {
    "product": lambda x: x * (86400 * u.s),
    "double": lambda x: x * 2,
    "square": lambda x: x**2,
    "root": np.sqrt,
    "sum": lambda x: x + x,
    "inverse": lambda x: 1 / x,
    "ratio": lambda x: x / x,
    "compared": lambda x: x > 1 * u.m,
    "to": lambda x: x.dimflow.to("km"),
    "same": lambda x: x.dimflow.to("m"),
    "mean": lambda x: x.mean(),
    "var": lambda x: x.var(),
    "integrate": lambda x: x.integrate("x"),
    "differentiate": lambda x: x.differentiate("x"),
    "cumsum": lambda x: x.cumsum("x"),
    "dot": lambda x: x.dot(x),
    "coarsen": lambda x: x.coarsen(x=2).var(),
    "rolling": lambda x: x.rolling(x=2).var(),
    "groups": lambda x: x.groupby("x").var(),
    "function": lambda x: xr.apply_ufunc(np.square, x),
}


@pytest.mark.parametrize("key", ["valid_min", "valid_max", "valid_range", "actual_range"])
@pytest.mark.parametrize("name", RANGED)
@pytest.mark.parametrize("in_dataset", [True, False])
def test_a_valid_range_does_not_outlive_its_unit(name, key, in_dataset):
    axis = ("x", [0.0, 1.0], {"units": "km"})
    x = xr.DataArray([1.0, 2.0] * u.m, {"x": axis}, attrs={key: 3.0, "long_name": "a"}, name="v")
    found = RANGED[name](x.to_dataset() if in_dataset and name not in ("dot", "ratio") else x)
    found = found.v if isinstance(found, xr.Dataset) else found
    unit = getattr(found.data, "unit", None)
    if unit is None or unit != u.m:
        assert key not in found.attrs
