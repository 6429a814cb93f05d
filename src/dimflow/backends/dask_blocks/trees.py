"""Reductions of blocks: by Dask's trees, on whole rows, and of nothing."""

from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np

from dimflow.backends.dask_blocks.looping import looped
from dimflow.ops import Op
from dimflow.ops.rules.shapes import normalized

_STRICT = frozenset({"mean", "var", "std"})  # of NumPy's those that take no axis of a number


def by_tree(function: Callable[..., Any], x: Any, axis: Any, keepdims: bool, **options: Any) -> Any:
    """A function of Dask's along axes, which may be none at all."""
    axes = axis if axis is None or isinstance(axis, int) else normalized(axis, x.ndim)
    if not x.ndim and axes in (0, -1) and function.__name__ not in _STRICT:
        axes = None
    return function(x, axis=axes, keepdims=keepdims, **options)


def of_nothing(op: Op, x: Any, **params: Any) -> Any:
    """What an op gives for an array without elements, or its error: there is nothing to wait for.

    Dask's functions take empty blocks for missing ones.
    """
    return da.from_array(np.asarray(op(np.empty(x.shape, x.dtype), **params)))


def on_rows(op: Op, x: Any, axis: Any, keepdims: bool) -> Any:
    """A reduction of rows that are put together first, for lengths that only the data know."""
    whole = normalized(axis, x.ndim)
    kept = tuple(None if i in whole else i for i in range(x.ndim))
    out = kept if keepdims else tuple(i for i in kept if i is not None)
    return looped(op, (x,), {"axis": axis, "keepdims": keepdims}, [kept], [out])
