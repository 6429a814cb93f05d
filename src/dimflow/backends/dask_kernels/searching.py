"""Searching on Dask: places and values that are looked up; how many there are the data know."""

from typing import Any

import dask.array as da

from dimflow import ops
from dimflow.backends.dask_blocks import keys
from dimflow.backends.dask_blocks.lengths import is_known
from dimflow.backends.dask_blocks.looping import Axes, looped, whole
from dimflow.backends.dask_kernels.shaping import reshape
from dimflow.errors import ShapeMismatch
from dimflow.ops.rules.shapes import normalized


def take_along_axis(x: Any, indices: Any, /, axis: Any = -1) -> Any:
    """Lines of x along the axis are gathered; those of the indices need not be."""
    if axis is None:
        return keys.get(reshape(x, -1), indices)
    if x.ndim != indices.ndim:
        raise ShapeMismatch("take_along_axis", f"indices of {x.ndim} axes", indices.shape)
    (axis,) = normalized(axis, x.ndim)
    loops = tuple(range(x.ndim))
    lines = tuple(None if i == axis else i for i in loops)
    return looped(ops.take_along_axis, (x, indices), {"axis": axis}, [lines, loops], [loops])


def gather(x: Any, indices: Any, /, axis: int) -> Any:
    """The part of x that the indices reach beside, along the axis."""
    (axis,) = normalized(axis, x.ndim)
    lengths = indices.shape
    if len(lengths) != x.ndim or any(
        n > m for i, (n, m) in enumerate(zip(lengths, x.shape, strict=True)) if i != axis
    ):
        wanted = f"indices no longer than {x.shape} beside axis {axis}"
        raise ShapeMismatch("gather", wanted, lengths)
    part = tuple(slice(None) if i == axis else slice(n) for i, n in enumerate(lengths))
    return take_along_axis(x[part], indices, axis)


def argwhere(x: Any, /) -> Any:
    """Dask's; of a length that only the data know, by the whole array."""
    if is_known(x) and x.size and x.ndim:
        return da.argwhere(x)
    return whole(ops.argwhere, (x,), {})


def searchsorted(x: Any, values: Any, /, side: str = "left", sorter: Any = None) -> Any:
    """Dask's; by a sorter, or in what has an unknown length, in the whole of x."""
    if x.ndim != 1:
        raise ShapeMismatch("searchsorted", "one axis to search in", x.shape)
    values = da.asanyarray(values)
    if sorter is None and is_known(x) and x.size and values.ndim and 0 not in values.shape:
        return da.searchsorted(x, values, side=side)
    loops = tuple(range(values.ndim))
    axes: list[Axes] = [(None,), loops] if sorter is None else [(None,), loops, (None,)]
    return looped(ops.searchsorted, (x, values, sorter), {"side": side}, axes, [loops])


def isin(x: Any, y: Any, /, assume_unique: bool = False, invert: bool = False) -> Any:
    """Each block of x in the whole of y."""
    x, y = da.asanyarray(x), reshape(da.asanyarray(y), -1)
    params = {"assume_unique": assume_unique, "invert": invert}
    loops = tuple(range(x.ndim))
    return looped(ops.isin, (x, y), params, [loops, (None,)], [loops])


def compress(condition: Any, x: Any, /, axis: Any = None) -> Any:
    """By a mask along the axis, in the blocks of x."""
    if axis is None:
        x, axis = reshape(x, -1), 0
    (axis,) = normalized(axis, x.ndim)
    before = (slice(None),) * axis
    mask = condition if condition.dtype.kind == "b" else condition.astype("bool")
    part = x if mask.shape[0] == x.shape[axis] else x[(*before, slice(0, mask.shape[0]))]
    return keys.get(part, (*before, mask))


def extract(condition: Any, x: Any, /) -> Any:
    """Along one axis."""
    mask = condition if condition.dtype.kind == "b" else condition.astype("bool")
    return keys.get(reshape(x, -1), reshape(mask, -1))
