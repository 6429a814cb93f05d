"""Comparison: masks from arguments of one dimension, and what kind of number an element is."""

from typing import Any

from dimflow import ops
from dimflow.errors import DimensionError, PointError
from dimflow.ops.definitions import elementwise as elements
from dimflow.ops.domain import Sample
from dimflow.ops.rules import dtypes, points
from dimflow.ops.rules.derivatives import DISCRETE
from dimflow.ops.rules.units import (
    PURE,
    ZERO,
    Call,
    Resolved,
    UnitRule,
    any_to_mask,
    common,
    compared,
    pure,
    same,
    same_to_mask,
    unit_rule,
)
from dimflow.ops.table import AS_EXPRESSED, composite, elementwise
from dimflow.units import Unit
from dimflow.units.alike import is_gain
from dimflow.units.meaning import Logarithmic

onnx: str | None

for name, symbol, torch, onnx in (
    ("less", "<", "lt", "Less"),
    ("less_equal", "<=", "le", "LessOrEqual"),
    ("greater", ">", "gt", "Greater"),
    ("greater_equal", ">=", "ge", "GreaterOrEqual"),
):
    elementwise(
        name,
        doc=f"Whether x {symbol} y.",
        unit=compared,
        points=points.keep,
        partials=DISCRETE,
        expr=f"x {symbol} y",
        domain=((-2.0, 2.0), (-2.0, 2.0)),
        array_api=name,
        torch=torch,
        onnx=onnx,
    )

for name, symbol, torch, onnx, across in (
    ("equal", "==", "eq", "Equal", False),
    ("not_equal", "!=", "ne", None, True),
):
    elementwise(
        name,
        doc=f"Whether x {symbol} y; {across} for every element across dimensions.",
        unit=compared,
        points=points.keep,
        partials=DISCRETE,
        expr=f"x {symbol} y",
        domain=((-2.0, 2.0), (-2.0, 2.0)),
        array_api=name,
        torch=torch,
        onnx=onnx,
        laws=("commutative",),
        across=across,
    )

for name, word, expr, in_array_api, onnx in (
    ("isnan", "not a number", "isnan(x)", True, "IsNaN"),
    ("isinf", "infinite", "isinf(x)", True, "IsInf"),
    ("isfinite", "finite", "isfinite(x)", True, None),
    ("isposinf", "infinite and positive", "x == inf", False, None),
    ("isneginf", "infinite and negative", "x == -inf", False, None),
    ("isreal", "without an imaginary part", "imag(x) == 0", False, None),
    ("iscomplex", "with an imaginary part other than 0", "imag(x) != 0", False, None),
):
    elementwise(
        name,
        doc=f"Whether x is {word}.",
        unit=any_to_mask,
        points=points.free,
        partials=DISCRETE,
        expr=expr,
        domain=(-2.0, 2.0),
        dtype=dtypes.boolean,
        definition=None if in_array_api else AS_EXPRESSED,
        array_api=name if in_array_api else None,
        torch=None if name == "iscomplex" else name,  # torch's asks for the dtype
        onnx=onnx,
    )


@unit_rule
def _tolerances(call: Call) -> Resolved:
    """One unit for both sides and the absolute tolerance; the relative one is a pure number."""
    pure(call, 2)
    unit = common(call, (0, 1, 3))
    return Resolved((unit, unit, PURE, unit), PURE)


def _tolerance_of_points(rule: UnitRule, call: Call) -> Resolved:
    """A share of a point (1 % of 20 °C) means nothing; a difference beside it does."""
    x, y, relative, absolute = call.units
    first = next(u for u in call.proper if u.law is not None)
    is_point = isinstance(absolute, Unit) and absolute.law is not None and not is_gain(absolute)
    if relative is not ZERO or is_point:
        step = points.steps(same, call._replace(units=(first, first))).result
        hint = f"compare by a difference: rtol=0, atol=0.1 * Unit({str(step)!r})"
        raise PointError(call.op.name, first, hint)
    if isinstance(first.law, Logarithmic):
        kept = points.keep(same, call._replace(units=(x, y)))
        gain = None
        if absolute is not ZERO:
            gain = points.subtract(
                same, call._replace(units=(*kept.targets[:1], absolute))
            ).targets[1]
        return Resolved((*kept.targets, None, gain), PURE)
    unit = points.delta(same_to_mask, call._replace(units=(x, y))).targets[0]
    assert unit is not None
    difference = call._replace(units=(unit.delta, absolute))
    common(difference)
    return Resolved((unit, unit, None, unit.delta), PURE)


elementwise(
    "within",
    doc="Whether x and y differ by at most atol + rtol * abs(y); equal infinities do not differ.",
    signature="x, y, /, rtol, atol, equal_nan=False",
    arrays=("x", "y", "rtol", "atol"),
    unit=_tolerances,
    points=_tolerance_of_points,
    partials=DISCRETE,
    expr="x == y or (isfinite(y) and abs(x - y) <= w + z * abs(y)) "
    "or (equal_nan and isnan(x) and isnan(y))",
    domain=((-2.0, 2.0), (-2.0, 2.0), (0.0, 0.5), (0.0, 0.5)),
    numpy="",
    dtype=dtypes.boolean,
    definition=elements.within,
    flops=4,
)


def _close_samples(rng: Any) -> list[Sample]:
    x = rng.uniform(0.5, 2.0, (2, 3))
    y = x + rng.choice([0.0, 1e-9, 1e-3], (2, 3))
    return [
        Sample((x, y, 1e-5, None), {"equal_nan": False}),
        Sample((x, y[0], 1e-2, None), {"equal_nan": True}),
        Sample((x, y, 0.0, 1e-6), {"equal_nan": False}, units=("", "", None, None)),
    ]


@composite(
    arrays=("x", "y", "rtol", "atol"),
    numpy="isclose",
    torch="isclose",
    domain=_close_samples,
)
def isclose(x: Any, y: Any, /, rtol: Any = 1e-5, atol: Any = None, equal_nan: bool = False) -> Any:
    """Whether x and y differ by at most atol + rtol * abs(y).

    NumPy's default of 1e-8 for atol is for pure numbers; a quantity has none but 0.
    """
    if atol is not None:
        return ops.within(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)
    try:
        return ops.within(x, y, rtol=rtol, atol=1e-8, equal_nan=equal_nan)
    except DimensionError:
        return ops.within(x, y, rtol=rtol, atol=0.0, equal_nan=equal_nan)
