"""Floating point: numbers as they are stored. What depends on that depends on the unit."""

from typing import Any

from dimflow import ops
from dimflow.ops.definitions import elementwise as elements
from dimflow.ops.domain import Sample
from dimflow.ops.rules import dtypes, points, shapes
from dimflow.ops.rules.derivatives import DISCRETE, STEPS
from dimflow.ops.rules.units import (
    Call,
    Resolved,
    chosen,
    count,
    same,
    unit_of,
    unit_rule,
)
from dimflow.ops.table import composite, elementwise
from dimflow.units import Unit

elementwise(
    "nextafter",
    doc="The next number that can be stored after x, towards y.",
    unit=same,
    points=points.keep,
    partials=(lambda out, x, y: 1.0, None),
    expr="nextafter(x, y)",
    domain=((0.5, 2.0), (-2.0, 2.0)),
    array_api="nextafter",
    torch="nextafter",
)

elementwise(
    "spacing",
    doc="The distance from x to the next number that can be stored, away from 0.",
    signature="x, /, *, unit=None",
    unit=chosen,
    partials=STEPS,
    expr="spacing(x)",
    definition=elements.spacing,
    domain=(0.5, 2.0),
    unit_dependent=True,
)


@unit_rule
def _scaled_by_two(call: Call) -> Resolved:
    count(call, 1)
    return Resolved((None, None), unit_of(call, 0))


elementwise(
    "ldexp",
    doc="x * 2**y for whole numbers y.",
    unit=_scaled_by_two,
    partials=(lambda out, x, y: ops.exp2(y), None),
    expr="ldexp(x, y)",
    definition=elements.ldexp,
    domain=((-2.0, 2.0), (-3, 3, True)),
    torch="ldexp",
)

elementwise(
    "frexp_mantissa",
    doc="The factor in x = mantissa * 2**exponent, from 1/2 to 1.",
    signature="x, /, *, unit=None",
    unit=chosen,
    partials=(lambda out, x, **params: ops.ldexp(1.0, -ops.frexp_exponent(x, **params)),),
    expr="frexp_mantissa(x)",
    definition=elements.frexp_mantissa,
    domain=(0.51, 0.99),
    numpy="",
    dtype=lambda given, params: dtypes.ufunc("frexp")(given, params)[0],
    unit_dependent=True,
)


@unit_rule(params=True)
def _chosen_to_plain(call: Call) -> Resolved:
    return Resolved(chosen(call).targets, None)


elementwise(
    "frexp_exponent",
    doc="The power of two in x = mantissa * 2**exponent.",
    signature="x, /, *, unit=None",
    unit=_chosen_to_plain,
    partials=DISCRETE,
    expr="frexp_exponent(x)",
    definition=elements.frexp_exponent,
    domain=(0.51, 0.99),
    numpy="",
    dtype=lambda given, params: dtypes.ufunc("frexp")(given, params)[1],
    unit_dependent=True,
)


@unit_rule(params=True)
def _mantissa_and_exponent(call: Call) -> Resolved:
    targets, unit = chosen(call)
    assert isinstance(unit, Unit)
    return Resolved(targets, (unit, None))


@composite(
    numpy="frexp",
    torch="frexp",
    unit=_mantissa_and_exponent,
    points=points.refuse,
    shape=shapes.broadcast_to_each(2),
    dtype=dtypes.ufunc("frexp"),
    outputs=("mantissa", "exponent"),
    unit_dependent=True,
    domain=lambda rng: [Sample((rng.uniform(0.51, 0.99, (2, 3)),), {"unit": None})],
)
def frexp(x: Any, /, *, unit: Any = None) -> Any:
    """The mantissa, from 1/2 to 1, and the power of two that it is multiplied by."""
    return ops.frexp_mantissa(x, unit=unit), ops.frexp_exponent(x, unit=unit)


@unit_rule(params=True)
def _fraction_and_whole(call: Call) -> Resolved:
    targets, unit = chosen(call)
    assert isinstance(unit, Unit)
    return Resolved(targets, (unit, unit))


@composite(
    numpy="modf",
    unit=_fraction_and_whole,
    points=points.refuse,
    shape=shapes.broadcast_to_each(2),
    dtype=dtypes.ufunc("modf"),
    outputs=("fraction", "whole"),
    unit_dependent=True,
    domain=lambda rng: [Sample((rng.uniform(0.1, 0.9, (2, 3)) - 2,), {"unit": None})],
)
def modf(x: Any, /, *, unit: Any = None) -> Any:
    """The fraction and the whole part, both with the sign of x."""
    whole = ops.trunc(x, unit=unit)
    return ops.where(ops.isinf(x), 0.0, x) - ops.where(ops.isinf(x), 0.0, whole), whole
