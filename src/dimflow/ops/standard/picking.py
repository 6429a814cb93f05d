"""The array API's functions that pick, search and sort, called as ops are.

The standard's `take` picks rows by one array of indices; all of x[key] is made of that.
"""

from math import prod
from typing import Any

from dimflow import ops
from dimflow.ops.families.index.keys import INDEX, MASK, has_mask, layout, parts, within
from dimflow.ops.rules.shapes import normalized
from dimflow.ops.standard.adapters import beside, of_one_kind


def take(xp: Any, x: Any, indices: Any, axis: Any, mode: str = "raise") -> Any:
    """With indices of any shape; without an axis, of the flat array."""
    if axis is None:
        x, axis = xp.reshape(x, (-1,)), 0
    (axis,) = normalized(axis, len(x.shape))
    n = x.shape[axis]
    places = within(indices, n, mode)
    if not hasattr(places, "dtype"):
        places = xp.asarray(places, **beside(x))
    flat = xp.reshape(places, (-1,))
    found = xp.take(x, xp.where(flat < 0, flat + n, flat), axis=axis)
    return xp.reshape(found, (*x.shape[:axis], *places.shape, *x.shape[axis + 1 :]))


def argwhere(xp: Any, x: Any) -> Any:
    """The places of each axis beside each other; a single number has no axis to name."""
    if not x.shape:
        return argwhere(xp, xp.reshape(x, (1,)))[:, :0]
    return xp.stack(xp.nonzero(x), axis=1)


def index(xp: Any, x: Any, *indices: Any, key: Any) -> Any:
    """Slices by the array's own operator; arrays as one that counts through the axes they take."""
    indices = tuple(i if hasattr(i, "shape") else xp.asarray(i, **beside(x)) for i in indices)
    entries = _bounded(parts(key, len(x.shape), [len(i.shape) for i in indices]), x.shape)
    if not indices:
        return x[tuple(part for part, _ in entries)] if entries else x
    if has_mask(key):
        key, indices = _unmasked(xp, entries, indices)
        return index(xp, _with_axes(xp, x, entries), *indices, key=key)
    where = layout([x.shape, *(i.shape for i in indices)], key)
    picked, lengths, places = _advanced(x, entries, indices)
    others = picked.shape[len(lengths) :]
    flat = xp.broadcast_to(_counted_through(places, lengths), where.block)
    rows = xp.reshape(picked, (prod(lengths), *others))
    found = xp.take(rows, xp.reshape(flat, (-1,)), axis=0)
    found = xp.reshape(found, (*where.block, *others))
    count = len(where.block)
    target = tuple(range(where.at, where.at + count))
    return xp.moveaxis(found, tuple(range(count)), target) if where.at and count else found


def _bounded(entries: Any, shape: Any) -> list[tuple[Any, int]]:
    """With slices that end where the array does: the standard leaves others open."""
    found: list[tuple[Any, int]] = []
    axis = 0
    for part, taken in entries:
        if isinstance(part, slice) and part != slice(None):
            start, stop, step = part.indices(shape[axis])
            part = slice(start, None if stop < 0 else stop, step)
            if start < 0:  # nothing of an empty axis, backwards
                part = slice(0, 0)
        found.append((part, taken))
        axis += taken
    return found


def _unmasked(xp: Any, entries: Any, indices: Any) -> tuple[Any, Any]:
    """The key with indices of what a mask picks instead of the mask."""
    key: list[Any] = []
    found: list[Any] = []
    arrays = iter(indices)
    for part, axes in entries:
        if part == MASK:
            mask = next(arrays)
            places = xp.nonzero(mask if axes else xp.reshape(mask, (1,)))
            key.extend([INDEX] * len(places))
            found.extend(places)
        else:
            key.append(part)
            if part == INDEX:
                found.append(next(arrays))
    return tuple(key), found


def _with_axes(xp: Any, x: Any, entries: Any) -> Any:
    """The array with an axis of length 1 for each mask that has none."""
    axis = 0
    for part, taken in entries:
        if part == MASK and not taken:
            x = xp.expand_dims(x, axis=axis)
        axis += 1 if part == MASK and not taken else taken
    return x


def _advanced(x: Any, entries: Any, indices: Any) -> tuple[Any, list[int], list[Any]]:
    """The array sliced, with the axes that arrays and integers take first; these; their places."""
    arrays = iter(indices)
    sliced: list[Any] = []
    taken: list[int] = []
    places: list[Any] = []
    for part, _ in entries:
        if part is None or isinstance(part, slice):
            sliced.append(part)
            continue
        taken.append(len(sliced))
        places.append(next(arrays) if part == INDEX else part)
        sliced.append(slice(None))
    x = x[tuple(sliced)]
    order = (*taken, *(i for i in range(len(sliced)) if i not in taken))
    return ops.permute_dims(x, axes=order), [x.shape[i] for i in taken], places


def _counted_through(places: list[Any], lengths: list[int]) -> Any:
    """One index for several axes of these lengths; negative ones count from the end."""
    total: Any = 0
    for place, n in zip(places, lengths, strict=True):
        if isinstance(place, int):
            here: Any = place % n
        else:
            here = ops.where(ops.less(place, 0), place + n, place)
        total = ops.add(ops.multiply(total, n), here)
    return total


def take_along_axis(xp: Any, x: Any, indices: Any, axis: Any) -> Any:
    """Without an axis, of the flat array; indices of length 1 stretch."""
    if axis is None:
        return xp.take(xp.reshape(x, (-1,)), indices, axis=0)
    (axis,) = normalized(axis, len(x.shape))
    lengths = (n if i != axis else indices.shape[i] for i, n in enumerate(x.shape))
    return xp.take_along_axis(x, xp.broadcast_to(indices, tuple(lengths)), axis=axis)


def search(xp: Any, x: Any, values: Any, side: str, sorter: Any = None) -> Any:
    """Of kinds that differ."""
    x, values = of_one_kind([x, values])
    return xp.searchsorted(x, values, side=side, sorter=sorter)


def in_order(name: str) -> Any:
    """Sorted along an axis; without one, of the flat array."""

    def adapter(xp: Any, x: Any, axis: Any, stable: bool, descending: bool) -> Any:
        if axis is None:
            x, axis = xp.reshape(x, (-1,)), 0
        return getattr(xp, name)(x, axis=axis, stable=stable, descending=descending)

    return adapter
