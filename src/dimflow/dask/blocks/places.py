"""Which block is being computed, and which shape it was planned to have."""

import sys
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np
from dask._task_spec import Task
from dask.base import normalize_token
from dask.layers import ArrayBlockIdDep


def current_task() -> tuple[str, tuple[int, ...] | None]:
    """The array and the block of the task that runs now, as Dask's own frames tell.

    Only for messages: a fused task goes by the name of its last step.
    """
    frame: Any = sys._getframe(1)
    while frame is not None:
        owner = frame.f_locals.get("self")
        key = owner.key if isinstance(owner, Task) else None
        if isinstance(key, tuple) and key and isinstance(key[0], str):
            return key[0], key[1:]
        frame = frame.f_back
    return "", None


class Places(ArrayBlockIdDep):  # type: ignore[misc]
    """Tells every task the index of its block."""


def _name_of_places(places: Places) -> tuple[str, tuple[int, ...]]:
    """Indices do not depend on lengths, of which there may be thousands."""
    return "dimflow.dask.Places", places.numblocks


normalize_token.register(Places, _name_of_places)


class ByPlace:
    """Shapes by the index of the block. Equal lengths are kept once: tasks carry this along."""

    __slots__ = ("runs",)

    def __init__(self, chunks: tuple[tuple[int, ...], ...]) -> None:
        self.runs = tuple(map(_runs, chunks))

    def __call__(self, blocks: tuple[Any, ...], place: tuple[int, ...] | None) -> Any:
        """The planned shape."""
        if place is None:
            return None
        return tuple(_length(runs, i) for runs, i in zip(self.runs, place, strict=True))


@lru_cache(maxsize=64)  # the arrays of a program are cut alike
def _runs(lengths: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    return tuple((length, len(list(same))) for length, same in groupby(lengths))


def _length(runs: tuple[tuple[int, int], ...], index: int) -> int:
    for length, count in runs:
        if index < count:
            return length
        index -= count
    raise IndexError(index)


class Fixed:
    """One shape for every call."""

    __slots__ = ("shape",)

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def __call__(self, blocks: tuple[Any, ...], place: Any) -> Any:
        """The planned shape."""
        return self.shape


class Reduced:
    """The shape of the first block, with some axes of another length, or without them."""

    __slots__ = ("axis", "keepdims", "size")

    def __init__(self, axis: tuple[int, ...], keepdims: bool, size: float) -> None:
        self.axis = axis
        self.keepdims = keepdims
        self.size = size

    def __call__(self, blocks: tuple[Any, ...], place: Any) -> Any:
        """The planned shape; None where blocks come in lists, of which nothing is known."""
        shape = getattr(blocks[0], "shape", None)
        if shape is None:
            return None
        if self.keepdims:
            return tuple(self.size if i in self.axis else n for i, n in enumerate(shape))
        return tuple(n for i, n in enumerate(shape) if i not in self.axis)


class OfCores:
    """Shapes by the signature of a generalised function: loops broadcast, then core axes."""

    __slots__ = ("inputs", "output", "sizes")

    def __init__(
        self, inputs: list[tuple[str, ...]], output: tuple[str, ...], sizes: dict[str, int]
    ) -> None:
        self.inputs = inputs
        self.output = output
        self.sizes = sizes

    def __call__(self, blocks: tuple[Any, ...], place: Any) -> Any:
        """The planned shape."""
        lengths = dict(self.sizes)
        loops = []
        for block, names in zip(blocks, self.inputs, strict=True):
            shape = np.shape(block)
            loops.append(shape[: len(shape) - len(names)])
            lengths.update(zip(names, shape[len(shape) - len(names) :], strict=True))
        core = tuple(lengths.get(name, np.nan) for name in self.output)
        return np.broadcast_shapes(*loops) + core
