"""Tables of pandas with units: in and out again, every unit of columns and labels with them."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import UnitLossError
from dimflow.pandas import DimDtype

V = pd.Series([1.0, 2.0, np.nan, 4.0] * u.m, name="v")
LABELS = {
    "none": pd.RangeIndex(4, name="x"),
    "length": pd.Index([1.0, 2.0, 3.0, 5.0] * u.km, name="x"),
    "point": pd.Index([1.0, 2.0, 3.0, 5.0] * u.degC, name="x"),
    "difference": pd.Index(DimArray([1.0, 2.0, 3.0, 5.0], "delta_degC"), name="x"),
    "dates": pd.date_range("2001-01-01", periods=4, name="x", unit="s"),
    "texts": pd.Index(list("abcd"), name="x"),
    "grid": pd.MultiIndex.from_product([[1.0, 2.0] * u.km, ["a", "b"]], names=["x", "k"]),
    "two units": pd.MultiIndex.from_product(
        [[1.0, 2.0] * u.km, [1.0, 3.0] * u.s], names=["x", "t"]
    ),
}


def table(labels: str) -> pd.DataFrame:
    columns = {"v": V, "w": V.astype("dimflow[cm][float32]"), "n": [1, 2, 3, 4]}
    return pd.DataFrame(columns).set_axis(LABELS[labels])


@pytest.mark.parametrize("labels", LABELS)
def test_a_table_comes_back_as_it_was(labels):
    start = table(labels)
    found = start.to_xarray()
    assert found.v.dimflow.unit == u.m
    assert found.w.dimflow.unit == u.cm
    assert found.mean().v.data == V.mean()
    for back in (found, found.dimflow.dequantify().dimflow.quantify()):
        pd.testing.assert_frame_equal(back.dimflow.to_dataframe()[["v", "w", "n"]], start)
    pd.testing.assert_series_equal(start.v.to_xarray().dimflow.to_series(), start.v)
    assert start.to_xarray().identical(xr.Dataset.from_dataframe(start))


def test_labels_in_two_units_are_aligned_by_what_they_mean():
    kilometres = xr.DataArray(
        DimArray([1.0, 2.0], "m/s"), dims="x", coords={"x": ("x", [1.0, 2.0], {"units": "km"})}
    )
    metres = kilometres.dimflow.to(x="m")
    for left, right in ((kilometres, metres), (metres, kilometres)):
        difference = left.dimflow.to_series() - right.dimflow.to_series()
        assert len(difference) == 2
        assert difference.abs().max() == 0 * u.m / u.s


COLUMNS = {
    "array": lambda: xr.DataArray(V),
    "column": lambda: xr.DataArray(V.array, dims="x"),
    "variable": lambda: xr.Variable("x", V),
    "index": lambda: xr.Variable("x", pd.Index(V)),
    "dataset": lambda: xr.Dataset({"v": V}).v,
    "dimensions": lambda: xr.Dataset({"v": ("x", V)}).v,
    "assignment": lambda: xr.Dataset().assign(v=("x", V)).v,
    "coordinate": lambda: xr.Dataset(coords={"v": ("x", V)}).v,
    "table": lambda: xr.DataArray(V.to_frame())[:, 0],
    "objects": lambda: xr.Variable("x", V.to_numpy()),
}


@pytest.mark.parametrize("way", COLUMNS)
def test_a_column_is_an_array_with_a_unit(way):
    found = COLUMNS[way]()
    assert type(found.data) is DimArray
    assert found.data.unit == u.m
    np.testing.assert_array_equal(found.data.data, V.dimflow.magnitude)
    found.data[0] = 7 * u.m
    assert V[0] == 1 * u.m


def test_labels_with_a_unit_come_in_by_to_xarray():
    series = V.set_axis(LABELS["length"])
    for wrong in (lambda: xr.DataArray(series), lambda: xr.Dataset(series.to_frame())):
        with pytest.raises(UnitLossError, match=r"series.to_xarray\(\)"):
            wrong()
    assert series.to_xarray().x.attrs["units"] == "km"
    assert series.to_xarray().dimflow.to_series().index.dtype == DimDtype("km")


def test_labels_of_no_known_unit_stay_numbers():
    for units in ("nothing", "1", "days since 2000-01-01"):
        found = xr.DataArray([1.0] * u.m, dims="x", coords={"x": ("x", [1.0], {"units": units})})
        assert found.dimflow.to_series().index.dtype == float
