"""Blocks that share a part of their neighbours, there and back: linear maps and their transposes.

What the transpose of `overlap` adds to a block is what its neighbours have of it: the ends that
face it, which is what sharing gives. So it is one more overlap, and a fold of every block.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.layers import ArrayBlockIdDep

from dimflow.autodiff.batch import Batch
from dimflow.autodiff.carrier import Carrier, alive, innermost
from dimflow.autodiff.custom import custom_call
from dimflow.dask.host.patches import own

Depth = dict[int, Any]
Boundary = dict[int, Any]


def overlapped(raw: Any, depths: Depth, edges: Boundary, rechunk: bool) -> Any:
    """What `overlap` gives of an array, also of one that a derivative goes through."""
    shared = partial(da.overlap.overlap, allow_rechunk=rechunk)
    if not isinstance(raw, Carrier):
        return shared(raw, depths, edges)
    changes = {axis: edge if isinstance(edge, str) else 0 for axis, edge in edges.items()}
    narrow, wide = innermost(raw).chunks, shared(innermost(raw), depths, edges).chunks

    def there(x: Any) -> Any:
        return shared(_cut(x, narrow), *_moved(x, depths, changes))

    def back(ct: Any) -> Any:
        return _folded(_cut(ct, wide), *_moved(ct, depths, changes))

    return _linear(raw, there, back, lambda x: shared(x, depths, edges))


def trimmed(raw: Any, depths: Depth, edges: Boundary) -> Any:
    """What `trim_overlap` gives of an array, also of one that a derivative goes through."""
    if not isinstance(raw, Carrier):
        return da.overlap.trim_overlap(raw, depths, edges)
    wide = innermost(raw).chunks
    narrow = da.overlap.trim_overlap(innermost(raw), depths, edges).chunks

    def there(x: Any) -> Any:
        return da.overlap.trim_overlap(_cut(x, wide), *_moved(x, depths, edges))

    def back(ct: Any) -> Any:
        whole = (*ct.chunks[: ct.ndim - len(wide)], *wide)
        return _padded(_cut(ct, narrow), whole, *_moved(ct, depths, edges))

    return _linear(raw, there, back)


def _cut(raw: Any, chunks: Any) -> Any:
    """An array in the blocks of another, which may have fewer axes: those of batches come first."""
    return raw.rechunk((*raw.chunks[: raw.ndim - len(chunks)], *chunks))


def _moved(raw: Any, depths: Depth, edges: Boundary) -> tuple[Depth, Boundary]:
    """Depths and edges for an array with more axes, of batches, before those that they name."""
    more = raw.ndim - len(depths)
    if not more:
        return depths, edges
    before = range(more)
    moved = {axis + more: depth for axis, depth in depths.items()}
    ends = {axis + more: edge for axis, edge in edges.items()}
    return {**dict.fromkeys(before, 0), **moved}, {**dict.fromkeys(before, "none"), **ends}


def _linear(raw: Any, there: Callable[..., Any], back: Callable[..., Any], run: Any = None) -> Any:
    """A linear map on record, with its transpose; `run` is the map and a constant.

    Derivatives by many directions at once come in batches, which are one more axis to the map.
    """
    raw = alive(raw)
    if not isinstance(raw, Carrier):
        return (run or there)(raw)
    if isinstance(raw.trace, Batch):
        return raw.trace.batched(_linear(raw.trace.gathered(raw), there, back), 0)

    def pull(cts: Sequence[Any], _outs: Any, _args: Any) -> list[Any]:
        return [_linear(cts[0], back, there)]

    def push(tangents: Sequence[Any], _outs: Any, _args: Any) -> list[Any]:
        return [_linear(tangents[0], there, back)]

    (found,) = custom_call(lambda x: ((run or there)(x),), (raw,), pull=pull, push=push)
    return found


def _sides(depth: Any) -> tuple[int, int]:
    return depth if isinstance(depth, tuple) else (depth, depth)


def _by_place(function: Callable[..., Any], raw: Any, chunks: Any) -> Any:
    """A function of every block, of its place and of how many blocks there are."""
    index = tuple(range(raw.ndim))
    places = ArrayBlockIdDep(chunks)
    lengths = dict(zip(index, chunks, strict=True))
    return own("blockwise")(
        function,
        index,
        *(places, index, raw, index),
        adjust_chunks=lengths,
        dtype=raw.dtype,
        meta=raw._meta,
        align_arrays=False,
        counts=raw.numblocks,
    )


def _padded(raw: Any, chunks: Any, depths: Depth, edges: Boundary) -> Any:
    """Blocks with zeros where `trim_overlap` cuts something off."""
    ends = {axis: (*_sides(depth), edges[axis] == "none") for axis, depth in depths.items()}
    return _by_place(partial(_with_zeros, ends=ends), raw, chunks)


def _with_zeros(
    place: tuple[int, ...], block: Any, *, ends: dict[int, Any], counts: tuple[int, ...]
) -> Any:
    widths = [(0, 0)] * block.ndim
    for axis, (left, right, is_open) in ends.items():
        is_first, is_last = place[axis] == 0, place[axis] == counts[axis] - 1
        widths[axis] = (
            0 if is_open and is_first else left,
            0 if is_open and is_last else right,
        )
    return np.pad(block, widths)


def _folded(raw: Any, depths: Depth, edges: Boundary) -> Any:
    """The transpose of `overlap`: what blocks have of their neighbours is added to these."""
    deep = {axis: _sides(depth) for axis, depth in depths.items() if np.any(depth)}
    facing = {axis: _turned(depth) for axis, depth in depths.items()}
    ends = {axis: "reflect" if edge == "nearest" else edge for axis, edge in edges.items()}
    shared = da.overlap.overlap(raw, facing, ends)
    chunks = list(raw.chunks)
    for axis, (left, right) in deep.items():
        lengths = np.array(raw.chunks[axis]) - left - right
        if edges[axis] == "none":
            lengths[0] += left
            lengths[-1] += right
        chunks[axis] = tuple(lengths.tolist())
    fold = partial(_fold, deep=deep, edges={axis: edges[axis] for axis in deep})
    return _by_place(fold, shared, tuple(chunks))


def _turned(depth: Any) -> Any:
    return depth[::-1] if isinstance(depth, tuple) else depth


def _fold(
    place: tuple[int, ...], block: Any, *, deep: dict[int, Any], edges: Boundary, counts: Any
) -> Any:
    for axis, depth in deep.items():
        is_end = (place[axis] == 0, place[axis] == counts[axis] - 1)
        block = np.moveaxis(
            _fold_first(np.moveaxis(block, axis, 0), depth, edges[axis], is_end), 0, axis
        )
    return block


def _fold_first(block: Any, depth: tuple[int, int], edge: Any, is_end: tuple[bool, bool]) -> Any:
    """Along the first axis, a block is: the neighbour's end that faces it, its own halo, its own
    elements, its own halo, the neighbour's end.
    """
    left, right = depth
    cut_left, cut_right = (edge == "none" and end for end in is_end)
    front, rear = 0 if cut_left else left + right, 0 if cut_right else left + right
    mine = block[front : len(block) - rear].copy()
    if not cut_left:
        _add(mine[:right], mine[:1], block[:right], edge == "nearest" and is_end[0])
    if not cut_right:
        start = len(mine) - left
        _add(mine[start:], mine[-1:], block[len(block) - left :], edge == "nearest" and is_end[1])
    return mine


def _add(target: Any, nearest: Any, halo: Any, is_nearest: bool) -> None:
    """Beyond the ends may be copies of the last element, to which all comes back."""
    if is_nearest:
        nearest += halo.sum(axis=0)
    else:
        target += halo
