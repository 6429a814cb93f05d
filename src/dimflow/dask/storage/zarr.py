"""Arrays in zarr stores, read and written chunk by chunk, the unit in their attributes.

A store that dimflow wrote has all its chunks, checksums in them, and says so: a chunk that is gone
is an error, and not a block of zeros.
"""

import os
import warnings
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from dimflow.dask.storage.files import needs_package
from dimflow.dask.storage.sources import Source, lazily, plain, shown, stamp, with_its_unit
from dimflow.errors import BackendNotInstalled, DimflowError, FileFormatError, UnitError
from dimflow.io.attributes import COMPLETE

DIMENSIONS = "_ARRAY_DIMENSIONS"  # where xarray keeps names of axes in zarr's second format
METADATA = ("zarr.json", ".zarray", ".zattrs")
ALL = "all"


class Opened(NamedTuple):
    """An array of zarr's, and what messages call it."""

    array: Any
    place: str


class ZarrSource(Source):
    """An array of zarr's. Chunks that are not there are the fill value, or an error.

    A file of metadata is looked at with each part; in other stores that would be a request.
    """

    __slots__ = ("_array", "_missing", "_written")

    def __init__(self, opened: Opened, missing: str | None, attrs: Any) -> None:
        array = opened.array
        chunks = array.shards or array.chunks
        super().__init__(opened.place, array.shape, array.dtype, chunks, attrs)
        self._array = array
        self._missing = missing
        self._written = _written_at(array)

    @property
    def asks_once(self) -> bool:
        """Whether there is no file to look at."""
        return self._written is None

    def asked(self) -> Self:
        """The array that is there now, which may be cut or packed in another way."""
        version = self._array.metadata.zarr_format
        try:
            try:
                array = self._opened(version)
            except FileNotFoundError:
                array = self._opened(5 - version)  # there are the second and the third
        except FileNotFoundError:
            raise self._gone() from None
        except Exception as error:
            raise _unreadable(self.place, error) from error
        opened = Opened(array, self.place)
        _refuse_pickles(array, self.place)
        attrs = attributes_of(opened)
        self.ask_for_the_same(array.shape, array.dtype, attrs)
        return type(self)(opened, self._missing, attrs)

    def _opened(self, version: int) -> Any:
        return library().open_array(self._array.store_path, mode="r", zarr_format=version)

    def read(self, key: Any) -> Any:
        """A part, after a look whether its chunks exist where that is to be known."""
        if not self.asks_once and _written_at(self._array) != self._written:
            self._take(self.asked())
        found = np.asarray(self._array[key])
        if self._may_be_missing(found, key):
            if self._is_complete():
                self._ask_for_chunks(key)
            elif not is_there(self._array):
                raise self._gone()
        return found

    def _take(self, now: Self) -> None:
        """What is there now. The time comes last: other threads go by it."""
        self._array, self.chunks = now._array, now.chunks
        self._written = now._written

    def _gone(self) -> FileNotFoundError:
        return FileNotFoundError(f"the array of zarr's at {self.place} is gone")

    def _is_complete(self) -> bool:
        """Whether a chunk that is not there is an error: it is in what dimflow wrote."""
        if self._missing is not None:
            return self._missing == "error"
        metadata, attrs = self._array.metadata, self._array.metadata.attributes
        # Others copy attributes, but have a number for missing.
        is_ours = self._array.fill_value is None or metadata.zarr_format != 2
        return attrs.get(COMPLETE) == ALL and is_ours and "_FillValue" not in attrs

    def _may_be_missing(self, found: Any, key: Any) -> bool:
        """Whether the fill value is among numbers; at a corner, if they are of one chunk."""
        fill = self._array.fill_value
        if fill is None or not found.size:
            return bool(found.size)
        is_one = len(list(islice(self._chunks(key), 2))) == 1
        numbers = found[(-1,) * found.ndim] if is_one else found
        return bool(np.any(numbers == fill) or (fill != fill and np.any(numbers != numbers)))

    def part(self, key: Any) -> str:
        """The chunk that cannot be read."""
        for chunk in self._chunks(key):
            region = tuple(
                slice(i * n, (i + 1) * n) for i, n in zip(chunk, self.chunks, strict=True)
            )
            try:
                self._array[region]
            except Exception:
                return f"the chunk {_chunk_name(self._array, chunk)}"
        return f"the block at {shown(key)}"

    def _chunks(self, key: Any) -> Any:
        """The chunks that hold what a key of slices and integers asks for."""
        parts = key if isinstance(key, tuple) else (key,)
        ranges = []
        for axis, (length, step) in enumerate(zip(self.shape, self.chunks, strict=True)):
            part = parts[axis] if axis < len(parts) else slice(None)
            if isinstance(part, slice):
                wanted = range(*part.indices(length))
                low, high = (min(wanted), max(wanted)) if wanted else (0, -step)
            else:
                low = high = int(part)
            ranges.append(range(low // step, high // step + 1))
        return product(*ranges)

    def _ask_for_chunks(self, key: Any) -> None:
        for chunk in self._chunks(key):
            if not _exists(self._array, _chunk_name(self._array, chunk)):
                self._refuse(chunk)

    def _refuse(self, chunk: tuple[int, ...]) -> None:
        raise FileFormatError(
            self.place,
            f"the chunk {_chunk_name(self._array, chunk)} is missing",
            "if a program left out chunks that hold one value alone, read it with missing='fill'",
        )


def read_zarr(
    cls: Any,
    opened: Opened,
    unit: Any,
    chunks: Any,
    *,
    missing: str | None = None,
    default: Any = None,
) -> Any:
    """The array as a lazy one with its unit."""
    array, place = opened
    _refuse_pickles(array, place)
    attrs = attributes_of(opened)
    source = ZarrSource(opened, missing, attrs)
    raw = lazily(source, source.chunks if chunks is None else chunks, "from-zarr")
    return with_its_unit(cls, raw, _with_fill(array, attrs), unit, place, default=default)


def attributes_of(opened: Opened) -> dict[str, Any]:
    """The attributes, which may be any JSON, as texts and numbers where they are such."""
    found = opened.array.metadata.attributes
    if not isinstance(found, dict):
        problem = f"its attributes are a {type(found).__name__}, and not an object"
        raise FileFormatError(opened.place, problem)
    return {key: plain(value) for key, value in found.items()}


def _with_fill(array: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    """In its second format xarray keeps the number for missing ones as zarr's fill value."""
    fill = array.fill_value
    is_from_xarray = array.metadata.zarr_format == 2 and DIMENSIONS in attrs
    if fill is None or not is_from_xarray:
        return attrs
    return {"_FillValue": fill, **attrs}


def _refuse_pickles(array: Any, place: str) -> None:
    """Chunks of zarr's second format may say that they are to be unpickled, which runs code."""
    metadata = array.metadata
    codecs = [getattr(metadata, "compressor", None), *(getattr(metadata, "filters", None) or ())]
    if any(getattr(codec, "codec_id", "") == "pickle" for codec in codecs):
        raise FileFormatError(place, "its chunks are pickles, which dimflow does not open")


def opened_for_reading(url: Any, component: str | None, options: Any) -> Opened:
    """The array in a store; an error that says what is there instead."""
    zarr = library()
    if isinstance(url, zarr.Array):
        if component is not None:
            raise UnitError("an array of zarr has no component", "leave it out, or give the group")
        return Opened(url, str(url.store_path))
    place = place_of(url, component)
    store = store_at(url, options, place, read_only=True)
    try:
        return Opened(zarr.open_array(store, path=component, mode="r"), place)
    except (DimflowError, MemoryError, ImportError):
        raise
    except Exception as error:  # whatever the JSON of a stranger makes zarr stumble over
        _refuse_group(zarr, store, component, place)
        if isinstance(error, FileNotFoundError):
            raise FileNotFoundError(f"there is no array of zarr's at {place}") from error
        raise _unreadable(place, error) from error


def _unreadable(place: str, error: Exception) -> FileFormatError:
    what = "it cannot be reached" if isinstance(error, OSError) else "its metadata are damaged"
    return FileFormatError(place, f"{what}: {type(error).__name__}: {error!s:.200}")


def _refuse_group(zarr: Any, store: Any, component: str | None, place: str) -> None:
    """An error that lists the arrays, if there is a group."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of files beside the arrays
            group = zarr.open_group(store, path=component, mode="r")
            names = sorted(group.array_keys())[:10]
    except Exception:
        return
    hint = f"name one: component={names[0]!r} (there are: {', '.join(names)})" if names else None
    what = "it is a group, and not an array" if names else "it is a group without arrays"
    raise FileFormatError(place, what, hint)


def library() -> Any:
    """zarr, which is imported when a store appears."""
    try:
        import zarr
    except ImportError:
        raise BackendNotInstalled("zarr", "pip install 'dimflow[io]'") from None
    return zarr


def place_of(url: Any, component: str | None) -> str:
    """What messages call a store."""
    name = os.fspath(url) if isinstance(url, (str, os.PathLike)) else str(url)
    if isinstance(url, dict):
        name = f"memory://{id(url)}"  # as zarr calls it
    return f"{name.rstrip('/')}/{component.strip('/')}" if component else name


def store_at(url: Any, options: Any, place: str, *, read_only: bool) -> Any:
    """A store for a local path, for a URL by fsspec, or the one that is given."""
    if not isinstance(url, (str, os.PathLike)):
        return url
    name = os.fspath(url)
    if name.startswith("file://"):
        name = name.removeprefix("file://")
    if "://" not in name:
        if options:
            raise UnitError(f"{place} is a local path, which takes no storage_options")
        return name
    try:
        if "::" in name:
            return _chained(name, options or {}, read_only)
        return library().storage.FsspecStore.from_url(
            name, storage_options=options, read_only=read_only
        )
    except ImportError as error:
        raise needs_package(place, name.rpartition("::")[2].partition("://")[0]) from error
    except ValueError as error:
        raise UnitError(f"cannot open {place}: {error!s:.200}") from error


def _chained(name: str, options: Any, read_only: bool) -> Any:
    """A store behind a cache: a cache of fsspec's says of itself what holds of the inner one."""
    from fsspec.core import url_to_fs
    from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper

    files, path = url_to_fs(name, **options)
    wrapped = AsyncFileSystemWrapper(files, asynchronous=True)
    return library().storage.FsspecStore(wrapped, read_only=read_only, path=path)


def is_there(array: Any) -> bool:
    """Whether the metadata of an array are still where it was opened."""
    return _exists(array, _metadata_name(array))


def _exists(array: Any, name: str) -> bool:
    return bool(waited_for((array.store_path / name).exists()))


def waited_for(task: Any) -> Any:
    """What a coroutine gives, which runs in the loop that zarr's stores live in."""
    from zarr.core.sync import sync

    return sync(task)


def _written_at(array: Any) -> tuple[Any, ...] | None:
    """What changes when metadata in a local folder are written anew; None for other stores."""
    place = array.store_path
    folder = getattr(place.store, "root", None)
    if not isinstance(folder, os.PathLike):
        return None
    return tuple(stamp(Path(folder, place.path, name)) for name in METADATA)


def _metadata_name(array: Any) -> str:
    return ".zarray" if array.metadata.zarr_format == 2 else "zarr.json"


def _chunk_name(array: Any, chunk: tuple[int, ...]) -> str:
    return f"{array.metadata.encode_chunk_key(chunk)!s}"
