"""Bounds on Dask: one task a block, whichever of them are given."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.backends.dask_blocks.block_op import elementwise


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """The values within bounds."""
    return elementwise(ops.clip, x, min=_in_python(min, x), max=_in_python(max, x))


def _in_python(bound: Any, x: Any) -> Any:
    """NumPy's number as Python's, which beside doubles says the same: Dask would pickle it."""
    is_same = x.dtype == np.float64 and type(bound) in (np.float64, np.int64)
    return bound.item() if is_same else bound
