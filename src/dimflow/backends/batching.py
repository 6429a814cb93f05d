"""What the vmaps of libraries have in common: the errors, and the loop where they cannot."""

from collections.abc import Callable, Sequence
from typing import Any

from dimflow import ops
from dimflow.errors import ShapeMismatch, TracedValueError

Function = Callable[..., tuple[tuple[Any, ...], tuple[Any, ...]]]
CHOOSE = "choose by dimflow.where(condition, x, y) or dimflow.cond instead of by if"


def value_needed() -> TracedValueError:
    """A number was asked for, where there is one for each call."""
    return TracedValueError("a branch", "batched", CHOOSE)


def not_shared() -> ShapeMismatch:
    """A result that should be one for all calls is not."""
    wanted = "a result that is the same for all calls, for out_axes=None"
    hint = "give it an axis: out_axes=0"
    return ShapeMismatch("vmap", wanted, "one that depends on a batched argument", hint)


def looped(
    function: Function, args: Sequence[Any], axes: Sequence[int | None], size: int
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """One call after the other: for what a library cannot batch."""
    every = []
    for n in range(size):
        taken = (
            a if axis is None else ops.getitem(a, key=(*[slice(None)] * (axis % a.ndim), n))
            for a, axis in zip(args, axes, strict=True)
        )
        each, shared = function(*taken)
        every.append(each)
    return tuple(ops.stack(list(parts), axis=0) for parts in zip(*every, strict=True)), shared
