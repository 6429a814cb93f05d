"""Lazy arrays of blocks that are Delayed values; what comes is what was declared, or an error."""

from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.utils import key_split

from dimflow.array import DimArray
from dimflow.dask.blocks.settling import Wanted, settled
from dimflow.errors import BlockMismatch, DimflowError, NotANumber, ShapeMismatch, UnitError
from dimflow.ops.rules.dtypes import named
from dimflow.units import Unit, decode, encode


def read_delayed(blocks: Any, unit: Unit, shape: Any, dtype: Any, chunks: Any, meta: Any) -> Any:
    """An array of Dask of one Delayed, or of nested lists of them, one list for each axis cut."""
    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    counts = _counts(blocks)
    if len(counts) > len(shape):
        raise ShapeMismatch("from_delayed", f"lists for {len(shape)} axes", counts)
    counts += (1,) * (len(shape) - len(counts))
    lengths = _lengths(counts, shape, chunks)
    kind = np.dtype(named(dtype))
    check = dask.delayed(_Check(encode(unit), kind.str), pure=False)
    parts = np.empty(counts, object)
    for index in np.ndindex(counts):
        wanted = tuple(n[i] for n, i in zip(lengths, index, strict=True))
        block = _at(blocks, index)
        value = check(block, index, wanted, key_split(block.key))
        parts[index] = da.from_delayed(value, wanted, kind, meta=meta)
    return da.block(parts.tolist()) if shape else parts[()]


class _Check:
    """Holds a block against what was declared, where it is computed."""

    __slots__ = ("dtype", "unit")
    __name__ = "from_delayed"  # what Dask calls its tasks

    def __init__(self, unit: str, dtype: str) -> None:
        self.unit = unit
        self.dtype = dtype

    def __call__(self, value: Any, index: tuple[int, ...], shape: Any, function: str) -> Any:
        """The numbers of a block, in the declared unit and dtype."""

        def refuse(what: str, expected: str, actual: str, hint: str | None) -> DimflowError:
            return BlockMismatch(
                self.__name__, function, what, expected, actual, self.__name__, index, hint
            )

        wanted = Wanted(decode(self.unit), np.dtype(self.dtype), True, True)
        if isinstance(value, (list, tuple)):
            value = DimArray(value)
        return settled(value, wanted, shape, refuse)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "dimflow.from_delayed", self.unit, self.dtype


def _counts(blocks: Any) -> tuple[int, ...]:
    """How many blocks there are along each axis that is cut."""
    if isinstance(blocks, np.ndarray) and blocks.dtype == object:  # of `to_delayed`
        return tuple(blocks.shape)
    if not isinstance(blocks, (list, tuple)):
        _ask_for_delayed(blocks)
        return ()
    inner = {_counts(part) for part in blocks}
    if len(inner) != 1:
        problem = "from_delayed needs as many blocks in each list" if inner else "there is no block"
        raise UnitError(problem, "from_delayed([[a, b], [c, d]], ...)")
    return (len(blocks), *inner.pop())


def _ask_for_delayed(value: Any) -> None:
    if not hasattr(value, "key"):  # a Future of a cluster has one too
        error = NotANumber("from_delayed", f"{type(value).__name__}, which is not Delayed")
        error.hint = "delay the function that makes it: dask.delayed(function)(...)"
        raise error


def _at(blocks: Any, index: tuple[int, ...]) -> Any:
    for i in index:
        if not isinstance(blocks, (list, tuple, np.ndarray)):
            break
        blocks = blocks[i]
    if isinstance(blocks, np.ndarray) and not blocks.ndim:
        blocks = blocks[()]
    _ask_for_delayed(blocks)
    return blocks


def _lengths(counts: tuple[int, ...], shape: Any, chunks: Any) -> tuple[tuple[int, ...], ...]:
    """The lengths of the blocks along each axis: equal ones, unless they are given."""
    if chunks is not None:
        found = da.core.normalize_chunks(chunks, shape)
        if tuple(map(len, found)) != counts:
            raise ShapeMismatch("from_delayed", f"{counts} blocks", tuple(map(len, found)))
        return found  # type: ignore[no-any-return]
    for length, count in zip(shape, counts, strict=True):
        if length % count:
            problem = f"{count} blocks of one length do not fill an axis of {length}"
            raise UnitError(problem, "say their lengths: chunks=((4, 4, 2), ...)")
    return tuple((n // count,) * count for n, count in zip(shape, counts, strict=True))
