"""Reductions and scans that are compositions of others."""

from math import inf, nan
from typing import Any

from dimflow import ops
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.shapes import normalized, reduced_axes
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.values import counted, floated


def part(ndim: int, axis: int, start: int | None, stop: int | None) -> tuple[Any, ...]:
    """The whole key of a part along one axis."""
    return tuple(slice(start, stop) if i == axis else slice(None) for i in range(ndim))


def line(x: Any, axis: int | None) -> tuple[Any, int]:
    """The array and the axis that a scan runs along."""
    if axis is None:
        return ops.reshape(x, shape=(-1,)), 0
    return x, normalized(axis, len(shape_of(x)))[0]


def logsumexp(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Less the maximum before exp, which is added again after log."""
    x = floated(x)
    shape = shape_of(x)
    axes = reduced_axes(axis, len(shape))
    if any(shape[a] == 0 for a in axes):
        return ops.log(ops.sum(ops.exp(x), axis=axis, keepdims=keepdims))
    highest = ops.max(ops.real(x), axis=axes, keepdims=True)
    highest = ops.where(ops.isfinite(highest), highest, 0.0)
    result = ops.log(ops.sum(ops.exp(x - highest), axis=axes, keepdims=True)) + highest
    return result if keepdims else ops.squeeze(result, axis=axes)


def prod_of_others(x: Any, axis: int = -1) -> Any:
    """What stands before each element, multiplied up, times what stands after it."""
    x = counted(x)
    (axis,) = normalized(axis, len(shape_of(x)))
    before = _shifted_product(x, axis)
    after = ops.flip(_shifted_product(ops.flip(x, axis=axis), axis), axis=axis)
    return before * after


def _shifted_product(x: Any, axis: int) -> Any:
    ndim = len(shape_of(x))
    found = ops.cumulative_prod(x, axis=axis, include_initial=True)
    return found[part(ndim, axis, 0, shape_of(x)[axis])]


# Without nan


def _without_nan(pick: str, worst: float, x: Any, options: dict[str, Any]) -> Any:
    """nan where nothing else is left, and no start was given."""
    if kind_of(x) not in "fc":
        return ops.get(pick)(x, **options)
    missing = ops.isnan(x)
    found = ops.get(pick)(ops.where(missing, worst, x), **options)
    if options["initial"] is not None:
        return found
    shape = {"axis": options["axis"], "keepdims": options["keepdims"]}
    return ops.where(ops.all(missing, **shape, where=options["where"]), nan, found)


def nanmax(
    x: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    """nan where no element is a number."""
    options = {"axis": axis, "keepdims": keepdims, "initial": initial, "where": where}
    return _without_nan("max", -inf, x, options)


def nanmin(
    x: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    """nan where no element is a number."""
    options = {"axis": axis, "keepdims": keepdims, "initial": initial, "where": where}
    return _without_nan("min", inf, x, options)


def nanargmax(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The first where no element is a number; NumPy's kernel raises."""
    x = ops.where(ops.isnan(x), -inf, x) if kind_of(x) == "f" else x
    return ops.argmax(x, axis=axis, keepdims=keepdims)


def nanargmin(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The first where no element is a number; NumPy's kernel raises."""
    x = ops.where(ops.isnan(x), inf, x) if kind_of(x) == "f" else x
    return ops.argmin(x, axis=axis, keepdims=keepdims)


# Scans


def scanned(x: Any, axis: int | None, join: Any) -> Any:
    """Each element joined with all before it, in log2(n) steps (Hillis and Steele 1986)."""
    x, axis = line(x, axis)
    shape = shape_of(x)
    by, n, ndim = 1, shape[axis], len(shape)
    while by < n:
        first, early = x[part(ndim, axis, 0, by)], x[part(ndim, axis, 0, n - by)]
        x = ops.concat([first, join(early, x[part(ndim, axis, by, n)])], axis=axis)
        by *= 2
    return x


def cummax(x: Any, axis: int | None = None) -> Any:
    """Running maxima."""
    return scanned(x, axis, ops.logical_or if kind_of(x) == "b" else ops.maximum)


def cummin(x: Any, axis: int | None = None) -> Any:
    """Running minima."""
    return scanned(x, axis, ops.logical_and if kind_of(x) == "b" else ops.minimum)


def logcumsumexp(x: Any, axis: int | None = None) -> Any:
    """By logaddexp, which never leaves the scale of its arguments."""
    return scanned(floated(x), axis, ops.logaddexp)


def weighted_mean(x: Any, weights: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The sum of products over the sum of weights."""
    weights = ops.broadcast_to(weights, shape=shape_of(x))
    total = ops.sum(ops.multiply(x, weights), axis=axis, keepdims=keepdims)
    return ops.divide(total, ops.sum(weights, axis=axis, keepdims=keepdims))


def count_nonzero(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The sum of truth values."""
    return ops.sum(ops.where(x, 1, 0), axis=axis, keepdims=keepdims)
