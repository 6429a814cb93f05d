"""Axes that an op needs whole: their blocks are put together, and those of all other axes stay.

What gathers, and what does not:

    sort, argsort, lexsort, partition, topk   the axis; all of them without one
    unique, unique_values, the sets           nothing: each block gives its own values first, and
                                              these are joined. With places or counts: everything
    take_along_axis, gather, isin,            lines of x along the axis; the values that are looked
    searchsorted by a sorter                  up in; never what is looked up
    Fourier transforms                        the axes that are transformed
    solve, inv, det, eigh, expm, lu, ...      the last two axes; leading ones stay a batch in blocks
    cholesky, solve, inv                      nothing, of a matrix that is larger than Dask would
                                              have a block be: then Dask's own algorithms run
    qr, svd                                   nothing, of a matrix cut along its longer axis alone
    x[key]                                    nothing: keys that Dask takes, several index arrays,
                                              lazy ones, masks of several axes. A lazy mask beside
                                              other arrays, and places along an axis of unknown
                                              length, need that all
    x.at[key], x[key] = y                     the index arrays and the values, never x; all only for
                                              a lazy mask with a value for each element it picks
"""

from collections.abc import Callable, Sequence
from math import isnan, nan, prod
from typing import Any, NamedTuple

import dask
import dask.array as da
import numpy as np
from dask.array.utils import meta_from_array
from dask.base import normalize_token
from dask.utils import parse_bytes

from dimflow import ops
from dimflow.backends.dask_blocks import BlockOp
from dimflow.ops import Op


class Result(NamedTuple):
    """What comes of the blocks: the label of every axis, its length, and the dtype."""

    labels: tuple[int, ...]
    lengths: tuple[Any, ...]
    dtype: Any


class Whole:
    """A function of blocks whose last axes, so many of each, come as nested lists of blocks."""

    __slots__ = ("axes", "function")

    def __init__(self, function: Callable[..., Any], axes: Sequence[tuple[int, ...]]) -> None:
        self.function = function
        self.axes = tuple(axes)

    def __call__(self, *blocks: Any) -> Any:
        return self.function(*map(_joined, blocks, self.axes))

    @property
    def __name__(self) -> str:
        return getattr(self.function, "__name__", "whole")

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "dimflow.whole", normalize_token(self.function), self.axes


class _Part:
    """One of several results."""

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place

    def __call__(self, results: Any) -> Any:
        return results[self.place]

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "dimflow.part", self.place


def _joined(blocks: Any, axes: tuple[int, ...]) -> Any:
    """Nested lists of blocks as one; a block alone is not copied."""
    if not axes:
        return blocks
    parts = [_joined(part, axes[1:]) for part in blocks]
    return parts[0] if len(parts) == 1 else ops.concat(parts, axis=axes[0])


def on_whole(
    function: Callable[..., Any],
    arrays: Sequence[Any],
    labels: Sequence[tuple[int, ...]],
    results: Sequence[Result],
) -> list[Any]:
    """A function of blocks, gathered along the axes whose labels no result has.

    New labels of results are new axes of one block. Several results come from one call.
    """
    kept = {label for result in results for label in result.labels}
    axes = [
        tuple(i for i, label in enumerate(each) if label not in kept)  # as they are nested
        for each in labels
    ]
    whole = Whole(function, axes)
    pairs = [item for pair in zip(arrays, labels, strict=True) for item in pair]
    chunks, cut = da.core.unify_chunks(*pairs, warn=False)
    pairs = [item for pair in zip(cut, labels, strict=True) for item in pair]
    first = arrays[0]
    if len(results) == 1:
        return [_blockwise(whole, results[0], chunks, first, pairs)]
    shared = tuple(label for label in results[0].labels if label in chunks)
    every = _blockwise(whole, Result(shared, (), results[0].dtype), chunks, first, pairs)
    return [
        _blockwise(_Part(place), result, chunks, first, [every, shared])
        for place, result in enumerate(results)
    ]


def _blockwise(function: Any, result: Result, chunks: Any, like: Any, pairs: Any) -> Any:
    """One layer: of axes that are there in their blocks, and of new ones in one block each."""
    new = {
        label: (length,)
        for label, length in zip(result.labels, result.lengths, strict=False)
        if label not in chunks
    }
    dtype = np.dtype(result.dtype)
    meta = like._meta.real if dtype.kind != "c" else like._meta  # or NumPy warns of a cut
    return da.blockwise(
        function,
        result.labels,
        *pairs,
        new_axes=new,
        adjust_chunks={label: chunks[label] for label in result.labels if label in chunks},
        dtype=dtype,
        meta=meta_from_array(meta, ndim=len(result.labels), dtype=dtype),
        align_arrays=False,
    )


def known(shape: Sequence[Any]) -> tuple[Any, ...]:
    """A shape as the rules of ops have it: None for a length that only the data know."""
    return tuple(None if isinstance(n, float) and isnan(n) else n for n in shape)


def unknown(shape: Sequence[Any]) -> tuple[Any, ...]:
    """A shape as Dask has it: nan for such a length."""
    return tuple(nan if n is None else n for n in shape)


def is_known(x: Any) -> bool:
    """Whether all lengths of an array are known before its numbers are."""
    return not any(map(isnan, x.shape))


def _ruled(op: Op, args: Sequence[Any], params: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """Shapes and dtypes of the results, by the op's rules."""
    shapes = tuple(None if a is None else known(getattr(a, "shape", ())) for a in args)
    kinds = tuple(None if a is None else getattr(a, "dtype", type(a)) for a in args)
    shape, dtype = op.rule("shape")(shapes, params), op.rule("dtype")(kinds, params)
    if not (shape and isinstance(shape[0], (tuple, list))):
        return [unknown(shape)], [dtype]
    each = list(dtype) if isinstance(dtype, (tuple, list)) else [dtype] * len(shape)
    return list(map(unknown, shape)), each


def whole(op: Op, args: Sequence[Any], params: dict[str, Any]) -> Any:
    """An op on arrays that are gathered along all of their axes."""
    return matrices(op, args, params, [len(getattr(a, "shape", ())) for a in args], None)


def matrices(
    op: Op,
    args: Sequence[Any],
    params: dict[str, Any],
    cores: Sequence[int],
    results: Sequence[int] | None,
    kind: type[BlockOp] = BlockOp,
) -> Any:
    """An op that gathers the last axes of each array, so many of it, and loops over the others.

    `results` are the numbers of axes of the results beside the loops; None: all.
    """
    call = kind(op, args, params)
    arrays = [da.asanyarray(args[place]) for place in call.places]
    counts = [cores[place] for place in call.places]
    shapes, dtypes = _ruled(op, args, params)
    loops = max(a.ndim - n for a, n in zip(arrays, counts, strict=True))
    serial = iter(range(loops, 1000))
    labels = []
    for array, count in zip(arrays, counts, strict=True):
        own = array.ndim - count
        labels.append((*range(loops - own, loops), *(next(serial) for _ in range(count))))
    found = []
    for i, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True)):
        count = len(shape) if results is None else results[i]
        new = tuple(next(serial) for _ in range(count))
        found.append(Result((*range(loops), *new), shape, dtype))
    parts = on_whole(call, arrays, labels, found)
    return parts[0] if len(parts) == 1 else op.result_type(*parts)


def along(op: Op, args: Sequence[Any], params: dict[str, Any], axes: Sequence[int]) -> Any:
    """An op of arrays of as many axes each as its one result, gathered along some of them."""
    call = BlockOp(op, args, params)
    arrays = [da.asanyarray(args[place]) for place in call.places]
    (shape,), (dtype,) = _ruled(op, args, params)
    count = len(shape)
    labels = [tuple(range(count - a.ndim, count)) for a in arrays]
    new = tuple(count + i if i in axes else i for i in range(count))
    return on_whole(call, arrays, labels, [Result(new, shape, dtype)])[0]


def in_one_block(x: Any, axes: Sequence[int]) -> Any:
    """The array with these axes in one block each."""
    axes = [axis for axis in axes if x.numblocks[axis] > 1]
    if not axes:
        return x
    if is_known(x):
        return x.rechunk(dict.fromkeys(axes, -1))
    labels = tuple(range(x.ndim))
    new = tuple(x.ndim + i if i in axes else i for i in labels)
    return on_whole(_same, [x], [labels], [Result(new, x.shape, x.dtype)])[0]


def _same(block: Any) -> Any:
    return block


def fits(*lengths: Any, dtype: Any) -> bool:
    """Whether an array of these lengths is no larger than Dask would have a block be."""
    size = prod(n for n in lengths if not isnan(n)) * np.dtype(dtype).itemsize
    return size <= parse_bytes(dask.config.get("array.chunk-size"))  # type: ignore[no-any-return]
