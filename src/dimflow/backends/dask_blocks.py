"""Ops on the blocks of Dask's arrays: how blocks meet, and how conversions are put together.

Every function here adds a layer to a graph and computes nothing. Shapes and dtypes come from the
op's rules, numbers later from the kernels of the library that the blocks belong to.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from math import isnan, nan, prod
from operator import itemgetter
from typing import Any, NamedTuple

import dask
import dask.array as da
import numpy as np
from dask.array.core import PerformanceWarning, concatenate_axes, elemwise, unify_chunks
from dask.array.utils import meta_from_array
from dask.base import normalize_token
from dask.utils import format_bytes, parse_bytes

from dimflow.backends.abstract import Abstract
from dimflow.backends.dask_notes import CONVERSION, note
from dimflow.errors import NotANumber
from dimflow.ops import Op, dispatch
from dimflow.ops.rules.convert import divided_by
from dimflow.units.conversion import Linear
from dimflow.units.scale import ONE

# Of each axis of an array: the number of the loop that goes over its blocks, or None where the op
# needs it whole. Of each axis of a result: the loop, or None where the op's rules say its length.
Axes = Sequence[int | None]

ARRAYS = (da.Array, np.ndarray)  # what comes to an op on blocks as blocks

_TOO_LARGE = 4  # times the size that Dask's settings have for a block


class BlockOp:
    """An op with its parameters, as a function of blocks. It goes to other processes by name.

    `places` says which of the op's arrays are blocks; all others are as they are in `args`. A list
    of blocks is joined along the axes that `joins` has for its place. The result gets `lead` first
    axes of length 1, along which those of other blocks come beside it.
    """

    __slots__ = ("args", "joins", "lead", "op", "params", "places")

    def __init__(
        self,
        op: Op,
        args: Sequence[Any],
        params: dict[str, Any],
        joins: Sequence[tuple[int, ...]] | None = None,
        lead: int = 0,
    ) -> None:
        self.op = op
        self.places = tuple(i for i, a in enumerate(args) if isinstance(a, ARRAYS))
        self.args = tuple(None if i in self.places else a for i, a in enumerate(args))
        self.params = params
        self.joins = tuple(joins) if joins is not None else ((),) * len(self.places)
        self.lead = lead

    def __call__(self, *blocks: Any) -> Any:
        """What the op gives for blocks, by the library that they belong to."""
        args = list(self.args)
        for place, block, axes in zip(self.places, blocks, self.joins, strict=True):
            args[place] = _joined(block, axes)
        result = dispatch.run(self.op, tuple(args), self.params)
        if isinstance(result, (tuple, list)):
            return tuple(result)
        return result[(None,) * self.lead] if self.lead else result

    @property
    def __name__(self) -> str:
        return self.op.name

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        given = sorted(self.params.items())
        parts = (self.op.name, self.places, self.args, self.joins, self.lead, given)
        return "dimflow.op", normalize_token(parts)  # Dask takes the text of what it finds here


def _joined(block: Any, axes: tuple[int, ...]) -> Any:
    """Blocks in lists as one; a single one is not copied."""
    only = block
    for _ in axes:
        if not isinstance(only, list) or len(only) != 1:
            return concatenate_axes(block, list(axes))
        only = only[0]
    return only


def elementwise(op: Op, /, *args: Any, **params: Any) -> Any:
    """An op on every block, after the arrays are broadcast and their blocks cut alike."""
    bound = op.signature.bind(*args, **params)
    bound.apply_defaults()
    params = bound.arguments
    flat = tuple(params.pop(name) for name in op.array_names)  # some are given by name
    call = BlockOp(op, flat, params)
    result = elemwise(call, *(flat[place] for place in call.places))
    if result is NotImplemented:
        refuse(op, flat, params)
        raise NotANumber(op.name, " and ".join(str(getattr(a, "dtype", type(a))) for a in flat))
    return result


def refuse(op: Op, args: Sequence[Any], params: dict[str, Any]) -> None:
    """Raise what the blocks' library has against these dtypes, if anything; Dask does not say."""
    few = [np.ones(1, a.dtype) if isinstance(a, da.Array) else a for a in args]
    dispatch.run(op, tuple(few), params)


def planned(op: Op, args: Sequence[Any], params: dict[str, Any]) -> Any:
    """The shapes and dtypes of the results, by the op's rules; None is a length not known yet."""
    given = tuple(
        Abstract(known_lengths(a.shape), a.dtype) if isinstance(a, da.Array) else a for a in args
    )
    return dispatch.run(op, given, params)


def known_lengths(shape: Sequence[Any]) -> tuple[int | None, ...]:
    """A shape as the rules of ops have it: None for the nan that Dask has for unknown lengths."""
    return tuple(None if isnan(n) else int(n) for n in shape)


def looped(
    op: Op,
    args: Sequence[Any],
    params: dict[str, Any],
    axes: Sequence[Axes],
    out: Sequence[Axes],
    dtype: Any = None,
) -> Any:
    """An op on blocks that meet along some axes, and on the whole of the others.

    `axes` has an entry for each of the arrays among `args`, `out` one for each result. `dtype` is
    that of the result, where the blocks' library differs from the op's rules.
    """
    call, arrays, pairs, fresh = _called(op, args, params, axes)
    results = planned(op, args, params)
    if dtype is not None:
        results = Abstract(results.shape, dtype)
    if op.outputs is None:
        return _layer(call, pairs, out[0], results, fresh, arrays[0])
    loops = tuple(sorted(_loops(axes)))
    meta = np.empty((0,) * len(loops), object)
    options = {"meta": meta, "concatenate": None, "align_arrays": False}
    parts = da.blockwise(call, loops, *pairs, token=op.name, **options)
    taken = [
        _layer(itemgetter(i), [parts, loops], one, result, fresh, arrays[0])
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
    call, arrays, pairs, fresh = _called(op, args, params, axes, len(over))
    result = planned(op, args, params)
    parts = _layer(call, pairs, out, result, fresh, arrays[0], over)
    return fold(parts, axis=tuple(range(len(over))))


def _is_whole(args: Sequence[Any], axes: Sequence[Axes], over: Sequence[int]) -> bool:
    """Whether no loop of some goes over more than one block."""
    arrays = [a for a in args if isinstance(a, da.Array)]
    return all(
        blocks == 1
        for array, one in zip(arrays, axes, strict=True)
        for label, blocks in zip(one, array.numblocks, strict=True)
        if label in over
    )


def _loops(axes: Sequence[Axes]) -> set[int]:
    return {label for one in axes for label in one if label is not None}


def _called(
    op: Op, args: Sequence[Any], params: dict[str, Any], axes: Sequence[Axes], lead: int = 0
) -> tuple[BlockOp, list[Any], list[Any], Iterator[int]]:
    """An op as a function of blocks, its arrays, each with the labels of its axes, and new ones."""
    joins = [tuple(i for i, label in enumerate(one) if label is None) for one in axes]
    call = BlockOp(op, args, params, joins, lead)
    arrays = [da.asanyarray(args[place]) for place in call.places]
    fresh = count(1 + max(_loops(axes), default=0))
    pairs = []
    for array, one, join in zip(arrays, axes, joins, strict=True):
        _warn_of_size(op, array, join)
        pairs += [array, tuple(next(fresh) if label is None else label for label in one)]
    # Dask would warn of as many tasks as all blocks have pairs: not so, where they are joined
    _, pairs[::2] = unify_chunks(*pairs, warn=False)
    return call, arrays, pairs, fresh


def _layer(
    call: Any,
    pairs: Sequence[Any],
    out: Axes,
    result: Any,
    fresh: Iterator[int],
    like: Any,
    over: Sequence[int] = (),
) -> Any:
    """Blocks of a result; a length that is None in its rule is not known."""
    labels, lengths = list(over), {}
    for label, length in zip(out, result.shape, strict=True):
        labels.append(next(fresh) if label is None else label)
        if label is None:
            lengths[labels[-1]] = nan if length is None else length
    return da.blockwise(
        call,
        tuple(labels),
        *pairs,
        new_axes=lengths,
        adjust_chunks=dict.fromkeys(over, 1),
        token=getattr(call, "__name__", "part"),
        meta=meta_from_array(like._meta, len(labels), result.dtype),
        concatenate=None,
        align_arrays=False,
    )


def _warn_of_size(op: Op, array: Any, axes: tuple[int, ...]) -> None:
    """Say so where joined blocks are larger than Dask's settings have blocks by far."""
    if all(array.numblocks[axis] == 1 for axis in axes):
        return
    largest = [max(lengths, default=0) for lengths in array.chunks]
    whole = [array.shape[i] if i in axes else n for i, n in enumerate(largest)]
    before, after = (prod(s) * array.dtype.itemsize for s in (largest, whole))
    if after > _TOO_LARGE * parse_bytes(dask.config.get("array.chunk-size", "128MiB")):
        joined = ", ".join(str(axis) for axis in axes if array.numblocks[axis] > 1)
        warnings.warn(
            f"{op.name} needs axis {joined} in one block: blocks of {format_bytes(before)} become "
            f"blocks of {format_bytes(after)}. Cut the other axes finer first: x.rechunk(...)",
            PerformanceWarning,
            stacklevel=4,
        )


def trailing(op: Op, /, *args: Any, cores: Sequence[int], **params: Any) -> Any:
    """An op on the last axes of its arrays, as many as `cores` says; others are a batch."""
    arrays = [a for a in args if isinstance(a, ARRAYS)]
    counts = [a.ndim - core for a, core in zip(arrays, cores, strict=True)]
    loops = range(max(counts))
    axes = [
        _loops_first(a.ndim, loops[len(loops) - n :]) for a, n in zip(arrays, counts, strict=True)
    ]
    return looped(op, args, params, axes, _for_each(op, args, params, loops))


def _for_each(op: Op, args: Sequence[Any], params: Any, loops: Sequence[int]) -> list[Axes]:
    found = planned(op, args, params)
    results = found if op.outputs else (found,)
    return [_loops_first(len(result.shape), loops) for result in results]


def _loops_first(ndim: int, loops: Sequence[int]) -> Axes:
    return (*loops, *[None] * (ndim - len(loops)))


def along(op: Op, /, x: Any, *args: Any, whole: Sequence[int], **params: Any) -> Any:
    """An op that needs some axes of its first array whole, and gives as many axes.

    The other arrays, if any, have the same axes, fewer from the left.
    """
    kept = tuple(None if axis in whole else axis for axis in range(x.ndim))
    arrays = [a for a in args if isinstance(a, ARRAYS)]
    axes = [kept, *(kept[x.ndim - a.ndim :] for a in arrays)]
    return looped(op, (x, *args), params, axes, [kept])


class _Converted(NamedTuple):
    """From what an array was converted, by what. Assignment gives either array another name."""

    name: str
    source: Any
    source_name: str
    step: Linear


def converted(raw: Any, step: Linear) -> Any:
    """An array in another unit: from the array that it was itself converted from, if it was.

    So a chain of conversions is one, and there and back is none.
    """
    source, whole = raw, step
    known: _Converted | None = raw.__dict__.get("_dimflow_converted")
    if known is not None and (known.name, known.source_name) == (raw.name, known.source.name):
        together = _after(known.step, step)
        if together is not None:
            source, whole = known.source, together
    if whole.factor == ONE and not whole.offset:
        return source.astype(raw.dtype)
    result = _linear(source, whole)
    result.__dict__["_dimflow_converted"] = _Converted(result.name, source, source.name, whole)
    return result


def _after(first: Linear, second: Linear) -> Linear | None:
    """Two steps in one; None where the shift of the first becomes no fraction."""
    if first.offset and not second.factor.is_rational:
        return None
    shift = first.offset * second.factor.fraction if first.offset else first.offset
    return Linear(first.factor * second.factor, shift + second.offset)


def _linear(raw: Any, step: Linear) -> Any:
    if step.factor != ONE:
        divides, number = divided_by(step.factor)
        raw = raw / number if divides else raw * number
        note(raw, CONVERSION, f"{'÷' if divides else '×'} {number:g}")
    if step.offset:
        raw = raw + float(step.offset)
        note(raw, CONVERSION, f"{float(step.offset):+g}")
    return raw
