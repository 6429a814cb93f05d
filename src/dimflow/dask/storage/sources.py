"""Numbers in files and stores as lazy arrays: opened where a task reads them, by their place."""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self
from uuid import uuid4
from weakref import WeakValueDictionary

import dask.array as da
import numpy as np
from dask._task_spec import Task
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer

from dimflow.dask.storage.packing import packing_in
from dimflow.errors import DimflowError, FileFormatError, UnitError
from dimflow.io.attributes import is_time, unit_in
from dimflow.units import Unit

NUMBERS = frozenset("biufc")  # kinds of dtype that hold numbers
MEANT = (  # the attributes that say what stored numbers mean
    *("units", "dimflow_unit", "units_metadata", "scale_factor", "add_offset"),
    *("_FillValue", "missing_value", "_Unsigned"),
)
MOST_BLOCKS = 10_000_000  # a shape in a file may be anything; lengths of blocks are a tuple


class Source(ABC):
    """What Dask slices: an array at a place, of which a task reads a part."""

    __slots__ = ("__weakref__", "chunks", "dtype", "meaning", "place", "shape")

    def __init__(
        self, place: str, shape: Any, dtype: Any, chunks: Any = None, attrs: Any = None
    ) -> None:
        self.place = place
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)
        self.chunks = chunks
        self.meaning = _meaning(attrs or {})

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __getitem__(self, key: Any) -> Any:
        try:
            return np.asarray(self.read(key))
        except (DimflowError, MemoryError, FileNotFoundError):
            raise
        except Exception as error:
            problem = f"{self.part(key)}: {type(error).__name__}: {error!s:.200}"
            raise FileFormatError(self.place, problem) from error

    @abstractmethod
    def read(self, key: Any) -> Any:
        """The numbers at a key of slices and integers."""

    def part(self, key: Any) -> str:
        """What a message calls the part of the array at a key."""
        return f"the block at {shown(key)}"

    def is_at(self, place: str) -> bool:
        """Whether these numbers are read from a place that is to be written to."""
        return same_place(self.place, place)

    def ask_for_the_same(self, shape: Any, dtype: Any, attrs: Any) -> None:
        """An error if what is at the place is not what was there when the array was planned."""
        self.ask_for_the_same_meaning(attrs)
        self.ask_for_the_same_layout(shape, dtype)

    def ask_for_the_same_meaning(self, attrs: Mapping[str, Any]) -> None:
        """An error if the numbers are in another unit now, or packed in another way."""
        for name, now, was in zip(MEANT, _meaning(attrs), self.meaning, strict=True):
            if now != was:
                changed = f"its attribute {name} is {now or 'gone'} now, and was {was or 'none'}"
                raise FileFormatError(self.place, changed, "open it again")

    def ask_for_the_same_layout(self, shape: Any, dtype: Any) -> None:
        """An error if there are other numbers now."""
        if (tuple(shape), np.dtype(dtype)) != (self.shape, self.dtype):
            now = f"{dtype} of shape {tuple(shape)}"
            was = f"{self.dtype} of shape {self.shape}"
            raise FileFormatError(self.place, f"it holds {now} now, and held {was}")

    @property
    def asks_once(self) -> bool:
        """Whether each computation looks at the place once, and not with each part."""
        return False

    def asked(self) -> Self:
        """The same as it is now, after a look whether it was replaced by something else."""
        return self


def _meaning(attrs: Mapping[str, Any]) -> tuple[str, ...]:
    """What attributes say that numbers mean, as texts; empty where they say nothing."""
    found = (attrs.get(name) for name in MEANT)
    return tuple("" if value is None else str(plain(value)) for value in found)


class Held(Source):
    """An array that is open already, such as a memory map: read in blocks, and never copied."""

    __slots__ = ("_held",)

    def __init__(self, held: Any) -> None:
        place = str(getattr(held, "filename", None) or "memory")
        super().__init__(place, held.shape, held.dtype)
        self._held = held

    def read(self, key: Any) -> Any:
        """A part of it, in memory of its own: a map may change or close."""
        return np.array(self._held[key])


origins: WeakValueDictionary[str, Source] = WeakValueDictionary()
"""By the names of layers what is read in them, so that nobody writes over it."""


def lazily(source: Source, chunks: Any, name: str, **kwargs: Any) -> Any:
    """An array of Dask whose tasks read a source. Its name is new: files change."""
    if source.dtype.kind not in NUMBERS:
        problem = f"it holds no numbers, but {source.dtype!s:.60}"
        raise FileFormatError(source.place, problem)
    _ask_for_count(source, chunks)
    if source.asks_once:
        kwargs["inline_array"] = False
    made = da.from_array(
        source,
        chunks,
        **{"name": f"{name}-{uuid4().hex}", "inline_array": True, "fancy": False, **kwargs},
        asarray=False,
        meta=np.empty((0,) * source.ndim, source.dtype),
    )
    if source.asks_once:
        made = _asking(made, source)
    origins[made.name] = source
    return made


def _asking(made: Any, source: Source) -> Any:
    """The same array. The task that all blocks have their source from asks for it first."""
    layers = dict(made.dask.layers)
    (name,) = set(layers) - {made.name}
    layers[name] = MaterializedLayer({name: Task(name, source.asked)})
    graph = HighLevelGraph(layers, made.dask.dependencies)
    return da.Array(graph, made.name, made.chunks, meta=made._meta)


def _ask_for_count(source: Source, chunks: Any) -> None:
    """No more blocks than can be listed."""
    if not isinstance(chunks, tuple) or not all(isinstance(c, int) for c in chunks):
        return
    for length, step in zip(source.shape, chunks, strict=False):
        if step > 0 and length > step * MOST_BLOCKS:
            problem = f"an axis of {length:,} in blocks of {step:,} is too many blocks"
            raise FileFormatError(source.place, problem, "cut it into larger ones: chunks='auto'")


def reads_from(raw: Any, place: str) -> bool:
    """Whether an array of Dask is computed from numbers at a place."""
    found = (origins.get(name) for name in raw.dask.layers)
    return any(source is not None and source.is_at(place) for source in found)


def same_place(one: str, other: str) -> bool:
    """Whether two places are one, or one within the other."""
    first, second = (_steps(place) for place in (one, other))
    shared = min(len(first), len(second))
    return first[:shared] == second[:shared]


def _steps(place: str) -> list[str]:
    scheme, _, rest = place.rpartition("://")
    if scheme in ("", "file"):
        rest = os.path.realpath(rest)
    return [scheme.removeprefix("file"), *(step for step in rest.split("/") if step)]


def refuse_own_source(raw: Any, place: str) -> None:
    """An error for an array that would be written over the numbers that it is computed from."""
    if reads_from(raw, place):
        raise UnitError(
            f"cannot write {place}: the array is computed from numbers that are read from there",
            "write to another place, or persist() the array first",
        )


def ask_for_plain_numbers(raw: Any, operation: str) -> None:
    """An error for an array whose shape is known only with the data, or of masked numbers."""
    _refuse_mask(raw._meta, operation)
    if any(np.isnan(n) for n in raw.shape):
        problem = f"{operation} needs the shape, and some lengths are known only with the data"
        raise UnitError(problem, "learn them first: x.compute_chunk_sizes()")


def plain_block(block: Any) -> Any:
    """A block as NumPy's; an error if some of it is masked, which files have no room for."""
    if np.ma.is_masked(block):
        _refuse_mask(block, "writing to a file")
    return np.asarray(block)


def _refuse_mask(block: Any, operation: str) -> None:
    if isinstance(block, np.ma.MaskedArray):
        problem = f"{operation} would lose which numbers are masked"
        raise UnitError(problem, "fill them first: da.ma.filled(x, value)")


def with_its_unit(
    cls: Any, raw: Any, attrs: Mapping[str, Any], given: Any, place: str, *, default: Any = None
) -> Any:
    """Stored numbers as an array with the unit that its attributes say, unpacked as CF says.

    One that is given converts; it stands alone where the attributes say none that can be read.
    """
    attributes = {str(key): plain(value) for key, value in attrs.items()}
    try:
        packing = packing_in(attributes, raw.dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise FileFormatError(place, f"its packing cannot be read: {error!s:.200}") from None
    stored = _stored_unit(attributes, given, place)
    if packing is not None:
        raw = packing.applied(raw)
    if stored is None:
        if given is None and default is None:
            raise UnitError(f"{place} says no unit", _hint(attributes))
        return cls._made(raw, default if given is None else given)
    made = cls._made(raw, stored)
    if given is None:
        return made
    try:
        return made.to(given, copy=False)
    except DimflowError as error:
        error.add_note(f"{place} is in {str(stored) or 'pure numbers'}")
        raise


def _stored_unit(attrs: dict[str, Any], given: Any, place: str) -> Unit | None:
    try:
        return unit_in(attrs)
    except UnitError as error:
        is_text_alone = "dimflow_unit" not in attrs
        if given is not None and is_text_alone:
            return None  # CF's text means nothing here, and somebody said what it means
        hint = "say it: unit='m'" if is_text_alone else None
        problem = f"its unit cannot be read: {error!s:.300}"
        raise FileFormatError(place, problem, hint) from None


def _hint(attrs: dict[str, Any]) -> str:
    text = attrs.get("units")
    if isinstance(text, str) and is_time(text):
        return f"{text!r:.60} are dates, which xarray reads; or say the unit: unit='s'"
    return "give it: unit='m', or unit='' for pure numbers"


def plain(value: Any) -> Any:
    """An attribute as text or one number where it is one; files have arrays of one as well."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(())[()]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value) if isinstance(value, str) else value


def opened_array(data: Any) -> str | None:
    """The library of an array in an open file, which has attributes; None for all else."""
    library = type(data).__module__.partition(".")[0]
    is_known = library in ("h5py", "h5netcdf", "zarr") and hasattr(data, "attrs")
    return library if is_known and hasattr(data, "shape") else None


def stamp(path: Path) -> tuple[int, ...] | None:
    """What changes when a file is written anew; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def shown(key: Any) -> str:
    """A key of slices as it is written: `[0:5, 3]`."""
    parts = key if isinstance(key, tuple) else (key,)
    texts = [_piece(p) for p in parts]
    return f"[{', '.join(texts) or '()'}]"


def _piece(part: Any) -> str:
    if not isinstance(part, slice):
        return str(part)
    ends = [part.start, part.stop] + ([] if part.step in (None, 1) else [part.step])
    return ":".join("" if end is None else str(end) for end in ends)
