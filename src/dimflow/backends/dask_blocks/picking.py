"""Values for what a mask picks, put back block by block.

How many elements a mask picks in a block only the data know. Values that are in as many blocks as
`x[mask]` are taken for that, or for what was made of it block by block: then each block of x takes
one block of values, and one of another length is an error when it is computed.
"""

from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import unify_chunks
from dask.base import normalize_token

from dimflow import ops
from dimflow.backends.dask_blocks.keys import is_array
from dimflow.backends.dask_blocks.lengths import is_known
from dimflow.errors import ShapeMismatch
from dimflow.ops import Op
from dimflow.ops.families.index.keys import split_key


def put_back(op: Op, x: Any, values: Any, parts: list[Any]) -> Any:
    """x with an op's values at x[mask], in the blocks of x; None where this cannot be."""
    arrays = [(i, part) for i, part in enumerate(parts) if is_array(part)]
    others = [part for part in parts if not is_array(part)]
    if len(arrays) != 1 or any(part != slice(None) for part in others) or is_known(values):
        return None
    axis, mask = arrays[0]
    if not isinstance(mask, da.Array) or mask.dtype.kind != "b" or not is_known(x, mask):
        return None
    if not mask.ndim or values.ndim != x.ndim - mask.ndim + 1:
        return None
    flat = _with_one_axis(x, axis, mask.ndim)
    mask = mask.ravel() if mask.ndim > 1 else mask
    labels = tuple(range(flat.ndim))
    chunks, (cut, mask) = unify_chunks(flat, labels, mask, (axis,), warn=False)
    if values.numblocks[axis] != len(chunks[axis]):
        return None
    values = values.rechunk({i: cut.chunks[i] for i in labels if i != axis})
    update = _Update(op, axis)
    pairs = (cut, labels, mask, (axis,), values, labels)
    form = {"dtype": x.dtype, "meta": cut._meta, "align_arrays": False}
    found = da.blockwise(update, labels, *pairs, **form)
    return ops.reshape(found, x.shape).rechunk(x.chunks)


def _with_one_axis(x: Any, axis: int, count: int) -> Any:
    """The axes of a mask as one, cut as `x[mask]` cuts them."""
    if count == 1:
        return x
    if count == x.ndim:
        return x.ravel()
    size = int(np.prod(x.shape[axis : axis + count]))
    return ops.reshape(x, (*x.shape[:axis], size, *x.shape[axis + count :]))


class _Update:
    """Writes a block of values to where a mask picks in a block."""

    __slots__ = ("axis", "op")

    def __init__(self, op: Op, axis: int) -> None:
        self.op = op
        self.axis = axis

    @property
    def __name__(self) -> str:
        return self.op.name

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "dimflow.put_back", self.op.name, normalize_token(self.axis)

    def __call__(self, block: Any, mask: Any, values: Any) -> Any:
        count = int(mask.sum())
        if values.shape[self.axis] != count:
            wanted = f"values for each of the {count} elements that a mask picks in a block"
            hint = "give values that are made of x[mask], or know their length"
            raise ShapeMismatch(self.op.name, wanted, values.shape, hint)
        key, arrays = split_key((slice(None),) * self.axis + (mask,))
        return self.op(block, values, *arrays, key=key)
