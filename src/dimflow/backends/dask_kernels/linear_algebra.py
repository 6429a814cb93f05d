"""Products of matrices on Dask, by its own functions."""

from typing import Any

import dask.array as da

from dimflow import ops
from dimflow.backends.dask_blocks.pairing import refuse_pairs
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.values import counted


def einsum(subscripts: str, /, *operands: Any) -> Any:
    """Dask's, in the dtype of the table."""
    dtype = ops.einsum.rule("dtype")(tuple(x.dtype for x in operands), {"subscripts": subscripts})
    text = subscripts.replace(" ", "")
    terms = text.partition("->")[0].split(",")
    if len(terms) == len(operands):  # Dask says what is wrong if they are not
        operands = tuple(map(_cut_alike, operands, terms))
        if "..." not in text:
            refuse_pairs("einsum", operands, terms)
    found = da.einsum(text, *operands, dtype=dtype)
    return found if found.dtype == dtype else found.astype(dtype)  # sums of short integers are long


def _cut_alike(x: Any, term: str) -> Any:
    """An operand whose axes of one letter have the same blocks, of which Dask takes diagonals."""
    before, _, after = term.partition("...")
    axes = [*enumerate(before), *((x.ndim - len(after) + i, c) for i, c in enumerate(after))]
    first: dict[str, int] = {}
    changed = {}
    for axis, letter in axes:
        same = first.setdefault(letter, axis)
        if axis < x.ndim and x.shape[axis] == x.shape[same] and x.chunks[axis] != x.chunks[same]:
            changed[axis] = x.chunks[same]
    return x.rechunk(changed) if changed else x


def outer(x: Any, y: Any, /) -> Any:
    """Dask's."""
    return da.outer(x, y)


def trace(x: Any, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Dask's; truth values are counted."""
    return da.trace(counted(x) if kind_of(x) == "b" else x, offset, axis1, axis2)
