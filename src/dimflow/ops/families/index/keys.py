"""Keys: what stands between the brackets of x[...], as ops take it.

A key is a tuple of static parts (integers, slices, None, Ellipsis) in which `INDEX` and `MASK`
stand for arrays that the op is given beside it. `split_key` makes one from what Python writes.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from dimflow import ops
from dimflow.errors import NotANumber, ShapeMismatch
from dimflow.ops.rules.shapes import broadcast_shapes

INDEX: Final = "index"
MASK: Final = "mask"


def parts(key: Any, ndim: int, lengths: Any) -> list[tuple[Any, int]]:
    """The parts of a key, each with the number of axes that it takes; `...` is spelled out.

    `lengths` are the numbers of axes of the arrays that stand for INDEX and MASK.
    """
    found: list[tuple[Any, int]] = []
    arrays = iter(lengths)
    for part in key:
        if part is None or part is Ellipsis:
            found.append((part, 0))
        elif isinstance(part, str):
            axes = next(arrays)
            found.append((part, axes if part == MASK else 1))
        else:
            found.append((part, 1))
    free = ndim - sum(n for _, n in found)
    if free < 0:
        raise ShapeMismatch("index", f"a key for {ndim} axes at most", f"one for {ndim - free}")
    fill: list[tuple[Any, int]] = [(slice(None), 1)] * free
    where = next((i for i, (part, _) in enumerate(found) if part is Ellipsis), len(found))
    return found[:where] + fill + found[where + 1 :]


def _is_advanced(part: Any, any_array: bool) -> bool:
    return isinstance(part, str) or (any_array and _is_integer(part))


def _is_integer(part: Any) -> bool:
    return part is not None and not isinstance(part, (slice, str))


def has_mask(key: Any) -> bool:
    """Whether a mask stands in a key."""
    return any(isinstance(part, str) and part == MASK for part in key)


def _sliced(n: int | None, part: slice) -> int | None:
    if part == slice(None):
        return n
    return None if n is None else len(range(*part.indices(n)))


class Layout(NamedTuple):
    """Where the axes of x[key] come from: those of arrays in the key stand together at a place."""

    others: list[Any]
    block: tuple[Any, ...]
    at: int

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape of x[key]."""
        return (*self.others[: self.at], *self.block, *self.others[self.at :])


def layout(shapes: Any, key: Any) -> Layout:
    """The axes of x[key], as NumPy has them: arrays that are apart move to the front."""
    shape, *given = shapes
    entries = parts(key, len(shape), map(len, given))
    any_array = any(isinstance(part, str) for part, _ in entries)
    block: list[Any] = []
    others: list[Any] = []
    at: int | None = None
    closed = False
    axis = 0
    arrays = iter(given)
    for part, taken in entries:
        if _is_advanced(part, any_array):
            if isinstance(part, str):
                one = next(arrays)
                _check_mask(part, one, shape[axis : axis + taken])
                block.append((None,) if part == MASK else one)
            at = 0 if closed else len(others) if at is None else at
        else:
            closed = at is not None
            if part is None:
                others.append(1)
            elif isinstance(part, slice):
                others.append(_sliced(shape[axis], part))
        axis += taken
    return Layout(others, broadcast_shapes(block), at or 0)


def _check_mask(part: str, mask: Any, covered: Any) -> None:
    if part == MASK and any(
        n != m and None not in (n, m) for n, m in zip(mask, covered, strict=True)
    ):
        raise ShapeMismatch("index", f"a mask of shape {tuple(covered)}", tuple(mask))


def filled(key: Any, indices: Any) -> tuple[Any, ...]:
    """A key with its arrays put in."""
    if not indices:
        return key  # type: ignore[no-any-return]
    arrays = iter(indices)
    return tuple(next(arrays) if isinstance(part, str) else part for part in key)


def split_key(key: Any) -> tuple[tuple[Any, ...], list[Any]]:
    """A key as Python writes it, as static parts and arrays."""
    if type(key) is int:
        return (key,), []
    static: list[Any] = []
    arrays: list[Any] = []
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, (str, bytes, float, complex, dict, set)):
            raise NotANumber("an index", f"{type(part).__name__} {part!r:.60}")
        if isinstance(part, list):
            part = np.asarray(part) if part else np.asarray(part, np.intp)
        if isinstance(part, bool) or getattr(part, "shape", None) is not None:
            is_mask = isinstance(part, bool) or "bool" in str(part.dtype)
            static.append(MASK if is_mask else INDEX)
            arrays.append(part)
        else:
            static.append(part)
    return tuple(static), arrays


def within(indices: Any, n: int, mode: str) -> Any:
    """Indices brought among n places, as NumPy's modes have it."""
    if mode == "wrap":
        return ops.remainder(indices, n)
    if mode == "clip":
        return ops.minimum(ops.maximum(indices, 0), n - 1)
    return indices
