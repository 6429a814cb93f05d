"""Writing at places that only the data knows, by reading alone: sort by place, join what meets in
one place, and let each place look up what came to it.
"""

from math import prod
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import ShapeMismatch
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.values import counted, extreme, floated, uncut


def column(mask: Any, ndim: int) -> Any:
    """One value for each row, beside rows of so many axes."""
    return ops.reshape(mask, shape=(*shape_of(mask), *[1] * (ndim - 1)))


def joined(rows: Any, ids: Any, join: Any) -> Any:
    """In the last row of each run of equal ids, all of the run, joined in log2(n) steps.

    Pairs are joined, then pairs of pairs (Hillis and Steele 1986), which rounds less than one row
    after the other.
    """
    by, ndim = 1, len(shape_of(rows))
    while by < shape_of(ids)[0]:
        same = column(ops.equal(ids[by:], ids[:-by]), ndim)
        later = ops.where(same, join(rows[:-by, ...], rows[by:, ...]), rows[by:, ...])
        rows = ops.concat([rows[:by, ...], later], axis=0)
        by *= 2
    return rows


def collected(rows: Any, ids: Any, count: int, join: Any) -> tuple[Any, Any]:
    """For each place from 0 to count - 1 the rows that go there, joined, and whether any does."""
    order = ops.argsort(ids)
    ids, rows = ops.take(ids, order), ops.take(rows, order, axis=0)
    if join is not None:
        rows = joined(rows, ids, join)
    places = np.arange(count)
    last = ops.maximum(ops.searchsorted(ids, places, side="right") - 1, 0)
    found = ops.equal(ops.take(ids, last), places)
    return ops.take(rows, last, axis=0), found


# x[key] = values, as a new array


def _written(x: Any, values: Any, indices: Any, key: Any, join: Any) -> Any:
    """Every place of the flat array looks up its value."""
    shape = shape_of(x)
    flat = ops.reshape(x, shape=(-1,))
    serial = np.arange(prod(shape)).reshape(shape)
    places = ops.index(serial, *indices, key=key)
    values = values if hasattr(values, "dtype") else ops.full_like(x, values, shape=())
    values = ops.broadcast_to(uncut(values, x.dtype), shape=shape_of(places))
    if not prod(shape_of(places)):
        return ops.copy(x)
    values, places = (ops.reshape(a, shape=(-1,)) for a in (values, places))
    new, found = collected(values, places, prod(shape), join)
    if join is not None:
        new = join(flat, new)
    return ops.reshape(ops.where(found, new, flat), shape=shape)


def index_set(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """Of values for one place the last one counts: sorting keeps their order."""
    return _written(x, values, indices, key, None)


def index_add(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """Of values for one place the sum."""
    return _written(x, values, indices, key, ops.logical_or if kind_of(x) == "b" else ops.add)


def index_max(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """Of values for one place the largest."""
    return _written(x, values, indices, key, ops.maximum)


def index_min(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """Of values for one place the smallest."""
    return _written(x, values, indices, key, ops.minimum)


# Segments


def _segments(x: Any, ids: Any, count: int, join: Any, start: Any) -> Any:
    if len(shape_of(ids)) != 1 or shape_of(x)[:1] != shape_of(ids):
        wanted = f"one segment id for each of x's rows, {shape_of(x)[:1]}"
        raise ShapeMismatch("a segment op", wanted, shape_of(ids))
    empty = ops.full_like(x, start, shape=(count, *shape_of(x)[1:]))
    if not shape_of(ids)[0] or not count:
        return empty
    rows, found = collected(x, ids, count, join)
    return ops.where(column(found, len(shape_of(x))), rows, empty)


def segment_sum(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Of truth values the count."""
    return _segments(counted(x), segment_ids, num_segments, ops.add, 0)


def segment_prod(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """1 for no rows."""
    return _segments(counted(x), segment_ids, num_segments, ops.multiply, 1)


def segment_mean(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """nan for no rows."""
    x = floated(x)
    total = ops.segment_sum(x, segment_ids, num_segments=num_segments)
    real = ops.real(total)
    ones = ops.ones_like(real, shape=shape_of(segment_ids))
    count = ops.segment_sum(ones, segment_ids, num_segments=num_segments)
    return total / column(count, len(shape_of(x)))


def segment_max(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """The lowest number for no rows."""
    return _segments(x, segment_ids, num_segments, ops.maximum, extreme(x, -1))


def segment_min(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """The highest number for no rows."""
    return _segments(x, segment_ids, num_segments, ops.minimum, extreme(x, 1))
