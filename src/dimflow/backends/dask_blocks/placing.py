"""Where in each block values go that are written at slices and known positions of an array.

One task for a block that something is written into, none for others.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise, product
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

from dimflow.backends.dask_blocks.block_op import BlockOp
from dimflow.backends.dask_blocks.known_numbers import numbers_of
from dimflow.backends.dask_blocks.lengths import is_known
from dimflow.ops import Op
from dimflow.ops.families.index.keys import INDEX, parts


class _Along(NamedTuple):
    """What is written along one axis: for each block where in it, and how many values of all."""

    places: list[Any]  # slices, or arrays of positions, within each block
    counts: tuple[int, ...]

    @property
    def chunks(self) -> tuple[int, ...]:
        """The lengths of the blocks of values: those that are not empty."""
        return tuple(n for n in self.counts if n) or (0,)

    def numbers(self) -> list[int | None]:
        """For each block the number of the block of values that goes there."""
        found = accumulate(int(n > 0) for n in self.counts)
        return [i - 1 if n else None for i, n in zip(found, self.counts, strict=True)]


def placed(op: Op, x: Any, values: Any, indices: Sequence[Any], key: Any) -> Any | None:
    """The array with values written in blocks; None for keys that do not go block by block.

    They do if they are made of integers and slices, or of slices and one array of known integers.
    """
    entries = parts(key, x.ndim, [given.ndim for given in indices])
    indices = list(map(numbers_of, indices))
    if not _is_simple(entries, indices) or not is_known(x):
        return None
    values = da.asanyarray(values) if hasattr(values, "shape") else da.asanyarray(values, x.dtype)
    along, values = _fitted(x, values, entries, indices)
    if 0 in values.shape:
        return x
    return _graph(op, x, values, along)


def _is_simple(entries: Sequence[Any], indices: Sequence[Any]) -> bool:
    arrays = [part for part, _ in entries if isinstance(part, str)]
    if not arrays:
        return True
    is_known = indices[0] is not None and indices[0].ndim == 1
    others = [part for part, _ in entries if not isinstance(part, str)]
    return arrays == [INDEX] and is_known and all(isinstance(part, slice) for part in others)


def _fitted(x: Any, values: Any, entries: Any, indices: Any) -> tuple[list[_Along], Any]:
    """What is written along each axis, and the values with as many axes, in blocks that fit."""
    shape, order = [], []
    along: list[_Along] = []
    for part, taken in entries:
        if not taken:
            shape.append(1)
            continue
        axis = len(along)
        chunks = x.chunks[axis]
        length = x.shape[axis]
        if isinstance(part, str):
            found, picked = _at_positions(indices[0], chunks)
        else:
            found, picked = _at_slice(part, length, chunks)
        along.append(found)
        order.append(picked)
        if isinstance(part, (slice, str)):
            shape.append(sum(found.counts))
    values = _squeezed(values, shape, entries)
    for axis, picked in enumerate(order):
        if picked is not None and values.shape[axis] != 1:
            values = da.take(values, picked, axis) if np.ndim(picked) else da.flip(values, axis)
    blocks = tuple(a.chunks for a in along)
    lengths = tuple(map(sum, blocks))
    pairs = zip(values.shape, values.chunks, blocks, strict=True)
    values = values.rechunk(tuple(c if n == 1 else b for n, c, b in pairs))
    return along, da.broadcast_to(values, lengths, chunks=blocks)


def _squeezed(values: Any, shape: list[int], entries: Any) -> Any:
    """Values with an axis for each of the array's, of length 1 where they are all the same."""
    values = values[(None,) * (len(shape) - values.ndim)]
    key: list[Any] = []
    for part, taken in entries:
        if not taken:
            key.append(0)
        else:
            key.append(slice(None) if isinstance(part, (slice, str)) else None)
    return values[tuple(key)]


def _starts(chunks: Sequence[int]) -> list[int]:
    return [0, *accumulate(chunks)][:-1]


def _at_slice(part: Any, length: int, chunks: Sequence[int]) -> tuple[_Along, Any]:
    """Along an axis that a slice or an integer cuts; and -1 if the values go backwards."""
    if isinstance(part, slice):
        whole = range(length)[part]
    else:
        place = range(length)[part]
        whole = range(place, place + 1)
    is_back = whole.step < 0
    whole = whole[::-1] if is_back else whole
    step = whole.step
    places: list[Any] = []
    counts = []
    for start, size in zip(_starts(chunks), chunks, strict=True):
        first = max(-((whole.start - start) // step), 0)
        last = min(-((whole.start - start - size) // step), len(whole))
        begin = whole.start + first * step - start
        counts.append(max(last - first, 0))
        places.append(slice(begin, begin + (last - first - 1) * step + 1, step))
    return _Along(places, tuple(counts)), -1 if is_back else None


def _at_positions(given: Any, chunks: Sequence[int]) -> tuple[_Along, Any]:
    """Along an axis that positions pick from; and the order of the values, block by block."""
    length = sum(chunks)
    if given.size and not (-length <= given.min() and given.max() < length):
        wrong = given[(given < -length) | (given >= length)][0]
        raise IndexError(f"index {wrong} is out of bounds for an axis of length {length}")
    positions = np.where(given < 0, given + length, given)
    order = np.argsort(positions, kind="stable")  # of values for one place the last counts
    positions = positions[order]
    starts = _starts(chunks)
    cuts = np.searchsorted(positions, [*starts, length])
    pairs = list(pairwise(cuts))
    places = [positions[a:b] - start for (a, b), start in zip(pairs, starts, strict=True)]
    is_sorted = bool((order[1:] > order[:-1]).all())
    return _Along(places, tuple(int(b - a) for a, b in pairs)), None if is_sorted else order


def _graph(op: Op, x: Any, values: Any, along: Sequence[_Along]) -> Any:
    name = f"{op.name}-{tokenize(op.name, x.name, values.name, along)}"
    numbers = [a.numbers() for a in along]
    tasks: dict[Any, Any] = {}
    for block in product(*map(range, x.numblocks)):
        source = (x.name, *block)
        which = [n[i] for n, i in zip(numbers, block, strict=True)]
        if None in which:
            tasks[name, *block] = source
            continue
        places = [a.places[i] for a, i in zip(along, block, strict=True)]
        arrays = [place for place in places if isinstance(place, np.ndarray)]
        key = tuple(INDEX if isinstance(p, np.ndarray) else p for p in places)
        call = BlockOp(op, (x, values, *arrays), {"key": key})
        tasks[name, *block] = (call, source, (values.name, *which), *arrays)
    graph = HighLevelGraph.from_collections(name, tasks, dependencies=[x, values])
    return da.Array(graph, name, x.chunks, dtype=x.dtype, meta=x._meta)
