"""Reductions by Dask's trees: every block first, then a few results at a time.

Without a mask the graph is that of Dask's own function. A mask puts the neutral element elsewhere,
and a start is joined last: neither changes the tree.
"""

from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask.array.reductions import moment_agg, moment_chunk, moment_combine

from dimflow import ops
from dimflow.backends.dask_blocks.lengths import may_be_empty
from dimflow.backends.dask_blocks.looping import along
from dimflow.backends.dask_blocks.places import place_of
from dimflow.backends.dask_blocks.trees import by_tree, of_nothing
from dimflow.ops import Op
from dimflow.ops.rules.shapes import normalized
from dimflow.ops.rules.values import extreme, floated


def sum(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """The sum along axes."""
    x = x if where is None else ops.where(where, x, 0)
    result = by_tree(da.sum, x, axis, keepdims, dtype=dtype)
    return result if initial is None else ops.add(result, initial)


def prod(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """The product along axes."""
    x = x if where is None else ops.where(where, x, 1)
    result = by_tree(da.prod, x, axis, keepdims, dtype=dtype)
    return result if initial is None else ops.multiply(result, initial)


def max(
    x: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    """The maximum along axes."""
    if initial is None and where is None:
        return _extreme(ops.max, da.max, np.max, x, axis, keepdims)
    return _from_start(np.max, ops.maximum, -1, x, axis, keepdims, initial, where)


def min(
    x: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    """The minimum along axes."""
    if initial is None and where is None:
        return _extreme(ops.min, da.min, np.min, x, axis, keepdims)
    return _from_start(np.min, ops.minimum, 1, x, axis, keepdims, initial, where)


def _extreme(op: Op, by_dask: Any, function: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """By Dask, whose function fails on blocks that turn out to be empty."""
    if not x.size:
        return of_nothing(op, x, axis=axis, keepdims=keepdims)
    if not may_be_empty(x):
        return by_tree(by_dask, x, axis, keepdims)
    fold = Extreme(function)
    return by_tree(
        da.reduction, x, axis, keepdims, chunk=fold, combine=fold, aggregate=function, dtype=x.dtype
    )


def _from_start(
    function: Any, join: Any, sign: int, x: Any, axis: Any, keepdims: bool, initial: Any, where: Any
) -> Any:
    """An extreme beside a start: there may be no element at all."""
    bottom = extreme(x, sign)
    x = x if where is None else ops.where(where, x, x.dtype.type(bottom))
    fold = Extreme(function, bottom)
    result = by_tree(da.reduction, x, axis, keepdims, chunk=fold, aggregate=fold, dtype=x.dtype)
    return result if initial is None else join(result, initial)


class Extreme:
    """np.max or np.min as Dask calls it, from a start; without one, no elements stay none."""

    __slots__ = ("function", "start")

    def __init__(self, function: Any, start: Any = None) -> None:
        self.function = function
        self.start = start

    def __call__(self, x: Any, axis: Any, keepdims: bool) -> Any:
        if self.start is not None:
            return self.function(x, axis=axis, keepdims=keepdims, initial=self.start)
        return self.function(x, axis=tuple(i for i in axis if x.shape[i]), keepdims=keepdims)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "dimflow.extreme", self.function.__name__, self.start


def mean(
    x: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, where: Any = None
) -> Any:
    """The mean along axes."""
    if where is None:
        return by_tree(da.mean, x, axis, keepdims, dtype=dtype)
    x = floated(x) if dtype is None else x.astype(dtype)
    total = by_tree(da.sum, ops.where(where, x, 0), axis, keepdims)
    return total / _picked(x, where, axis, keepdims)


def var(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    ddof: Any = 0,
    *,
    keepdims: bool = False,
    mean: Any = None,
    where: Any = None,
) -> Any:
    """The variance along axes."""
    if mean is not None or where is not None:
        return _masked_var(x, axis, dtype, ddof, keepdims, mean, where)
    if may_be_empty(x):
        return _var_of_any(x, axis, dtype, ddof, keepdims)
    return by_tree(da.var, x, axis, keepdims, dtype=dtype, ddof=ddof)


def std(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    ddof: Any = 0,
    *,
    keepdims: bool = False,
    mean: Any = None,
    where: Any = None,
) -> Any:
    """The standard deviation along axes."""
    if mean is not None or where is not None:
        return da.sqrt(_masked_var(x, axis, dtype, ddof, keepdims, mean, where))
    if may_be_empty(x):
        return da.sqrt(_var_of_any(x, axis, dtype, ddof, keepdims))
    return by_tree(da.std, x, axis, keepdims, dtype=dtype, ddof=ddof)


def _var_of_any(x: Any, axis: Any, dtype: Any, ddof: Any, keepdims: bool) -> Any:
    """Dask's tree of moments, whose nodes make nan of a block without elements: 0 times 0 / 0."""
    is_complex = dtype is None and x.dtype.kind == "c"
    return by_tree(
        da.reduction,
        x,
        axis,
        keepdims,
        chunk=partial(moment_chunk, implicit_complex_dtype=is_complex),
        combine=partial(moment_combine, sum=np.nansum),  # what is nan otherwise stays so
        aggregate=partial(moment_agg, ddof=ddof),
        dtype=np.var(np.ones(1, x.dtype)).dtype if dtype is None else dtype,
        concatenate=False,
    )


def _masked_var(
    x: Any, axis: Any, dtype: Any, ddof: Any, keepdims: bool, mean: Any, where: Any
) -> Any:
    """By the formula: the squares of distances from a mean, over the count."""
    x = floated(x) if dtype is None else x.astype(dtype)
    center = ops.mean(x, axis=axis, keepdims=True, where=where) if mean is None else mean
    off = ops.subtract(x, center)
    squares = da.absolute(off) ** 2 if x.dtype.kind == "c" else off * off
    squares = squares if where is None else ops.where(where, squares, 0)
    total = by_tree(da.sum, squares, axis, keepdims)
    return total / (_picked(squares, where, axis, keepdims) - ddof)


def _picked(x: Any, where: Any, axis: Any, keepdims: bool) -> Any:
    """How many elements a mask picks, as numbers of the precision of x; lengths may be unknown."""
    if where is None or where.ndim != x.ndim or 1 in where.shape:
        every = da.logical_or(x != x, True)  # a mask of x's lengths
        where = every if where is None else ops.logical_and(where, every)
    kind = np.empty(0, x.dtype).real.dtype
    return by_tree(da.sum, where, axis, keepdims, dtype=np.intp).astype(kind)


def any(x: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None) -> Any:
    """Whether any element is not zero; what a mask leaves out is."""
    x = x if where is None else ops.logical_and(x, where)
    return by_tree(da.any, x, axis, keepdims)


def all(x: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None) -> Any:
    """Whether all elements are not zero; what a mask leaves out is not."""
    x = x if where is None else ops.logical_or(x, ops.logical_not(where))
    return by_tree(da.all, x, axis, keepdims)


def argmax(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Where the maximum is."""
    return place_of(ops.argmax, da.argmax, x, axis, keepdims)


def argmin(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Where the minimum is."""
    return place_of(ops.argmin, da.argmin, x, axis, keepdims)


def count_nonzero(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """How many elements are not zero."""
    found = x if x.dtype == bool else x != 0
    return by_tree(da.sum, found, axis, keepdims, dtype=np.intp)


def prod_of_others(x: Any, axis: int = -1) -> Any:
    """On whole rows: each element of the result needs all others."""
    return along(ops.prod_of_others, (x,), {"axis": axis}, normalized(axis, x.ndim))
