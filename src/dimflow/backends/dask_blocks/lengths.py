"""Lengths of axes and sizes of blocks: which are known, and which are too large."""

import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from math import isnan, prod
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.array.core import PerformanceWarning
from dask.utils import format_bytes, parse_bytes

import dimflow
from dimflow.errors import DimflowError, ShapeMismatch

_COMPUTE = "x.compute_chunk_sizes() computes the lengths"
_TOO_LARGE = 4  # times the size that Dask's settings have for a block
_OURS = ("<dimflow", *(str(Path(package.__path__[0])) for package in (dimflow, dask)))


def known_lengths(shape: Sequence[Any]) -> tuple[int | None, ...]:
    """A shape as the rules of ops have it: None for the nan that Dask has for unknown lengths."""
    return tuple(None if isnan(n) else int(n) for n in shape)


def is_known(*arrays: Any) -> bool:
    """Whether all lengths of arrays are known before their numbers are."""
    return not any(isnan(n) for x in arrays for n in x.shape)


def blame_lengths(operation: str, arrays: Iterable[Any], error: Exception) -> None:
    """Raise what an error means where a length is not known: Dask's own speaks of its insides."""
    if _is_clear(error):
        return
    for x in arrays:
        if isinstance(x, da.Array) and not is_known(x):
            raise unknown_length(operation, x) from error


def _is_clear(error: Exception) -> bool:
    """Whether an error says itself what is wrong: ours do, unless they show such a length."""
    if isinstance(error, ShapeMismatch):
        return not {"nan", "None"} & {*re.findall(r"\w+", f"{error.expected} {error.actual}")}
    return isinstance(error, (DimflowError, np.exceptions.AxisError))


def unknown_length(operation: str, x: Any) -> ShapeMismatch:
    """The error of an operation that needs a length, which only the data know."""
    axes = [i for i, n in enumerate(x.shape) if isnan(n)]
    which = f"axis {axes[0]}" if len(axes) == 1 else f"axes {', '.join(map(str, axes))}"
    return ShapeMismatch(operation, f"a length of {which} that is known", x.shape, _COMPUTE)


def has_empty(x: Any) -> bool:
    """Whether some block is known to have no elements."""
    return any(0 in lengths for lengths in x.chunks)


def may_be_empty(x: Any) -> bool:
    """Whether a block of a lazy array has no elements, or may turn out to have none."""
    return isinstance(x, da.Array) and (isnan(x.size) or has_empty(x))


def fits(*lengths: Any, dtype: Any) -> bool:
    """Whether an array of these lengths is no larger than Dask would have a block be."""
    size = prod(n for n in lengths if not isnan(n)) * np.dtype(dtype).itemsize
    return bool(size <= _block_size())


def _block_size() -> int:
    return parse_bytes(dask.config.get("array.chunk-size", "128MiB"))  # type: ignore[no-any-return]


def in_one_block(op: str, x: Any, axes: Sequence[int]) -> Any:
    """The array with the axes that an op needs whole in one block each."""
    axes = [axis for axis in axes if x.numblocks[axis] > 1]
    if not axes:
        return x
    warn_of_size(op, x, axes)
    if is_known(x):
        return x.rechunk(dict.fromkeys(axes, -1))
    labels = tuple(range(x.ndim))
    new = {x.ndim + axis: (x.shape[axis],) for axis in axes}
    out = tuple(x.ndim + axis if axis in axes else axis for axis in labels)
    options = {"concatenate": True, "dtype": x.dtype, "meta": x._meta}
    return da.blockwise(_same, out, x, labels, new_axes=new, **options)


def _same(block: Any) -> Any:
    return block


def warn_of_size(op: str, x: Any, axes: Sequence[int]) -> None:
    """Say so where joined blocks are larger than Dask's settings have blocks by far."""
    if all(x.numblocks[axis] == 1 for axis in axes):
        return
    largest = [max(lengths, default=0) for lengths in x.chunks]
    whole = [x.shape[i] if i in axes else n for i, n in enumerate(largest)]
    before, after = (prod(s) * x.dtype.itemsize for s in (largest, whole))
    if after > _TOO_LARGE * _block_size():
        cut = ", ".join(str(axis) for axis in axes if x.numblocks[axis] > 1)
        warnings.warn(
            f"{op} needs axis {cut} in one block: blocks of {format_bytes(before)} become "
            f"blocks of {format_bytes(after)}. Cut the other axes finer first: x.rechunk(...)",
            PerformanceWarning,
            stacklevel=users_level(),
        )


def users_level() -> int:
    """How many frames above the caller the first line stands that is neither ours nor Dask's."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
        frame, level = frame.f_back, level + 1
    return level
