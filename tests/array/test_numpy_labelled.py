"""NumPy's functions on columns of pandas and arrays of xarray: with units as those of arrays.

Plain ones are as without dimflow.
"""

from typing import Any

import astropy.units as astropy_units
import dask.array as dask_array
import numpy as np
import pandas as pd
import pytest
import xarray as xr

from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import DimensionError
from tests.array import numpy_walk
from tests.array.numpy_recipes import PURE_RECIPES, RECIPES

EVERY = RECIPES | PURE_RECIPES
OTHERWISE = {
    "roots": "NumPy asks the elements of a column, and not the column",
    **dict.fromkeys(("copyto", "place", "put", "putmask"), "NumPy writes into its own alone"),
    **dict.fromkeys(("astype", "can_cast"), "a column has a dtype of pandas"),
}
NO_NUMBERS = ("common_type", "einsum_path", "min_scalar_type", "result_type")  # but dtypes, texts
CALLS = [
    name
    for name in sorted(EVERY.keys() - set(NO_NUMBERS))
    if hasattr(numpy_walk.function(name), "_implementation")
]


class Columns:
    """Arrays of one axis as columns, and all others as arrays with units."""

    is_raw = False
    like: dict[str, Any] = {}

    def __init__(self, kind: Any, unit: str | None) -> None:
        self.kind, self.unit = kind, unit

    def __call__(self, values: Any) -> Any:
        array = np.asarray(values) if self.unit is None else DimArray(values, self.unit)
        is_column = array.ndim == 1 and array.dtype.kind == "f"
        return self.kind(array) if is_column or self.kind is labelled else array


def labelled(array: Any) -> Any:
    """An array of xarray, of any number of axes."""
    return xr.DataArray(array, dims=[f"axis {i}" for i in range(array.ndim)])


def coordinate(array: Any) -> Any:
    """An index of xarray, whose unit is an attribute."""
    if isinstance(array, np.ndarray):
        return xr.Dataset(coords={"x": array}).x
    return xr.Dataset(coords={"x": ("x", array.data, {"units": str(array.unit)})}).x


def run(name: str, kind: Any, *units: str | None) -> Any:
    """The parts of a result, or the class of an error."""
    function = numpy_walk.function(name)
    try:
        found = EVERY[name](function, *(Columns(kind, unit) for unit in units))
    except Exception as error:
        return type(error)
    return [DimArray(part) for part in numpy_walk.leaves(found)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [pd.Series, pd.Index, labelled])
@pytest.mark.parametrize("name", CALLS)
def test_a_column_is_the_array_in_it(name: str, kind: Any) -> None:
    found, wanted = run(name, kind, "m", "min"), run(name, DimArray.copy, "m", "min")
    if isinstance(found, type) or isinstance(wanted, type):
        assert found in (wanted, run(name, kind, None, None)) or name in OTHERWISE
        return
    for one, other in zip(found, wanted, strict=True):
        assert one.unit == other.unit
        np.testing.assert_allclose(one.data, other.data, rtol=1e-12)


NO_INDEX = {
    "argsort": "a method of xarray, whose result keeps the attributes",
    **dict.fromkeys(
        ("lib.scimath.power", "lib.scimath.sqrt"), "the recipe computes with it before"
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in CALLS if name not in NO_INDEX])
def test_an_index_counts_its_unit(name: str) -> None:
    """Where it is refused beside bare numbers, and where no unit comes out, it is plain numbers."""
    found, wanted = run(name, coordinate, "m", "min"), run(name, DimArray.copy, "m", "min")
    if not isinstance(found, type) and not isinstance(wanted, type):
        for one, other in zip(found, wanted, strict=True):
            assert one.unit == other.unit
            np.testing.assert_allclose(one.data, other.data, rtol=1e-12)
        return
    plain = run(name, coordinate, None, None)
    if isinstance(found, type):
        assert found in (wanted, plain) or name in OTHERWISE
    else:
        assert [part.unit for part in found] == [part.unit for part in plain]


X = xr.Dataset(coords={"x": ("x", [0.0, 1.0, 3.0], {"units": "km"})}).x
BESIDE_NUMBERS = {
    "interp": lambda x: np.interp(0.5, x, [1.0, 2.0, 3.0]),
    "searchsorted": lambda x: np.searchsorted(x, 1.0),
    "isclose": lambda x: np.isclose(x, 1.0),
    "allclose": lambda x: np.allclose(x, [0.0, 1.0, 3.0]),
    "array_equal": lambda x: np.array_equal(x, [0.0, 1.0, 3.0]),
    "histogram": lambda x: np.histogram(x, [0.0, 1.0, 2.0])[0],
    "where": lambda x: np.where(x > 1, x, 5.0),
    "full_like": lambda x: np.full_like(x, 5.0),
    "argsort": lambda x: np.argsort(x),
    "shape": lambda x: np.shape(x),
}


@pytest.mark.parametrize("name", BESIDE_NUMBERS)
@pytest.mark.parametrize("unit", ["km", "model level", "days since 2000-01-01"])
def test_an_index_beside_numbers_is_as_without_dimflow(name: str, unit: str, monkeypatch: Any):
    x = X.assign_attrs(units=unit)
    found = BESIDE_NUMBERS[name](x)
    monkeypatch.delattr(xr.DataArray, "__array_function__")
    wanted = BESIDE_NUMBERS[name](x)
    assert type(found) is type(wanted)
    assert repr(found) == repr(wanted)


def test_indexes_in_two_units_meet() -> None:
    metres = X.copy(data=X.data * 1000.0).assign_attrs(units="m")
    assert np.all(np.isclose(X, metres))
    assert np.array_equal(X, metres)
    assert np.concatenate([X, metres]).unit == u.km
    with pytest.raises(DimensionError, match="concatenate needs"):
        np.concatenate([X, X.assign_attrs(units="s")])
    heat = xr.DataArray([10.0, 20.0, 40.0] * u.degC, dims="x", coords={"x": X})
    slope = np.gradient(heat) / np.gradient(heat.x)
    assert slope.unit == u.delta_degC / u.km


PLAIN = {
    "median": lambda s: np.median(s),
    "mean": lambda s: np.mean(s),
    "where": lambda s: np.where(s > 2, s, 0),
    "concatenate": lambda s: np.concatenate([s, s.index, [1.0]]),
    "gradient": lambda s: np.gradient(s, s.index),
    "cumsum": lambda s: np.cumsum(s),
    "masked": lambda s: np.concatenate([np.ma.masked_equal([1.0, 2.0], 2.0), s]),
    "equal": lambda s: np.array_equal(s, s),
    "other": lambda s: np.dot(s, [1.0, 2.0, 3.0] * astropy_units.m),
    "dask": lambda s: np.where(s > 2, dask_array.ones(3), s).compute(),
    "labelled": lambda s: np.median(s.to_xarray()),
    "xarray": lambda s: xr.where(xr.DataArray([True, False, True]), xr.DataArray(s.values), 0),
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_columns_are_as_without_dimflow(name: str, monkeypatch: Any) -> None:
    series = pd.Series([4.0, 1.0, 3.0], index=[0.0, 1.0, 3.0])
    assert not hasattr(series, "__array_function__")  # other libraries take such for arrays
    found = PLAIN[name](series)
    for kind in (pd.Series, pd.Index, xr.DataArray):
        monkeypatch.delattr(kind, "__array_function__")
    wanted = PLAIN[name](series)
    assert type(found) is type(wanted)
    assert repr(found) == repr(wanted)


def test_errors_are_those_of_arrays() -> None:
    series = pd.Series([4.0, 1.0] * u.m)
    with pytest.raises(DimensionError, match="where needs arguments of one dimension"):
        np.where(series > 2 * u.m, series, 5)
    with pytest.raises(DimensionError, match="insert needs"):
        np.insert(series, 0, 5)
    assert np.array_equal(series, [400.0, 100.0] * u.cm)
