"""The shape of x[key], from shapes alone. Lengths may be None: known to the data alone."""

from typing import Any

import numpy as np

from dimflow.errors import ShapeMismatch
from dimflow.ops.rules.shapes import Shape, broadcast_shapes


def indexed(shape: Shape, key: Any) -> Shape:
    """The shape that indexing gives, as NumPy has it.

    Array keys are anything with a shape and a dtype, or lists; their values are not looked at.
    """
    parts = [_part(k) for k in (key if isinstance(key, tuple) else (key,))]
    parts = _completed(parts, len(shape), key)
    arrays = _Arrays()
    result: list[int | None] = []
    axis = 0
    for part in parts:
        if part is Ellipsis:  # it stands between arrays even where it stands for no axis
            arrays.interrupt()
        elif part is None:
            result.append(1)
            arrays.interrupt()
        elif isinstance(part, slice):
            result.append(_sliced(shape[axis], part))
            arrays.interrupt()
            axis += 1
        elif isinstance(part, int):
            _inside(shape, axis, part)
            arrays.add((), len(result), is_array=False)
            axis += 1
        elif part.dtype.kind == "b":
            _fits(shape, axis, part, key)
            known = _picked(part)
            arrays.add((known,), len(result))
            axis += len(part.shape)
        else:
            arrays.add(tuple(part.shape), len(result))
            axis += 1
    return arrays.placed(result)


class _Arrays:
    """Array keys meet in one shape; it stands where they stood, or first if they stood apart."""

    def __init__(self) -> None:
        self.shapes: list[Shape] = []
        self.place = 0
        self.is_interrupted = False
        self.is_apart = False
        self.has_arrays = False

    def add(self, shape: Shape, place: int, is_array: bool = True) -> None:
        if not self.shapes:
            self.place = place
        elif self.is_interrupted:
            self.is_apart = True
        self.is_interrupted = False
        self.has_arrays = self.has_arrays or is_array
        self.shapes.append(shape)

    def interrupt(self) -> None:
        self.is_interrupted = True

    def placed(self, rest: list[int | None]) -> Shape:
        if not self.has_arrays:  # integers alone take an axis away
            return tuple(rest)
        place = 0 if self.is_apart else self.place
        return (*rest[:place], *broadcast_shapes(self.shapes), *rest[place:])


def _part(key: Any) -> Any:
    """One item of a key: None, Ellipsis, a slice, an int, or something with shape and dtype."""
    if key is None or key is Ellipsis or isinstance(key, slice):
        return key
    if isinstance(key, (bool, np.bool_)):
        return np.asarray(key)
    if isinstance(key, (int, np.integer)):
        return int(key)
    if isinstance(key, (list, range)):
        array = np.asarray(key)
        key = array.astype(np.intp) if array.size == 0 else array
    if getattr(key, "dtype", None) is None or key.dtype.kind not in "biu":
        actual = getattr(key, "dtype", type(key).__name__)
        raise IndexError(f"an index is made of integers, slices and masks, not of {actual}")
    return key


def _completed(parts: list[Any], ndim: int, key: Any) -> list[Any]:
    """The parts with full slices after `...`, or after the last part, for all axes."""
    used = sum(_width(part) for part in parts)
    if used > ndim:
        raise ShapeMismatch("an index", f"at most {ndim} axes", used)
    places = [i for i, part in enumerate(parts) if part is Ellipsis]
    if len(places) > 1:
        raise ShapeMismatch("an index", "one ellipsis", len(places))
    at = places[0] + 1 if places else len(parts)
    return [*parts[:at], *([slice(None)] * (ndim - used)), *parts[at:]]


def _width(part: Any) -> int:
    """How many axes a part of a key takes."""
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, (slice, int)) or part.dtype.kind != "b":
        return 1
    return len(part.shape)


def _sliced(length: int | None, part: slice) -> int | None:
    """How many elements a slice picks."""
    if length is not None:
        return len(range(*part.indices(length)))
    return None


def _inside(shape: Shape, axis: int, index: int) -> None:
    length = shape[axis]
    if length is not None and not -length <= index < length:
        expected = f"from {-length} to {length - 1}" if length else "none: the axis is empty"
        raise IndexError(f"index {index} on axis {axis} is outside of the array ({expected})")


def _fits(shape: Shape, axis: int, mask: Any, key: Any) -> None:
    for i, n in enumerate(mask.shape):
        length = shape[axis + i]
        if None not in (n, length) and n != length:
            raise ShapeMismatch("a mask", f"length {length} on axis {axis + i}", n)


def _picked(mask: Any) -> int | None:
    """How many elements a mask picks: known for one with data."""
    return int(np.count_nonzero(mask)) if isinstance(mask, np.ndarray) else None
