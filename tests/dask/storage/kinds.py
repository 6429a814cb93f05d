"""All kinds of stores that lazy arrays are written to, each in a folder or in memory."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import fsspec
import h5py
import numpy as np
import zarr

from dimflow.dask import DaskDimArray


class Kind(NamedTuple):
    """How an array is written to a place and read, and what is there."""

    write: Callable[..., Any]
    read: Callable[..., Any]
    contents: Callable[[Any], Any]


def _files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def _names(folder: Path) -> list[str]:
    """What a file of HDF5 holds: room that was freed in it stays."""
    if not (folder / "x.h5").exists():
        return []
    found: list[str] = []
    with h5py.File(folder / "x.h5") as file:
        file.visit(found.append)
    return found


def _url(folder: Path) -> str:
    return f"memory://{folder.name}/x.zarr"


def _objects(folder: Path) -> dict[str, bytes]:
    files = fsspec.filesystem("memory")
    return {path: files.cat(path) for path in files.find(f"/{folder.name}")}


def _zarr(place: Callable[[Path], Any], component: str | None, **options: Any) -> Any:
    def write(x: Any, folder: Path, **kwargs: Any) -> Any:
        return x.to_zarr(place(folder), component, **options, **kwargs)

    def read(folder: Path) -> Any:
        return DaskDimArray.from_zarr(place(folder), component)

    return write, read


def _store(folder: Path) -> Any:
    return zarr.storage.LocalStore(folder / "x.zarr")


KINDS = {
    "zarr": Kind(*_zarr(lambda f: f / "x.zarr", None), _files),
    "zarr 2": Kind(*_zarr(lambda f: f / "x.zarr", None, zarr_format=2), _files),
    "zarr in a group": Kind(*_zarr(lambda f: f / "x.zarr", "a/b"), _files),
    "zarr's own store": Kind(*_zarr(_store, "a"), _files),
    "remote zarr": Kind(*_zarr(_url, None), _objects),
    "remote zarr 2": Kind(*_zarr(_url, None, zarr_format=2), _objects),
    "remote zarr in a group": Kind(*_zarr(_url, "a/b"), _objects),
    "HDF5": Kind(
        lambda x, f, **kw: x.to_hdf5(f / "x.h5", "g/x", **kw),
        lambda f: DaskDimArray.from_hdf5(f / "x.h5", "g/x"),
        _names,
    ),
    "npy": Kind(
        lambda x, f, **kw: x.to_npy_stack(f / "x", **kw),
        lambda f: DaskDimArray.from_npy_stack(f / "x"),
        _files,
    ),
}
ON_DISK = [name for name in KINDS if "remote" not in name]


def numbers(dtype: Any = float) -> Any:
    """Six numbers in three blocks."""
    return DaskDimArray(np.arange(1, 7).astype(dtype), "m", chunks=2)


def with_a_last_block(act: Callable[[Any], Any]) -> DaskDimArray:
    """An array of which two blocks are computed before something happens in the third."""

    def block(part: Any, block_info: Any = None) -> Any:
        return act(part) if block_info[0]["chunk-location"] == (2,) else part * 100

    raw = numbers().data.map_blocks(block, dtype=float, meta=np.empty(0))
    return DaskDimArray(raw, "km")


def fail(part: Any) -> Any:
    """A block that has no numbers."""
    raise RuntimeError("out of luck")


def die(part: Any) -> Any:
    """A process that is killed."""
    os.kill(os.getpid(), signal.SIGKILL)


def soon(holds: Callable[[], bool]) -> None:
    """Other threads and workers are in the middle of blocks of their own when one fails."""
    end = time.monotonic() + 20
    while True:
        with suppress(OSError):  # a file that was seen is gone, or open elsewhere
            if holds():
                return
        assert time.monotonic() < end
        time.sleep(0.01)
