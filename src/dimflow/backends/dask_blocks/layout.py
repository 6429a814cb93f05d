"""An array in the blocks of another."""

from math import isnan
from typing import Any

import dask.array as da
import numpy as np
from dask.array.utils import meta_from_array

from dimflow.backends.dask_blocks.lengths import is_known
from dimflow.errors import ComputationError
from dimflow.ops.rules.layout import UNKNOWN_LENGTHS
from dimflow.ops.rules.shapes import same_shape


def laid_out(raw: Any, like: Any) -> Any:
    """The array in the blocks of one of its shape, or of one that it is spread over.

    It is spread block by block, where Dask would make one block of what was one number.
    """
    if not isinstance(like, da.Array):
        return raw
    if not is_known(raw, like):
        return _laid_by_count(raw, like)
    if raw.shape == like.shape:
        return raw if raw.chunks == like.chunks else raw.rechunk(like.chunks)
    missing = like.ndim - raw.ndim
    if missing < 0 or any(
        m not in (1, n) for m, n in zip(raw.shape, like.shape[missing:], strict=True)
    ):
        return raw
    pairs = zip(raw.shape, raw.chunks, like.chunks[missing:], strict=True)
    blocks = tuple(theirs if length != 1 else own for length, own, theirs in pairs)
    return da.broadcast_to(raw.rechunk(blocks), like.shape, chunks=like.chunks)


def _laid_by_count(raw: Any, like: Any) -> Any:
    """The same where lengths are not known: blocks go by their number along such axes.

    What belongs to an array is made of it, block by block, so that as many blocks are as long.
    """
    missing = like.ndim - raw.ndim
    pairs = list(zip(raw.chunks, like.chunks[max(missing, 0) :], strict=False))
    if missing < 0 or not all(_belong(*pair) for pair in pairs):
        raise ComputationError("a derivative of a lazy array", *UNKNOWN_LENGTHS)
    blocks = tuple(own if own == (1,) or isnan(sum(own)) else theirs for own, theirs in pairs)
    raw = raw if raw.chunks == blocks else raw.rechunk(blocks)
    if same_shape(raw.shape, like.shape):
        return raw
    whole = tuple(range(like.ndim))
    form = {"dtype": raw.dtype, "meta": meta_from_array(raw._meta, like.ndim)}
    return da.blockwise(  # of as many blocks, Dask takes the lengths of the first: those of `like`
        _spread, whole, like, whole, raw, whole[missing:], align_arrays=False, **form
    )


def _belong(own: tuple[Any, ...], theirs: tuple[Any, ...]) -> bool:
    """Whether blocks along an axis are those of another array, or one element for all of them."""
    length, other = sum(own), sum(theirs)
    is_counted = isnan(length) and isnan(other) and len(own) == len(theirs)
    return own == (1,) or length == other or is_counted


def _spread(like: Any, block: Any) -> Any:
    return np.broadcast_to(block, like.shape)
