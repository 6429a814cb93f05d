"""Writing lazy arrays block by block: into anything that takes a part of an array at a key."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import dask
import dask.array as da
import numpy as np

from dimflow.dask.progress import shown as progress_shown
from dimflow.dask.storage.sources import plain_block, shown
from dimflow.errors import ShapeMismatch, UnitError


class Target(ABC):
    """What blocks are written into: an array at a place, which a task opens for itself."""

    __slots__ = ("place",)

    def __init__(self, place: str) -> None:
        self.place = place

    def __setitem__(self, key: Any, block: Any) -> None:
        try:
            self.write(key, plain_block(block))
        except Exception as error:
            error.add_note(f"while writing {shown(key)} of {self.place}")
            raise

    def __getitem__(self, key: Any) -> Any:
        return self.read(key)

    @abstractmethod
    def write(self, key: Any, block: Any) -> None:
        """Write a block at a key of slices."""

    @abstractmethod
    def read(self, key: Any) -> Any:
        """What was written at a key."""

    def __dask_tokenize__(self) -> tuple[str, ...]:
        return "dimflow.storage", self.place


def write_blocks(
    raw: Any,
    target: Any,
    *,
    region: tuple[slice, ...] | None = None,
    lock: Any = False,
    finish: Callable[[], object] | None = None,
    compute: bool = True,
    progress: bool = False,
    **options: Any,
) -> Any:
    """Write all blocks into a target; `options` are for Dask's scheduler."""
    chosen = scheduler_in(options)
    layer = da.store(raw, target, lock=lock, regions=region, compute=False, **chosen)
    return done_after(layer.to_delayed().ravel().tolist(), finish, compute, progress, options)


def scheduler_in(options: dict[str, Any]) -> dict[str, Any]:
    """What Dask is to know of the scheduler while it plans; other options are for the run."""
    return {"scheduler": options["scheduler"]} if "scheduler" in options else {}


def done_after(
    tasks: list[Any],
    finish: Callable[[], object] | None,
    compute: bool,
    progress: bool,
    options: dict[str, Any],
) -> Any:
    """Run tasks, then call `finish`: now, or when the Delayed that is returned is computed."""
    done = dask.delayed(_finished, pure=False)(tasks, finish)
    if not compute:
        return done
    others = {key: value for key, value in options.items() if key != "scheduler"}
    with progress_shown(progress, options.get("scheduler")) as scheduler:
        done.compute(scheduler=scheduler, **others)
    return None


def _finished(blocks: Any, finish: Callable[[], object] | None) -> None:
    if finish is not None:
        finish()


def region_of(region: Any, shape: tuple[int, ...], source: tuple[int, ...]) -> tuple[slice, ...]:
    """A region as a slice for each axis, which fits the array that is written there."""
    parts = list(region) if isinstance(region, (tuple, list)) else [region]
    if Ellipsis in parts:
        place = parts.index(Ellipsis)
        parts[place : place + 1] = [slice(None)] * (len(shape) - len(parts) + 1)
    parts += [slice(None)] * (len(shape) - len(parts))
    if len(parts) != len(shape) or not all(isinstance(p, slice) for p in parts):
        raise UnitError(
            f"a region is a slice for each of {len(shape)} axes, but got {region!r:.80}",
            "region=(slice(0, 10), slice(None))",
        )
    ends = [p.indices(n) for p, n in zip(parts, shape, strict=True)]
    found = tuple(slice(start, max(start, stop)) for start, stop, _ in ends)
    lengths = tuple(s.stop - s.start for s in found)
    if any(step != 1 for *_, step in ends) or lengths != source:
        raise ShapeMismatch("writing to a region", lengths, source)
    return found


def cut_for(raw: Any, steps: Sequence[int], region: tuple[slice, ...] | None = None) -> Any:
    """In blocks that each lie in chunks of their own, so that no two tasks write to one chunk."""
    starts = [0] * raw.ndim if region is None else [s.start for s in region]
    if all(_is_cut(c, s, n) for c, s, n in zip(raw.chunks, starts, steps, strict=True)):
        return raw
    lengths = [_lengths(s, n, step) for s, n, step in zip(starts, raw.shape, steps, strict=True)]
    return raw.rechunk(tuple(lengths))


def _is_cut(chunks: tuple[int, ...], start: int, step: int) -> bool:
    """Whether blocks end where chunks end, but for the last."""
    ends = np.cumsum(chunks)[:-1] + start
    return not np.any(ends % step)


def _lengths(start: int, length: int, step: int) -> tuple[int, ...]:
    ends = [*range((start // step + 1) * step - start, length, step), length]
    return tuple(b - a for a, b in zip([0, *ends], ends, strict=False))
