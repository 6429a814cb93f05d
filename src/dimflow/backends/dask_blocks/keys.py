"""x[key] by NumPy's rules for keys, as lazily as the key allows.

Dask takes one index array of one axis, lazy or not, and one mask. It puts the result where the
array stood, and checks no lazy index: one that is out of bounds gives elements that were never
asked for. What goes beyond that is done here.
"""

from math import isnan, prod
from typing import Any

import dask.array as da
import numpy as np

from dimflow import ops
from dimflow.backends.dask_blocks.lengths import is_known, known_lengths
from dimflow.backends.dask_blocks.looping import looped, whole
from dimflow.errors import NotANumber
from dimflow.ops.families.index.keys import layout, split_key

_BASIC = frozenset({int, slice, type(None), type(Ellipsis)})  # Dask takes these as NumPy does


def get(x: Any, key: Any) -> Any:
    """x[key]."""
    given = key if isinstance(key, tuple) else (key,)
    if _BASIC.issuperset(map(type, given)) and is_known(x):
        return x[key]
    parts = [as_index(part) for part in given]
    arrays = [part for part in parts if is_array(part)]
    if len(parts) == 1 and _is_row(parts[0]) and x.ndim and is_known(x):
        return x[parts[0]]
    if not arrays:
        return _sliced(x, expanded(parts, x.ndim)) if _is_cut(x, parts) else x[tuple(parts)]
    static, _ = split_key(tuple(parts))
    shapes = [known_lengths(a.shape) for a in (x, *arrays)]
    place = layout(shapes, static).at  # refuses what does not fit
    parts = expanded(parts, x.ndim)
    if _is_dasks(x, parts, arrays):
        return _by_dask(x, parts)
    if _can_merge(x, parts, arrays):
        return _merged(x, parts)
    if any(_is_mask(a) and isinstance(a, da.Array) for a in arrays) or _is_open(x, parts):
        return whole(ops.index, (x, *arrays), {"key": static})
    return _at_places(x, parts, place)


def _is_row(part: Any) -> bool:
    """Whether this is a row of integers in memory, which Dask takes as NumPy does."""
    return isinstance(part, np.ndarray) and part.ndim == 1 and part.dtype.kind in "iu"


def as_index(part: Any) -> Any:
    """One part of a key: lists as arrays, numbers in arrays as such; None, slices as they are."""
    if part is None or part is Ellipsis or isinstance(part, slice):
        return part
    if isinstance(part, (bool, np.bool_)):
        return np.asarray(part)
    if isinstance(part, (list, tuple, range)):
        part = np.asarray(part) if len(part) else np.empty(0, np.intp)
    if not isinstance(part, da.Array):
        part = np.asarray(part)
        if not part.ndim and part.dtype.kind in "iu":
            return int(part)
    if part.dtype.kind not in "biu":
        raise NotANumber("an index", f"an array of {part.dtype}")
    return part


def is_array(part: Any) -> bool:
    """Whether a part of a key is an index array or a mask."""
    return isinstance(part, (np.ndarray, da.Array))


def _is_mask(part: Any) -> bool:
    return is_array(part) and part.dtype.kind == "b"


def has_new_axes(parts: list[Any]) -> bool:
    """Whether None stands in a key; arrays in it must not be asked whether they equal it."""
    return any(part is None for part in parts)


def taken(part: Any) -> int:
    """How many axes of the array a part of a key takes."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if _is_mask(part) else 1


def expanded(parts: list[Any], ndim: int) -> list[Any]:
    """The parts with full slices for `...`, and for the axes that they do not name."""
    free = [slice(None)] * (ndim - sum(map(taken, parts)))
    at = next((i for i, part in enumerate(parts) if part is Ellipsis), len(parts))
    return parts[:at] + free + parts[at + 1 :]


def _with_lengths(parts: list[Any], shape: Any) -> list[tuple[Any, Any]]:
    """Each part with the length of the first axis that it takes."""
    found, axis = [], 0
    for part in parts:
        found.append((part, shape[axis] if taken(part) else None))
        axis += taken(part)
    return found


def _is_advanced(part: Any) -> bool:
    return is_array(part) or isinstance(part, int)


def _stand_together(parts: list[Any]) -> bool:
    """Whether nothing stands between arrays and integers: NumPy and Dask agree on the order."""
    places = [i for i, part in enumerate(parts) if _is_advanced(part)]
    return places[-1] - places[0] == len(places) - 1


def _is_dasks(x: Any, parts: list[Any], arrays: list[Any]) -> bool:
    """Whether Dask's own indexing takes the key, and gives what NumPy gives."""
    if len(arrays) > 1 or not _stand_together(parts):
        return False
    (array,) = arrays
    if _is_mask(array) and array.ndim != 1:
        is_all = array.ndim == x.ndim and len(parts) == 1 and array.ndim > 0 and 0 not in x.shape
        return bool(is_all and isinstance(array, da.Array) and is_known(x, array))
    if array.ndim > 1:
        return False
    length = next(n for part, n in _with_lengths(parts, x.shape) if part is array)
    if isnan(length):
        axis = sum(map(taken, parts[: next(i for i, p in enumerate(parts) if p is array)]))
        is_lazy = _is_mask(array) and isinstance(array, da.Array)
        return is_lazy and array.numblocks[0] == x.numblocks[axis]  # one would meet all of them
    if _is_mask(array) and isinstance(array, da.Array):
        return is_known(array)
    return array.ndim == 1 or isinstance(array, da.Array)


def _by_dask(x: Any, parts: list[Any]) -> Any:
    """New axes last: Dask loses count of them beside an array."""
    key = [_checked(part, n) for part, n in _with_lengths(parts, x.shape) if part is not None]
    found = x[tuple(key)]
    if not has_new_axes(parts):
        return found
    return found[tuple(None if p is None else slice(None) for p in parts if not _is_dropped(p))]


def _is_dropped(part: Any) -> bool:
    """Whether a part of a key leaves no axis."""
    return isinstance(part, int) or (is_array(part) and not part.ndim)


def _is_open(x: Any, parts: list[Any]) -> bool:
    """Whether an axis that arrays or integers take is of a length that only the data know."""
    pairs = _with_lengths(parts, x.shape)
    arrays = [part for part, _ in pairs if is_array(part)]
    is_open = any(_is_advanced(part) and n is not None and isnan(n) for part, n in pairs)
    return is_open or not is_known(*arrays)


class Bounds:
    """Passes a block of indices on if all are within an axis of a length."""

    __slots__ = ("length",)

    def __init__(self, length: int) -> None:
        self.length = length

    def __call__(self, block: Any) -> Any:
        outside = block[(block < -self.length) | (block >= self.length)]
        if outside.size:
            limits = f"from {-self.length} to {self.length - 1}" if self.length else "none"
            raise IndexError(f"index {outside.flat[0]} is outside of an axis (expected: {limits})")
        return block

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "dimflow.bounds", self.length


def _checked(part: Any, length: Any) -> Any:
    """A lazy index array that fails where it is out of bounds."""
    if isinstance(part, da.Array) and not _is_mask(part):
        return part.map_blocks(Bounds(length), dtype=part.dtype, meta=part._meta)
    return part


# Slices along an axis of a length that only the data know


def _is_cut(x: Any, parts: list[Any]) -> bool:
    """Whether a slice or an integer asks for a part of such an axis."""
    if is_known(x) or sum(map(taken, parts)) > x.ndim:
        return False
    pairs = _with_lengths(expanded(parts, x.ndim), x.shape)
    return any(n is not None and isnan(n) and part != slice(None) for part, n in pairs)


def _sliced(x: Any, parts: list[Any]) -> Any:
    """By gathering these axes; all others are cut by Dask first."""
    pairs = _with_lengths(parts, x.shape)
    cuts = [n is not None and isnan(n) and part != slice(None) for part, n in pairs]
    x = x[tuple(slice(None) if cut else part for part, cut in zip(parts, cuts, strict=True))]
    left = [(p, cut) for p, cut in zip(parts, cuts, strict=True) if cut or not isinstance(p, int)]
    key = tuple(part if cut else slice(None) for part, cut in left)
    axes = [None if cut else axis for axis, (_, cut) in enumerate(left)]
    out = [axis for axis, (part, _) in zip(axes, left, strict=True) if not isinstance(part, int)]
    return looped(ops.index, (x,), {"key": key}, [axes], [out])


# A mask of several axes


def _can_merge(x: Any, parts: list[Any], arrays: list[Any]) -> bool:
    """Whether a lazy mask of several axes stands alone, so that it is one of a single axis."""
    is_alone = len(arrays) == 1 and not any(isinstance(part, int) for part in parts)
    is_lazy_mask = _is_mask(arrays[0]) and isinstance(arrays[0], da.Array)
    is_closed = is_known(x, arrays[0])
    return (
        is_alone and is_lazy_mask and arrays[0].ndim > 1 and is_closed and not has_new_axes(parts)
    )


def _merged(x: Any, parts: list[Any]) -> Any:
    """With the axes of the mask as one."""
    at = next(i for i, part in enumerate(parts) if is_array(part))
    start = sum(map(taken, parts[:at]))
    mask = parts[at]
    shape = (*x.shape[:start], mask.size, *x.shape[start + mask.ndim :])
    parts = [*parts[:at], ops.reshape(mask, -1), *parts[at + 1 :]]
    return ops.reshape(x, shape)[tuple(parts)]


# Several index arrays, and those of several axes


def _at_places(x: Any, parts: list[Any], place: int) -> Any:
    """Slices first; then the elements at the places that arrays and integers name together."""
    parts = _unmasked(parts)
    if any(_is_mask(part) for part in parts):  # one without axes: a new axis of length 1 or 0
        x, parts = _with_new_axis(x, parts)
    basic = tuple(slice(None) if _is_advanced(part) else part for part in parts)
    x = x if basic == (slice(None),) * x.ndim else x[basic]
    axes = [i for i, part in enumerate(parts) if _is_advanced(part)]
    places = [parts[i] for i in axes]
    if any(isinstance(part, da.Array) for part in places):
        found, count = _lazily(x, axes, places)
    else:
        found, count = _pointwise(x, axes, places)
    if not place or not count:
        return found
    return da.moveaxis(found, tuple(range(count)), tuple(range(place, place + count)))


def _unmasked(parts: list[Any]) -> list[Any]:
    """Masks of NumPy's as the indices of what they pick."""
    found: list[Any] = []
    for part in parts:
        found.extend(part.nonzero() if _is_mask(part) and part.ndim else [part])
    return found


def _with_new_axis(x: Any, parts: list[Any]) -> tuple[Any, list[Any]]:
    """True as the index 0 of a new axis, False as none of it."""
    found: list[Any] = []
    key: list[Any] = []
    for part in parts:
        is_truth = _is_mask(part)
        key.append(None if is_truth else slice(None))
        found.append(np.zeros(int(bool(part)), np.intp) if is_truth else part)
        if part is None:
            key.pop()
    return x[tuple(key)], found


def _pointwise(x: Any, axes: list[int], places: list[Any]) -> tuple[Any, int]:
    """By Dask's vindex, which puts the axes of the places first."""
    if _are_apart(places):
        for axis, part in zip(axes, places, strict=True):
            x = x[(*(slice(None),) * axis, Bounds(x.shape[axis])(part).reshape(-1))]
        others = [i for i in range(x.ndim) if i not in axes]
        return x.transpose((*axes, *others)), len(axes)
    block = np.broadcast_arrays(*map(np.asarray, places))
    key: list[Any] = [slice(None)] * x.ndim
    for axis, part in zip(axes, block, strict=True):
        Bounds(x.shape[axis])(part)
        key[axis] = part.reshape(-1)
    count = block[0].ndim
    if not block[0].size:
        rest = tuple(n for i, n in enumerate(x.shape) if i not in axes)
        return da.zeros_like(x, shape=(*block[0].shape, *rest)), count
    found = x.vindex[tuple(key)]
    return found if count == 1 else ops.reshape(found, (*block[0].shape, *found.shape[1:])), count


def _are_apart(places: list[Any]) -> bool:
    """Whether each array has an axis of its own, in order, as np.ix_ has it."""
    count = len(places)
    return count > 1 and all(
        is_array(part) and part.ndim == count and part.size == part.shape[i]
        for i, part in enumerate(places)
    )


def _lazily(x: Any, axes: list[int], places: list[Any]) -> tuple[Any, int]:
    """By one index that counts through the axes, which are merged into the first."""
    lengths = [x.shape[axis] for axis in axes]
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    flat = x.transpose((*axes, *rest))
    flat = ops.reshape(flat, (prod(lengths), *(x.shape[i] for i in rest)))
    total: Any = 0
    for part, n in zip(places, lengths, strict=True):
        part = _checked(part, n) if isinstance(part, da.Array) else Bounds(n)(np.asarray(part))
        total = total * n + part % n if n else part
    count = total.ndim
    if count == 1:
        return flat[total], count
    found = flat[ops.reshape(total, -1)]
    return ops.reshape(found, (*total.shape, *found.shape[1:])), count
