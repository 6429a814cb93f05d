"""Scans: for each element what a reduction gives up to it, along an axis."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.ops.definitions import reductions as definitions
from dimflow.ops.domain import Sample
from dimflow.ops.families.reduce.parts import along_one_axis, as_numpy, flattening, with_nan
from dimflow.ops.rules import costs, dtypes, points
from dimflow.ops.rules.derivatives import Jvp, Linear
from dimflow.ops.rules.shapes import normalized, size
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import pure_to_pure, same
from dimflow.ops.standard import adapters
from dimflow.ops.table import composite, primitive

_SUM = "x, /, axis=None, dtype=None, *, include_initial=False"


def _scanned(shapes: Any, params: Any) -> Any:
    """The same shape, flat without an axis, and one longer with the initial value."""
    (shape,), axis = shapes, params["axis"]
    shape, axis = ((size(shape),), 0) if axis is None else (tuple(shape), axis)
    (axis,) = normalized(axis, len(shape))
    if not params.get("include_initial") or shape[axis] is None:
        return shape
    return (*shape[:axis], shape[axis] + 1, *shape[axis + 1 :])


def _line(x: Any, axis: int | None) -> tuple[Any, int]:
    """The array and the axis that a scan runs along."""
    shape = shape_of(x)
    if axis is None:
        return ops.reshape(x, shape=(-1,)), 0
    return x, normalized(axis, len(shape))[0]


def _part(axis: int, start: int | None, stop: int | None) -> tuple[Any, ...]:
    """The key of a part along an axis."""
    return (*[slice(None)] * axis, slice(start, stop), ...)


def _backwards(ct: Any, args: Any, params: Any) -> Any:
    """Each element counts in all sums from it on."""
    axis = params["axis"]
    axis = 0 if axis is None else normalized(axis, len(shape_of(args[0])))[0]
    total = ops.flip(ops.cumulative_sum(ops.flip(ct, axis=axis), axis=axis), axis=axis)
    if params["include_initial"]:
        total = total[_part(axis, 1, None)]
    return (ops.reshape(total, shape=shape_of(args[0])),)


primitive(
    "cumulative_sum",
    doc="Sums of all elements up to each, along an axis or of the flat array.",
    signature=_SUM,
    unit=same,
    shape=_scanned,
    dtype=as_numpy(np.cumsum),
    derivative=Linear(_backwards),
    batching=flattening,
    cost=costs.per_input(1),
    numpy="cumsum",
    array_api=("cumulative_sum", adapters.scan("cumulative_sum")),
    torch="cumsum",
    onnx="CumSum",
    domain=lambda rng: [
        *along_one_axis(rng),
        Sample((rng.normal(size=(2, 3)),), {"axis": 1, "include_initial": True}),
    ],
)


def _shifted(x: Any, axis: int, by: int, fill: float) -> Any:
    """Each element moved on along an axis, and a number in the places that get free."""
    start = ops.full_like(x[_part(axis, 0, by)], fill)
    return ops.concat([start, x[_part(axis, 0, -by)]], axis=axis)


def recurrence(factor: Any, term: Any, axis: int) -> Any:
    """y[i] = factor[i] * y[i-1] + term[i] along an axis, in log2(n) steps and with no division.

    Pairs of steps are joined to one step of double length (Hillis and Steele 1986).
    """
    by, length = 1, shape_of(term)[axis]
    while by < length:
        term = term + factor * _shifted(term, axis, by, 0.0)
        factor = factor * _shifted(factor, axis, by, 1.0)
        by *= 2
    return term


def _cumprod_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    x, axis = _line(args[0], params["axis"])
    t, _ = _line(tangents[0], params["axis"])
    has_initial = params["include_initial"]
    if shape_of(x)[axis] == 0:
        return out * 0
    before = out[_part(axis, 0, -1)] if has_initial else _shifted(out, axis, 1, 1.0)
    change = recurrence(x, before * t, axis)
    if not has_initial:
        return change
    first = change[_part(axis, 0, 1)]
    return ops.concat([ops.zeros_like(first), change], axis=axis)


primitive(
    "cumulative_prod",
    doc="Products of all elements up to each, along an axis or of the flat array: pure numbers.",
    signature=_SUM,
    unit=pure_to_pure,
    shape=_scanned,
    dtype=as_numpy(np.cumprod),
    derivative=Jvp(_cumprod_jvp),
    batching=flattening,
    cost=costs.per_input(1),
    numpy="cumprod",
    array_api=("cumulative_prod", adapters.scan("cumulative_prod")),
    torch="cumprod",
    domain=lambda rng: [
        *along_one_axis(rng),
        Sample((rng.normal(size=(2, 3)),), {"axis": 1, "include_initial": True}),
        Sample((np.array([2.0, 0.0, 3.0, 0.0]),), {"axis": 0}),
    ],
)


def _running_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """The tangent of the latest element that attains the extreme so far."""
    x, axis = _line(args[0], params["axis"])
    t, _ = _line(tangents[0], params["axis"])
    shape = shape_of(x)
    places = np.arange(shape[axis]).reshape(*([1] * axis), -1, *([1] * (len(shape) - axis - 1)))
    latest = ops.cummax(ops.where(ops.equal(x, out), places, 0), axis=axis)
    return ops.take_along_axis(t, latest, axis=axis)


for _name in ("cummax", "cummin"):
    primitive(
        _name,
        doc=f"The {_name[3:]}imum of all elements up to each, along an axis or of the flat array.",
        signature="x, /, axis=None",
        unit=same,
        points=points.keep,
        shape=_scanned,
        dtype=dtypes.first,
        derivative=Jvp(_running_jvp),
        batching=flattening,
        cost=costs.per_input(1),
        numpy="",
        definition=getattr(definitions, _name),
        domain=along_one_axis,
        laws=("idempotent",),
    )


def _logcumsumexp_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    x, axis = _line(args[0], params["axis"])
    t, _ = _line(tangents[0], params["axis"])
    if shape_of(x)[axis] == 0:
        return out * 0
    total = ops.where(ops.equal(out, -np.inf), 0.0, out)
    first = ops.zeros_like(total[_part(axis, 0, 1)])
    share = ops.exp(out[_part(axis, 0, -1)] - total[_part(axis, 1, None)])
    share = ops.concat([first, share], axis=axis)  # of what came before; at most 1
    return recurrence(share, ops.exp(x - total) * t, axis)


primitive(
    "logcumsumexp",
    doc="log(cumulative_sum(exp(x))) without overflow: pure numbers.",
    signature="x, /, axis=None",
    unit=pure_to_pure,
    shape=_scanned,
    dtype=dtypes.floating,
    derivative=Jvp(_logcumsumexp_jvp),
    batching=flattening,
    cost=costs.per_input(4),
    numpy="",
    torch="logcumsumexp",
    definition=definitions.logcumsumexp,
    domain=along_one_axis,
)


@composite(numpy="nancumsum", unit=same, points=points.refuse, domain=with_nan(along_one_axis))
def nancumsum(x: Any, /, axis: Any = None, dtype: Any = None) -> Any:
    """Sums of all elements up to each that are not nan."""
    return ops.cumulative_sum(ops.where(ops.isnan(x), 0, x), axis=axis, dtype=dtype)


@composite(
    numpy="nancumprod",
    unit=pure_to_pure,
    points=points.refuse,
    domain=with_nan(along_one_axis),
)
def nancumprod(x: Any, /, axis: Any = None, dtype: Any = None) -> Any:
    """Products of all elements up to each that are not nan: pure numbers."""
    return ops.cumulative_prod(ops.where(ops.isnan(x), 1, x), axis=axis, dtype=dtype)
