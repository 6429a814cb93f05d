"""x with other values at x[key], as another lazy array in the same blocks.

Index arrays and values are gathered, and each block of x takes what is its own. A mask is met
element by element, unless it comes with a value for each element that it picks: how many those are
before a block only the data know, so that the array is gathered too.
"""

from itertools import count
from typing import Any

import dask.array as da
import numpy as np
from dask.base import normalize_token
from dask.layers import ArraySliceDep

from dimflow import ops
from dimflow.backends.dask_blocks.holes import with_holes
from dimflow.backends.dask_blocks.keys import Bounds, as_index, expanded, is_array
from dimflow.backends.dask_blocks.lengths import is_known
from dimflow.backends.dask_blocks.looping import whole
from dimflow.backends.dask_blocks.picking import put_back
from dimflow.backends.dask_blocks.placing import placed
from dimflow.backends.holes import refuse_written
from dimflow.ops import Op
from dimflow.ops.families.index.keys import INDEX, layout, split_key
from dimflow.ops.rules.shapes import broadcast_shapes
from dimflow.ops.rules.values import refuse_cut

LAZY = "lazy"  # stands for an index array that comes with the call
_JOINED = {"index_add": "add", "index_max": "maximum", "index_min": "minimum"}


def written(name: str, x: Any, values: Any, key: Any) -> Any:
    """index_set, index_add, index_max or index_min with a key as Python writes it."""
    refuse_cut(values, x.dtype)
    refuse_written(None, values)  # NumPy spreads them over many places without their mask
    values = da.asanyarray(values).astype(x.dtype)
    parts = [as_index(part) for part in (key if isinstance(key, tuple) else (key,))]
    static, arrays = split_key(tuple(parts))
    if not is_known(x, values, *arrays):
        found = put_back(ops.get(name), x, values, expanded(parts, x.ndim))
        return _gathered(name, x, values, arrays, static) if found is None else found
    shape = layout([x.shape, *(a.shape for a in arrays)], static).shape
    if None not in shape:
        broadcast_shapes([shape, values.shape])  # refuses what does not fit
    found = placed(ops.get(name), x, values, arrays, static)
    if found is not None:
        return found
    parts = expanded(parts, x.ndim)
    masks = [part for part in parts if is_array(part) and part.dtype.kind == "b"]
    if any(isinstance(mask, da.Array) or not mask.ndim for mask in masks):
        if _is_spread(values, parts):
            return _masked(name, x, values, parts)
        return _gathered(name, x, values, arrays, static)
    return _scattered(name, x, values, parts)


def assign(x: Any, key: Any, values: Any) -> None:
    """x[key] = values, in place: the array becomes the one with these values, as Dask does it."""
    new = written("index_set", x, values, key)
    new = with_holes(new, (x,))
    x._meta, x.dask, x._name, x._chunks = new._meta, new.dask, new.name, new.chunks


def _gathered(name: str, x: Any, values: Any, arrays: Any, static: Any) -> Any:
    return whole(ops.get(name), (x, values, *arrays), {"key": static})


# Masks


def _is_spread(values: Any, parts: list[Any]) -> bool:
    """Whether one mask stands beside full slices, and values are the same for all it picks."""
    masks = [i for i, part in enumerate(parts) if is_array(part)]
    others = [part for i, part in enumerate(parts) if i not in masks]
    if len(masks) > 1 or any(part != slice(None) for part in others):
        return False
    after = len(parts) - 1 - masks[0]
    return bool(values.ndim <= after or values.shape[-after - 1] == 1)


def _masked(name: str, x: Any, values: Any, parts: list[Any]) -> Any:
    """Element by element."""
    at = next(i for i, part in enumerate(parts) if is_array(part))
    mask, after = parts[at], len(parts) - 1 - at
    if values.ndim > after:  # one axis for all that the mask picks becomes those of the mask
        before, rest = values.shape[: -after - 1], values.shape[values.ndim - after :]
        values = ops.reshape(values, (*before, *[1] * mask.ndim, *rest))
    mask = ops.reshape(da.asanyarray(mask), (*mask.shape, *[1] * after))
    if name in _JOINED:
        values = ops.get(_JOINED[name])(x, values)
    return ops.where(mask, values, x)


# Index arrays


def _scattered(name: str, x: Any, values: Any, parts: list[Any]) -> Any:
    """Each block of x takes the values that go into it."""
    unmasked: list[Any] = []
    for part in parts:
        is_mask = is_array(part) and part.dtype.kind == "b"
        unmasked.extend(part.nonzero() if is_mask else [part])
    for axis, part in enumerate(part for part in unmasked if part is not None):
        if not isinstance(part, (slice, da.Array)):
            Bounds(x.shape[axis])(np.asarray(part))
    lazy = [part for part in unmasked if isinstance(part, da.Array)]
    update = _Update(ops.get(name), x.shape, unmasked)
    labels = tuple(range(x.ndim))
    pairs: list[Any] = [x, labels, ArraySliceDep(x.chunks), labels]
    fresh = count(x.ndim)
    for array in (values, *lazy):
        pairs += [array, tuple(next(fresh) for _ in range(array.ndim))]
    options = {"dtype": x.dtype, "meta": x._meta, "align_arrays": False, "concatenate": True}
    return da.blockwise(update, labels, *pairs, **options)


class _Update:
    """Writes into a block what of all values goes there. Lazy index arrays come with the call."""

    __slots__ = ("op", "parts", "shape")

    def __init__(self, op: Op, shape: tuple[int, ...], parts: list[Any]) -> None:
        self.op = op
        self.shape = shape
        self.parts = tuple(LAZY if isinstance(part, da.Array) else part for part in parts)

    @property
    def __name__(self) -> str:
        return self.op.name

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "dimflow.update", self.op.name, normalize_token((self.shape, self.parts))

    def __call__(self, block: Any, where: Any, values: Any, *lazy: Any) -> Any:
        arrays = iter(lazy)
        parts = [next(arrays) if _is_lazy(part) else part for part in self.parts]
        static, given = split_key(tuple(parts))
        laid = layout([self.shape, *(a.shape for a in given)], static)
        values = np.broadcast_to(values, laid.shape)
        size = len(laid.block)
        here = tuple(range(laid.at, laid.at + size))
        values = np.moveaxis(values, here, tuple(range(size)))
        values = values[(slice(None),) * size + _old_axes(parts)]
        return self._taken(block, where, values, [p for p in parts if p is not None], laid.block)

    def _taken(self, block: Any, where: Any, values: Any, parts: list[Any], shape: Any) -> Any:
        """The places within this block, and the values for them."""
        inside: Any = np.ones(shape, np.bool_)
        places: dict[int, Any] = {}
        sliced: dict[int, Any] = {}
        for axis, (part, part_here) in enumerate(zip(parts, where, strict=True)):
            n, start, stop = self.shape[axis], part_here.start, part_here.stop
            if isinstance(part, slice):
                steps = np.arange(n)[part]
                sliced[axis] = (steps >= start) & (steps < stop), steps - start
                continue
            within = Bounds(n)(np.asarray(part)) % max(n, 1)
            places[axis] = np.broadcast_to(within, shape) - start
            inside = inside & (places[axis] >= 0) & (places[axis] < stop - start)
        if not inside.any():
            return block
        values = values[inside]  # in one axis from here on
        for i, (chosen, _) in enumerate(sliced.values(), start=1):
            values = np.compress(chosen, values, axis=i)
        order = (*places, *sliced)
        index = [places[axis][inside].reshape([-1] + [1] * len(sliced)) for axis in places]
        for i, (chosen, steps) in enumerate(sliced.values(), start=1):
            index.append(steps[chosen].reshape([-1] + [1] * (len(sliced) - i)))
        turned = ops.permute_dims(block, axes=order)
        turned = self.op(turned, values, *index, key=(INDEX,) * len(order))
        return ops.permute_dims(turned, axes=tuple(np.argsort(order).tolist()))


def _is_lazy(part: Any) -> bool:
    return isinstance(part, str)  # text, so that it is the same in another process


def _old_axes(parts: list[Any]) -> tuple[Any, ...]:
    """A key that drops the axes that None made."""
    return tuple(
        0 if part is None else slice(None)
        for part in parts
        if part is None or isinstance(part, slice)
    )
