"""Stores on a cluster: every worker opens them by their path, and errors come back as they are."""

from pathlib import Path

import dask
import numpy as np
import pytest
from distributed import Client

from dimflow.dask import DaskDimArray
from dimflow.errors import BlockMismatch, FileFormatError, UnitError
from tests.dask.storage.kinds import KINDS, fail, numbers, soon, with_a_last_block


@pytest.fixture
def x() -> DaskDimArray:
    return DaskDimArray(np.arange(80.0).reshape(8, 10), "m/s", chunks=(2, 5))


def test_workers_write_and_read(client: Client, tmp_path: Path, x: DaskDimArray) -> None:
    x.to_zarr(tmp_path / "x")
    x.to_hdf5(tmp_path / "x.h5")  # one at a time, by a lock of the cluster
    x.to_npy_stack(tmp_path / "stack")
    client.compute(x.to_zarr(tmp_path / "later", compute=False)).result()
    found = [
        DaskDimArray.from_zarr(tmp_path / "x"),
        DaskDimArray.from_hdf5(tmp_path / "x.h5"),
        DaskDimArray.from_npy_stack(tmp_path / "stack"),
        DaskDimArray.from_zarr(tmp_path / "later"),
    ]
    for computed in dask.compute(*found):
        assert computed.unit is x.unit
        np.testing.assert_array_equal(computed.data, np.arange(80.0).reshape(8, 10))


def test_errors_of_workers_name_the_place(client: Client, tmp_path: Path, x: DaskDimArray) -> None:
    x.to_zarr(tmp_path / "x")
    (tmp_path / "x" / "c" / "0" / "0").unlink()
    with pytest.raises(FileFormatError) as caught:
        DaskDimArray.from_zarr(tmp_path / "x").sum().compute()
    assert (caught.value.path, caught.value.problem) == (
        str(tmp_path / "x"),
        "the chunk c/0/0 is missing",
    )
    parts = [dask.delayed(np.zeros)(n) for n in (2, 3)]
    with pytest.raises(BlockMismatch, match="wrong shape") as wrong:
        DaskDimArray.from_delayed(parts, "m", 4).sum().compute()
    assert wrong.value.block == (1,)


@pytest.mark.parametrize("kind", ["zarr", "HDF5", "npy"])
def test_a_worker_that_fails_changes_nothing(client: Client, tmp_path: Path, kind: str) -> None:
    write, read, contents = KINDS[kind]
    write(numbers(), tmp_path)
    before = contents(tmp_path)
    with pytest.raises(RuntimeError, match="out of luck"):
        write(with_a_last_block(fail), tmp_path, overwrite=True)
    soon(lambda: contents(tmp_path) == before)
    np.testing.assert_array_equal(read(tmp_path).compute().data, numbers().data.compute())


def test_memory_of_one_process_is_refused(client: Client, x: DaskDimArray) -> None:
    store: dict[str, object] = {}
    with pytest.raises(UnitError, match="memory of this process"):
        x.to_zarr(store)
    assert not store
    x.to_zarr(store, scheduler="threads")
    assert DaskDimArray.from_zarr(store).sum().compute(scheduler="threads").data == 3160
