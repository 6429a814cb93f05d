"""Arrays of zarr's that are being written: in folders, and in stores that can move nothing."""

import asyncio
import warnings
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

from dimflow.dask.storage.drafts import (
    Draft,
    FolderDraft,
    done_before,
    draft_name,
    is_draft_name,
)
from dimflow.dask.storage.zarr import METADATA, library, waited_for
from dimflow.errors import FileFormatError, UnitError

_AT_ONCE = 64  # requests to a store


class NewArray(Draft):
    """An array where there was none: it is filled where it is."""

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array

    def __call__(self) -> None:
        """It is there already."""

    def opened(self) -> Any:
        """The array."""
        return self._array

    def remove(self) -> None:
        """Its own keys alone: somebody may keep others under the same prefix of a store."""
        place = self._array.store_path
        for names in (METADATA, _chunk_keys(self._array)):
            waited_for(_for_all([_joined(place.path, name) for name in names], place.store.delete))
        folder = folder_of(place.store)
        if folder is not None:
            _remove_empty(Path(folder, place.path))


class ArrayFolder(FolderDraft):
    """A folder beside that of an array."""

    __slots__ = ("store",)

    def __init__(self, folder: str, component: str | None) -> None:
        final = Path(folder).resolve()
        super().__init__(final / component.strip("/") if component else final)
        self.store = folder if component else None  # where there may be a list of arrays

    def created(self, options: dict[str, Any]) -> Any:
        """The array to be filled."""
        return library().create_array(self.path, **options)

    def opened(self) -> Any:
        """The array in its place."""
        return library().open_array(self.final, mode="r")

    def __call__(self) -> None:
        """Put the draft where the array was."""
        super().__call__()
        if self.store is not None:
            consolidate_again(self.store)

    def remove(self) -> None:
        """The metadata first: a block that another thread writes meanwhile goes by them."""
        for name in METADATA:
            Path(self.path, name).unlink(missing_ok=True)
        super().remove()


class StoreDraft(Draft):
    """Keys beside those of an array, in the same store.

    An object store can move nothing, so keys are copied. There is always one whole array: until
    the copies are made it is the draft.
    """

    __slots__ = ("final", "path", "store")

    def __init__(self, store: Any, component: str | None) -> None:
        self.store = store
        self.final = (component or "").strip("/")
        group, _, name = self.final.rpartition("/")
        self.path = _joined(group, draft_name(name))

    def created(self, options: dict[str, Any]) -> Any:
        """The array to be filled. zarr would make a group of the one above it: it is made apart."""
        apart: dict[str, Any] = {}
        library().create_array(apart, **options)
        waited_for(self._describe(apart))
        return library().open_array(self.store, path=self.path, mode="r+")

    async def _describe(self, apart: dict[str, Any]) -> None:
        for key in METADATA:
            if key in apart:
                await self.store.set(_joined(self.path, key), apart[key])

    def opened(self) -> Any:
        """The array in its place."""
        return library().open_array(self.store, path=self.final, mode="r")

    def __call__(self) -> None:
        """Replace the keys of the array: its metadata go first and come last."""
        new = waited_for(self._keys(self.path))
        self._ask_for_all(new)
        try:
            waited_for(self._replace(new))
        except Exception as error:
            error.add_note(f"the new array is whole at {self.path!r} of {self.store}")
            raise
        if self.final:
            consolidate_again(self.store)

    def _ask_for_all(self, keys: list[str]) -> None:
        """An error, before anything is deleted, unless all chunks are there."""
        if not _in_order(keys)[0]:
            raise done_before(f"{self.final!r} of {self.store}")
        array = library().open_array(self.store, path=self.path, mode="r+")
        wanted = {_joined(self.path, name) for name in _chunk_keys(array)}
        lost = sorted(wanted.difference(keys))
        if lost:
            raise FileFormatError(str(self.store), f"the chunk {lost[0]} of a draft is missing")

    async def _replace(self, new: list[str]) -> None:
        old = await self._keys(self.final)
        for keys in _in_order(old):
            await _for_all(keys, self.store.delete)
        for keys in reversed(_in_order(new)):
            await _for_all(keys, self._copy)
        await _for_all(new, self.store.delete)

    async def _keys(self, path: str) -> list[str]:
        files = getattr(self.store, "fs", None)
        if files is not None:
            files.invalidate_cache()  # others wrote there since it was listed
        start = f"{path}/" if path else ""
        found = [key async for key in self.store.list_prefix(start) if key.startswith(start)]
        # Drafts of an array at the root of a store are below it.
        return [k for k in found if not is_draft_name(k.removeprefix(start).partition("/")[0])]

    async def _copy(self, key: str) -> None:
        target = _joined(self.final, key.removeprefix(f"{self.path}/"))
        files = getattr(self.store, "fs", None)
        if files is None:
            from zarr.core.buffer import default_buffer_prototype

            await self.store.set(target, await self.store.get(key, default_buffer_prototype()))
        else:  # the bytes need not come here
            root = self.store.path
            await files._cp_file(_joined(root, key), _joined(root, target))

    def remove(self) -> None:
        """Unless it is the only array that is whole."""
        waited_for(self._remove())

    async def _remove(self) -> None:
        found = [await self.store.exists(_joined(self.final, name)) for name in METADATA]
        if not any(found):
            return
        await _for_all([_joined(self.path, name) for name in METADATA], self.store.delete)
        await _for_all(await self._keys(self.path), self.store.delete)


ZarrDraft = NewArray | ArrayFolder | StoreDraft


def draft_beside(store: Any, component: str | None) -> ArrayFolder | StoreDraft:
    """For an array that is there."""
    folder = store if isinstance(store, str) else folder_of(store)
    if folder is not None:
        return ArrayFolder(str(folder), component)
    opened = library().open_array(store, path=component, mode="r+").store
    if not (opened.supports_deletes and opened.supports_listing):
        problem = f"{opened} deletes nothing, so that no array in it can be replaced"
        raise UnitError(problem, "write to another place")
    return StoreDraft(opened, component)


def folder_of(store: Any) -> Any:
    """The folder of a local store; None of all others."""
    return store.root if isinstance(store, library().storage.LocalStore) else None


def consolidate_again(store: Any) -> None:
    """Where a store has a list of its arrays, the new one belongs there too."""
    zarr = library()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the third format has no word on such lists
        group = zarr.open_group(store, mode="r")
        if group.metadata.consolidated_metadata is not None:
            zarr.consolidate_metadata(store)


async def _for_all(keys: Sequence[str], act: Callable[[str], Awaitable[None]]) -> None:
    for start in range(0, len(keys), _AT_ONCE):
        await asyncio.gather(*(act(key) for key in keys[start : start + _AT_ONCE]))


def _in_order(keys: Sequence[str]) -> list[list[str]]:
    """The metadata, then all else."""
    parts: tuple[list[str], list[str]] = ([], [])
    for key in keys:
        parts[key.rpartition("/")[2] not in METADATA].append(key)
    return list(parts)


def _chunk_keys(array: Any) -> list[str]:
    steps = array.shards or array.chunks
    counts = [range(-(-n // step)) for n, step in zip(array.shape, steps, strict=True)]
    return [str(array.metadata.encode_chunk_key(chunk)) for chunk in product(*counts)]


def _joined(path: str, key: str) -> str:
    return f"{path.rstrip('/')}/{key}" if path else key


def _remove_empty(folder: Path) -> None:
    folders = [folder, *(inner for inner in folder.rglob("*") if inner.is_dir())]
    for inner in sorted(folders, reverse=True):
        with suppress(OSError):
            inner.rmdir()
