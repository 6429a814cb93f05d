"""An array in the blocks of another, and the numbers of arrays that were put into blocks."""

from math import isnan
from typing import Any

import dask.array as da
import numpy as np

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
    if _is_unknown(raw) or _is_unknown(like):
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


def _is_unknown(raw: Any) -> bool:
    return any(isnan(length) for length in raw.shape)


def noted(raw: Any, numbers: Any) -> Any:
    """The array, with a note of the numbers that it was made from."""
    if isinstance(numbers, np.ndarray):
        raw.__dict__["_dimflow_numbers"] = raw.name, numbers
    return raw


def numbers_of(raw: Any) -> Any:
    """NumPy's array that an array was made from; None if it has to be computed."""
    if isinstance(raw, np.ndarray):
        return raw
    name, numbers = getattr(raw, "__dict__", {}).get("_dimflow_numbers", (None, None))
    return numbers if name == getattr(raw, "name", None) else None  # assignment gives another name
