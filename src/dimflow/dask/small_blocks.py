"""A warning for arrays in so many, so small blocks that Dask is busier with them than the CPU."""

import math
import warnings
from typing import Any

import dask
import dask.array as da
from dask.utils import format_bytes

from dimflow.backends.dask_blocks.lengths import users_level

SETTING = "dimflow.warn-small-blocks"  # in Dask's configuration
_MANY = 1000  # blocks; with fewer all of them take less than a second
_SMALL = 100_000  # bytes; a task costs as much as a pass over some ten times that


class SmallBlocksWarning(da.PerformanceWarning):  # type: ignore[misc]
    """An array has so many and so small blocks that Dask's work for each outweighs the computing.

    A filter of `warnings` silences it, or `dask.config.set({"dimflow.warn-small-blocks": False})`.
    """

    def __init__(self, blocks: int, size: float, shape: tuple[int, ...], better: Any) -> None:
        super().__init__(blocks, size, shape, better)
        self.blocks = blocks
        self.size = size  # bytes of a block, on average
        self.shape = shape
        self.better = better  # lengths of blocks that Dask would choose

    def __str__(self) -> str:
        return (
            f"an array of shape {self.shape} is cut into {self.blocks:,} blocks of "
            f"{format_bytes(int(self.size))}: Dask's own work for each will take longer than "
            f"computing with it\n  hint:  larger blocks: chunks={self.better}, or chunks='auto'"
        )


def warn_of_small_blocks(raw: Any) -> None:
    """Warn if a Dask array is in blocks that are too many and too small."""
    blocks = math.prod(map(len, raw.chunks))
    if blocks < _MANY or math.isnan(raw.size):
        return
    size = raw.size * raw.dtype.itemsize / blocks
    if size >= _SMALL or not dask.config.get(SETTING, True):
        return
    better = tuple(max(lengths) for lengths in _chosen(raw))
    warnings.warn(SmallBlocksWarning(blocks, size, raw.shape, better), stacklevel=users_level())


def _chosen(raw: Any) -> Any:
    return da.core.normalize_chunks("auto", raw.shape, dtype=raw.dtype)
