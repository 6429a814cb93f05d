"""xarray reads what dimflow wrote, and dimflow what xarray wrote, in values, dtypes and units."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

from dimflow import units
from dimflow.dask import DaskDimArray
from dimflow.errors import FileFormatError
from tests.dask.storage.arrays import lazy_arrays
from tests.dask.storage.test_netcdf import PACKINGS

FORMATS = [2, 3]
REAL = ["i1", "u2", "i4", "i8", "f4", "f8"]


@given(x=lazy_arrays(REAL), version=st.sampled_from(FORMATS))
@settings(max_examples=settings.default.max_examples // 4)
def test_xarray_reads_it(x: DaskDimArray, version: int) -> None:
    store = zarr.storage.MemoryStore()
    x.to_zarr(store, "x", zarr_format=version)
    with xr.open_zarr(store, consolidated=False) as found:
        assert found.x.dims == tuple(f"dim_{i}" for i in range(x.ndim))
        assert found.x.dtype == x.dtype
        np.testing.assert_array_equal(found.x.values, x.compute().data)
        quantified = found.dimflow.quantify().x
        assert quantified.data.unit is x.unit  # by the encoding, also where CF has no words
        assert not any(name.startswith("dimflow") for name in quantified.attrs)


@pytest.mark.parametrize("version", FORMATS)
@pytest.mark.parametrize("packing", PACKINGS, ids=[f"packing{i}" for i in range(len(PACKINGS))])
def test_as_xarray_reads_what_it_wrote(
    tmp_path: Path, packing: dict[str, Any], version: int
) -> None:
    numbers = np.array([[1.0, np.nan, 3.0], [4.0, -2.0, 20.0]])
    data = xr.Dataset({"t": (("y", "x"), numbers, {"units": "degC"})})
    plain = {k: v if isinstance(v, str) else np.asarray(v).item() for k, v in packing.items()}
    data.to_zarr(tmp_path / "x", zarr_format=version, encoding={"t": plain}, consolidated=False)
    found = DaskDimArray.from_zarr(tmp_path / "x", "t")
    with xr.open_zarr(tmp_path / "x", consolidated=False) as wanted:
        assert found.dtype == wanted.t.dtype
        np.testing.assert_array_equal(found.compute().data, wanted.t.values)
    assert found.unit is units.degC


@pytest.mark.parametrize("version", FORMATS)
def test_truth_is_stored_as_numbers_by_xarray(tmp_path: Path, version: int) -> None:
    data = xr.Dataset({"b": ("x", np.array([True, False]), {"units": "1"})})
    data.to_zarr(tmp_path / "x", zarr_format=version, consolidated=False)
    found = DaskDimArray.from_zarr(tmp_path / "x", "b")
    assert found.dtype == bool
    assert found.compute().data.tolist() == [True, False]


@pytest.mark.parametrize("version", FORMATS)
def test_a_copy_by_xarray_may_leave_out_chunks(tmp_path: Path, version: int) -> None:
    hole = np.nan if version == 2 else 0.0  # what xarray and zarr fill with
    holes = np.array([1.0, 2.0, hole, hole, 3.0, 4.0])
    x = DaskDimArray(holes, "km", chunks=2)
    x.to_zarr(tmp_path / "x", "x", zarr_format=version)
    with xr.open_zarr(tmp_path / "x", consolidated=False) as data:
        data.to_zarr(tmp_path / "y", zarr_format=version, consolidated=False)
    names = "0 1 2" if version == 2 else "c/0 c/1 c/2"
    there = [name for name in names.split() if (tmp_path / "y" / "x" / name).exists()]
    assert there == [names.split()[0], names.split()[2]]
    found = DaskDimArray.from_zarr(tmp_path / "y", "x")
    assert found.unit is units.km
    np.testing.assert_array_equal(found.compute().data, holes)


def test_a_unit_that_xarrays_users_change_is_not_the_old_one(tmp_path: Path) -> None:
    DaskDimArray([1.0, 2.0], "km").to_zarr(tmp_path / "x", "x")
    with xr.open_zarr(tmp_path / "x", consolidated=False) as data:
        converted = data.dimflow.quantify().x.dimflow.to("m").dimflow.dequantify()
        converted.to_dataset().to_zarr(tmp_path / "y", consolidated=False)
        careless = data.assign_attrs().copy()
        careless["x"] = (data.x * 1000).assign_attrs({**data.x.attrs, "units": "m"})
        careless.to_zarr(tmp_path / "z", consolidated=False)
    found = DaskDimArray.from_zarr(tmp_path / "y", "x")
    assert found.unit is units.m
    assert found.compute().data.tolist() == [1000, 2000]
    with pytest.raises(FileFormatError, match="say two units"):
        DaskDimArray.from_zarr(tmp_path / "z", "x")


def test_names_of_axes(tmp_path: Path) -> None:
    x = DaskDimArray(np.zeros((2, 3)), "K")
    x.to_zarr(tmp_path / "x", "t", dims=("time", "lat"), attrs={"long_name": "temperature"})
    with xr.open_zarr(tmp_path / "x", consolidated=False) as data:
        assert data.t.dims == ("time", "lat")
        assert data.t.attrs["long_name"] == "temperature"


def test_hdf5_is_read_by_xarray(tmp_path: Path) -> None:
    x = DaskDimArray(np.arange(6.0).reshape(2, 3), "m/s", chunks=(1, 3))
    x.to_hdf5(tmp_path / "x.h5", "wind")
    with xr.open_dataset(tmp_path / "x.h5", engine="h5netcdf", phony_dims="sort") as data:
        np.testing.assert_array_equal(data.wind.values, x.compute().data)
        assert data.dimflow.quantify().wind.data.unit is x.unit
