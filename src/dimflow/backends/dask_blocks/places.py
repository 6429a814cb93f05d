"""Where an extreme is: of equal ones the first, as in NumPy, however the array is cut.

Dask takes the first block that has one, and blocks do not follow each other as elements do.
"""

from math import isnan
from typing import Any

import numpy as np
from dask.array import chunk
from dask.array.reductions import arg_chunk, arg_reduction

from dimflow.backends.dask_blocks.lengths import has_empty
from dimflow.backends.dask_blocks.trees import by_tree, of_nothing, on_rows
from dimflow.ops import Op
from dimflow.ops.rules.shapes import normalized


def place_of(op: Op, by_dask: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """By Dask, where blocks are in the order of elements; lengths may be unknown."""
    if not x.size:
        return of_nothing(op, x, axis=axis, keepdims=keepdims)
    unknown = [isnan(x.shape[i]) for i in normalized(axis, x.ndim)] if x.ndim else []
    if any(unknown) or has_empty(x):
        return on_rows(op, x, axis, keepdims)
    in_order = axis is not None or not any(n > 1 for n in x.numblocks[1:])
    if in_order or not isinstance(x._meta, np.ndarray):
        return by_tree(by_dask, x, axis, keepdims)
    part = Part(op.name)
    found = arg_reduction(x, part.of_block, part.of_several, part.place, axis=None)
    return found.reshape((1,) * x.ndim) if keepdims else found


class Part:
    """The extreme of some blocks and its place among all elements, as Dask has them together."""

    __slots__ = ("is_largest", "skips_nan")

    def __init__(self, name: str) -> None:
        self.is_largest = name.endswith("max")
        self.skips_nan = name.startswith("nan")

    def of_block(self, x: Any, axis: Any, offset: Any) -> Any:
        """Of one block."""
        value, place = (chunk.max, chunk.argmax) if self.is_largest else (chunk.min, chunk.argmin)
        if self.skips_nan and x.dtype.kind in "fc":
            missing = np.isnan(x)
            filled = np.where(missing, -np.inf if self.is_largest else np.inf, x)
            found = arg_chunk(value, place, filled, axis, offset)
            if missing.all():
                found["vals"] = np.nan
            return found
        return arg_chunk(value, place, x, axis, offset)

    def of_several(self, data: Any, axis: Any = None, **kwargs: Any) -> Any:
        """The better of those of some blocks, or the one that comes first."""
        flat = data.ravel()[np.argsort(data["arg"], axis=None)]
        values = flat["vals"]
        if self.skips_nan and values.dtype.kind in "fc" and not np.isnan(values).all():
            flat = flat[~np.isnan(values)]
        best = np.argmax(flat["vals"]) if self.is_largest else np.argmin(flat["vals"])
        return flat[best : best + 1].reshape((1,) * data.ndim)

    def place(self, data: Any, axis: Any = None, keepdims: bool = False, **kwargs: Any) -> Any:
        """The place that is left."""
        found = self.of_several(data)
        if self.skips_nan and found["vals"].dtype.kind in "fc" and np.isnan(found["vals"]).all():
            raise ValueError("All-NaN slice encountered")
        return found["arg"].reshape(-1)[0]

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "dimflow.place", self.is_largest, self.skips_nan
