"""An array in the blocks of another."""

from typing import Any

import dask.array as da

from dimflow.backends.dask_blocks.lengths import is_known
from dimflow.errors import ComputationError

_UNKNOWN = (
    "how long an array is that it depends on is known only when that is computed",
    "write zeros instead of picking: dimflow.where(mask, x, 0) for x[mask]",
)


def laid_out(raw: Any, like: Any) -> Any:
    """The array in the blocks of one of its shape, or of one that it is spread over.

    It is spread block by block, where Dask would make one block of what was one number.
    """
    if not isinstance(like, da.Array):
        return raw
    if not is_known(raw, like):
        raise ComputationError("a derivative of a lazy array", *_UNKNOWN)
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
