"""Searching on Dask: places and values that are looked up; how many there are the data know."""

from math import nan
from typing import Any

import dask.array as da

from dimflow import ops
from dimflow.backends.dask_blocks import BlockOp
from dimflow.backends.dask_kernels import keys
from dimflow.backends.dask_kernels.gathering import Result, is_known, on_whole
from dimflow.backends.dask_kernels.shaping import reshape
from dimflow.errors import ShapeMismatch
from dimflow.ops.rules.shapes import broadcast_shapes, normalized


def take_along_axis(x: Any, indices: Any, /, axis: Any = -1) -> Any:
    """Lines of x along the axis are gathered; those of the indices need not be."""
    if axis is None:
        return keys.get(reshape(x, -1), indices)
    if x.ndim != indices.ndim:
        raise ShapeMismatch("take_along_axis", f"indices of {x.ndim} axes", indices.shape)
    (axis,) = normalized(axis, x.ndim)
    shape = list(broadcast_shapes([_without(x.shape, axis), _without(indices.shape, axis)]))
    shape[axis] = indices.shape[axis]
    labels = tuple(range(x.ndim))
    own = tuple(x.ndim if i == axis else i for i in labels)
    call = BlockOp(ops.take_along_axis, (x, indices), {"axis": axis})
    return on_whole(call, [x, indices], [own, labels], [Result(labels, tuple(shape), x.dtype)])[0]


def _without(shape: Any, axis: int) -> tuple[Any, ...]:
    """A shape with one length left out of account."""
    return tuple(1 if i == axis else n for i, n in enumerate(shape))


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
    labels = tuple(range(x.ndim))
    result = Result((x.ndim, x.ndim + 1), (nan, x.ndim), "int64")
    return on_whole(BlockOp(ops.argwhere, (x,), {}), [x], [labels], [result])[0]


def searchsorted(x: Any, values: Any, /, side: str = "left", sorter: Any = None) -> Any:
    """Dask's; by a sorter, or in what has an unknown length, in the whole of x."""
    if x.ndim != 1:
        raise ShapeMismatch("searchsorted", "one axis to search in", x.shape)
    values = da.asanyarray(values)
    if sorter is None and is_known(x) and x.size:
        return da.searchsorted(x, values, side=side)
    call = BlockOp(ops.searchsorted, (x, values, sorter), {"side": side})
    labels = tuple(range(values.ndim))
    arrays, names = [x, values], [(values.ndim,), labels]
    if sorter is not None:
        arrays, names = [*arrays, da.asanyarray(sorter)], [*names, (values.ndim + 1,)]
    return on_whole(call, arrays, names, [Result(labels, values.shape, "int64")])[0]


def isin(x: Any, y: Any, /, assume_unique: bool = False, invert: bool = False) -> Any:
    """Each block of x in the whole of y."""
    x, y = da.asanyarray(x), reshape(da.asanyarray(y), -1)
    params = {"assume_unique": assume_unique, "invert": invert}
    call = BlockOp(ops.isin, (x, y), params)
    labels = tuple(range(x.ndim))
    return on_whole(call, [x, y], [labels, (x.ndim,)], [Result(labels, x.shape, "bool")])[0]


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
