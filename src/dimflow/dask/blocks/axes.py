"""The axes of what a function gives for blocks: those of the blocks, less some, and new ones."""

from numbers import Integral
from typing import Any

from dimflow.errors import ShapeMismatch


def several(axes: Any) -> list[int]:
    """Axes as a list: None, one number, or some."""
    if axes is None:
        return []
    return [int(axes)] if isinstance(axes, Integral) else list(axes)


def axes_of_result(
    operation: str, index: tuple[int, ...], chunks: Any, drop_axis: Any, new_axis: Any
) -> tuple[tuple[int, ...], dict[int, Any], dict[int, Any] | None]:
    """Names of a result's axes, lengths of the new ones, and of all if they were given.

    `index` names the axes of the blocks. The rules are those of Dask's `map_blocks`.
    """
    dropped = {_within(operation, axis, len(index)) for axis in several(drop_axis)}
    left = [name for axis, name in enumerate(index) if axis not in dropped]
    missing = range(0 if chunks is None else len(chunks) - len(left))
    new = sorted(missing if new_axis is None else several(new_axis))
    count = len(left) + len(new)
    if chunks is not None and len(chunks) != count:
        raise ShapeMismatch(operation, f"chunks= for {count} axes", f"{len(chunks)}: {chunks}")
    fresh: dict[int, Any] = {}
    for axis in new:
        name = len(left) + len(dropped)
        left.insert(axis, name)
        fresh[name] = 1 if chunks is None else chunks[axis]
    names = tuple(left)
    if new and new[-1] > max(names):
        raise ShapeMismatch(operation, f"a new_axis of at most {max(names)}", new[-1])
    return names, fresh, None if chunks is None else dict(zip(names, chunks, strict=True))


def _within(operation: str, axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        raise ShapeMismatch(operation, f"a drop_axis from {-ndim} to {ndim - 1}", axis)
    return axis % ndim
