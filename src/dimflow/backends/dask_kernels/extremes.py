"""Bounds on Dask: one task a block, whichever of them are given."""

from typing import Any

from dimflow import ops
from dimflow.backends.dask_blocks.block_op import elementwise


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """The values within bounds."""
    return elementwise(ops.clip, x, min=min, max=max)
