"""Statistics: weighted averages, covariance, correlation."""

from math import prod
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import PointError, ShapeMismatch
from dimflow.ops.definitions import reductions as definitions
from dimflow.ops.domain import Sample
from dimflow.ops.families.reduce.parts import arrayed, is_complex, kept, plus, reducing
from dimflow.ops.families.shape.shaping import static_shape
from dimflow.ops.rules import costs, points
from dimflow.ops.rules.derivatives import Jvp
from dimflow.ops.rules.dtypes import result_type
from dimflow.ops.rules.points import PointRule
from dimflow.ops.rules.shapes import reduced, reduced_axes, same_shape
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import (
    PURE,
    ZERO,
    Call,
    Resolved,
    UnitRule,
    common,
    pure,
    to,
    unit_of,
    unit_rule,
)
from dimflow.ops.table import composite, primitive


def of_first(policy: PointRule) -> PointRule:
    """A policy for points in the first argument alone; a bare 0 elsewhere is just a number."""

    def resolved(rule: UnitRule, call: Call) -> Resolved:
        first, *others = call.units
        for i, unit in enumerate(call.units):
            if i and getattr(unit, "law", None) is not None:
                what = f"{call.op.name} by {call.argument(i)}"
                raise PointError(what, unit, f"convert {call.argument(i)} to a linear unit first")
        numbers = (PURE if unit is ZERO else unit for unit in others)
        return policy(rule, call._replace(units=(first, *numbers)))

    return resolved


# Averages


@unit_rule
def _weighted(call: Call) -> Resolved:
    """Weights of any unit: only their ratios count."""
    return Resolved(to(call, None), unit_of(call, 0))


def _weighted_mean_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    (x, weights), (t, t_weights) = args, tangents
    axis, keepdims = params["axis"], params["keepdims"]
    shape = shape_of(x)
    change = None if t is None else weights * t
    if t_weights is not None:
        change = plus(change, (x - kept(out, shape, params)) * t_weights)
    total = ops.sum(ops.broadcast_to(weights, shape=shape), axis=axis, keepdims=keepdims)
    return ops.sum(ops.broadcast_to(change, shape=shape), axis=axis, keepdims=keepdims) / total


def _averaged_dtype(given: Any, params: Any) -> Any:
    import numpy as np

    x, weights = (np.ones(2, result_type((d,))) for d in given)
    return np.average(x, weights=weights).dtype


def _weighted_samples(rng: Any) -> list[Sample]:
    x, w = rng.normal(size=(2, 3, 4)), rng.uniform(0.5, 2.0, (2, 3, 4))
    return [
        Sample((x, w), {"axis": None}),
        Sample((x, w), {"axis": (0, 2), "keepdims": True}),
        Sample((x, w[0, 0]), {"axis": -1}),
    ]


primitive(
    "weighted_mean",
    doc="The mean along axes with weights, which are broadcast to the array and may have any unit.",
    signature="x, weights, /, axis=None, *, keepdims=False",
    unit=_weighted,
    points=of_first(points.blend),
    shape=reduced,
    dtype=_averaged_dtype,
    derivative=Jvp(_weighted_mean_jvp),
    batching=reducing,
    cost=costs.per_input(3),
    numpy="",
    definition=definitions.weighted_mean,
    domain=_weighted_samples,
)


def _aligned(weights: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """Weights of the array's shape, or of the shape of the averaged axes, laid along these."""
    if same_shape(shape_of(weights), shape):
        return weights
    axes = reduced_axes(axis, len(shape))
    lengths = tuple(shape[a] for a in axes)
    if axis is None or shape_of(weights) != lengths:
        wanted = f"weights of shape {shape}" + ("" if axis is None else f" or {lengths}")
        raise ShapeMismatch("average", wanted, shape_of(weights))
    order = sorted(range(len(axes)), key=lambda i: axes[i])
    weights = ops.permute_dims(weights, axes=tuple(order))
    return ops.reshape(weights, shape=tuple(n if i in axes else 1 for i, n in enumerate(shape)))


@composite(
    numpy="average",
    arrays=("x", "weights"),
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)),), {"axis": 1}),
        Sample((rng.normal(size=(2, 3)), rng.uniform(0.5, 2.0, (2, 3)))),
        Sample((rng.normal(size=(2, 3)), rng.uniform(0.5, 2.0, 3)), {"axis": 1, "keepdims": True}),
        Sample((rng.normal(size=(2, 3)), rng.uniform(0.5, 2.0, 2)), {"axis": 0, "returned": True}),
    ],
)
def average(
    x: Any,
    /,
    axis: Any = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """The mean along axes, with weights of any unit; and the sum of the weights if `returned`."""
    x, weights = arrayed(x), arrayed(weights)
    shape = shape_of(x)
    if weights is None:
        mean = ops.mean(x, axis=axis, keepdims=keepdims)
        count = prod(shape[a] for a in reduced_axes(axis, len(shape)))
        return (mean, np.full(shape_of(mean), float(count))[()]) if returned else mean
    weights = _aligned(weights, shape, axis)
    mean = ops.weighted_mean(x, weights, axis=axis, keepdims=keepdims)
    if not returned:
        return mean
    return mean, ops.sum(ops.broadcast_to(weights, shape=shape), axis=axis, keepdims=keepdims)


# Covariance


def _variables(x: Any, rowvar: bool) -> Any:
    """One variable a row."""
    shape = shape_of(x)
    if len(shape) > 2:
        raise ShapeMismatch("cov", "an array of one or two axes", shape)
    if len(shape) < 2:
        return ops.reshape(x, shape=(1, prod(shape)))
    return x if rowvar else ops.matrix_transpose(x)


def _off(table: Any, weights: Any) -> Any:
    """Each row less its mean."""
    if weights is None:
        return table - ops.mean(table, axis=1, keepdims=True)
    return table - ops.weighted_mean(table, weights, axis=1, keepdims=True)


def _conj(x: Any) -> Any:
    return ops.conj(x) if is_complex(x) else x


@unit_rule
def _cov_unit(call: Call) -> Resolved:
    """The square, of rows in one unit; counts are pure, and of other weights the ratios count."""
    pure(call, 2)
    unit = common(call, (0, 1))
    return Resolved((unit, unit, None, None), unit.delta**2)


def _cov_points(rule: UnitRule, call: Call) -> Resolved:
    """Points in the variables, not in the weights."""
    variables = points.delta(rule, call)
    of_first(points.free)(rule, call._replace(units=(PURE, *call.units[2:])))
    return variables


def _weights(fweights: Any, aweights: Any) -> Any:
    if fweights is None or aweights is None:
        return aweights if fweights is None else fweights
    return ops.multiply(fweights, aweights)


def _cov_samples(rng: Any) -> list[Sample]:
    x, y = rng.normal(size=(3, 5)), rng.normal(size=(2, 5))
    counts, weights = rng.integers(1, 4, 5), rng.uniform(0.5, 2.0, 5)
    return [
        Sample((x,)),
        Sample((x[0],), {"bias": True}),
        Sample((x, y), {"ddof": 2}),
        Sample((x.T,), {"rowvar": False}),
        Sample((x, None, counts, weights)),
    ]


@composite(
    numpy="cov",
    torch="cov",
    arrays=("x", "y", "fweights", "aweights"),
    unit=_cov_unit,
    points=_cov_points,
    domain=_cov_samples,
)
def cov(
    x: Any,
    y: Any = None,
    /,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """The covariance matrix of rows that have one unit: in its square."""
    table = _variables(x, rowvar)
    if y is not None:
        table = ops.concat([table, _variables(y, rowvar)], axis=0)
    if dtype is not None:
        table = ops.astype(table, dtype)
    weights = _weights(fweights, aweights)
    ddof = (0 if bias else 1) if ddof is None else ddof
    off = _off(table, weights)
    total = static_shape(table, "cov", 1)[1] if weights is None else ops.sum(weights)
    divisor = total
    if aweights is not None and ddof:
        divisor = total - ops.divide(ddof * ops.sum(ops.multiply(weights, aweights)), total)
    elif ddof:
        divisor = total - ddof
    scaled = off if weights is None else ops.multiply(off, weights)
    return ops.squeeze(ops.matmul(scaled, ops.matrix_transpose(_conj(off))) / divisor)


@unit_rule
def _corrcoef_unit(call: Call) -> Resolved:
    """A pure number whatever the units: each row is divided by its own spread."""
    return Resolved(to(call, None), PURE)


def _normalized(table: Any) -> Any:
    """Rows of mean 0 and length 1."""
    off = _off(table, None)
    square = ops.real(off * ops.conj(off)) if is_complex(off) else off * off
    return off / ops.sqrt(ops.sum(square, axis=1, keepdims=True))


@composite(
    numpy="corrcoef",
    torch="corrcoef",
    arrays=("x", "y"),
    unit=_corrcoef_unit,
    points=points.delta,
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 5)),)),
        Sample((rng.normal(size=5), rng.normal(size=5))),
        Sample((rng.normal(size=(5, 2)),), {"rowvar": False}),
    ],
)
def corrcoef(x: Any, y: Any = None, /, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """Correlation coefficients of rows; x and y may have different dimensions."""
    rows = _normalized(_variables(x, rowvar))
    if y is not None:
        rows = ops.concat([rows, _normalized(_variables(y, rowvar))], axis=0)
    if dtype is not None:
        rows = ops.astype(rows, dtype)
    found = ops.matmul(rows, ops.matrix_transpose(_conj(rows)))
    if not is_complex(found):
        found = ops.clip(found, -1, 1)
    return ops.squeeze(found)
