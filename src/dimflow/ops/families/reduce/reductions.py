"""Reductions: one value from many, along axes."""

from math import inf
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import PointError, UnitError
from dimflow.ops.definitions import reductions as definitions
from dimflow.ops.domain import Sample
from dimflow.ops.families.reduce.parts import (
    as_numpy,
    counted,
    flattening,
    is_complex,
    kept,
    masked,
    np_mask,
    only,
    plus,
    reducing,
    rows,
    samples,
    stretched,
    with_initial,
    with_mask,
)
from dimflow.ops.rules import batching, costs, dtypes, points
from dimflow.ops.rules.derivatives import DISCRETE, Jvp, Linear
from dimflow.ops.rules.shapes import length, reduced, unchanged
from dimflow.ops.rules.transposition import shape_of, unbroadcast
from dimflow.ops.rules.units import (
    PURE,
    Call,
    Resolved,
    UnitRule,
    any_to_mask,
    any_to_plain,
    common,
    pure,
    pure_to_pure,
    same,
    to,
    unit_of,
    unit_rule,
)
from dimflow.ops.standard import adapters
from dimflow.ops.table import composite, primitive
from dimflow.units import Unit
from dimflow.units.meaning import Affine

_FOLD = "x, /, axis=None, dtype=None, *, keepdims=False, initial=None, where=None"
_PICK = "x, /, axis=None, *, keepdims=False, initial=None, where=None"
_INITIAL = ("x", "initial", "where")


def sum_of_points(rule: UnitRule, call: Call) -> Resolved:
    """Refused, with the way that most who sum temperatures look for."""
    try:
        return points.refuse(rule, call)
    except PointError as error:
        if isinstance(error.unit.law, Affine):
            error.hint = f"the mean of points is a point: x.mean(); or {error.hint}"
        raise


def _sum_transpose(ct: Any, args: Any, params: Any) -> Any:
    x, initial, where = args
    back = None if initial is None else unbroadcast(ct, initial)
    return only(where, stretched(ct, x, params)), back, None


primitive(
    "sum",
    doc="The sum of elements along axes.",
    signature=_FOLD,
    arrays=_INITIAL,
    unit=masked(same),
    points=sum_of_points,
    shape=reduced,
    dtype=with_initial(np.sum),
    derivative=Linear(_sum_transpose, (0, 1)),
    batching=reducing,
    cost=costs.per_input(1),
    array_api=("sum", adapters.fold("sum", 0, "add")),
    torch="sum",
    onnx="ReduceSum",
    domain=lambda rng: [*with_mask(rng), Sample((rng.normal(size=4), rng.normal()))],
)


_UNTOLD = "this shape does not tell"


def _power_unit(call: Call, count: int | None, hidden: str, factor: Unit = PURE) -> Resolved:
    """The unit to the number of factors; only pure numbers if nobody knows the number."""
    unit = unit_of(call, 0)
    if count is not None:
        return Resolved(to(call, None), unit**count * factor)
    if not unit.dimension.without_angle().is_dimensionless:
        also = "; a lazy array learns its lengths by x.compute_chunk_sizes()"
        also = also if hidden is _UNTOLD else ""
        raise UnitError(
            f"{call.op.name} of {unit} needs the number of factors, which {hidden}",
            f"divide by a reference value first, so that the factors are pure numbers{also}",
        )
    pure(call, 0)
    return Resolved(to(call, PURE, None)[: len(call.units)], factor)


@unit_rule(params=True, shapes=True)
def _prod_unit(call: Call) -> Resolved:
    if call.units[2] is not None:
        return unknown_power(call, "a mask hides")
    count = length(call.shapes[0], call.params["axis"])
    return _power_unit(call, count, _UNTOLD, unit_of(call, 1))


def unknown_power(call: Call, hidden: str) -> Resolved:
    """Pure numbers alone, for `(x, initial, where)`."""
    return _power_unit(call, None, hidden, unit_of(call, 1))


def _prod_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    x, initial, where = args
    t, t_initial, _ = tangents
    axis = params["axis"]
    if where is not None:
        x = ops.where(where, x, 1)  # pure numbers, or the rule had refused
    change = None
    if t is not None:
        others = ops.prod_of_others(rows(x, axis), axis=-1)
        change = ops.sum(rows(only(where, t), axis) * others, axis=-1)
        change = ops.reshape(change, shape=shape_of(out))
        change = change if initial is None else change * initial
    if t_initial is not None:
        rest = ops.prod(x, axis=axis, keepdims=params["keepdims"])
        change = plus(change, t_initial * rest)
    return change


primitive(
    "prod",
    doc="The product of elements along axes. The unit is raised to their number.",
    signature=_FOLD,
    arrays=_INITIAL,
    unit=_prod_unit,
    shape=reduced,
    dtype=with_initial(np.prod),
    derivative=Jvp(_prod_jvp),
    batching=reducing,
    cost=costs.per_input(1),
    array_api=("prod", adapters.fold("prod", 1, "multiply")),
    torch="prod",
    onnx="ReduceProd",
    domain=lambda rng: [*with_mask(rng), Sample((rng.normal(size=4), rng.normal()))],
)


@unit_rule(params=True, shapes=True)
def _others_unit(call: Call) -> Resolved:
    count = length(call.shapes[0], call.params["axis"])
    return _power_unit(call, count and count - 1, _UNTOLD)


def _others_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """By the product of all others but one, for each pair: n² elements, at the second order."""
    axis = params["axis"]
    x, t = (ops.moveaxis(a, source=axis, destination=-1) for a in (args[0], tangents[0]))
    n = shape_of(x)[-1]
    places = [[j for j in range(n) if j != i] for i in range(n)]
    others = np.array(places, int).reshape(n, max(n - 1, 0))
    x, t = (ops.take(a, others, axis=len(shape_of(a)) - 1) for a in (x, t))
    change = ops.sum(t * ops.prod_of_others(x, axis=-1), axis=-1)
    return ops.moveaxis(change, source=-1, destination=axis)


primitive(
    "prod_of_others",
    doc="For each element the product of all others along an axis; zeros do no harm.",
    signature="x, /, axis=-1",
    unit=_others_unit,
    shape=unchanged,
    dtype=as_numpy(np.prod),
    derivative=Jvp(_others_jvp),
    batching=flattening,
    cost=costs.per_input(3),
    numpy="",
    definition=definitions.prod_of_others,
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)),), {"axis": -1}),
        Sample((rng.normal(size=(3, 2)),), {"axis": 0}),
        Sample((np.array([0.0, 2.0, 3.0]),), {"axis": 0}),
    ],
)


def _mean_transpose(ct: Any, args: Any, params: Any) -> Any:
    x, where = args
    return only(where, stretched(ops.divide(ct, counted(x, where, params)), x, params)), None


primitive(
    "mean",
    doc="The arithmetic mean along axes. The mean of points on a scale (°C) is a point.",
    signature="x, /, axis=None, dtype=None, *, keepdims=False, where=None",
    arrays=("x", "where"),
    unit=masked(same),
    points=points.blend,
    shape=reduced,
    dtype=as_numpy(np.mean),
    derivative=Linear(_mean_transpose, (0,)),
    batching=reducing,
    cost=costs.per_input(1),
    array_api=("mean", adapters.mean),
    torch="mean",
    onnx="ReduceMean",
    domain=lambda rng: _masked_last(with_mask(rng)),
)


def _masked_last(found: list[Sample]) -> list[Sample]:
    """Samples for ops that have no `initial`."""
    return [s._replace(args=s.args[:1] + s.args[2:]) for s in found]


# Spread about the mean


def spread(exponent: int) -> UnitRule:
    """A power of the unit of differences, for `(x, mean, where)`."""

    @unit_rule
    def rule(call: Call) -> Resolved:
        unit = common(call)
        return Resolved(to(call, unit), unit.delta**exponent)

    return masked(rule)


def _var_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    x, mean, where = args
    t, t_mean, _ = tangents
    axis, keepdims = params["axis"], params["keepdims"]
    if mean is None:
        mean = ops.mean(x, axis=axis, keepdims=True, where=where)
    off = only(where, x - mean)
    move = plus(t, None if t_mean is None else -t_mean)
    product = ops.real(ops.conj(off) * move) if is_complex(x) else off * move
    count = counted(x, where, params) - params["ddof"]
    return ops.divide(2 * ops.sum(product, axis=axis, keepdims=keepdims), count)


def _std_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """Zero where all elements are equal, as that of abs(x) at 0."""
    return _var_jvp(tangents, out, args, params) / (2 * ops.where(out == 0, inf, out))


def _spread_samples(rng: Any) -> list[Sample]:
    x = rng.normal(size=(2, 3))
    found = [s for s in with_mask(rng) if len(s.args) < 3]
    mask = with_mask(rng)[-1]
    return [
        *found,
        mask,
        Sample((x,), {"axis": 1, "ddof": 1}),
        Sample((x, x.mean(1, keepdims=True)), {"axis": 1}),
    ]


for _name, _exponent, _jvp, _doc in (
    ("var", 2, _var_jvp, "The variance along axes: in the square of the unit, of differences."),
    ("std", 1, _std_jvp, "The standard deviation along axes, a difference in the same unit."),
):
    primitive(
        _name,
        doc=f"{_doc} `ddof` is taken from the number of elements; `mean` saves computing it.",
        signature="x, /, axis=None, dtype=None, ddof=0, *, keepdims=False, mean=None, where=None",
        arrays=("x", "mean", "where"),
        unit=spread(_exponent),
        points=points.delta,
        shape=reduced,
        dtype=as_numpy(getattr(np, _name)),
        derivative=Jvp(_jvp),
        batching=reducing,
        cost=costs.per_input(4),
        array_api=(_name, getattr(adapters, _name)),
        torch=_name,
        domain=_spread_samples,
    )


# Extremes


def extreme_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """The mean of the tangents of all elements that attain the extreme; one that is nan does so."""
    x, initial, where = (*args, None, None)[:3]
    t, t_initial = (*tangents, None)[:2]
    axis, keepdims = params["axis"], params["keepdims"]
    extreme = kept(out, shape_of(x), params)
    both_nan = ops.logical_and(ops.isnan(x), ops.isnan(extreme))
    picked = ops.logical_or(ops.equal(x, extreme), both_nan)
    if where is not None:
        picked = ops.logical_and(picked, where)
    count = ops.count_nonzero(picked, axis=axis, keepdims=keepdims)
    change = t if t is None else ops.sum(ops.where(picked, t, 0), axis=axis, keepdims=keepdims)
    if initial is not None:
        attains = ops.equal(out, initial)
        count = ops.add(count, attains)
        if t_initial is not None:
            change = plus(change, ops.where(attains, t_initial, 0))
    return ops.divide(change, count)


for _name, _onnx, _end, _sign in (("max", "ReduceMax", -9.0, 1), ("min", "ReduceMin", 9.0, -1)):
    primitive(
        _name,
        doc=f"The {_name}imum along axes. Elements that attain it together share its derivative.",
        signature=_PICK,
        arrays=_INITIAL,
        unit=masked(same),
        points=points.keep,
        shape=reduced,
        dtype=with_initial(getattr(np, _name)),
        derivative=Jvp(extreme_jvp),
        batching=reducing,
        cost=costs.per_input(1),
        array_api=(_name, adapters.extreme(_name, _sign, f"{_name}imum")),
        torch=f"a{_name}",
        onnx=_onnx,
        domain=lambda rng, end=_end: [
            *samples(rng),
            Sample((rng.normal(size=(3, 4)), np.array(end), np_mask()), {"axis": -1}),
            Sample((rng.normal(size=4), rng.normal())),
        ],
    )

for _name, _onnx in (("argmax", "ArgMax"), ("argmin", "ArgMin")):
    primitive(
        _name,
        doc=f"The index of the first {_name[3:]}imum along an axis, or in the flat array.",
        signature="x, /, axis=None, *, keepdims=False",
        unit=any_to_plain,
        points=points.free,
        shape=reduced,
        dtype=dtypes.index,
        derivative=DISCRETE,
        batching=flattening,
        cost=costs.per_input(1),
        array_api=(_name, adapters.arg_extreme(_name)),
        torch=_name,
        onnx=_onnx,
        domain=lambda rng: [s for s in samples(rng) if not isinstance(s.params["axis"], tuple)],
    )


@composite(numpy="ptp", domain=samples)
def ptp(x: Any, /, axis: Any = None, *, keepdims: bool = False) -> Any:
    """From the minimum to the maximum along axes: a difference."""
    high = ops.max(x, axis=axis, keepdims=keepdims)
    return high - ops.min(x, axis=axis, keepdims=keepdims)


# Truth


for _name, _doc, _adapter in (
    ("any", "Whether any element is", adapters.some),
    ("all", "Whether all elements are", adapters.every),
):
    primitive(
        _name,
        doc=f"{_doc} not zero, along axes.",
        signature="x, /, axis=None, *, keepdims=False, where=None",
        arrays=("x", "where"),
        unit=masked(any_to_mask),
        shape=reduced,
        dtype=dtypes.boolean,
        derivative=DISCRETE,
        batching=reducing,
        cost=costs.per_input(1),
        array_api=(_name, _adapter),
        torch=_name,
        domain=lambda rng: [
            s._replace(args=((s.args[0] > 0.5).astype(float), *s.args[1:]))
            for s in _masked_last(with_mask(rng))
        ],
    )

primitive(
    "count_nonzero",
    doc="How many elements are not zero, along axes.",
    signature="x, /, axis=None, *, keepdims=False",
    unit=any_to_plain,
    shape=reduced,
    dtype=dtypes.index,
    derivative=DISCRETE,
    batching=batching.along_axis,
    cost=costs.per_input(1),
    array_api="count_nonzero",
    torch="count_nonzero",
    definition=definitions.count_nonzero,
    domain=samples,
)


def _logsumexp_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    (x,), (t,) = args, tangents
    total = ops.where(ops.equal(out, -np.inf), 0, out)  # where no element counts
    weights = ops.exp(x - kept(total, shape_of(x), params))
    return ops.sum(weights * t, axis=params["axis"], keepdims=params["keepdims"])


primitive(
    "logsumexp",
    doc="log(sum(exp(x))) along axes without overflow: pure numbers.",
    signature="x, /, axis=None, *, keepdims=False",
    unit=pure_to_pure,
    shape=reduced,
    dtype=dtypes.floating,
    derivative=Jvp(_logsumexp_jvp),
    batching=batching.along_axis,
    cost=costs.per_input(4),
    numpy="",
    torch="logsumexp",
    onnx="ReduceLogSumExp",
    definition=definitions.logsumexp,
    domain=samples,
)
