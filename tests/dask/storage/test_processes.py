"""Files are opened by their path where a task runs, so other processes read and write them."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import dask
import numpy as np
import xarray as xr

from dimflow.dask import DaskDimArray
from tests.dask.storage.arrays import same


def test_all_of_them_in_another_process(tmp_path: Path) -> None:
    x = DaskDimArray(np.arange(8.0).reshape(4, 2), "m/s", chunks=(2, 2))
    data = xr.Dataset({"v": (("a", "b"), x.data.compute(), {"units": "m/s"})})
    data.to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
    data.to_netcdf(tmp_path / "y.nc", engine="scipy")
    pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
    with pool, dask.config.set(scheduler="processes", pool=pool):
        x.to_zarr(tmp_path / "x.zarr")
        x.to_hdf5(tmp_path / "x.h5")
        x.to_npy_stack(tmp_path / "x.stack")
        same(DaskDimArray.from_zarr(tmp_path / "x.zarr"), x)
        same(DaskDimArray.from_hdf5(tmp_path / "x.h5"), x)
        same(DaskDimArray.from_npy_stack(tmp_path / "x.stack"), x)
        same(DaskDimArray.from_netcdf(tmp_path / "x.nc"), x)
        same(DaskDimArray.from_netcdf(tmp_path / "y.nc"), x)
        blocks = x.to_delayed()
        same(DaskDimArray.from_delayed(blocks, x.unit, x.shape, float, chunks=x.chunks), x)
