"""Units under xarray's labels: arithmetic, reductions, joins. The numbers are xarray's own."""

import operator
import pickle

import numpy as np
import pytest
import xarray as xr

from dimflow import DimArray, Unit
from dimflow import units as u
from dimflow.errors import DimensionError, PointError, UnitLossError

NUMBERS = np.array([[1.0, 2.0, np.nan, 4.0], [5.0, 6.0, 7.0, 8.0]])
COORDS = {
    "time": np.array(["2020-01-01", "2020-01-02"], dtype="M8[ns]"),
    "x": ("x", [0.0, 1.0, 2.0, 3.0], {"units": "km"}),
    "band": ("x", [0, 0, 1, 1]),
}
PLAIN = xr.DataArray(NUMBERS, dims=("time", "x"), coords=COORDS, name="v", attrs={"a": 1})


def in_unit(unit, numbers=NUMBERS):
    return PLAIN.copy(data=DimArray(numbers, unit))


SPEED = in_unit("m/s")

SAME_UNIT = {
    "sum": lambda a: a.sum("x"),
    "mean": lambda a: a.mean("x"),
    "mean of all": lambda a: a.mean(),
    "min": lambda a: a.min("x"),
    "max without skipping": lambda a: a.max("x", skipna=False),
    "median": lambda a: a.median("x"),
    "std": lambda a: a.std("x", ddof=1),
    "quantile": lambda a: a.quantile([0.25, 0.5], "x"),
    "cumsum": lambda a: a.cumsum("x"),
    "diff": lambda a: a.diff("x"),
    "groupby": lambda a: a.groupby("band").mean(),
    "groupby_bins": lambda a: a.groupby_bins("x", [-1, 1, 4]).sum(),
    "groupby minus": lambda a: a.groupby("band") - a.groupby("band").mean(),
    "resample": lambda a: a.resample(time="2D").mean(),
    "rolling": lambda a: a.rolling(x=2, min_periods=1).mean(),
    "rolling sum": lambda a: a.rolling(x=3).sum(),
    "rolling construct": lambda a: a.rolling(x=2).construct("w"),
    "coarsen": lambda a: a.coarsen(x=2).max(),
    "weighted": lambda a: a.weighted(xr.DataArray([1.0, 2.0, 3.0, 4.0], dims="x")).mean("x"),
    "concat": lambda a: xr.concat([a, a], dim="time"),
    "where": lambda a: a.where(xr.DataArray([True, False, True, True], dims="x")),
    "fillna 0": lambda a: a.fillna(0),
    "dropna": lambda a: a.dropna("x"),
    "shift": lambda a: a.shift(x=1),
    "roll": lambda a: a.roll(x=1),
    "pad": lambda a: a.pad(x=1),
    "align": lambda a: xr.align(a, a.isel(x=[0, 2]), join="outer")[1],
    "reindex": lambda a: a.reindex(x=[0.0, 9.0]),
    "sel": lambda a: a.sel(x=slice(1, 2)),
    "isel": lambda a: a.isel(x=-1),
    "sortby": lambda a: a.sortby("x", ascending=False),
    "stack": lambda a: a.stack(z=("time", "x")).unstack(),
    "transpose": lambda a: a.transpose(),
    "expand_dims": lambda a: a.expand_dims("n"),
    "broadcast": lambda a: xr.broadcast(a, xr.DataArray([1, 2], dims="k"))[0],
    "combine_first": lambda a: a.combine_first(a),
    "deep copy": lambda a: a.copy(deep=True),
    "pickle": lambda a: pickle.loads(pickle.dumps(a)),
    "abs": lambda a: abs(a),
    "float32": lambda a: a.astype("float32"),
    "to_dataset": lambda a: a.to_dataset().v,
    "twice": lambda a: 2 * a,
}


@pytest.mark.parametrize("name", SAME_UNIT)
def test_what_keeps_the_unit(name):
    function = SAME_UNIT[name]
    result, wanted = function(SPEED), function(PLAIN)
    assert isinstance(result.data, DimArray)
    assert result.data.unit == Unit("m/s")
    xr.testing.assert_allclose(result.copy(data=result.data.data), wanted)
    assert result.dtype == wanted.dtype


OTHER_UNIT = {
    "var": (lambda a: a.var("x"), "m**2/s**2"),
    "product": (lambda a: a * a, "m**2/s**2"),
    "power": (lambda a: a**2, "m**2/s**2"),
    "sqrt": (np.sqrt, "m**(1/2)/s**(1/2)"),
    "quotient": (lambda a: a / a, ""),
    "dot": (lambda a: xr.dot(a.fillna(0), a.fillna(0)), "m**2/s**2"),
    "cov": (lambda a: xr.cov(a, a), "m**2/s**2"),
    "corr": (lambda a: xr.corr(a, a), ""),
    "weighted sum of squares": (
        lambda a: a.weighted(xr.DataArray([1.0, 2.0, 3.0, 4.0], dims="x")).sum_of_squares(),
        "m**2/s**2",
    ),
}


@pytest.mark.parametrize("name", OTHER_UNIT)
def test_what_changes_the_unit(name):
    function, unit = OTHER_UNIT[name]
    result, wanted = function(SPEED), function(PLAIN)
    assert DimArray(result).unit == Unit(unit)
    np.testing.assert_allclose(DimArray(result).to_value(unit), wanted.values)


@pytest.mark.parametrize(
    "function", [operator.add, operator.sub, operator.lt, operator.eq], ids=lambda f: f.__name__
)
def test_units_are_converted_before_they_meet(function):
    hours = in_unit("km/h", NUMBERS * 3.6)
    result, wanted = function(SPEED, hours), function(SPEED, SPEED)
    if function is not operator.eq and function is not operator.lt:
        assert result.data.unit == Unit("m/s")
        np.testing.assert_allclose(result.data.data, wanted.data.data, atol=1e-12)


@pytest.mark.parametrize("unit", ["m", "degC", "dBm", "%"])
@pytest.mark.parametrize("dtype", [None, "float32", int])
@pytest.mark.parametrize("name", ["ones_like", "zeros_like"])
def test_ones_and_zeros_are_those_of_numpy(name, unit, dtype):
    array = in_unit(unit, np.arange(8.0).reshape(2, 4))
    expected = getattr(np, name)(array.data, dtype=dtype)
    for found in (array, array.variable, array.chunk().compute()):
        made = getattr(xr, name)(found, dtype=dtype)
        assert made.data.unit is expected.unit
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made.data.data, expected.data)
    both = getattr(xr, name)(xr.Dataset({"a": array, "n": ("k", [5.0])}), dtype=dtype)
    assert both.a.data.unit is expected.unit
    assert isinstance(both.n.data, np.ndarray)


def test_joins_convert():
    both = xr.concat([SPEED, in_unit("km/h", NUMBERS * 3.6)], dim="time")
    assert both.data.unit == Unit("m/s")
    np.testing.assert_allclose(both.data.data, np.concatenate([NUMBERS, NUMBERS]))
    chosen = SPEED.where(DimArray(2.0, "m/s") < SPEED, DimArray(3.6, "km/h"))
    np.testing.assert_allclose(chosen.data.to_value("m/s")[0], [1.0, 1.0, 1.0, 4.0])
    assert SPEED.equals(in_unit("km/h", NUMBERS * 3.6)) in (True, False)  # by floats; no error


WRONG = {
    "sum of two": lambda: SPEED + in_unit("m"),
    "a bare number": lambda: SPEED + 1,
    "order": lambda: in_unit("kg") < SPEED,
    "concat": lambda: xr.concat([SPEED, in_unit("m")], dim="time"),
    "where": lambda: SPEED.where(0 * u.m / u.s < SPEED, 5.0),
    "fillna": lambda: SPEED.fillna(DimArray(1.0, "m")),
    "clip": lambda: SPEED.clip(max=3.0),
    "merge": lambda: SPEED.combine_first(in_unit("m")),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_units_are_our_errors(name):
    with pytest.raises(DimensionError):
        WRONG[name]()


def test_units_and_arrays_on_either_side():
    for made in (PLAIN * u.m, u.m * PLAIN, PLAIN * DimArray(1.0, "m"), DimArray(1.0, "m") * PLAIN):
        assert isinstance(made, xr.DataArray)
        assert made.data.unit == u.m
        np.testing.assert_array_equal(made.data.data, NUMBERS)
        assert set(made.coords) == set(PLAIN.coords)
    assert (u.m / SPEED).data.unit == u.s
    assert (SPEED / u.s).data.unit == Unit("m/s**2")
    assert (SPEED * (2.0 * u.s)).data.unit == u.m


def test_points_follow_the_table():
    degrees = in_unit("degC")
    assert degrees.mean("x").data.unit == u.degC
    assert degrees.diff("x").data.unit == u.delta_degC
    assert degrees.std("x").data.unit == u.delta_degC
    assert degrees.max("x").data.unit == u.degC
    assert degrees.rolling(x=2).max().data.unit == u.degC
    for wrong in (lambda: degrees.sum("x"), lambda: degrees + degrees, lambda: degrees * 2):
        with pytest.raises(PointError):
            wrong()


def test_levels_can_be_picked():
    assert in_unit("dBm").max().data.unit == u.dBm
    assert in_unit("pH").isel(x=0).data.unit == u.pH


def test_a_dataset_of_many_units():
    dataset = xr.Dataset({"v": SPEED, "m": in_unit("kg"), "n": PLAIN})
    means = dataset.mean("x")
    assert means.v.data.unit == Unit("m/s")
    assert means.m.data.unit == u.kg
    assert isinstance(means.n.data, np.ndarray)
    energy = 0.5 * dataset.m * dataset.v**2
    assert energy.data.to("J").unit == u.J
    assert dataset.isel(x=0).m.data.unit == u.kg
    assert xr.merge([dataset[["v"]], dataset[["m"]]]).m.data.unit == u.kg


def test_nothing_gives_the_numbers_away(tmp_path):
    for lossy in (
        lambda: SPEED.values,
        lambda: SPEED.to_series(),
        lambda: np.asarray(SPEED),
        lambda: float(SPEED[0, 0]),
        lambda: SPEED.to_netcdf(tmp_path / "x.nc", engine="scipy"),
    ):
        with pytest.raises(UnitLossError):
            lossy()


def test_the_unit_is_in_sight():
    dataset = xr.Dataset({"v": SPEED})
    assert "[m/s] 1.0 2.0 nan" in repr(dataset)
    assert "m/s" in repr(SPEED)
    assert "[m/s]" in dataset._repr_html_()
    assert "<table>" in SPEED._repr_html_()


@pytest.mark.parametrize("width", [5, 10, 20, 40, 200])
@pytest.mark.parametrize("count", [0, 1, 3, 1000])
def test_the_inline_text_fits(width, count):
    text = DimArray(np.arange(float(count)), "km")._repr_inline_(width)
    assert len(text) <= width
    assert text.startswith("[km]")
    assert ("..." in text) == (count == 1000 and width >= 10) or width < 20


@pytest.mark.parametrize(
    "make", [lambda x: x, lambda x: x.to_dataset(name="a"), lambda x: x.variable]
)
def test_assert_allclose_asks_for_no_unit_of_its_default(make):
    x = xr.DataArray(DimArray([1.0, np.nan, 3.0], "km"), dims="x")
    xr.testing.assert_allclose(make(x), make(x.dimflow.to("m") * (1 + 1e-7)))
    xr.testing.assert_allclose(make(x), make(x + 1 * u.m), rtol=0, atol=2 * u.m)
    for other, options in (
        (x * 1.001, {}),
        (x + 1 * u.m, {"rtol": 0, "atol": 0.5 * u.m}),
        (x[:2], {}),
    ):
        with pytest.raises(AssertionError):
            xr.testing.assert_allclose(make(x), make(other), **options)
    with pytest.raises(DimensionError):
        xr.testing.assert_allclose(make(x), make(x * 1.0), atol=0.1)
