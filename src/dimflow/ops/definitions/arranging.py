"""Order, sets, padding and places, by sorting and searching."""

from math import prod
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.ops.definitions.reductions import line, part
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.shapes import normalized
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.values import counted, uncut


def isin(x: Any, y: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """By search among the ordered elements of y."""
    ordered = ops.sort(ops.reshape(y, shape=(-1,)))
    count = shape_of(ordered)[0]
    if not count:
        found = ops.not_equal(x, x) if kind_of(x) in "iub" else ops.less(ops.abs(x), 0)
    else:
        place = ops.minimum(ops.searchsorted(ordered, x), count - 1)
        found = ops.equal(ops.take(ordered, place), x)
    return ops.logical_not(found) if invert else found


def lexsort(keys: Any, axis: int = -1) -> Any:
    """By one key after the other, the one that counts most last; sorting keeps what was before."""
    order = ops.argsort(keys[0], axis=axis)
    for key in keys[1:]:
        again = ops.argsort(ops.take_along_axis(key, order, axis=axis), axis=axis)
        order = ops.take_along_axis(order, again, axis=axis)
    return order


def partition(x: Any, kth: Any, axis: int | None = -1) -> Any:
    """All of it in order, which parts it everywhere."""
    _checked_places("partition", x, kth, axis)
    return ops.sort(x, axis=axis)


def argpartition(x: Any, kth: Any, axis: int | None = -1) -> Any:
    """All of it in order, which parts it everywhere."""
    _checked_places("argpartition", x, kth, axis)
    return ops.argsort(x, axis=axis)


def _checked_places(name: str, x: Any, kth: Any, axis: int | None) -> None:
    x, axis = line(x, axis)
    for place in kth if isinstance(kth, (tuple, list)) else (kth,):
        normalized(place, shape_of(x)[axis])


# Sets


def _starts(ordered: Any, equal_nan: bool) -> Any:
    """Which rows of an ordered array differ from the one before."""
    differs = ops.not_equal(ordered[1:, ...], ordered[:-1, ...])
    if equal_nan and kind_of(ordered) in "fc":
        both = ops.logical_and(ops.isnan(ordered[1:, ...]), ops.isnan(ordered[:-1, ...]))
        differs = ops.logical_and(differs, ops.logical_not(both))
    if len(shape_of(differs)) > 1:
        differs = ops.any(differs, axis=tuple(range(1, len(shape_of(differs)))))
    return ops.concat([np.ones(1, bool), differs], axis=0)


def _keys(rows: Any) -> list[Any]:
    """What rows are ordered by, the first column last; of complex numbers the real part first."""
    columns = [rows[:, i] for i in reversed(range(shape_of(rows)[1]))]
    if kind_of(rows) == "c":
        columns = [part for c in columns for part in (ops.imag(c), ops.real(c))]
    return columns or [ops.zeros_like(rows, shape=shape_of(rows)[:1])]


def unique_index(x: Any, axis: int | None = None, *, equal_nan: bool = True) -> Any:
    """Of ordered elements, or rows, the first of each run; how long runs are is how often."""
    shape = shape_of(x)
    rows, along = line(x, axis)
    count = shape_of(rows)[along]
    rows = ops.moveaxis(counted(rows), source=along, destination=0)
    rows = ops.reshape(rows, shape=(count, prod(shape_of(rows)[1:])))
    order = ops.lexsort(_keys(rows))
    result = ops.unique_index.result_type
    shape = shape if axis is None else (count,)
    if not count:
        return result(order, ops.reshape(order, shape=shape), order)
    starts = _starts(ops.take(rows, order, axis=0), equal_nan)
    indices = ops.index(order, starts, key=("mask",))
    rank = ops.cumulative_sum(ops.where(starts, 1, 0), axis=0) - 1
    inverse = ops.reshape(ops.take(rank, ops.argsort(order)), shape=shape)
    places = ops.flatnonzero(starts)
    ends = ops.concat([places[1:], np.array([count])], axis=0)
    return result(indices, inverse, ends - places)


# Padding


def pad_constant(x: Any, pad_width: Any, *, constant_values: Any = None) -> Any:
    """Blocks before and after each axis; those of later axes go around those of earlier ones."""
    from dimflow.ops.families.shape.padding import as_pairs

    ndim = len(shape_of(x))
    pairs = as_pairs(pad_width, ndim)
    ends = None
    if constant_values is not None:
        given = constant_values
        given = given if hasattr(given, "dtype") else ops.full_like(x, given, shape=())
        ends = ops.broadcast_to(uncut(given, x.dtype), shape=(ndim, 2))
    for axis, widths in enumerate(pairs):
        before, after = (
            [_block(x, axis, width, None if ends is None else ends[axis, side])] if width else []
            for side, width in enumerate(widths)
        )
        if any(widths):
            x = ops.concat([*before, x, *after], axis=axis)
    return ops.copy(x) if not any(map(any, pairs)) else x


def _block(x: Any, axis: int, width: int, value: Any) -> Any:
    shape = tuple(width if i == axis else n for i, n in enumerate(shape_of(x)))
    zeros = ops.zeros_like(x, shape=shape)
    return zeros if value is None else ops.broadcast_to(value, shape=shape)


def kept(x: Any, axis: int, start: int, stop: int) -> Any:
    """A part along one axis."""
    return x[part(len(shape_of(x)), axis, start, stop)]
