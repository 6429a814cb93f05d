"""Datasets in HDF5 files. Every task opens the file by its path, so that any process can run it."""

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from dimflow.dask.storage.packing import refuse_packing
from dimflow.dask.storage.sources import (
    NUMBERS,
    Source,
    ask_for_plain_numbers,
    lazily,
    refuse_own_source,
    with_its_unit,
)
from dimflow.dask.storage.targets import Target, cut_for, write_blocks
from dimflow.errors import BackendNotInstalled, DimflowError, FileFormatError
from dimflow.io.attributes import ENCODED, with_encoding

UNFINISHED = "dimflow_unfinished"  # an attribute while a dataset is being written


class Hdf5Source(Source):
    """A dataset of a file."""

    __slots__ = ("_dataset", "_path")

    def __init__(self, path: str, dataset: str, found: Any) -> None:
        super().__init__(f"{path}:{dataset}", found.shape, found.dtype, found.chunks, found.attrs)
        self._path = path
        self._dataset = dataset

    def read(self, key: Any) -> Any:
        """A part of the dataset."""
        with library().File(self._path, "r") as file:
            found = file[self._dataset]
            self.ask_for_the_same(found.shape, found.dtype, found.attrs)
            return found[key]

    def is_at(self, place: str) -> bool:
        """Any part of a file: one that is open for reading cannot be written to."""
        return os.path.realpath(self._path) == os.path.realpath(place)


class Hdf5Target(Target):
    """A dataset of a file, which is opened for each block, one at a time."""

    __slots__ = ("_dataset", "_path")

    def __init__(self, path: str, dataset: str) -> None:
        super().__init__(f"{path}:{dataset}")
        self._path = path
        self._dataset = dataset

    def write(self, key: Any, block: Any) -> None:
        """Write a block."""
        with library().File(self._path, "r+") as file:
            file[self._dataset][key] = block

    def read(self, key: Any) -> Any:
        """What was written at a key."""
        with library().File(self._path, "r") as file:
            return file[self._dataset][key]


def read_hdf5(cls: Any, path: Any, dataset: str | None, unit: Any, chunks: Any) -> Any:
    """A dataset as a lazy array with its unit."""
    name = str(Path(path).absolute())
    try:
        with library().File(name, "r") as file:
            found = _dataset(file, name, dataset)
            source = Hdf5Source(name, found.name, found)
            attrs = dict(found.attrs)
    except (DimflowError, FileNotFoundError, MemoryError):
        raise
    except Exception as error:
        problem = f"it is no HDF5 file, or damaged: {error!s:.200}"
        raise FileFormatError(name, problem) from error
    if UNFINISHED in attrs:
        raise FileFormatError(source.place, "it was not written to the end", "write it again")
    if chunks is None:  # those of others are often far too small for tasks
        chunks = source.chunks if ENCODED in attrs and source.chunks else "auto"
    raw = lazily(source, chunks, "from-hdf")
    return with_its_unit(cls, raw, attrs, unit, source.place)


def _dataset(file: Any, name: str, dataset: str | None) -> Any:
    """The dataset of that name; the only one if none is named."""
    names: list[str] = []
    is_dataset = library().Dataset
    file.visititems(lambda key, value: names.append(key) if isinstance(value, is_dataset) else None)
    if dataset is None:
        if len(names) != 1:
            listed = ", ".join(names[:10]) or "none"
            raise FileFormatError(name, f"it has {len(names)} datasets", f"name one of: {listed}")
        (dataset,) = names
    found = file.get(dataset)
    if not isinstance(found, is_dataset):
        listed = ", ".join(names[:10]) or "none"
        problem = f"it has no dataset {dataset!r:.60}"
        raise FileFormatError(name, problem, f"there are: {listed}")
    if found.dtype.kind not in NUMBERS or found.shape is None:
        problem = f"the dataset {dataset!r:.60} holds no numbers, but {found.dtype!s:.60}"
        raise FileFormatError(name, problem)
    return found


def write_hdf5(
    x: Any,
    path: Any,
    dataset: str,
    *,
    overwrite: bool,
    attrs: Mapping[str, Any] | None,
    creation: dict[str, Any],
    lock: Any,
    running: dict[str, Any],
) -> Any:
    """Make a dataset in a file and fill it; the file may hold others."""
    name = str(Path(path).absolute())
    raw = x.data
    ask_for_plain_numbers(raw, "to_hdf5")
    refuse_own_source(raw, name)
    refuse_packing(attrs, raw.dtype, name)
    given = dict(creation)
    chunks = given.pop("chunks", None) or tuple(max(1, *c) for c in raw.chunks)
    if raw.ndim and raw.size:
        given["chunks"] = chunks
        given.setdefault("fletcher32", True)  # damaged bytes would else be read as numbers
        raw = cut_for(raw, chunks)
    is_new = not Path(name).exists()
    try:
        with library().File(name, "a") as file:
            _make_room(file, name, dataset, overwrite)
            made = file.create_dataset(dataset, raw.shape, raw.dtype, **given)
            made.attrs.update({**with_encoding(attrs or {}, x.unit), UNFINISHED: True})
    except Exception:
        if is_new:
            Path(name).unlink(missing_ok=True)
        raise
    finish = partial(_finish, name, dataset)
    target = Hdf5Target(name, dataset)
    return write_blocks(raw, target, lock=lock, finish=finish, **running)


def _make_room(file: Any, name: str, dataset: str, overwrite: bool) -> None:
    if dataset not in file:
        return
    if not overwrite:
        raise FileExistsError(f"{dataset!r} exists in {name}, and overwrite=False")
    if not isinstance(file[dataset], library().Dataset):
        raise FileExistsError(f"{dataset!r} in {name} is a group, which is not replaced")
    del file[dataset]


def _finish(path: str, dataset: str) -> None:
    with library().File(path, "r+") as file:
        del file[dataset].attrs[UNFINISHED]


def library() -> Any:
    """h5py, which is imported when a file appears."""
    try:
        import h5py
    except ImportError:
        raise BackendNotInstalled("h5py", "pip install 'dimflow[io]'") from None
    return h5py
