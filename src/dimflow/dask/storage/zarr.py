"""Arrays in zarr stores, read and written chunk by chunk, the unit in their attributes.

A store that dimflow wrote has all its chunks, checksums in them, and says so: a chunk that is gone
is an error, and not a block of zeros.
"""

import os
import warnings
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dimflow.dask.storage.sources import Source, lazily, plain, shown, with_its_unit
from dimflow.errors import BackendNotInstalled, DimflowError, FileFormatError, UnitError
from dimflow.io.attributes import COMPLETE

DIMENSIONS = "_ARRAY_DIMENSIONS"  # where xarray keeps names of axes in zarr's second format
ALL = "all"
ONCE = -1  # a time that no file was written at


class Opened(NamedTuple):
    """An array of zarr's, and what messages call it."""

    array: Any
    place: str


class ZarrSource(Source):
    """An array of zarr's. Chunks that are not there are the fill value, or an error."""

    __slots__ = ("_array", "_is_complete", "_looked")

    def __init__(self, opened: Opened, is_complete: bool, attrs: Any) -> None:
        array = opened.array
        chunks = array.shards or array.chunks
        super().__init__(opened.place, array.shape, array.dtype, chunks, attrs)
        self._array = array
        self._is_complete = is_complete
        self._looked = _written_at(array)

    def read(self, key: Any) -> Any:
        """A part, after a look whether its chunks exist where that is to be known."""
        self._ask_for_meaning()
        found = np.asarray(self._array[key])
        if self._may_be_missing(found, key):
            if self._is_complete:
                self._ask_for_chunks(key)
            elif not _exists(self._array, _metadata_name(self._array)):
                raise FileNotFoundError(f"the array of zarr's at {self.place} is gone")
        return found

    def _ask_for_meaning(self) -> None:
        """An error if the array was replaced by one that means something else.

        It is asked where the metadata were written anew; where that cannot be seen, once.
        """
        now = _written_at(self._array)
        if self._looked == ONCE or (now is not None and now == self._looked):
            return
        try:
            array = library().open_array(self._array.store_path, mode="r")
        except FileNotFoundError:
            raise FileNotFoundError(f"the array of zarr's at {self.place} is gone") from None
        self.ask_for_the_same(array.shape, array.dtype, array.metadata.attributes)
        self._looked = ONCE if now is None else now

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
    is_complete = _is_complete(array, attrs) if missing is None else missing == "error"
    source = ZarrSource(opened, is_complete, attrs)
    raw = lazily(source, source.chunks if chunks is None else chunks, "from-zarr")
    return with_its_unit(cls, raw, _with_fill(array, attrs), unit, place, default=default)


def attributes_of(opened: Opened) -> dict[str, Any]:
    """The attributes, which may be any JSON, as texts and numbers where they are such."""
    found = opened.array.metadata.attributes
    if not isinstance(found, dict):
        problem = f"its attributes are a {type(found).__name__}, and not an object"
        raise FileFormatError(opened.place, problem)
    return {key: plain(value) for key, value in found.items()}


def _is_complete(array: Any, attrs: dict[str, Any]) -> bool:
    """Whether dimflow wrote all chunks. Others copy attributes, but have a number for missing."""
    is_ours = array.fill_value is None or array.metadata.zarr_format != 2
    return attrs.get(COMPLETE) == ALL and is_ours and "_FillValue" not in attrs


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
        problem = f"its metadata are damaged: {type(error).__name__}: {error!s:.200}"
        raise FileFormatError(place, problem) from error


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
        return library().storage.FsspecStore.from_url(
            name, storage_options=options, read_only=read_only
        )
    except ImportError as error:
        needed = _package_for(name.partition("://")[0])
        raise BackendNotInstalled(needed, f"{place} needs it: pip install {needed}") from error
    except ValueError as error:
        raise UnitError(f"cannot open {place}: {error!s:.200}") from error


def _package_for(protocol: str) -> str:
    try:
        from fsspec.registry import known_implementations
    except ImportError:
        return "fsspec"
    return str(known_implementations.get(protocol, {}).get("class", "fsspec")).partition(".")[0]


def _exists(array: Any, name: str) -> bool:
    from zarr.core.sync import sync

    return bool(sync((array.store_path / name).exists()))


def _written_at(array: Any) -> int | None:
    """When the metadata of an array in a local folder were written; None for others."""
    place = array.store_path
    folder = getattr(place.store, "root", None)
    if not isinstance(folder, os.PathLike):
        return None
    try:
        return Path(folder, place.path, _attributes_name(array)).stat().st_mtime_ns
    except OSError:
        return None


def _attributes_name(array: Any) -> str:
    return ".zattrs" if array.metadata.zarr_format == 2 else "zarr.json"


def _metadata_name(array: Any) -> str:
    return ".zarray" if array.metadata.zarr_format == 2 else "zarr.json"


def _chunk_name(array: Any, chunk: tuple[int, ...]) -> str:
    return f"{array.metadata.encode_chunk_key(chunk)!s}"
