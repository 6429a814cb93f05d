"""Order on Dask: the axis is gathered. Of values that differ, each block gives its own first."""

from math import nan
from typing import Any

import dask.array as da

from dimflow import ops
from dimflow.backends.dask_blocks.block_op import BlockOp
from dimflow.backends.dask_blocks.looping import along, looped, whole
from dimflow.backends.dask_kernels.shaping import reshape
from dimflow.ops import Op
from dimflow.ops.rules.shapes import normalized


def _in_order(op: Op, x: Any, params: dict[str, Any]) -> Any:
    """An op along an axis; without one, of the flat array."""
    if params["axis"] is None:
        x, params = reshape(x, -1), {**params, "axis": 0}
    axes = normalized(params["axis"], x.ndim)
    return along(op, (x,), {**params, "axis": axes[0]}, axes)


def sort(x: Any, /, axis: Any = -1, *, stable: bool = True, descending: bool = False) -> Any:
    """Each line along the axis by itself."""
    return _in_order(ops.sort, x, {"axis": axis, "stable": stable, "descending": descending})


def argsort(x: Any, /, axis: Any = -1, *, stable: bool = True, descending: bool = False) -> Any:
    """Each line along the axis by itself."""
    return _in_order(ops.argsort, x, {"axis": axis, "stable": stable, "descending": descending})


def partition(x: Any, /, kth: Any, axis: Any = -1) -> Any:
    """Each line along the axis by itself."""
    return _in_order(ops.partition, x, {"kth": kth, "axis": axis})


def argpartition(x: Any, /, kth: Any, axis: Any = -1) -> Any:
    """Each line along the axis by itself."""
    return _in_order(ops.argpartition, x, {"kth": kth, "axis": axis})


def lexsort(keys: Any, /, axis: int = -1) -> Any:
    """Each line along the axis by itself."""
    keys = da.broadcast_arrays(*keys)
    axes = normalized(axis, keys[0].ndim)
    return along(ops.lexsort, tuple(keys), {"axis": axes[0]}, axes)


def unique_index(x: Any, /, axis: Any = None, *, equal_nan: bool = True) -> Any:
    """Of the whole array: a place is counted through all of it."""
    return whole(ops.unique_index, (x,), {"axis": axis, "equal_nan": equal_nan})


def unique_values(x: Any, /) -> Any:
    """Those of each block, and of these."""
    return _distinct(x, ops.unique_values, {})


def unique(
    x: Any,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
) -> Any:
    """Values alone from those of each block; places need the whole array."""
    asked = {
        "return_index": return_index,
        "return_inverse": return_inverse,
        "return_counts": return_counts,
    }
    params = {**asked, "axis": axis, "equal_nan": equal_nan}
    if axis is None and not any(asked.values()):
        return _distinct(x, ops.unique, params)
    assert ops.unique.definition is not None
    return ops.unique.definition(x, **params)


def _distinct(x: Any, op: Op, params: dict[str, Any]) -> Any:
    x = reshape(x, -1)
    call = BlockOp(op, (x,), params)
    each = x.map_blocks(call, chunks=((nan,) * x.numblocks[0],), dtype=x.dtype, meta=x._meta)
    return looped(op, (each,), params, [(None,)], [(None,)])
