"""Ops on blocks that meet along some axes, and on the whole of the others.

Every function here adds a layer to a graph and computes nothing. Shapes and dtypes come from the
op's rules, numbers later from the kernels of the library that the blocks belong to.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from math import nan
from operator import itemgetter
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
from dask.array.core import unify_chunks
from dask.array.utils import meta_from_array

from dimflow.backends.abstract import Abstract
from dimflow.backends.dask_blocks.block_op import ARRAYS, BlockOp
from dimflow.backends.dask_blocks.lengths import known_lengths, warn_of_size
from dimflow.backends.dask_blocks.pairing import refuse_pairs
from dimflow.ops import Op, dispatch

# Of each axis of an array: the number of the loop that goes over its blocks, or None where the op
# needs it whole. Of each axis of a result: the loop, or None where the op's rules say its length.
Axes = Sequence[int | None]


def planned(op: Op, args: Sequence[Any], params: dict[str, Any]) -> Any:
    """The shapes and dtypes of the results, by the op's rules; None is a length not known yet."""
    given = tuple(
        Abstract(known_lengths(a.shape), a.dtype) if isinstance(a, da.Array) else a for a in args
    )
    return dispatch.run(op, given, params)


def looped(
    op: Op,
    args: Sequence[Any],
    params: dict[str, Any],
    axes: Sequence[Axes],
    out: Sequence[Axes],
    results: Any = None,
    kind: type[BlockOp] = BlockOp,
) -> Any:
    """An op on blocks that meet along some axes, and on the whole of the others.

    `axes` has an entry for each of the arrays among `args`, `out` one for each result. `results`
    are shapes and dtypes, where they are known or differ from the op's rules.
    """
    met = _met(kind, op, args, params, axes)
    if results is None:
        results = planned(op, args, params)
    if not isinstance(results, tuple):
        return _layer(met, met.call, met.pairs, out[0], results)
    loops = tuple(sorted(_loops(axes)))
    parts = da.blockwise(
        met.call,
        loops,
        *met.pairs,
        token=op.name,
        adjust_chunks={loop: met.chunks[loop] for loop in loops},
        meta=np.empty((0,) * len(loops), object),
        concatenate=None,
        align_arrays=False,
    )
    taken = [
        _layer(met, itemgetter(i), [parts, loops], one, result)
        for i, (one, result) in enumerate(zip(out, results, strict=True))
    ]
    return op.result_type(*taken)


def folded(
    op: Op,
    args: Sequence[Any],
    params: dict[str, Any],
    axes: Sequence[Axes],
    out: Axes,
    fold: Callable[..., Any],
) -> Any:
    """What an op gives for each block, put together by a reduction over the loops not in `out`."""
    over = sorted(_loops(axes) - {label for label in out if label is not None})
    if _is_whole(args, axes, over):
        whole = [[None if label in over else label for label in one] for one in axes]
        return looped(op, args, params, whole, [out])
    met = _met(BlockOp, op, args, params, axes, len(over))
    result = planned(op, args, params)
    parts = _layer(met, met.call, met.pairs, out, result, over)
    return fold(parts, axis=tuple(range(len(over))))


def trailing(
    op: Op,
    args: Sequence[Any],
    params: dict[str, Any],
    cores: Sequence[int],
    kind: type[BlockOp] = BlockOp,
) -> Any:
    """An op on the last axes of its arguments, as many as `cores` says; others are a batch."""
    pairs = [(a, core) for a, core in zip(args, cores, strict=True) if isinstance(a, ARRAYS)]
    counts = [a.ndim - core for a, core in pairs]
    loops = range(max(counts))
    axes = [
        _loops_first(a.ndim, loops[len(loops) - n :])
        for (a, _), n in zip(pairs, counts, strict=True)
    ]
    results = planned(op, args, params)
    each = results if isinstance(results, tuple) else (results,)
    out = [_loops_first(len(result.shape), loops) for result in each]
    return looped(op, args, params, axes, out, results, kind)


def _loops_first(ndim: int, loops: Sequence[int]) -> Axes:
    return (*loops, *[None] * (ndim - len(loops)))


def whole(op: Op, args: Sequence[Any], params: dict[str, Any]) -> Any:
    """An op on arrays that are gathered along all of their axes."""
    return trailing(op, args, params, [getattr(a, "ndim", 0) for a in args])


def along(op: Op, args: Sequence[Any], params: dict[str, Any], axes: Sequence[int]) -> Any:
    """An op that needs some axes of its first array whole, and gives as many axes.

    The other arrays, if any, have the same axes, fewer from the left.
    """
    arrays = [a for a in args if isinstance(a, ARRAYS)]
    ndim = arrays[0].ndim
    kept = tuple(None if axis in axes else axis for axis in range(ndim))
    return looped(op, args, params, [kept[ndim - a.ndim :] for a in arrays], [kept])


class _Met(NamedTuple):
    """An op as a function of blocks, and arrays that are cut so that their blocks meet."""

    call: BlockOp
    pairs: list[Any]  # each array, and the labels of its axes
    chunks: Mapping[int, Any]  # by label
    fresh: Iterator[int]  # labels for new axes


def _met(
    kind: type[BlockOp],
    op: Op,
    args: Sequence[Any],
    params: dict[str, Any],
    axes: Sequence[Axes],
    lead: int = 0,
) -> _Met:
    joins = [tuple(i for i, label in enumerate(one) if label is None) for one in axes]
    call = kind(op, args, params, joins, lead)
    fresh = count(1 + max(_loops(axes), default=0))
    pairs: list[Any] = []
    for place, one, join in zip(call.places, axes, joins, strict=True):
        array = da.asanyarray(args[place])
        warn_of_size(op.name, array, join)
        pairs += [array, tuple(next(fresh) if label is None else label for label in one)]
    refuse_pairs(op.name, pairs[::2], pairs[1::2])
    # Dask would warn of as many tasks as all blocks have pairs: not so, where they are joined
    chunks, pairs[::2] = unify_chunks(*pairs, warn=False)
    return _Met(call, pairs, chunks, fresh)


def _loops(axes: Sequence[Axes]) -> set[int]:
    return {label for one in axes for label in one if label is not None}


def _is_whole(args: Sequence[Any], axes: Sequence[Axes], over: Sequence[int]) -> bool:
    """Whether no loop of some goes over more than one block."""
    arrays = [a for a in args if isinstance(a, da.Array)]
    return all(
        blocks == 1
        for array, one in zip(arrays, axes, strict=True)
        for label, blocks in zip(one, array.numblocks, strict=True)
        if label in over
    )


def _layer(
    met: _Met, call: Any, pairs: Sequence[Any], out: Axes, result: Any, over: Sequence[int] = ()
) -> Any:
    """Blocks of a result; a length that is None in its rule is not known."""
    labels, new = list(over), {}
    chunks: dict[int, Any] = dict.fromkeys(over, 1)
    for label, length in zip(out, result.shape, strict=True):
        if label is None:
            labels.append(next(met.fresh))
            new[labels[-1]] = nan if length is None else length
        else:
            labels.append(label)
            chunks[label] = met.chunks[label]  # of arrays that are spread over others, the others'
    return da.blockwise(
        call,
        tuple(labels),
        *pairs,
        new_axes=new,
        adjust_chunks=chunks,
        token=getattr(call, "__name__", "part"),
        meta=_meta(met.pairs[0], len(labels), np.dtype(result.dtype)),
        concatenate=None,
        align_arrays=False,
    )


def _meta(like: Any, ndim: int, dtype: Any) -> Any:
    meta = like._meta
    if like.dtype.kind == "c" and dtype.kind != "c":
        meta = meta.real  # or NumPy warns of a cut
    return meta_from_array(meta, ndim, dtype)
