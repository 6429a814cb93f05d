"""Writing lazy arrays block by block: into anything that takes a part of an array at a key."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import dask
import dask.array as da
import numpy as np

from dimflow.dask.progress import shown as progress_shown
from dimflow.dask.storage.drafts import Draft
from dimflow.dask.storage.sources import plain_block, shown
from dimflow.errors import ShapeMismatch, UnitError


class Target(ABC):
    """What blocks are written into: an array at a place, which a task opens for itself."""

    __slots__ = ("_token", "place")

    def __init__(self, place: str) -> None:
        self.place = place
        self._token = uuid4().hex  # two that write to one place write to drafts of their own

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
        return "dimflow.storage", self._token


def write_blocks(
    raw: Any,
    target: Any,
    *,
    region: tuple[slice, ...] | None = None,
    lock: Any = False,
    draft: Draft | None = None,
    compute: bool = True,
    progress: bool = False,
    **options: Any,
) -> Any:
    """Write all blocks into a target; `options` are for Dask's scheduler."""
    chosen = scheduler_in(options)
    layer = da.store(raw, target, lock=lock, regions=region, compute=False, **chosen)
    return done_after(layer.to_delayed().ravel().tolist(), draft, compute, progress, options)


def scheduler_in(options: dict[str, Any]) -> dict[str, Any]:
    """What Dask is to know of the scheduler while it plans; other options are for the run."""
    return {"scheduler": options["scheduler"]} if "scheduler" in options else {}


def done_after(
    tasks: list[Any],
    draft: Draft | None,
    compute: bool,
    progress: bool,
    options: dict[str, Any],
) -> Any:
    """Run tasks, then put the draft in its place: now, or when the Delayed returned is computed.

    A draft is removed when they fail now; nobody tells us of what fails later.
    """
    done = dask.delayed(_finished, pure=False)(tasks, draft)
    if not compute:
        return done
    others = {key: value for key, value in options.items() if key != "scheduler"}
    try:
        with progress_shown(progress, options.get("scheduler")) as scheduler:
            done.compute(scheduler=scheduler, **others)
    except BaseException as error:
        if draft is not None:
            _give_up(draft, error)
        raise
    return None


def _give_up(draft: Draft, error: BaseException) -> None:
    try:
        draft.remove()
    except Exception as other:  # the first error says more
        error.add_note(f"what was written could not be removed: {other!s:.200}")


def _finished(blocks: Any, draft: Draft | None) -> None:
    if draft is not None:
        draft()


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


def cut_for(raw: Any, steps: Sequence[Any], region: tuple[slice, ...] | None = None) -> Any:
    """In blocks that each lie in chunks of their own, so that no two tasks write to one chunk."""
    if len(steps) != raw.ndim or not all(isinstance(n, (int, np.integer)) and n > 0 for n in steps):
        problem = f"chunks have a length for each of {raw.ndim} axes, and not {steps!r:.80}"
        raise UnitError(problem, "leave them out: they are then the blocks of the array")
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
