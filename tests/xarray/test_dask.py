"""xarray, Dask and units together, as data of climate are worked with: lazy to the end."""

import pickle
import warnings

import dask
import dask.array as da
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import xarray as xr

from dimflow import DimArray
from dimflow import units as u
from dimflow.dask import DaskDimArray
from dimflow.errors import DimensionError, PointError, UnitError, UnitLossError
from tests.dask.conftest import nothing_runs
from tests.xarray.test_labelled import NUMBERS, OTHER_UNIT, SAME_UNIT, SPEED

mpl.use("Agg")
RNG = np.random.default_rng(5)
DAYS = 90
SHAPE = (DAYS, 4, 6)


def generated():
    """Some weeks of weather on a coarse grid, with units as attributes."""
    year = 2 * np.pi * np.arange(DAYS)[:, None, None] / 365.25
    temperature = 15 + 10 * np.cos(year) + RNG.normal(size=SHAPE)
    latitudes = np.linspace(-60.0, 60.0, 4)
    dims = ("time", "lat", "lon")
    return xr.Dataset(
        {
            "t": (dims, temperature, {"units": "degC", "long_name": "air temperature"}),
            "p": (dims, 1000 + RNG.normal(size=SHAPE), {"units": "hPa"}),
        },
        coords={
            "time": pd.date_range("2000-01-20", periods=DAYS, freq="D"),
            "lat": ("lat", latitudes, {"units": "degrees_north"}),
            "lon": ("lon", np.linspace(0.0, 300.0, 6), {"units": "degrees_east"}),
            "area": ("lat", np.cos(np.deg2rad(latitudes)), {"units": "km2"}),
        },
    )


def to_zarr(dataset, path, **options):
    """Without the remark that consolidated metadata are not a standard yet."""
    return dataset.to_zarr(path, consolidated=False, **options)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("climate") / "weather.zarr"
    with dask.config.set(scheduler="sync"):
        to_zarr(generated().chunk(time=40, lat=2), path)
    return path


@pytest.fixture(autouse=True)
def _in_this_thread():
    with dask.config.set(scheduler="sync"):
        yield


def opened(store):
    return xr.open_zarr(store, chunks={}, consolidated=False)


@pytest.fixture
def lazy(store):
    with nothing_runs():
        return opened(store).dimflow.quantify()


@pytest.fixture(scope="module")
def eager(store):
    return opened(store).load().dimflow.quantify()


def assert_same(found, wanted):
    """A lazy result that computes to an eager one: units, numbers, dtypes, names of axes."""
    assert type(found) is type(wanted)
    assert dict(found.sizes) == dict(wanted.sizes)
    pairs = [(found, wanted)]
    if isinstance(wanted, xr.Dataset):
        pairs = [(found[name], wanted[name]) for name in wanted.data_vars]
    for lazy, eager in pairs:
        assert isinstance(lazy.data, DaskDimArray if isinstance(eager.data, DimArray) else da.Array)
        computed = lazy.compute()
        assert type(computed.data) is type(eager.data)
        assert computed.dtype == eager.dtype
        if isinstance(eager.data, DimArray):
            assert lazy.data.unit == eager.data.unit
            assert computed.data.unit == eager.data.unit
            computed, eager = (x.copy(data=x.data.data) for x in (computed, eager))
        np.testing.assert_allclose(computed.data, eager.data, rtol=1e-9, atol=1e-9)


COMPUTES = {"dropna"}  # to know how long the result is


@pytest.mark.parametrize("name", [n for n in SAME_UNIT if n not in COMPUTES])
def test_what_keeps_the_unit_is_lazy(name):
    quantities = SPEED.copy(data=DaskDimArray(NUMBERS, "m/s", chunks=(1, 2)))
    with nothing_runs():
        found = SAME_UNIT[name](quantities)
    assert_same(found, SAME_UNIT[name](SPEED))


@pytest.mark.parametrize("name", OTHER_UNIT)
def test_what_changes_the_unit_is_lazy(name):
    function, _ = OTHER_UNIT[name]
    with nothing_runs():
        found = function(SPEED.copy(data=DaskDimArray(NUMBERS, "m/s", chunks=(1, 2))))
    assert_same(found, function(SPEED))


def weights(ds):
    return np.cos(np.deg2rad(ds.lat))


def in_one(x):
    """In one block along time, where all of it is needed at once."""
    return x.chunk(time=-1) if x.chunks else x


CLIMATE = {
    "climatology": lambda ds: ds.groupby("time.month").mean(),
    "anomalies": lambda ds: ds.groupby("time.month") - ds.groupby("time.month").mean(),
    "seasons": lambda ds: ds.t.groupby("time.season").mean("time"),
    "yearly extremes": lambda ds: ds.t.groupby("time.year").max(),
    "spread by month": lambda ds: ds.t.groupby("time.month").std(),
    "map over groups": lambda ds: ds.p.groupby("time.month").map(lambda x: x - x.mean("time")),
    "quantiles by year": lambda ds: in_one(ds.p).groupby("time.year").quantile(0.5),
    "zones": lambda ds: ds.p.groupby_bins("lat", [-90, 0, 90]).mean(),
    "months": lambda ds: ds.resample(time="MS").mean(),
    "hottest of months": lambda ds: ds.t.resample(time="MS").max(),
    "half days": lambda ds: ds.p.resample(time="12h").nearest(),
    "running mean": lambda ds: ds.p.rolling(time=10, center=True).mean(),
    "running spread": lambda ds: ds.p.rolling(time=10).std(),
    "running extremes": lambda ds: ds.t.rolling(time=10).max(),
    "sums so far": lambda ds: ds.p.cumulative("time").sum(),
    "coarser grid": lambda ds: ds.coarsen(lat=2, lon=2).mean(),
    "global mean": lambda ds: ds.p.weighted(weights(ds)).mean(("lat", "lon")),
    "global mean in K": lambda ds: ds.t.dimflow.to("K").weighted(weights(ds)).mean(("lat", "lon")),
    "global mean of points": lambda ds: ds.t.weighted(weights(ds)).mean(("lat", "lon")),
    "running mean of points": lambda ds: ds.t.rolling(time=10, center=True).mean(),
    "spread": lambda ds: ds.std("time"),
    "variance": lambda ds: ds.var("time"),
    "quantile": lambda ds: in_one(ds.t).quantile(0.9, "time"),
    "median": lambda ds: in_one(ds.t).median("time"),
    "differences": lambda ds: ds.diff("time"),
    "xr.where": lambda ds: xr.where(ds.t > DimArray(15.0, "degC"), ds.t, np.nan),
    "where": lambda ds: ds.where(ds.t > DimArray(288.15, "K")),
    "fill": lambda ds: ds.p.shift(time=1).fillna(DimArray(1.0, "bar")),
    "clip": lambda ds: ds.p.clip(DimArray(99_900.0, "Pa"), DimArray(1001.0, "hPa")),
    "isin": lambda ds: ds.p.isin(DimArray([1000.0], "hPa")),
    "concat": lambda ds: xr.concat([ds.isel(time=slice(10)), ds.isel(time=slice(10, 20))], "time"),
    "merge": lambda ds: xr.merge([ds[["t"]], ds[["p"]]]),
    "labels": lambda ds: ds.p.dimflow.sel(lon=slice(0 * u.deg, 200 * u.deg)),
    "interp": lambda ds: ds.p.dimflow.interp(lon=DimArray([10.0, 20.0], "deg")),
    "missing values": lambda ds: in_one(ds.p).dimflow.interpolate_na("time"),
    "reduce": lambda ds: ds.p.reduce(np.mean, "time"),
    "convert": lambda ds: ds.dimflow.to(t="K", p="Pa"),
    "base units": lambda ds: ds.dimflow.to_base_units(),
    "dequantify": lambda ds: ds.dimflow.dequantify(),
    "drop_units": lambda ds: ds.dimflow.drop_units(),
    "rates": lambda ds: ds.p.dimflow.differentiate("time"),
    "integral": lambda ds: ds.p.dimflow.integrate("time"),
    "correlation": lambda ds: xr.corr(ds.t, ds.p, "time"),
    "covariance": lambda ds: xr.cov(ds.p, ds.p, "time"),
    "when": lambda ds: ds.p.argmax("time"),
    "counts": lambda ds: ds.p.count("time"),
    "density": lambda ds: ds.p / (DimArray(287.0, "J/kg/K") * ds.t.dimflow.to("K")),
    "parallel ufunc": lambda ds: xr.apply_ufunc(lambda x: x**2, ds.p, dask="parallelized"),
    "parallel reduction": lambda ds: xr.apply_ufunc(
        lambda x: x.mean(axis=-1),
        in_one(ds.p),
        input_core_dims=[["time"]],
        dask="parallelized",
        output_dtypes=[float],
    ),
    "lazy ufunc": lambda ds: xr.apply_ufunc(lambda x: x**2, ds.p, dask="allowed"),
    "blocks": lambda ds: ds.p.map_blocks(lambda x: x * x),
    "blocks of a dataset": lambda ds: xr.map_blocks(
        lambda d: d.assign(density=d.p / d.t.dimflow.to("K")), ds
    ),
    "one block in time": lambda ds: xr.map_blocks(
        lambda d: d.mean("time"), ds.isel(time=slice(40))
    ),
    "broadcast": lambda ds: xr.broadcast(ds.p, ds.area)[1],
    "unify_chunks": lambda ds: ds.unify_chunks() if ds.chunks else ds,
    "stack": lambda ds: ds.p.stack(z=("lat", "lon")).unstack(),
    "nearest": lambda ds: ds.sel(lat=3, method="nearest"),
    "a month": lambda ds: ds.sel(time="2000-03"),
}


@pytest.mark.parametrize("name", CLIMATE)
def test_the_flows_of_climate_are_lazy_and_equal_eager_ones(name, lazy, eager):
    with nothing_runs():
        found = CLIMATE[name](lazy)
    assert_same(found, CLIMATE[name](eager))


def test_from_store_to_store(store, tmp_path):
    """open_zarr, quantify, anomalies of months, to_zarr: nothing computes before the end."""
    out = tmp_path / "anomalies.zarr"
    with nothing_runs():
        ds = opened(store).dimflow.quantify()
        by_month = ds.groupby("time.month")
        anomalies = by_month - by_month.mean()
        anomalies["warm"] = anomalies.t.where(anomalies.t > DimArray(1.0, "delta_degC"))
        assert anomalies.t.data.unit == u.delta_degC
        plain = anomalies.chunk(time=40).dimflow.dequantify()
        writing = to_zarr(plain.drop_vars("month"), out, compute=False)
    writing.compute()
    raw = opened(store).load()
    months = raw.groupby("time.month")
    wanted = months - months.mean()
    again = opened(out)
    np.testing.assert_allclose(again.t, wanted.t, atol=1e-12)
    np.testing.assert_allclose(again.warm, wanted.t.where(wanted.t > 1.0), atol=1e-12)
    read = again.dimflow.quantify()
    assert read.t.data.unit == u.delta_degC
    assert read.p.data.unit == u.hPa


def test_the_graph_is_that_of_plain_numbers(store):
    """Units cost no task, but for the conversions that are needed."""

    def tasks(x):
        return len(dict(x.data.__dask_graph__()))

    def flow(ds):
        by_month = ds.t.groupby("time.month")
        return (by_month - by_month.mean()).coarsen(lat=2).max()

    plain = opened(store)
    lazy = plain.dimflow.quantify()
    assert tasks(flow(lazy)) == tasks(flow(plain))
    assert tasks(lazy.t.dimflow.to("K")) == tasks(plain.t + 273.15)


def test_a_mistake_shows_before_anything_is_computed(lazy):
    with nothing_runs():
        with pytest.raises(UnitError):
            lazy.t + lazy.p
        with pytest.raises(DimensionError):
            lazy.p + 1
        with pytest.raises(PointError):
            lazy.t.sum("time")
        with pytest.raises(PointError, match="degC"):
            lazy.t.weighted(weights(lazy)).sum("lat")


# Dask's own words


def test_compute_persist_load_and_chunk(lazy):
    assert type(lazy.persist().t.data) is DaskDimArray
    assert len(dict(lazy.t.persist().data.__dask_graph__())) == lazy.t.data.npartitions
    with nothing_runs():
        assert lazy.chunk(time=45).t.data.chunks[0] == (45, 45)
        assert lazy.chunks["time"] == (40, 40, 10)
        assert lazy.t.chunks[1:] == ((2, 2), (6,))
        assert dask.is_dask_collection(lazy)
    computed, alone = dask.compute(lazy, lazy.t.mean())
    assert computed.t.data.unit == alone.data.unit == u.degC
    assert type(computed.p.data) is DimArray
    assert type(lazy.t.load().data) is DimArray


def test_plain_data_are_quantified_in_blocks(store):
    plain = opened(store).load()
    with nothing_runs():
        first = plain.dimflow.quantify().chunk(time=40)
        second = plain.chunk(time=40).dimflow.quantify()
    assert_same(first.t, plain.dimflow.quantify().t)
    assert first.t.data.chunks == second.t.data.chunks
    assert type(first.t.data) is type(second.t.data) is DaskDimArray


def test_what_is_shown_computes_nothing(lazy):
    with nothing_runs():
        text, html = repr(lazy), lazy._repr_html_()
        assert "[hPa] dask" in text
        assert "hPa" in html
        assert "unit='degC'" in repr(lazy.t)
        assert "°C" in lazy.t._repr_html_()
        assert lazy.t.dimflow.unit == u.degC
        assert lazy.dimflow.units["p"] == u.hPa
        assert isinstance(lazy.t.dimflow.magnitude, da.Array)
        assert isinstance(lazy.t.dimflow.quantities, DaskDimArray)
        assert lazy.t.equals(lazy.t)
        assert dask.base.tokenize(lazy) == dask.base.tokenize(lazy)
        assert dask.base.tokenize(lazy) != dask.base.tokenize(lazy.dimflow.drop_units())


def test_pickles_and_copies_stay_lazy(lazy):
    with nothing_runs():
        for made in (pickle.loads(pickle.dumps(lazy)), lazy.copy(deep=True)):
            assert type(made.t.data) is DaskDimArray
            assert made.t.data.unit == u.degC


def test_plots_have_units_at_their_axes(lazy):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    lazy.t.isel(lat=0, lon=0).dimflow.plot(ax=axes)
    assert "°C" in axes.get_ylabel()
    plt.close(figure)


# Nothing loses a unit


def test_files_are_refused_before_they_are_begun(lazy, eager, tmp_path):
    for dataset in (lazy, eager):
        for write in (
            lambda d: d.to_zarr(tmp_path / "a.zarr"),
            lambda d: d.to_netcdf(tmp_path / "a.nc"),
            lambda d: d.t.to_zarr(tmp_path / "b.zarr"),
            lambda d: d.p.to_netcdf(tmp_path / "b.nc"),
            lambda d: d.to_dask_dataframe(),
        ):
            with nothing_runs(), pytest.raises(UnitLossError, match="dequantify"):
                write(dataset)
    assert list(tmp_path.iterdir()) == []


def test_numbers_are_not_given_away(lazy):
    with nothing_runs():
        for lossy in (lambda: lazy.t.values, lambda: np.asarray(lazy.t), lambda: lazy.t.to_numpy()):
            with pytest.raises(UnitLossError):
                lossy()


def heated(ds):
    return ds.t + DimArray(1.0, "delta_degF")


def heated_pressure(x):
    return x + DimArray(1.0, "hPa")


def test_functions_of_blocks_get_units_and_give_them(lazy):
    seen = []

    def watched(x):
        seen.append(x.dimflow.unit)
        return x

    with nothing_runs():
        found = lazy.p.map_blocks(watched)
        warmer = xr.map_blocks(heated, lazy)
    assert found.data.unit == u.hPa
    found.compute()
    assert set(seen) == {u.hPa}
    assert warmer.data.unit == u.degC
    np.testing.assert_allclose(warmer.compute().data.data, lazy.t.compute().data.data + 5 / 9)


def test_templates_say_the_units_of_blocks(lazy):
    template = (lazy.p * lazy.p).dimflow.to("Pa**2")
    with nothing_runs():
        found = xr.map_blocks(lambda x: x * x, lazy.p, template=template)
    assert found.data.unit == u.Pa**2
    np.testing.assert_allclose(found.compute().data.data, template.compute().data.data)
    other = xr.map_blocks(heated_pressure, lazy.p, template=lazy.p)
    finer = xr.map_blocks(heated_pressure, lazy.p, template=lazy.p.dimflow.to("Pa"))
    both = dask.compute(other, finer)  # as one graph, where names tell them apart
    np.testing.assert_allclose(both[1].data.data, 100 * both[0].data.data)
    wrong = xr.map_blocks(lambda x: x * x, lazy.p, template=lazy.p)
    with pytest.raises(UnitError):
        wrong.compute()
    bare = xr.map_blocks(lambda x: x.dimflow.drop_units(), lazy.p, template=lazy.p)
    with pytest.raises(UnitError, match="has no unit"):
        bare.compute()
    quantities = xr.map_blocks(lambda x: x, lazy.p, template=lazy.p.dimflow.drop_units())
    with pytest.raises(UnitError, match="template has no unit"):
        quantities.compute()


LIKE = {
    "zeros": xr.zeros_like,
    "zeros of float32": lambda x: xr.zeros_like(x, dtype="f4"),
    "ones": xr.ones_like,
    "nan": lambda x: xr.full_like(x, np.nan),
    "a number": lambda x: xr.full_like(x, 5),
    "another unit": lambda x: xr.full_like(x, DimArray(1.0, "bar")),
    "another dimension": lambda x: xr.full_like(x, DimArray(5.0, "m")),
}


@pytest.mark.parametrize("name", ["zeros", "zeros of float32", "ones", "nan", "another unit"])
def test_arrays_like_a_lazy_one_have_its_unit(name, lazy, eager):
    with nothing_runs():
        made = LIKE[name](lazy.p)
    expected = LIKE[name](eager.p)
    assert made.data.chunks == lazy.p.data.chunks
    assert made.data.unit == expected.data.unit
    assert made.dtype == expected.dtype
    xr.testing.assert_identical(made.compute(), expected)


@pytest.mark.parametrize("name", ["a number", "another dimension"])
def test_arrays_like_a_lazy_one_take_no_number_without_its_unit(name, lazy, eager):
    with pytest.raises(DimensionError) as expected:
        LIKE[name](eager.p)
    with nothing_runs(), pytest.raises(DimensionError) as raised:
        LIKE[name](lazy.p)
    assert str(raised.value) == str(expected.value)


def test_arrays_like_a_lazy_one_are_cut_as_asked(lazy):
    assert xr.zeros_like(lazy.p, chunks=(30, 4, 6)).data.chunksize == (30, 4, 6)


def test_xarray_without_units_is_as_ever(store):
    plain = opened(store)
    with nothing_runs():
        found = xr.map_blocks(lambda d: d * 2, plain)
        other = xr.apply_ufunc(np.square, plain.p, dask="parallelized")
        assert isinstance(other.data, da.Array)
    xr.testing.assert_allclose(found.compute(), plain.load() * 2)


def test_reading_netcdf_in_blocks(tmp_path, store):
    path = tmp_path / "weather.nc"
    opened(store).load().to_netcdf(path, engine="h5netcdf")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with xr.open_dataset(path, engine="h5netcdf", chunks={"time": 50}) as ds, nothing_runs():
            mean = ds.dimflow.quantify().t.mean("time")
        with xr.open_dataset(path, engine="h5netcdf", chunks={"time": 50}) as ds:
            mean = ds.dimflow.quantify().t.mean("time").compute()
    assert mean.data.unit == u.degC
    np.testing.assert_allclose(mean.data.data, opened(store).t.mean("time").compute())
