"""Writing lazy arrays to zarr: all is checked before the first byte."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dask.array as da
import numpy as np

from dimflow.dask.progress import client_of
from dimflow.dask.storage.drafts import done_before
from dimflow.dask.storage.packing import packing_in, refuse_packing
from dimflow.dask.storage.sources import ask_for_plain_numbers, refuse_own_source
from dimflow.dask.storage.targets import Target, cut_for, region_of, write_blocks
from dimflow.dask.storage.zarr import (
    ALL,
    DIMENSIONS,
    Opened,
    attributes_of,
    is_there,
    library,
    opened_for_reading,
    place_of,
    read_zarr,
    store_at,
)
from dimflow.dask.storage.zarr_drafts import (
    NewArray,
    ZarrDraft,
    consolidate_again,
    draft_beside,
)
from dimflow.errors import DtypeMismatch, UnitError
from dimflow.io.attributes import COMPLETE, unit_in, with_encoding
from dimflow.units import Unit


class ZarrTarget(Target):
    """An array of zarr's that takes blocks, those of one value alone too."""

    __slots__ = ("_array", "_draft")

    def __init__(self, array: Any, place: str, draft: ZarrDraft | None) -> None:
        super().__init__(place)
        self._array = array.with_config({"write_empty_chunks": True})
        self._draft = draft

    def write(self, key: Any, block: Any) -> None:
        """Write a block; one that comes after the end, of another thread, is taken back."""
        self._array[key] = block
        if self._draft is not None and not is_there(self._array):
            self._draft.remove()
            raise done_before(self.place)

    def read(self, key: Any) -> Any:
        """What was written."""
        return self._array[key]


class Writing(NamedTuple):
    """What goes where: numbers that are cut for the chunks, and the unit that they are in."""

    raw: Any
    array: Any
    place: str
    region: tuple[slice, ...] | None
    unit: Unit
    draft: ZarrDraft | None = None


def written(x: Any, writing: Writing, return_stored: bool, running: dict[str, Any]) -> Any:
    """Write, now or later; give a lazy array of what is stored, if that is asked for."""
    raw, array, place, region, unit, draft = writing
    target = ZarrTarget(array, place, draft)
    if return_stored and not running["compute"]:
        later = da.store(raw, target, lock=False, regions=region, compute=False, return_stored=True)
        return x._made(later, unit)
    done = write_blocks(raw, target, region=region, draft=draft, **running)
    if not return_stored:
        return done
    array = array if draft is None else draft.opened()
    stored = read_zarr(type(x), Opened(array, place), None, None)
    return stored if region is None else stored[region]


def planned_new(
    x: Any,
    url: Any,
    component: str | None,
    options: Any,
    *,
    overwrite: bool,
    zarr_format: int | None,
    dims: Sequence[str] | None,
    attrs: Mapping[str, Any] | None,
    creation: dict[str, Any],
    may_wait: bool,
) -> Writing:
    """Make an array in a store, to be filled.

    Where it replaces one and `may_wait`, it is made beside that, which stays until all is written.
    """
    zarr = library()
    place = place_of(url, component)
    raw = _writable(x.data, place)
    refuse_packing(attrs, raw.dtype, place)
    names = [f"dim_{i}" for i in range(raw.ndim)] if dims is None else list(dims)
    if len(names) != raw.ndim:
        raise UnitError(f"{len(names)} names for {raw.ndim} axes: dims={names!r:.80}")
    store = store_at(url, options, place, read_only=False)
    group = _group_format(zarr, store) if component else None
    version = zarr_format or group or zarr.config.get("default_zarr_format")
    replaces = _ask_whether_free(zarr, store, component, place, overwrite)
    draft = draft_beside(store, component) if replaces and may_wait else None
    given = dict(creation)
    chunks = tuple(given.pop("chunks", None) or (max(1, *c) for c in raw.chunks))
    raw = cut_for(raw, given.get("shards") or chunks)
    attributes = {**with_encoding(attrs or {}, x.unit), COMPLETE: ALL}
    if version == 2:
        attributes[DIMENSIONS] = names
        given.setdefault("fill_value", None)  # xarray takes one of this format for missing
    else:
        given.setdefault("dimension_names", names)
    given.setdefault("compressors", _checked_compression(version))
    options = {
        "shape": raw.shape,
        "chunks": chunks,
        "dtype": raw.dtype,
        "zarr_format": version,
        "attributes": attributes,
        "config": {"write_empty_chunks": True},
        **given,
    }
    if draft is not None:
        return Writing(raw, draft.created(options), place, None, x.unit, draft)
    array = zarr.create_array(store, name=component, overwrite=overwrite, **options)
    if component:
        consolidate_again(store)
    return Writing(raw, array, place, None, x.unit, None if replaces else NewArray(array))


def planned_region(x: Any, url: Any, component: str | None, options: Any, region: Any) -> Writing:
    """A part of an array that exists, to be filled in the unit that it is stored in."""
    opened = _opened_for_writing(url, component, options)
    array, place = opened
    raw = x.data
    ask_for_plain_numbers(raw, "to_zarr")
    attrs = attributes_of(opened)
    if packing_in(attrs, array.dtype) is not None:
        raise UnitError(f"cannot write to {place}: its numbers are packed", "use xarray for it")
    where = region_of(... if region is None else region, array.shape, raw.shape)
    unit = unit_in(attrs)
    if unit is None:
        raise UnitError(
            f"cannot write to {place}: it says no unit, and that of the array would be lost",
            "say it in the attributes: array.attrs['units'] = 'm'",
        )
    raw = x.to(unit, copy=False).data
    if not np.can_cast(raw.dtype, array.dtype, "same_kind"):
        raise DtypeMismatch(f"to_zarr at {place}", array.dtype, raw.dtype)
    refuse_own_source(raw, place)
    raw = cut_for(raw, array.shards or array.chunks, where)
    return Writing(raw, array, place, where, unit)


def _opened_for_writing(url: Any, component: str | None, options: Any) -> Opened:
    zarr = library()
    found = opened_for_reading(url, component, options)
    if isinstance(url, zarr.Array):
        return found
    store = store_at(url, options, found.place, read_only=False)
    return Opened(zarr.open_array(store, path=component, mode="r+"), found.place)


def _writable(raw: Any, place: str) -> Any:
    ask_for_plain_numbers(raw, "to_zarr")
    if raw.dtype.char in "gG":
        hint = "x.astype('complex128')" if raw.dtype.kind == "c" else "x.astype('float64')"
        raise DtypeMismatch("to_zarr", "a dtype that zarr has", raw.dtype, hint)
    refuse_own_source(raw, place)
    return raw


def _ask_whether_free(
    zarr: Any, store: Any, component: str | None, place: str, overwrite: bool
) -> bool:
    """Whether an array is replaced, and not a file of another kind: zarr would delete it too."""
    kind = _kind_at(zarr, store, component)
    if kind == "array" and not overwrite:
        raise FileExistsError(f"{place} exists, and overwrite=False")
    if kind == "group":
        raise FileExistsError(f"{place} is a group of arrays: name a new one by component=...")
    if kind == "damaged":
        raise FileExistsError(f"{place} exists and cannot be read: remove it first")
    if kind is None and isinstance(store, str) and not component and _holds_something(store):
        raise FileExistsError(f"{place} exists and is no array of zarr's")
    return kind == "array"


def _group_format(zarr: Any, store: Any) -> int | None:
    """The version of the format of a group that is there already."""
    try:
        return int(zarr.open_group(store, mode="r+").metadata.zarr_format)
    except Exception:
        return None


def _holds_something(name: str) -> bool:
    path = Path(name)
    if path.is_dir():
        return any(path.iterdir())
    return path.exists() or path.is_symlink()


def _kind_at(zarr: Any, store: Any, component: str | None) -> str | None:
    try:
        found = zarr.open(store, path=component, mode="r+")
    except FileNotFoundError:
        return None
    except Exception:  # whatever it was, it may be of worth to somebody
        return "damaged"
    return "array" if isinstance(found, zarr.Array) else "group"


def _checked_compression(version: int) -> Any:
    """zstd as zarr has it, with checksums: damaged bytes would else be read as numbers."""
    if version == 2:
        from numcodecs import Zstd

        return Zstd(level=0, checksum=True)
    from zarr.codecs import ZstdCodec

    return ZstdCodec(level=0, checksum=True)


def refuse_memory_of_one_process(url: Any, scheduler: Any) -> None:
    """Workers of a cluster would write to memory of their own, and nobody would see it."""
    store = getattr(url, "store", url)
    if not isinstance(store, (dict, library().storage.MemoryStore)):
        return
    if client_of(scheduler) is not None:
        problem = "to_zarr cannot write on a cluster to a store in the memory of this process"
        raise UnitError(problem, "write to a path, or compute with scheduler='threads'")
