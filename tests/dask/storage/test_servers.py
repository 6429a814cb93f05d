"""Stores of real servers on this machine: S3's protocol, and plain HTTP."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import s3fs
import xarray
from moto.server import ThreadedMotoServer

from dimflow import units
from dimflow.dask import DaskDimArray
from dimflow.errors import BackendNotInstalled, FileFormatError, UnitError
from tests.dask.storage.arrays import same
from tests.dask.storage.kinds import fail, numbers, with_a_last_block


@pytest.fixture(scope="module")
def endpoint() -> Iterator[dict[str, Any]]:
    """What fsspec has to know of a server of S3's protocol, which has one bucket."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    options = {"key": "a", "secret": "b", "endpoint_url": f"http://{host}:{port}"}
    s3fs.S3FileSystem(**options).mkdir("bucket")
    yield options
    server.stop()


@pytest.mark.parametrize(
    ("version", "component"),
    [
        (3, None),
        pytest.param(3, "a/b", marks=pytest.mark.deep),
        pytest.param(2, None, marks=pytest.mark.deep),
        pytest.param(2, "a/b", marks=pytest.mark.deep),
    ],
)
def test_an_object_store(endpoint: dict[str, Any], version: int, component: str | None) -> None:
    url = f"s3://bucket/{version}/{component or 'x'}.zarr"
    files = s3fs.S3FileSystem(**endpoint, use_listings_cache=False)

    def write(x: Any, **kwargs: Any) -> None:
        x.to_zarr(url, component, endpoint, zarr_format=version, **kwargs)

    def read() -> Any:
        return DaskDimArray.from_zarr(url, component, storage_options=endpoint)

    with pytest.raises(FileNotFoundError, match="no array of zarr's at s3://bucket"):
        read()
    write(numbers())
    planned = read()
    same(planned.to("cm"), numbers().to("cm"))
    names = files.find(f"bucket/{version}")
    with pytest.raises(FileExistsError, match="overwrite=False"):
        write(numbers())
    with pytest.raises(RuntimeError, match="out of luck"):
        write(with_a_last_block(fail), overwrite=True)
    assert files.find(f"bucket/{version}") == names
    same(planned, numbers())
    write(2 * numbers(), overwrite=True)
    assert files.find(f"bucket/{version}") == names
    same(planned, 2 * numbers())
    write(numbers().to("cm"), overwrite=True)
    with pytest.raises(FileFormatError, match="its attribute units is cm now, and was m"):
        planned.compute()
    part = DaskDimArray([7.0, 8.0], "m")
    part.to_zarr(url, component, endpoint, region=(slice(0, 2),))
    assert read()[:3].compute().tolist() == [700.0, 800.0, 300.0]
    files.rm(url, recursive=True)


@pytest.mark.deep
def test_an_object_store_and_processes(endpoint: dict[str, Any]) -> None:
    url = "s3://bucket/processes.zarr"
    numbers().to_zarr(url, storage_options=endpoint, scheduler="processes")
    for factor in (2, 3):
        x = factor * numbers()
        x.to_zarr(url, storage_options=endpoint, overwrite=True, scheduler="processes")
        found = DaskDimArray.from_zarr(url, storage_options=endpoint)
        assert found.sum().compute(scheduler="processes").item() == 21.0 * factor


def test_a_copy_of_a_file_of_an_object_store(endpoint: dict[str, Any], tmp_path: Path) -> None:
    numbers().to_hdf5(tmp_path / "x.h5")
    s3fs.S3FileSystem(**endpoint).put(str(tmp_path / "x.h5"), "bucket/x.h5")
    url = "s3://bucket/x.h5"
    same(DaskDimArray.from_hdf5(url, storage_options=endpoint), numbers())
    chain = {"s3": endpoint, "simplecache": {"cache_storage": str(tmp_path / "copies")}}
    same(DaskDimArray.from_hdf5(f"simplecache::{url}", storage_options=chain), numbers())
    assert len(list((tmp_path / "copies").iterdir())) == 1


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Nothing."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """The address of a server that gives the files of a folder."""
    folder = tmp_path / "site"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_web_server(site: str, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    numbers().to_zarr(folder / "x.zarr")
    numbers().to_zarr(folder / "g.zarr", "a/b", zarr_format=2)
    numbers().to_hdf5(folder / "x.h5")
    planned = DaskDimArray.from_zarr(f"{site}/x.zarr")
    same(planned, numbers())
    same(DaskDimArray.from_zarr(f"{site}/g.zarr", "a/b"), numbers())
    same(DaskDimArray.from_zarr(f"simplecache::{site}/x.zarr"), numbers())
    same(DaskDimArray.from_hdf5(f"{site}/x.h5"), numbers())
    numbers().to("cm").to_zarr(folder / "x.zarr", overwrite=True)
    with pytest.raises(FileFormatError, match=f"{site}/x.zarr: its attribute units is cm now"):
        planned.compute()
    with pytest.raises(FileNotFoundError, match="no array of zarr's"):
        DaskDimArray.from_zarr(f"{site}/nowhere.zarr")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        DaskDimArray.from_hdf5(f"{site}/nowhere.h5")
    (folder / "x.h5").write_bytes(b"no such file")
    with pytest.raises(FileFormatError, match="no HDF5 file"):
        DaskDimArray.from_hdf5(f"{site}/x.h5")
    with pytest.raises(FileFormatError, match=r"127.*x: it cannot be reached: Client"):
        DaskDimArray.from_zarr("http://127.0.0.1:1/x")
    with pytest.raises(UnitError, match="HDF5 is written to local files alone"):
        numbers().to_hdf5(f"{site}/y.h5")


@pytest.mark.parametrize("engine", ["h5netcdf", "scipy"])
def test_netcdf_of_a_web_server(site: str, tmp_path: Path, engine: Any) -> None:
    values = np.arange(12.0).reshape(4, 3)
    made = xarray.Dataset({"t": (("i", "j"), values, {"units": "degC"})})
    made.to_netcdf(tmp_path / "site" / "x.nc", engine=engine)
    url = f"{site}/x.nc"
    if engine == "scipy":
        with pytest.raises(FileFormatError, match="hint:  let a copy be made: 'simplecache::http"):
            DaskDimArray.from_netcdf(url)
        url = f"simplecache::{url}"
    found = DaskDimArray.from_netcdf(url, chunks=2)
    assert found.unit is units.degC
    np.testing.assert_array_equal(found.compute().data, values)
    (tmp_path / "site" / "x.nc").write_bytes(b"CDF\x05 of another version")
    with pytest.raises(FileFormatError, match="no version of netCDF that can be read"):
        DaskDimArray.from_netcdf(f"{site}/x.nc")


def test_urls_that_cannot_be_opened(tmp_path: Path) -> None:
    for read in (DaskDimArray.from_hdf5, DaskDimArray.from_netcdf):
        with pytest.raises(BackendNotInstalled, match="pip install gcsfs"):
            read("simplecache::gs://bucket/x")
        with pytest.raises(UnitError, match="nowhere"):
            read("nowhere://bucket/x")
        with pytest.raises(UnitError, match="takes no storage_options"):
            read(tmp_path / "x", storage_options={"a": 1})
        with pytest.raises(FileNotFoundError):
            read(f"file://{tmp_path}/x")
