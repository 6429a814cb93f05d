"""PyTorch's functions that pick and put elements, by our ops."""

from itertools import combinations, combinations_with_replacement
from math import prod
from typing import Any

import numpy as np

from dimflow import ops
from tests.contract.opinfo.registry import adapts


def _key(dim: int, rank: int, part: Any) -> tuple[Any, ...]:
    """A key that says something of one axis alone."""
    return (*[slice(None)] * (dim % rank), part)


@adapts("__getitem__")
def _getitem(input: Any, key: Any) -> Any:
    return ops.getitem(input, key=key)


@adapts("select")
def _select(input: Any, dim: int, index: int) -> Any:
    return input[_key(dim, len(input.shape), index)]


@adapts("narrow", "narrow_copy")
def _narrow(input: Any, dim: int, start: Any, length: int) -> Any:
    start = int(start)
    start += input.shape[dim] if start < 0 else 0
    return input[_key(dim, len(input.shape), slice(start, start + length))]


@adapts("slice")
def _slice(input: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    return input[_key(dim, len(input.shape), slice(start, end, step))]


@adapts("select_scatter")
def _select_scatter(input: Any, src: Any, dim: int, index: int) -> Any:
    return ops.at_set(input, _key(dim, len(input.shape), index), src)


@adapts("slice_scatter")
def _slice_scatter(
    input: Any, src: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Any:
    return ops.at_set(input, _key(dim, len(input.shape), slice(start, end, step)), src)


@adapts("take")
def _take(input: Any, index: Any) -> Any:
    return ops.take(input, index)


@adapts("index_select")
def _index_select(input: Any, dim: int, index: Any) -> Any:
    if not input.shape:
        return ops.reshape(ops.take(ops.reshape(input, shape=(1,)), index), shape=())
    return ops.take(input, ops.atleast_1d(index), axis=dim)


@adapts("take_along_dim")
def _take_along_dim(input: Any, indices: Any, dim: Any = None) -> Any:
    if dim is None:
        return ops.take_along_axis(input, ops.ravel(indices), axis=None)
    return ops.take_along_axis(input, indices, axis=dim)


@adapts("gather")
def _gather(input: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Any:
    if input.shape:
        return ops.gather(input, index, axis=dim)
    return ops.reshape(ops.take(ops.ravel(input), ops.ravel(index)), shape=tuple(index.shape))


def _lifted(function: Any, first: Any, *rest: Any) -> Any:
    """A function of arrays with axes, of some without."""
    if first.shape:
        return function(first, *rest)
    one = [ops.reshape(a, shape=(-1,)) if hasattr(a, "shape") else a for a in (first, *rest)]
    return ops.reshape(function(*one), shape=())


def _like_index(src: Any, index: Any) -> Any:
    """The part of a source that an index speaks of."""
    if not hasattr(src, "shape"):
        return src
    return src[tuple(slice(n) for n in index.shape)] if src.shape else src


@adapts("scatter")
def _scatter(input: Any, dim: int, index: Any, src: Any, *, reduce: Any = None) -> Any:
    if reduce == "multiply":
        return scatter_reduce(input, dim, index, src, "prod")
    op = ops.scatter if reduce is None else ops.scatter_add
    return _lifted(lambda x, i, v: op(x, i, _like_index(v, i), axis=dim), input, index, src)


@adapts("scatter_add")
def _scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    return _lifted(
        lambda x, i, v: ops.scatter_add(x, i, _like_index(v, i), axis=dim), input, index, src
    )


def scatter_reduce(
    input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """Elements and what is sent to their places, as segments of one long array."""
    shape = tuple(input.shape)
    places = np.arange(prod(shape)).reshape(shape)
    if shape:
        grid = list(np.indices(index.shape, sparse=True))
        grid[dim] = np.asarray(index)
        sent = places[tuple(grid)].ravel()
    else:
        sent = np.zeros(prod(index.shape), int)
    values = ops.ravel(_like_index(src, index))
    stays = np.ones(prod(shape), bool)
    if not include_self:
        stays[sent] = False
    rows = np.flatnonzero(stays)
    everything = ops.concat([ops.take(ops.ravel(input), rows), values], axis=0)
    ids = np.concatenate([places.ravel()[stays], sent])
    segments = ops.get("segment_" + {"amax": "max", "amin": "min"}.get(reduce, reduce))
    return ops.reshape(segments(everything, ids, num_segments=prod(shape)), shape=shape)


for _reduce in ("sum", "prod", "mean", "amax", "amin"):
    adapts(f"scatter_reduce/{_reduce}")(scatter_reduce)


def _index_reduce(
    input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True
) -> Any:
    rank = len(source.shape)
    wide = np.asarray(index).reshape([-1 if i == dim % max(rank, 1) else 1 for i in range(rank)])
    wide = np.broadcast_to(wide, source.shape)
    return scatter_reduce(input, dim, wide, source, reduce, include_self=include_self)


for _reduce in ("prod", "mean", "amax", "amin"):
    adapts(f"index_reduce/{_reduce}")(_index_reduce)


@adapts("index_add")
def _index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    values = source if alpha == 1 else ops.multiply(source, alpha)
    return _put_along(ops.at_add, input, dim, index, values)


@adapts("index_copy")
def _index_copy(input: Any, dim: int, index: Any, source: Any) -> Any:
    return _put_along(ops.at_set, input, dim, index, source)


@adapts("index_fill")
def _index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    return _put_along(ops.at_set, input, dim, index, value)


def _put_along(op: Any, x: Any, dim: int, index: Any, values: Any) -> Any:
    rank = len(x.shape)
    if not rank:
        flat = ops.reshape(values, shape=(-1,)) if getattr(values, "shape", ()) else values
        one = op(ops.reshape(x, shape=(1,)), (ops.atleast_1d(index),), flat)
        return ops.reshape(one, shape=())
    return op(x, _key(dim, rank, ops.atleast_1d(index)), values)


@adapts("index_put")
def _index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    key = tuple(slice(None) if i is None else i for i in indices)
    return (ops.at_add if accumulate else ops.at_set)(input, key, values)


@adapts("put")
def _put(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    flat, places = ops.ravel(input), ops.ravel(index)
    op = ops.at_add if accumulate else ops.at_set
    return ops.reshape(op(flat, (places,), ops.ravel(source)), shape=tuple(input.shape))


@adapts("masked_fill")
def _masked_fill(input: Any, mask: Any, value: Any) -> Any:
    return ops.where(mask, value, input)


@adapts("masked_select")
def _masked_select(input: Any, mask: Any) -> Any:
    wide, keep = ops.broadcast_arrays(input, mask)
    return ops.ravel(wide)[np.flatnonzero(np.asarray(keep))]


@adapts("masked_scatter")
def _masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    shape = np.broadcast_shapes(tuple(input.shape), tuple(mask.shape))
    places = np.flatnonzero(np.broadcast_to(np.asarray(mask), shape))
    sent = ops.ravel(source)[: len(places)]
    flat = ops.ravel(ops.broadcast_to(input, shape=shape))
    return ops.reshape(ops.at_set(flat, (places,), sent), shape=shape)


@adapts("argwhere")
def _argwhere(input: Any) -> Any:
    return ops.argwhere(input)


@adapts("nonzero")
def _nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    return tuple(ops.nonzero(input)) if as_tuple else ops.argwhere(input)


@adapts("nn.functional.one_hot")
def _one_hot(tensor: Any, num_classes: int = -1) -> Any:
    count = int(np.asarray(tensor).max()) + 1 if num_classes == -1 else num_classes
    return ops.one_hot(tensor, num_classes=count, dtype="int64")


@adapts("nn.functional.embedding")
def _embedding(
    weight: Any,
    input: Any,
    padding_idx: Any = None,
    max_norm: Any = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    if max_norm is not None or scale_grad_by_freq:
        raise TypeError("neither max_norm nor scale_grad_by_freq")
    if padding_idx is None:
        return ops.take(weight, input, axis=0)
    still = np.arange(weight.shape[0])[:, None] == padding_idx % weight.shape[0]
    constant = ops.stop_gradient(weight)
    return ops.take(ops.where(still, constant, weight), input, axis=0)


@adapts("_segment_reduce/lengths")
def _by_lengths(
    data: Any,
    reduce: str,
    *,
    lengths: Any,
    axis: int = 0,
    unsafe: bool = False,
    initial: Any = None,
) -> Any:
    counts = np.asarray(lengths)
    data = ops.moveaxis(data, source=axis, destination=0)
    if counts.ndim > 1:
        raise TypeError("the same segments for all rows")
    count = len(counts)
    ids = np.repeat(np.arange(count), counts)
    if initial is not None:
        start = ops.full_like(data, initial, shape=(count, *data.shape[1:]))
        data = ops.concat([start, data], axis=0)
        ids = np.concatenate([np.arange(count), ids])
    return ops.moveaxis(
        ops.get("segment_" + reduce)(data, ids, num_segments=count), source=0, destination=axis
    )


@adapts("_segment_reduce/offsets")
def _by_offsets(data: Any, reduce: str, *, offsets: Any, **fields: Any) -> Any:
    return _by_lengths(data, reduce, lengths=np.diff(np.asarray(offsets)), **fields)


@adapts("_unsafe_masked_index")
def _masked_index(input: Any, mask: Any, indices: Any, fill: Any) -> Any:
    return ops.where(mask, ops.getitem(input, key=_within(input, indices)), fill)


@adapts("_unsafe_masked_index_put_accumulate")
def _masked_put(input: Any, mask: Any, indices: Any, values: Any) -> Any:
    return ops.at_add(input, _within(input, indices), ops.where(mask, values, 0.0))


def _within(x: Any, indices: Any) -> tuple[Any, ...]:
    """Indices that point outside where the mask says that nobody looks."""
    pairs = zip(indices, x.shape, strict=False)
    return tuple(ops.clip(i, -n, n - 1) for i, n in pairs)


@adapts("combinations")
def _combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    choose = combinations_with_replacement if with_replacement else combinations
    places = list(choose(range(input.shape[0]), r))
    return ops.take(input, np.array(places, int).reshape(len(places), r))
