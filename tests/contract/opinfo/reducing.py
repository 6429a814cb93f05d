"""PyTorch's reductions, scans, sorting and statistics by our ops."""

from typing import Any

import numpy as np

from dimflow import ops
from tests.contract.opinfo.registry import adapts


def axis_of(x: Any, dim: Any) -> Any:
    """An axis; PyTorch's empty tuple is all of them, and a number has one."""
    if isinstance(dim, (tuple, list)):
        dim = tuple(dim) or None
    return dim if x.shape else None


def cast(x: Any, dtype: Any) -> Any:
    """A dtype that PyTorch casts to before it computes."""
    return x if dtype is None else ops.astype(x, dtype)


@adapts("sum")
def _sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return ops.sum(input, axis=axis_of(input, dim), keepdims=keepdim, dtype=dtype)


@adapts("nansum")
def _nansum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return ops.nansum(input, axis=axis_of(input, dim), keepdims=keepdim, dtype=dtype)


@adapts("mean")
def _mean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return ops.mean(input, axis=axis_of(input, dim), keepdims=keepdim, dtype=dtype)


@adapts("nanmean")
def _nanmean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return ops.nanmean(input, axis=axis_of(input, dim), keepdims=keepdim, dtype=dtype)


@adapts("prod")
def _prod(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return ops.prod(input, axis=axis_of(input, dim), keepdims=keepdim, dtype=dtype)


def _spread(op: Any) -> Any:
    def call(
        input: Any,
        dim: Any = None,
        unbiased: Any = None,
        keepdim: bool = False,
        *,
        correction: Any = None,
    ) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if correction is None:
            correction = 1 if unbiased is None else int(unbiased)
        return op(input, axis=axis_of(input, dim), ddof=correction, keepdims=keepdim)

    return call


adapts("var", "var/unbiased")(_spread(ops.var))
adapts("std", "std/unbiased")(_spread(ops.std))


def _spread_and_mean(op: Any) -> Any:
    spread = _spread(op)

    def call(input: Any, dim: Any = None, *args: Any, keepdim: bool = False, **kwargs: Any) -> Any:
        axis = None if isinstance(dim, bool) else axis_of(input, dim)
        mean = ops.mean(input, axis=axis, keepdims=keepdim)
        return spread(input, dim, *args, keepdim=keepdim, **kwargs), mean

    return call


adapts("var_mean", "var_mean/unbiased")(_spread_and_mean(ops.var))
adapts("std_mean", "std_mean/unbiased")(_spread_and_mean(ops.std))


@adapts("amax")
def _amax(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return ops.max(input, axis=axis_of(input, dim), keepdims=keepdim)


@adapts("amin")
def _amin(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return ops.min(input, axis=axis_of(input, dim), keepdims=keepdim)


@adapts("aminmax")
def _aminmax(input: Any, *, dim: Any = None, keepdim: bool = False) -> Any:
    return _amin(input, dim, keepdim), _amax(input, dim, keepdim)


@adapts("max/reduction_no_dim")
def _max_of_all(input: Any) -> Any:
    return ops.max(input)


@adapts("min/reduction_no_dim")
def _min_of_all(input: Any) -> Any:
    return ops.min(input)


def picked(x: Any, place: Any, dim: int, keepdim: bool) -> Any:
    """The elements at one place along an axis."""
    values = ops.take_along_axis(x, place, axis=dim)
    return (values, place) if keepdim else (values[_first(x, dim)], place[_first(x, dim)])


def _first(x: Any, dim: int) -> Any:
    return (*[slice(None)] * (dim % len(x.shape)), 0)


def _extreme(op: Any) -> Any:
    def call(input: Any, dim: int, keepdim: bool = False) -> Any:
        if not input.shape:
            return input, 0
        return picked(input, op(input, axis=axis_of(input, dim), keepdims=True), dim, keepdim)

    return call


adapts("max/reduction_with_dim")(_extreme(ops.argmax))
adapts("min/reduction_with_dim")(_extreme(ops.argmin))


@adapts("argmax")
def _argmax(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return ops.argmax(input, axis=axis_of(input, dim), keepdims=keepdim)


@adapts("argmin")
def _argmin(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return ops.argmin(input, axis=axis_of(input, dim), keepdims=keepdim)


@adapts("all")
def _all(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return ops.all(input, axis=axis_of(input, dim), keepdims=keepdim)


@adapts("any")
def _any(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return ops.any(input, axis=axis_of(input, dim), keepdims=keepdim)


@adapts("count_nonzero")
def _count_nonzero(input: Any, dim: Any = None) -> Any:
    return ops.count_nonzero(input, axis=axis_of(input, dim))


@adapts("logsumexp")
def _logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Any:
    return ops.logsumexp(input, axis=axis_of(input, dim), keepdims=keepdim)


@adapts("sum_to_size")
def _sum_to_size(input: Any, *size: Any) -> Any:
    shape = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    extra = len(input.shape) - len(shape)
    kept = enumerate(zip(input.shape[extra:], shape, strict=True))
    axes = (*range(extra), *(i + extra for i, (n, m) in kept if m == 1 and n != 1))
    return ops.reshape(ops.sum(input, axis=axes), shape=shape) if axes else ops.copy(input)


# Scans


@adapts("cumsum")
def _cumsum(input: Any, dim: int, *, dtype: Any = None) -> Any:
    return ops.cumulative_sum(input, axis=dim, dtype=dtype) if input.shape else input


@adapts("cumprod")
def _cumprod(input: Any, dim: int, *, dtype: Any = None) -> Any:
    return ops.cumulative_prod(input, axis=dim, dtype=dtype) if input.shape else input


@adapts("cummax")
def _cummax(input: Any, dim: int) -> Any:
    return ops.cummax(input, axis=dim) if input.shape else input, None


@adapts("cummin")
def _cummin(input: Any, dim: int) -> Any:
    return ops.cummin(input, axis=dim) if input.shape else input, None


@adapts("logcumsumexp")
def _logcumsumexp(input: Any, dim: int) -> Any:
    return ops.logcumsumexp(input, axis=dim) if input.shape else input


# Sorting


@adapts("sort")
def _sort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    if not input.shape:
        return input, 0
    fields: dict[str, Any] = {"axis": dim, "descending": descending}
    return ops.sort(input, **fields), ops.argsort(input, **fields)


@adapts("msort")
def _msort(input: Any) -> Any:
    return ops.sort(input, axis=0) if input.shape else input


@adapts("argsort")
def _argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    return ops.argsort(input, axis=dim, descending=descending) if input.shape else 0


@adapts("topk")
def _topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    return tuple(ops.topk(input, k=k, axis=dim, largest=largest)) if input.shape else (input, 0)


@adapts("kthvalue")
def _kthvalue(input: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    if not input.shape:
        return input, 0
    place = ops.take(ops.argsort(input, axis=dim), np.array([k - 1]), axis=dim)
    return picked(input, place, dim, keepdim)


@adapts("unique")
def _unique(
    input: Any,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: Any = None,
) -> Any:
    return ops.unique(
        input,
        return_inverse=return_inverse,
        return_counts=return_counts,
        axis=dim,
        equal_nan=False,
    )


# Statistics


def _middle(op: Any) -> Any:
    """PyTorch's median is the lower of two in the middle."""

    def call(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
        if dim is None:
            return op(input, 0.5, method="lower")
        axis = axis_of(input, dim)
        return op(input, 0.5, axis=axis, method="lower", keepdims=keepdim), None

    return call


adapts("median")(_middle(ops.quantile))
adapts("nanmedian")(_middle(ops.nanquantile))


def _quantile_by(op: Any) -> Any:
    def call(
        input: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear"
    ) -> Any:
        return op(input, q, axis=axis_of(input, dim), keepdims=keepdim, method=interpolation)

    return call


adapts("quantile")(_quantile_by(ops.quantile))
adapts("nanquantile")(_quantile_by(ops.nanquantile))


@adapts("cov")
def _cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    return ops.cov(input, ddof=correction, fweights=fweights, aweights=aweights)


@adapts("corrcoef")
def _corrcoef(input: Any) -> Any:
    return ops.corrcoef(input)


@adapts("bincount")
def _bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    return ops.bincount(input, weights=weights, minlength=minlength)


@adapts("histc")
def _histc(input: Any, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    ends = None if min == max else (min, max)
    return ops.astype(ops.histogram(ops.ravel(input), bins=bins, range=ends)[0], input.dtype)


@adapts("histogram")
def _histogram(
    input: Any, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False
) -> Any:
    flat = None if weight is None else ops.ravel(weight)
    return tuple(
        ops.histogram(ops.ravel(input), bins=bins, range=range, weights=flat, density=density)
    )


@adapts("histogramdd")
def _histogramdd(
    input: Any, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False
) -> Any:
    rows = ops.reshape(input, shape=(-1, input.shape[-1]))
    flat = None if weight is None else ops.ravel(weight)
    ends = None if range is None else list(zip(range[::2], range[1::2], strict=True))
    return tuple(ops.histogramdd(rows, bins=bins, range=ends, weights=flat, density=density))


@adapts("bucketize")
def _bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    return ops.digitize(input, boundaries, right=not right)


@adapts("searchsorted")
def _searchsorted(
    sorted_sequence: Any,
    values: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: Any = None,
    sorter: Any = None,
) -> Any:
    side = ("right" if right else "left") if side is None else side
    return ops.searchsorted(sorted_sequence, values, side=side, sorter=sorter)


@adapts("isin")
def _isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False
) -> Any:
    return ops.isin(elements, test_elements, assume_unique=assume_unique, invert=invert)


# Calculus


@adapts("diff")
def _diff(input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    return ops.diff(input, n=n, axis=dim, prepend=prepend, append=append)


@adapts("gradient")
def _gradient(input: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> Any:
    rank = len(input.shape)
    axes = tuple(range(rank)) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    steps = (
        ()
        if spacing is None
        else tuple(spacing)
        if isinstance(spacing, (list, tuple))
        else (spacing,)
    )
    found = ops.gradient(input, *steps, axis=axes, edge_order=edge_order)
    return found if isinstance(found, (tuple, list)) else (found,)


@adapts("trapezoid", "trapz")
def _trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    return ops.trapezoid(y, x=x, dx=1.0 if dx is None else dx, axis=dim)


@adapts("cumulative_trapezoid")
def _cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    return ops.cumulative_trapezoid(y, x=x, dx=1.0 if dx is None else dx, axis=dim)
