"""Quantiles: ordered rows, and places between their elements."""

from math import nan
from typing import Any

from dimflow import ops
from dimflow.errors import UnitError
from dimflow.ops.rules.shapes import reduced_axes
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.values import constant, floated

# R. J. Hyndman and Y. Fan, Sample quantiles in statistical packages, The American Statistician 50
# (1996): the place of a part q among n values, counted from 0, is q (n + a) + b.
_CONTINUOUS = {
    "interpolated_inverted_cdf": (0.0, -1.0),
    "hazen": (0.0, -0.5),
    "weibull": (1.0, -1.0),
    "linear": (-1.0, 0.0),
    "median_unbiased": (1 / 3, -2 / 3),
    "normal_unbiased": (1 / 4, -5 / 8),
}


def _places(n: Any, q: Any, method: str) -> tuple[Any, Any, Any]:
    """The two neighbours of each place, and the share of the upper one."""
    if method in _CONTINUOUS:
        a, b = _CONTINUOUS[method]
        place = ops.minimum(ops.maximum(ops.add(ops.multiply(q, n + a), b), 0.0), n - 1.0)
        low = ops.floor(place)
        return low, ops.minimum(low + 1, n - 1.0), place - low
    if method not in _STEPPED:
        known = ", ".join((*_CONTINUOUS, *_STEPPED))
        raise UnitError(f"quantile has no method {method!r}", f"it is one of {known}")
    low, high = _STEPPED[method](ops.multiply(q, n), ops.multiply(q, n - 1.0))
    low, high = (ops.minimum(ops.maximum(i, 0.0), n - 1.0) for i in (low, high))
    return low, high, ops.where(ops.equal(low, high), ops.zeros_like(low), 0.5)


def _nearest_even(whole: Any, inner: Any) -> tuple[Any, Any]:
    """The nearest observation; of two, that of even number counted from 1."""
    at = ops.ceil(whole - 0.5)
    tied = ops.logical_and(ops.equal(whole - 0.5, at), ops.equal(ops.remainder(at, 2.0), 0))
    at = ops.where(ops.logical_or(tied, ops.not_equal(whole - 0.5, at)), at, at + 1) - 1
    return at, at


def _same(place: Any) -> tuple[Any, Any]:
    return place, place


# By the places of q in n and in n - 1.
_STEPPED: dict[str, Any] = {
    "inverted_cdf": lambda whole, inner: _same(ops.ceil(whole) - 1),
    "averaged_inverted_cdf": lambda whole, inner: (ops.ceil(whole) - 1, ops.floor(whole)),
    "closest_observation": _nearest_even,
    "lower": lambda whole, inner: _same(ops.floor(inner)),
    "higher": lambda whole, inner: _same(ops.ceil(inner)),
    "midpoint": lambda whole, inner: (ops.floor(inner), ops.ceil(inner)),
    "nearest": lambda whole, inner: _same(ops.round(inner)),
}


def _rows(x: Any, axes: tuple[int, ...]) -> Any:
    """What is reduced together as the last axis."""
    shape = shape_of(x)
    others = tuple(i for i in range(len(shape)) if i not in axes)
    moved = ops.permute_dims(x, axes=(*others, *axes))
    return ops.reshape(moved, shape=(*(shape[i] for i in others), -1))


def _between(low: Any, high: Any, share: Any) -> Any:
    """From the nearer end; two infinite ones have nothing between them."""
    equal = ops.equal(low, high)
    step = ops.where(equal, 0.0, high - low)
    near = ops.less(share, 0.5)
    return ops.where(near, low + step * share, high - step * (1 - share))


def _found(rows: Any, q: Any, method: str, skips_nan: bool) -> Any:
    """The quantiles of each row, along a last axis."""
    order = ops.argsort(rows, axis=-1)
    ordered = ops.take_along_axis(rows, order, axis=-1)
    n: Any = shape_of(rows)[-1]
    missing = ops.isnan(rows)
    if skips_nan:
        present = ops.count_nonzero(ops.logical_not(missing), axis=-1, keepdims=True)
        n = ops.maximum(ops.astype(present, q.dtype), 1.0)
    low, high, share = _places(n, q, method)
    shape = (*shape_of(rows)[:-1], shape_of(q)[0])
    low, high = (
        ops.take_along_axis(
            ordered, ops.broadcast_to(ops.astype(i, order.dtype), shape=shape), axis=-1
        )
        for i in (low, high)
    )
    found = _between(low, high, share)
    if skips_nan:
        return found
    return ops.where(ops.any(missing, axis=-1, keepdims=True), nan, found)


def _weighted(rows: Any, weights: Any, q: Any, method: str) -> Any:
    """The first element up to which the weights reach the part q."""
    if method != "inverted_cdf":
        raise UnitError(f"quantile with weights has no method {method!r}", "use 'inverted_cdf'")
    order = ops.argsort(rows, axis=-1)
    ordered, weights = (ops.take_along_axis(a, order, axis=-1) for a in (rows, weights))
    reached = ops.cumulative_sum(weights, axis=-1)
    reached = reached / reached[..., -1:]
    reached = ops.where(ops.equal(reached, 0), -1.0, reached)  # no weight, no quantile
    short = ops.less(reached[..., None, :], q[:, None])
    place = ops.minimum(ops.count_nonzero(short, axis=-1), shape_of(rows)[-1] - 1)
    found = ops.take_along_axis(ordered, place, axis=-1)
    return ops.where(ops.any(ops.isnan(rows), axis=-1, keepdims=True), nan, found)


def _quantile(
    x: Any,
    q: Any,
    axis: Any,
    method: str,
    keepdims: bool,
    weights: Any,
    scale: float = 1.0,
    skips_nan: bool = False,
) -> Any:
    x = floated(x)
    shape, shape_q = shape_of(x), shape_of(q)
    axes = reduced_axes(axis, len(shape))
    q = floated(q) if hasattr(q, "dtype") else constant(float(q), x)
    parts = ops.divide(ops.reshape(q, shape=(-1,)), scale) if scale != 1 else _flat(q)
    parts = ops.add(parts, ops.zeros_like(x, dtype=parts.dtype, shape=(1,)))  # of x's library
    if weights is None:
        found = _found(_rows(x, axes), parts, method, skips_nan)
    else:
        if len(shape_of(weights)) == 1 and len(axes) == 1:
            weights = ops.reshape(
                weights, shape=[-1 if i in axes else 1 for i in range(len(shape))]
            )
        weights = ops.broadcast_to(weights, shape=shape)
        found = _weighted(_rows(x, axes), _rows(weights, axes), parts, method)
    kept = tuple(1 if i in axes else n for i, n in enumerate(shape) if keepdims or i not in axes)
    return ops.reshape(ops.moveaxis(found, source=-1, destination=0), shape=(*shape_q, *kept))


def _flat(q: Any) -> Any:
    return ops.reshape(q, shape=(-1,))


def quantile(
    x: Any,
    q: Any,
    axis: Any = None,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Any:
    """nan where any element is."""
    return _quantile(x, q, axis, method, keepdims, weights)


def percentile(
    x: Any,
    q: Any,
    axis: Any = None,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Any:
    """A quantile of q / 100."""
    return _quantile(x, q, axis, method, keepdims, weights, 100.0)


def nanquantile(
    x: Any,
    q: Any,
    axis: Any = None,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Any:
    """Of ordered rows, in which nan comes last, the part that is numbers."""
    _no_weights("nanquantile", weights)
    return _quantile(x, q, axis, method, keepdims, None, skips_nan=True)


def nanpercentile(
    x: Any,
    q: Any,
    axis: Any = None,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Any:
    """A quantile of q / 100."""
    _no_weights("nanpercentile", weights)
    return _quantile(x, q, axis, method, keepdims, None, 100.0, skips_nan=True)


def _no_weights(name: str, weights: Any) -> None:
    if weights is not None:
        raise UnitError(f"{name} takes no weights here", "leave nan out first: x[~isnan(x)]")


def median(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The quantile of one half."""
    return ops.quantile(x, 0.5, axis=axis, keepdims=keepdims)


def nanmedian(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The quantile of one half."""
    return ops.nanquantile(x, 0.5, axis=axis, keepdims=keepdims)
