"""Anomalies and trends of a made-up climate, against NumPy's numbers and what it was made of."""

from collections.abc import Iterator
from pathlib import Path

import dask
import numpy as np
import pandas as pd
import pytest
import xarray as xr

from dimflow import units as u
from dimflow.dask import DaskDimArray
from examples import climate
from tests.dask.conftest import nothing_runs


@pytest.fixture(autouse=True)
def _ten_years(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(climate, "MONTHS", pd.date_range("1981-01-01", periods=120, freq="MS"))
    with dask.config.set(scheduler="sync"):
        yield


@pytest.fixture
def store(tmp_path: Path) -> Path:
    climate.write_world(tmp_path / "world.zarr")
    return tmp_path / "world.zarr"


def numbers(store: Path) -> np.ndarray:
    found: np.ndarray = xr.open_zarr(store, consolidated=False).t.to_numpy()
    return found


def by_months(values: np.ndarray) -> np.ndarray:
    """Anomalies without xarray: years along the first axis."""
    cube = values.reshape(-1, 12, *values.shape[1:])
    return (cube - cube.mean(axis=0)).reshape(values.shape)


def test_nothing_is_computed_before_the_end(store: Path) -> None:
    with nothing_runs():
        anomaly = climate.anomalies(climate.opened(store).t)
        slope = climate.trend(climate.global_mean(anomaly))
    assert isinstance(slope.data, DaskDimArray)
    assert anomaly.data.unit == u.delta_degC
    assert slope.data.unit == u.delta_degC / u.year


def test_anomalies_are_those_of_plain_numbers(store: Path) -> None:
    found = climate.anomalies(climate.opened(store).t).compute()
    np.testing.assert_allclose(found.data.data, by_months(numbers(store)), atol=1e-10)


def test_trends_are_lines_of_least_squares(store: Path) -> None:
    anomaly = climate.anomalies(climate.opened(store).t)
    mean, slope, local = dask.compute(
        climate.global_mean(anomaly),
        climate.trend(climate.global_mean(anomaly)),
        climate.trend(anomaly),
    )
    plain = by_months(numbers(store))
    weights = np.cos(np.deg2rad(climate.LATITUDES))
    wanted = np.average(plain.mean(axis=2), axis=1, weights=weights)
    np.testing.assert_allclose(mean.data.data, wanted, atol=1e-10)
    time = climate.years().data.to_value("year")
    rate = slope.data.to_value("delta_degC/year")
    assert rate == pytest.approx(np.polyfit(time, wanted, 1)[0], rel=1e-8)
    assert rate == pytest.approx(climate.WARMING.to_value("delta_degC/year"), abs=0.005)
    wanted = np.polyfit(time, plain.reshape(len(time), -1), 1)[0].reshape(local.shape)
    np.testing.assert_allclose(local.data.to_value("delta_degC/year"), wanted, atol=1e-10)


def test_the_program_tells_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    climate.main(tmp_path / "climate.png")
    told = capsys.readouterr().out
    assert "sum has no meaning for points in degC" in told
    assert "100% Completed" in told
    assert "truth: 0.180 delta_degC" in told
    assert (tmp_path / "climate.png").read_bytes().startswith(b"\x89PNG")
