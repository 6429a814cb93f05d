"""Indexing on Dask: reading by `keys`, updates that make another array by `writing`."""

from math import isnan
from typing import Any

import dask.array as da
import numpy as np

from dimflow.backends.dask_blocks import keys
from dimflow.backends.dask_blocks.lengths import unknown_length
from dimflow.backends.dask_blocks.writing import written
from dimflow.backends.dask_kernels.shaping import reshape
from dimflow.errors import UnitError
from dimflow.ops.families.index.keys import filled, within
from dimflow.ops.rules.shapes import normalized


def index(x: Any, /, *indices: Any, key: Any) -> Any:
    """x[key]."""
    return keys.get(x, filled(key, indices))


def take(x: Any, indices: Any, /, axis: Any = None, *, mode: str = "raise") -> Any:
    """By an index array along the axis."""
    if mode not in ("raise", "wrap", "clip"):
        raise UnitError(f"take has the modes raise, wrap and clip, but got {mode!r}")
    if axis is None:
        x, axis = reshape(x, -1), 0
    (axis,) = normalized(axis, x.ndim)
    if not isinstance(indices, da.Array):
        indices = np.asarray(indices)
    if mode != "raise":
        if isnan(x.shape[axis]):
            raise unknown_length("take", x)
        indices = within(indices, x.shape[axis], mode)
    return keys.get(x, (*(slice(None),) * axis, indices))


def index_set(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with other values at x[key]."""
    return written("index_set", x, values, filled(key, indices))


def index_add(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with values added at x[key], as often as an element is named."""
    return written("index_add", x, values, filled(key, indices))


def index_max(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with the larger values at x[key]."""
    return written("index_max", x, values, filled(key, indices))


def index_min(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with the smaller values at x[key]."""
    return written("index_min", x, values, filled(key, indices))
