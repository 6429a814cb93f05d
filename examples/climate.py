"""Forty years of temperatures in a store: what is normal, what is not, and how fast it changes.

The data are lazy from the store to the picture, and so are their units: temperatures are points
(°C), anomalies are differences of them, a trend is kelvin per year. Nothing is computed until a
bar shows it, and a mistake with a unit is an error before that.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import dask
import dask.array as da
import numpy as np
import pandas as pd
import xarray as xr
from dask.diagnostics import ProgressBar

from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import DimflowError

YEARS = 40
WARMING = DimArray(0.18, "delta_degC") / (10 * u.year)
NOISE = 1.5 * u.delta_degC
LATITUDES = np.linspace(-87.5, 87.5, 36)
LONGITUDES = np.arange(0.0, 360.0, 10.0)
MONTHS = pd.date_range("1981-01-01", periods=12 * YEARS, freq="MS")


def years() -> xr.DataArray:
    """The time since the beginning, as a quantity along the time axis."""
    days = (MONTHS - MONTHS[0]).days.to_numpy(float)
    return xr.DataArray(DimArray(days, "day").to("year"), dims="time", coords={"time": MONTHS})


def write_world(path: Path) -> None:
    """Made-up monthly temperatures: warm tropics, seasons, twice the warming in the far north."""
    latitude = np.deg2rad(LATITUDES)[:, None]
    season = np.cos(2 * np.pi * (MONTHS.month.to_numpy() - 7) / 12)[:, None, None]
    share = 1 + (LATITUDES[:, None] > 60)
    share = share / np.average(share, weights=np.cos(latitude))
    warming = WARMING.to_value("delta_degC/year") * years().data.to_value("year")[:, None, None]
    normal = 28 - 45 * np.sin(latitude) ** 2 + 12 * np.sin(latitude) * season
    shape = (len(MONTHS), len(LATITUDES), len(LONGITUDES))
    noise = da.random.default_rng(1).normal(
        0, NOISE.to_value("delta_degC"), shape, chunks=(60, 18, 36)
    )
    world = xr.Dataset(
        {"t": (("time", "lat", "lon"), noise + normal + warming * share, {"units": "degC"})},
        coords={
            "time": MONTHS,
            "lat": ("lat", LATITUDES, {"units": "degrees_north"}),
            "lon": ("lon", LONGITUDES, {"units": "degrees_east"}),
        },
    )
    world.to_zarr(path, consolidated=False)


def opened(path: Path) -> xr.Dataset:
    """The store as quantities; their units are its attributes."""
    return xr.open_zarr(path, chunks={}, consolidated=False).dimflow.quantify()


def anomalies(temperature: xr.DataArray) -> xr.DataArray:
    """What each month differs by from the same months of all years."""
    by_month = temperature.groupby("time.month")
    return (by_month - by_month.mean()).drop_vars("month").chunk(time=60)


def global_mean(anomaly: xr.DataArray) -> xr.DataArray:
    """The mean over the sphere: rows of the grid are shorter towards the poles."""
    return anomaly.weighted(np.cos(np.deg2rad(anomaly.lat))).mean(("lat", "lon"))


def trend(anomaly: xr.DataArray) -> xr.DataArray:
    """The slope of the line of least squares through each place's anomalies."""
    since = years() - years().mean()
    return (anomaly * since).mean("time") / (since * since).mean()


def mistake(temperature: xr.DataArray) -> str:
    """What is said of a sum of points: no graph is made of it."""
    try:
        temperature.sum("time")
    except DimflowError as error:
        return str(error)
    raise AssertionError("a sum of temperatures in °C has no meaning")


def picture(path: Path, mean: xr.DataArray, slope: DimArray, local: xr.DataArray) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.6), layout="constrained")
    line, world = figure.subplots(1, 2, width_ratios=(3, 2))
    line.plot(MONTHS, mean.data, linewidth=0.7)
    line.plot(MONTHS, (slope * (years() - years().mean())).data.to("delta_degC"))
    line.set(ylabel="anomaly [K]", title="the mean over the sphere, and its trend")
    rates = local.data.to_value("delta_degC/year") * 10
    shown = world.pcolormesh(LONGITUDES, LATITUDES, rates, cmap="RdBu_r", vmin=-0.5, vmax=0.5)
    world.set(xlabel="longitude [°]", ylabel="latitude [°]", title="trend of each place")
    figure.colorbar(shown, label="K per ten years")
    figure.savefig(path, dpi=110)


def main(path: Path = Path("uses_climate.png")) -> None:
    with TemporaryDirectory() as folder:
        write_world(Path(folder, "world.zarr"))
        world = opened(Path(folder, "world.zarr"))
        print(world.t.data)
        print(f"\nA sum of temperatures:\n{mistake(world.t)}\n")
        anomaly = anomalies(world.t)
        mean = global_mean(anomaly)
        slope, local = trend(mean), trend(anomaly)
        tasks = len(dict(slope.data.__dask_graph__()))
        print(f"the trend: {tasks} tasks that have not run, in {slope.data.unit}")
        with ProgressBar():
            mean, slope, local = dask.compute(mean, slope, local)
        ten = (slope.data * (10 * u.year)).to("delta_degC")
        truth = (WARMING * (10 * u.year)).to("delta_degC")
        print(f"in ten years: {ten:.3f} (truth: {truth:.3f})")
        plain = anomaly.to_dataset(name="anomaly").dimflow.dequantify()
        plain.to_zarr(Path(folder, "anomaly.zarr"), consolidated=False)
        again = opened(Path(folder, "anomaly.zarr"))
        print(f"stored and read again: {again.anomaly.data}")
    picture(path, mean, slope.data, local)
    print(f"saved: {path}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
