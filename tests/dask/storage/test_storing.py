"""Writing into arrays that somebody holds: the unit is the target's, or is said, and never lost."""

from pathlib import Path

import dask.array as da
import h5py
import numpy as np
import pytest
import zarr

from dimflow import DimArray, units
from dimflow.dask import DaskDimArray, store
from dimflow.errors import (
    DtypeMismatch,
    ShapeMismatch,
    UnitConversionError,
    UnitError,
    UnitLossError,
)
from tests.dask.conftest import nothing_runs


@pytest.fixture
def x() -> DaskDimArray:
    return DaskDimArray(np.arange(6.0), "km", chunks=4)


def test_a_target_with_a_unit_is_written_in_it(x: DaskDimArray) -> None:
    target = DimArray(np.zeros(6), "m")
    assert x.store(target) is None
    assert target.tolist() == [0, 1000, 2000, 3000, 4000, 5000]
    with pytest.raises(UnitConversionError):
        x.store(DimArray(np.zeros(6), "s"))


def test_a_plain_target_needs_to_be_told(x: DaskDimArray) -> None:
    target = np.zeros(6)
    with nothing_runs(), pytest.raises(UnitLossError, match=r"store\(\.\.\., unit='km'\)"):
        x.store(target)
    assert not target.any()
    x.store(target, unit="m")
    assert target[1] == 1000
    (x / units.m).store(target)
    assert target[2] == 2000


def test_datasets_are_told_or_say_it(tmp_path: Path, x: DaskDimArray) -> None:
    array = zarr.create_array(tmp_path / "x", shape=6, chunks=2, dtype=float)
    x.store(array)
    assert DaskDimArray.from_zarr(tmp_path / "x").unit is units.km
    x.to("m").store(zarr.open_array(tmp_path / "x"))
    assert DaskDimArray.from_zarr(tmp_path / "x").compute().tolist() == [0, 1, 2, 3, 4, 5]
    with h5py.File(tmp_path / "x.h5", "w") as file:
        made = file.create_dataset("d", (6,), float)
        made.attrs["units"] = "m"
        x.store(made)
        assert made[1] == 1000
        with pytest.raises(UnitError, match="the target is in m"):
            x.store(made, unit="cm")
        made.attrs["scale_factor"] = 2.0
        with pytest.raises(UnitError, match="packed"):
            x.store(made)


def test_regions_and_later(x: DaskDimArray) -> None:
    target = np.zeros(10)
    with nothing_runs():
        later = x.store(target, regions=(slice(2, 8),), unit="km", compute=False)
    assert not target.any()
    later.compute()
    assert target.tolist() == [0, 0, 0, 1, 2, 3, 4, 5, 0, 0]


@pytest.mark.parametrize("compute", [True, False])
def test_what_was_stored_comes_back(x: DaskDimArray, compute: bool) -> None:
    target = np.zeros(6)
    found = x.store(target, unit="m", compute=compute, return_stored=True)
    assert found.unit is units.m
    assert found.compute().tolist() == [0, 1000, 2000, 3000, 4000, 5000]
    assert target[5] == 5000


def test_several_at_once(x: DaskDimArray) -> None:
    a, b = np.zeros(6), DimArray(np.zeros(6), "m")
    store([x, x * 2], [a, b], unit=["cm", None])
    assert (a[1], b.data[1]) == (1e5, 2000)
    with pytest.raises(ShapeMismatch):
        store([x, x], [a])
    with pytest.raises(ShapeMismatch):
        store([x, x], [a, a], unit="m", regions=[(slice(6),)])
    store(x, a, unit="km")
    assert a[1] == 1


def test_all_is_checked_before_a_number_is_written(x: DaskDimArray) -> None:
    first, short, whole = np.ones(6), np.ones(5), np.ones(6, int)
    with nothing_runs():
        with pytest.raises(ShapeMismatch):
            store([x, x], [first, short], unit="m")
        with pytest.raises(DtypeMismatch, match="cut off"):
            store([x, x], [first, whole], unit="m")
        with pytest.raises(ShapeMismatch):
            x.store(first, regions=(slice(2),), unit="m")
    assert first.tolist() == [1] * 6


def test_a_bar_is_shown(x: DaskDimArray, capsys: pytest.CaptureFixture[str]) -> None:
    x.store(np.zeros(6), unit="m", progress=True)
    assert "100%" in capsys.readouterr().out


def test_dasks_own_store_keeps_to_this(x: DaskDimArray) -> None:
    with pytest.raises(UnitLossError):
        da.store(x, np.zeros(6))
    target = DimArray(np.zeros(6), "m")
    da.store(x, target)
    assert target.data[1] == 1000
