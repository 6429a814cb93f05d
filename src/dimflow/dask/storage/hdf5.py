"""Datasets in HDF5 files. Every task opens the file by its path, so that any process can run it."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dimflow.dask.storage.drafts import Draft, done_before, draft_name
from dimflow.dask.storage.files import Options, is_url, name_of_file, readable
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
from dimflow.errors import BackendNotInstalled, DimflowError, FileFormatError, UnitError
from dimflow.io.attributes import ENCODED, with_encoding

UNFINISHED = "dimflow_unfinished"  # an attribute of a draft: the name that it will have

_TRIES, _PAUSE = 100, 0.1  # to open a file that another process writes to; seconds


class Hdf5Source(Source):
    """A dataset of a file."""

    __slots__ = ("_dataset", "_options", "_path")

    def __init__(self, path: str, options: Options, dataset: str, found: Any) -> None:
        super().__init__(f"{path}:{dataset}", found.shape, found.dtype, found.chunks, found.attrs)
        self._path = path
        self._options = options
        self._dataset = dataset

    def read(self, key: Any) -> Any:
        """A part of the dataset."""
        with readable(self._path, self._options) as name, library().File(name, "r") as file:
            found = file[self._dataset]
            self.ask_for_the_same(found.shape, found.dtype, found.attrs)
            return found[key]

    def is_at(self, place: str) -> bool:
        """Any part of a file: one that is open for reading cannot be written to."""
        return os.path.realpath(self._path) == os.path.realpath(place)


class DatasetDraft(Draft):
    """A dataset of another name in the same file.

    HDF5 does not give back the room in a file of what is deleted: h5repack does.
    """

    __slots__ = ("_is_new", "_overwrite", "dataset", "name", "path")

    def __init__(self, path: str, dataset: str, overwrite: bool) -> None:
        self.path = path
        self.dataset = dataset
        self._overwrite = overwrite
        self.name = draft_name("dimflow")
        self._is_new = not Path(path).exists()

    def __call__(self) -> None:
        """Give it the name of the dataset that it replaces."""
        with library().File(self.path, "r+") as file:
            if self.name not in file:
                raise done_before(f"{self.path}:{self.dataset}")
            _ask_whether_free(file, self.path, self.dataset, self._overwrite)
            if self.dataset in file:
                del file[self.dataset]
            del file[self.name].attrs[UNFINISHED]
            file.move(self.name, self.dataset)

    def remove(self) -> None:
        """Take it out of the file; a file that was made for it goes too."""
        for _ in range(_TRIES):
            try:
                self._remove()
            except BlockingIOError:  # another process is in the middle of a block
                time.sleep(_PAUSE)
            except OSError:  # it is gone, or no such file: it has no draft then
                return
            else:
                return

    def _remove(self) -> None:
        with library().File(self.path, "r+") as file:
            if self.name in file:
                del file[self.name]
            is_empty = not len(file) and not len(file.attrs)
        if is_empty and self._is_new:
            Path(self.path).unlink()


class Hdf5Target(Target):
    """A dataset of a file, which is opened for each block, one at a time."""

    __slots__ = ("_draft",)

    def __init__(self, draft: DatasetDraft) -> None:
        super().__init__(f"{draft.path}:{draft.dataset}")
        self._draft = draft

    def write(self, key: Any, block: Any) -> None:
        """Write a block."""
        with library().File(self._draft.path, "r+") as file:
            if self._draft.name not in file:
                raise done_before(self.place)
            file[self._draft.name][key] = block

    def read(self, key: Any) -> Any:
        """What was written at a key."""
        with library().File(self._draft.path, "r") as file:
            return file[self._draft.name][key]


def read_hdf5(
    cls: Any, path: Any, dataset: str | None, unit: Any, chunks: Any, options: Options
) -> Any:
    """A dataset as a lazy array with its unit."""
    name = name_of_file(path, options)
    with readable(name, options) as place:
        source, attrs = _described(place, name, dataset, options)
    if chunks is None:  # those of others are often far too small for tasks
        chunks = source.chunks if ENCODED in attrs and source.chunks else "auto"
    raw = lazily(source, chunks, "from-hdf")
    return with_its_unit(cls, raw, attrs, unit, source.place)


def _described(place: Any, name: str, dataset: str | None, options: Options) -> Any:
    try:
        with library().File(place, "r") as file:
            found = _dataset(file, name, dataset)
            return Hdf5Source(name, options, found.name, found), dict(found.attrs)
    except (DimflowError, FileNotFoundError, MemoryError):
        raise
    except Exception as error:
        problem = f"it is no HDF5 file, or damaged: {error!s:.200}"
        raise FileFormatError(name, problem) from error


def _dataset(file: Any, name: str, dataset: str | None) -> Any:
    """The dataset of that name; the only one if none is named."""
    names: list[str] = []
    drafts: list[str] = []

    def note(key: str, value: Any) -> None:
        if isinstance(value, library().Dataset):
            said = value.attrs.get(UNFINISHED)
            names.append(key) if said is None else drafts.append(str(said))

    file.visititems(note)
    if dataset is None:
        if not names and drafts:
            raise _unfinished(name, drafts[0])
        if len(names) != 1:
            listed = ", ".join(names[:10]) or "none"
            raise FileFormatError(name, f"it has {len(names)} datasets", f"name one of: {listed}")
        (dataset,) = names
    found = file.get(dataset)
    if not isinstance(found, library().Dataset):
        if dataset.strip("/") in drafts:
            raise _unfinished(name, dataset)
        listed = ", ".join(names[:10]) or "none"
        problem = f"it has no dataset {dataset!r:.60}"
        raise FileFormatError(name, problem, f"there are: {listed}")
    if UNFINISHED in found.attrs:
        raise _unfinished(name, dataset)
    if found.dtype.kind not in NUMBERS or found.shape is None:
        problem = f"the dataset {dataset!r:.60} holds no numbers, but {found.dtype!s:.60}"
        raise FileFormatError(name, problem)
    return found


def _unfinished(name: str, dataset: Any) -> FileFormatError:
    place = f"{name}:{str(dataset)[:60]}"
    return FileFormatError(place, "it was not written to the end", "write it again")


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
    if is_url(path):
        problem = f"HDF5 is written to local files alone, and {path!r:.80} is a URL"
        raise UnitError(problem, "write the file here and copy it, or use to_zarr")
    name = name_of_file(path)
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
    draft = DatasetDraft(name, dataset, overwrite)
    try:
        with library().File(name, "a") as file:
            _ask_whether_free(file, name, dataset, overwrite)
            made = file.create_dataset(draft.name, raw.shape, raw.dtype, **given)
            marks = {**with_encoding(attrs or {}, x.unit), UNFINISHED: dataset.strip("/")}
            made.attrs.update(marks)
    except BaseException:
        draft.remove()
        raise
    return write_blocks(raw, Hdf5Target(draft), lock=lock, draft=draft, **running)


def _ask_whether_free(file: Any, name: str, dataset: str, overwrite: bool) -> None:
    """An error unless a dataset can have this name, or may take it from another."""
    *groups, last = (file.name + dataset).strip("/").split("/")
    if not last:
        raise UnitError(f"a dataset needs a name, and not {dataset!r:.60}")
    for count in range(1, len(groups) + 1):
        above = "/".join(groups[:count])
        if above in file and not isinstance(file[above], library().Group):
            raise FileExistsError(f"{above!r} in {name} is a dataset, and can hold no other")
    if dataset not in file:
        return
    if not overwrite:
        raise FileExistsError(f"{dataset!r} exists in {name}, and overwrite=False")
    if not isinstance(file[dataset], library().Dataset):
        raise FileExistsError(f"{dataset!r} in {name} is a group, which is not replaced")


def library() -> Any:
    """h5py, which is imported when a file appears."""
    try:
        import h5py
    except ImportError:
        raise BackendNotInstalled("h5py", "pip install 'dimflow[io]'") from None
    return h5py
