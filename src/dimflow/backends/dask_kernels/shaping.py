"""Shapes on Dask, by its own functions where they take all that the ops do."""

from math import isnan, nan
from typing import Any

import dask.array as da

from dimflow.backends.dask_blocks.lengths import in_one_block, is_known, unknown_length
from dimflow.errors import ShapeMismatch
from dimflow.ops.rules.shapes import is_by_columns, normalized


def reshape(x: Any, /, shape: Any, order: str = "C") -> Any:
    """Dask's; by way of one axis where it finds no blocks that fit."""
    wanted = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if is_by_columns(order):
        turned = reshape(x.transpose(), wanted[::-1])
        return turned.transpose()
    if not is_known(x):
        return _of_open(x, wanted)
    if not x.size:
        return _empty(x, wanted)
    try:
        return x.reshape(wanted)
    except NotImplementedError:
        return x.reshape(-1).reshape(wanted)


def _empty(x: Any, shape: tuple[int, ...]) -> Any:
    """Nothing, in another shape."""
    free = tuple(0 if n == -1 else n for n in shape)
    if 0 not in free:
        raise ShapeMismatch("reshape", "a shape of no elements", shape)
    return da.zeros_like(x, shape=free)


def _of_open(x: Any, shape: tuple[int, ...]) -> Any:
    """Of an array whose first axis has a length that only the data know: flat, or as it is."""
    if shape == (-1,) and not any(map(isnan, x.shape[1:])):
        if x.ndim == 1:
            return x
        whole = in_one_block("reshape", x, range(1, x.ndim))
        chunks = ((nan,) * whole.numblocks[0],)
        drop = list(range(1, x.ndim))
        return whole.map_blocks(_raveled, drop_axis=drop, chunks=chunks, dtype=x.dtype)
    if len(shape) == x.ndim and shape[1:] == x.shape[1:] and (shape[0] == -1 or isnan(shape[0])):
        return x
    raise unknown_length("reshape", x)


def _raveled(block: Any) -> Any:
    return block.reshape(-1)


def ravel(x: Any, /, order: str = "C") -> Any:
    """Flat."""
    return reshape(x, -1, order)


def squeeze(x: Any, /, axis: Any = None) -> Any:
    """Dask's."""
    if axis is None and not is_known(x):
        raise unknown_length("squeeze", x)
    axes = None if axis is None else normalized(axis, x.ndim)
    return da.squeeze(x, axes)


def rot90(x: Any, /, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Dask's."""
    return da.rot90(x, k, axes)


def rollaxis(x: Any, /, axis: int, start: int = 0) -> Any:
    """Dask's."""
    return da.rollaxis(x, axis, start)
