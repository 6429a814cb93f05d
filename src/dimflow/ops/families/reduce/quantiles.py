"""Median, quantiles and percentiles."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import UnitError
from dimflow.ops.definitions import quantiles as definitions
from dimflow.ops.domain import Sample, Samples
from dimflow.ops.families.reduce.parts import as_numpy, plus, rows, samples, with_nan
from dimflow.ops.families.reduce.statistics import of_first
from dimflow.ops.rules import batching, costs, points
from dimflow.ops.rules.batching import ndim, to_front
from dimflow.ops.rules.derivatives import Jvp
from dimflow.ops.rules.dtypes import DtypeRule, result_type
from dimflow.ops.rules.shapes import normalized, reduced_axes, without
from dimflow.ops.rules.shapes import reduced as reduced_shape
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import PURE, Call, Resolved, pure, same, unit_of, unit_rule
from dimflow.ops.table import primitive

# Of methods that run through all values: how far the place moves with q, beside the count itself.
_MOVES = {
    "linear": -1.0,
    "hazen": 0.0,
    "weibull": 1.0,
    "median_unbiased": 1.0 / 3.0,
    "normal_unbiased": 0.25,
    "interpolated_inverted_cdf": 0.0,
}


def _places(ordered: Any, q: Any, method: str, skips_nan: bool) -> Any:
    """Where in each ordered row the quantiles lie: what the op gives for 0, 1, 2, ...

    Every method is linear between neighbours, so this says which two count, and by how much.
    """
    shape = shape_of(ordered)
    places = np.arange(float(shape[-1]))
    if not skips_nan:
        found = ops.quantile(places, q, method=method)
        return ops.broadcast_to(found, shape=(*shape[:-1], *shape_of(found)))
    numbered = ops.where(ops.isnan(ordered), np.nan, places)
    found = ops.nanquantile(numbered, q, axis=-1, method=method)
    found = ops.where(ops.isnan(found), 0.0, found)
    return ops.moveaxis(found, source=0, destination=-1) if shape_of(q) else found


def _at(ordered: Any, places: Any) -> Any:
    """The elements of each row at whole places."""
    return ops.take_along_axis(ordered, ops.astype(places, np.intp), axis=-1)


def _picked_jvp(x: Any, t: Any, out: Any) -> Any:
    """The mean tangent of the elements of a row that a quantile equals. Quantiles come first."""
    picked = ops.equal(x, out[..., None])
    total = ops.sum(ops.where(picked, t, 0), axis=-1)
    return ops.divide(total, ops.count_nonzero(picked, axis=-1))


def _placed_jvp(x: Any, q: Any, tangents: Any, method: str, skips_nan: bool, unit_q: float) -> Any:
    """The tangents of the two neighbours of each place; quantiles come last."""
    t, t_q = tangents
    order = ops.argsort(x, axis=-1)
    ordered = ops.take_along_axis(x, order, axis=-1)
    places = _places(ordered, q, method, skips_nan)
    count = ops.count_nonzero(ops.logical_not(ops.isnan(x)), axis=-1, keepdims=True)
    low = ops.floor(places)
    high = ops.minimum(low + 1, shape_of(x)[-1] - 1)
    share = places - low
    change = None
    if t is not None:
        moved = ops.take_along_axis(t, order, axis=-1)
        lower, upper = (
            ops.multiply(_at(moved, i), w) for i, w in ((low, 1 - share), (high, share))
        )
        change = lower + only_if(share, upper)
    if t_q is not None and method in _MOVES:
        inside = ops.logical_and(ops.greater(places, 0), ops.less(places, count - 1))
        speed = ops.where(inside, ops.add(count, _MOVES[method]), 0.0) * unit_q
        step = _at(ordered, high) - _at(ordered, low)
        change = plus(change, only_if(inside, step * speed * t_q))
    return change


def only_if(condition: Any, value: Any) -> Any:
    """The value where the condition is not zero: keeps out nan beside places that do not count."""
    return ops.where(ops.not_equal(condition, 0), value, 0)


def _jvp(skips_nan: bool, unit_q: float) -> Jvp:
    def change(tangents: Any, out: Any, args: Any, params: Any) -> Any:
        x, q, weights = args
        axis, shape, shape_q = params["axis"], shape_of(x), shape_of(q)
        if 0 in shape:
            return ops.zeros_like(out)  # no element has a place
        axes = reduced_axes(axis, len(shape))
        groups = tuple(n for i, n in enumerate(shape) if i not in axes)
        x = rows(x, axis)
        t = None if tangents[0] is None else rows(tangents[0], axis)
        if weights is not None:  # q and weights only decide which element is picked
            if t is None:
                return ops.zeros_like(out)
            flat = ops.reshape(out, shape=(*shape_q, *groups))
            found = _picked_jvp(x, t, flat)
            return ops.reshape(found, shape=shape_of(out))
        flat_q: Any = ops.reshape(q, shape=(-1,))
        t_q = None if tangents[1] is None else ops.reshape(tangents[1], shape=(-1,))
        found = _placed_jvp(x, flat_q * unit_q, (t, t_q), params["method"], skips_nan, unit_q)
        if found is None:
            return ops.zeros_like(out)
        found = ops.moveaxis(found, source=-1, destination=0)
        return ops.reshape(found, shape=shape_of(out))

    return Jvp(change)


def _median_jvp(skips_nan: bool) -> Jvp:
    def change(tangents: Any, out: Any, args: Any, params: Any) -> Any:
        if 0 in shape_of(args[0]):
            return ops.zeros_like(out)
        x, t = (rows(a, params["axis"]) for a in (args[0], tangents[0]))
        found = _placed_jvp(x, np.array([0.5]), (t, None), "linear", skips_nan, 1.0)
        return ops.reshape(found, shape=shape_of(out))

    return Jvp(change)


@unit_rule
def _quantile_unit(call: Call) -> Resolved:
    pure(call, 1)
    return Resolved((None, PURE, None), unit_of(call, 0))


@unit_rule
def _percentile_unit(call: Call) -> Resolved:
    """q counts percent as NumPy has it, so one that brings its own unit would be counted twice."""
    pure(call, 1)
    unit = unit_of(call, 1)
    if unit.key is not PURE.key:
        name = call.op.name.replace("percentile", "quantile")
        raise UnitError(
            f"{call.op.name} takes q as a bare number of percent, but got one in {unit}",
            f"{name}(x, q) takes q with its unit",
        )
    return Resolved((None, None, None), unit_of(call, 0))


def _shape(shapes: Any, params: Any) -> Any:
    return (*shapes[1], *without(shapes[0], params["axis"], params["keepdims"]))


def _dtype(name: str) -> DtypeRule:
    """That of NumPy's function, for which a bare number as q adapts to x."""

    def rule(given: Any, params: Any) -> Any:
        x, q = np.ones(2, result_type(given[:1])), given[1]
        zero = q(0) if isinstance(q, type) else np.zeros(1, q)
        return np.asarray(getattr(np, name)(x, zero, method=params["method"])).dtype

    return rule


def _batching(op: Any, args: Any, dims: Any, params: Any) -> Any:
    x, q, weights = args
    if weights is not None or dims[1] is not None or dims[0] is None:
        return batching.looped(op, args, dims, params)
    x = to_front(x, dims[0])
    axes = tuple(a + 1 for a in normalized(params["axis"], ndim(x) - 1))
    return op.run((x, q, None), {**params, "axis": axes}), ndim(q)


def _samples(scale: float, weighted: bool) -> Samples:
    def drawn(rng: Any) -> list[Sample]:
        x = rng.normal(size=(2, 3, 4))
        q = rng.uniform(0.1, 0.9, 2) * scale
        found = [
            Sample((x, q), {"axis": None}),
            Sample((x, q), {"axis": 1, "method": "hazen"}),
            Sample((x, q[0]), {"axis": (0, 2), "keepdims": True}),
            Sample((x[0, 0], q), {"method": "median_unbiased"}),
        ]
        if scale != 1:  # q is a bare number
            found = [s._replace(units=("m", None, None)) for s in found]
        if weighted:
            units, weighted_units = (None, None) if scale == 1 else (("m", None), ("m", None, "kg"))
            weights = rng.uniform(0.5, 2.0, 4)
            found += [
                Sample((x, q), {"axis": -1, "method": "inverted_cdf"}, units),
                Sample((x, q, weights), {"axis": -1, "method": "inverted_cdf"}, weighted_units),
            ]
        return found

    return drawn


for _name, _scale, _skips, _unit, _doc in (
    ("quantile", 1.0, False, _quantile_unit, "The value below which a part q of all values lies"),
    ("percentile", 100.0, False, _percentile_unit, "The value below which q percent of all lie"),
    ("nanquantile", 1.0, True, _quantile_unit, "The quantile of elements that are not nan"),
    ("nanpercentile", 100.0, True, _percentile_unit, "The percentile of elements that are not nan"),
):
    primitive(
        _name,
        doc=f"{_doc}, along axes. The axes of q come first.",
        signature='x, q, /, axis=None, method="linear", keepdims=False, *, weights=None',
        arrays=("x", "q", "weights"),
        unit=_unit,
        points=of_first(points.blend),
        shape=_shape,
        dtype=_dtype(_name),
        derivative=_jvp(_skips, 1 / _scale),
        batching=_batching,
        cost=costs.per_input(20),
        torch=_name if "quantile" in _name else None,
        definition=getattr(definitions, _name),
        domain=with_nan(_samples(_scale, False)) if _skips else _samples(_scale, True),
    )

for _name, _skips in (("median", False), ("nanmedian", True)):
    primitive(
        _name,
        doc=f"The median along axes{' of elements that are not nan' if _skips else ''}.",
        signature="x, /, axis=None, *, keepdims=False",
        unit=same,
        points=points.blend,
        shape=reduced_shape,
        dtype=as_numpy(np.median),
        derivative=_median_jvp(_skips),
        batching=batching.along_axis,
        cost=costs.per_input(10),
        definition=getattr(definitions, _name),
        domain=with_nan(samples) if _skips else samples,
    )
