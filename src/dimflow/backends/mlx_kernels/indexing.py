"""Indexing on MLX, which knows no masks and gives zeros for what lies outside.

An integer of a key is checked here; integers in arrays are not, since that would take their values.
"""

from typing import Any

import mlx.core as mx
import numpy as np

from dimflow import ops
from dimflow.ops.families.index.keys import MASK, filled
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.values import refuse_cut


def where(condition: Any, x: Any, y: Any) -> Any:
    """On any condition."""
    return mx.where(condition, x, y)


def index(x: Any, *indices: Any, key: Any) -> Any:
    """x[key]."""
    return x[native_key(x.shape, filled(key, indices))]


def index_set(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with other values at x[key]."""
    if _is_one_mask(key, values):
        return mx.where(_stretched(indices[0], x), _uncut(values, x), x)
    result = mx.array(x)
    write(result, filled(key, indices), values)
    return result


def index_add(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with values added at x[key]."""
    if _is_one_mask(key, values):
        return mx.where(_stretched(indices[0], x), x + _uncut(values, x), x)
    if not x.size:  # MLX does not add nothing to nothing
        return x
    place = native_key(x.shape, filled(key, indices))
    return x.at[place].add(_tied(_uncut(values, x), x[place]))


def index_max(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with the larger values at x[key]."""
    if _is_one_mask(key, values):
        return mx.where(_stretched(indices[0], x), mx.maximum(x, _uncut(values, x)), x)
    if not x.size:
        return x
    place = native_key(x.shape, filled(key, indices))
    return x.at[place].maximum(_tied(_uncut(values, x), x[place]))


def index_min(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with the smaller values at x[key]."""
    if _is_one_mask(key, values):
        return mx.where(_stretched(indices[0], x), mx.minimum(x, _uncut(values, x)), x)
    if not x.size:
        return x
    place = native_key(x.shape, filled(key, indices))
    return x.at[place].minimum(_tied(_uncut(values, x), x[place]))


def take(x: Any, indices: Any, axis: Any = None, *, mode: str = "raise") -> Any:
    """By `index`, where MLX's own would ask for a derivative by the places."""
    return ops.take.rule("definition")(x, indices, axis=axis, mode=mode)


def _is_one_mask(key: Any, values: Any) -> bool:
    """Whether one value goes where a mask says, which needs no look at the mask."""
    return tuple(key) == (MASK,) and not getattr(values, "ndim", 0)


def _stretched(mask: Any, x: Any) -> Any:
    """A mask of the first axes as one of all."""
    return mx.reshape(mask, (*mask.shape, *([1] * (x.ndim - mask.ndim))))


def write(raw: Any, key: Any, values: Any) -> None:
    """x[key] = values, into the object."""
    place = native_key(raw.shape, key)
    raw[place] = _tied(_uncut(values, raw), raw[place])


def _tied(values: Any, old: Any) -> Any:
    """Values that have a batch axis wherever what they go to has one.

    `mx.vmap` writes what all calls share into the first call alone, where the key is a slice.
    """
    return mx.where(mx.array(True), values, old)


def _uncut(values: Any, target: Any) -> Any:
    """Values in the dtype of an array that they are written into."""
    refuse_cut(values, target.dtype)
    return values.astype(target.dtype) if isinstance(values, mx.array) else values


def native_key(shape: Any, key: Any) -> Any:
    """A key as MLX takes it: masks as places, NumPy's integers as Python's, none outside."""
    parts = key if isinstance(key, tuple) else (key,)
    taken = sum(_axes(part) for part in parts)
    axis, found = 0, []
    for part in parts:
        if part is Ellipsis:
            found.append(part)
            axis += len(shape) - taken
            continue
        found.extend(_parts(part, shape, axis))
        axis += _axes(part)
    return tuple(found)


def _axes(part: Any) -> int:
    """How many axes a part of a key takes away."""
    if part is None or part is Ellipsis:
        return 0
    return int(part.ndim) if _is_mask(part) else 1


def _is_mask(part: Any) -> bool:
    return isinstance(part, (np.ndarray, np.bool_, mx.array)) and kind_of(part) == "b"


def _parts(part: Any, shape: Any, axis: int) -> list[Any]:
    if part is None or isinstance(part, slice):
        return [part]
    if isinstance(part, (list, tuple)):
        part = np.asarray(part) if len(part) else np.empty(0, dtype=np.int32)
    if _is_mask(part) and part.ndim:
        return [mx.array(i) for i in np.nonzero(np.asarray(part))]  # needs the mask's values
    if kind_of(part) not in "iu":
        raise IndexError(f"an index is an integer, a slice, a mask, None or ..., not {part!r:.60}")
    if isinstance(part, mx.array):
        return [mx.stop_gradient(part)]  # MLX would look for a derivative by the places
    if isinstance(part, np.ndarray) and part.ndim:
        _check(part, shape, axis)
        return [mx.array(part)]
    _check(np.asarray(part), shape, axis)
    return [int(part)]


def _check(places: Any, shape: Any, axis: int) -> None:
    if axis >= len(shape):
        raise IndexError(f"too many indices for an array of {len(shape)} axes")
    length = shape[axis]
    if places.size and not (-length <= places.min() and places.max() < length):
        raise IndexError(f"an index is outside of axis {axis}, which has {length} elements")
