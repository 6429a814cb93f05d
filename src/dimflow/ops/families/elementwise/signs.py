"""Signs: what a number is beside its size."""

from math import inf
from typing import Any

from dimflow import ops
from dimflow.ops.families.elementwise.complex_numbers import is_complex
from dimflow.ops.rules.derivatives import DISCRETE, Jvp
from dimflow.ops.rules.units import (
    PURE,
    Call,
    Resolved,
    any_to_mask,
    pure,
    to,
    unit_of,
    unit_rule,
)
from dimflow.ops.table import AS_EXPRESSED, elementwise


@unit_rule
def _any_to_pure(call: Call) -> Resolved:
    return Resolved(to(call, None), PURE)


def _sign_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """Real signs stand still; that of a complex number turns."""
    (x,), (t,) = args, tangents
    if not is_complex(x):
        return t * (0.0 / ops.where(x == 0, inf, x))
    return (t - out * ops.real(ops.conj(out) * t)) / ops.where(x == 0, inf, ops.abs(x))


elementwise(
    "sign",
    doc="-1, 0 or 1; x/|x| for complex numbers.",
    unit=_any_to_pure,
    partials=Jvp(_sign_tangent),
    expr="(x > 0) - (x < 0)",
    domain=(-2.0, 2.0),
    array_api="sign",
    torch="sgn",
    onnx="Sign",
    laws=("idempotent",),
)

elementwise(
    "signbit",
    doc="Whether x has a minus sign; that of -0.0 counts.",
    unit=any_to_mask,
    partials=DISCRETE,
    expr="signbit(x)",
    domain=(-2.0, 2.0),
    array_api="signbit",
    torch="signbit",
)


@unit_rule
def _first_beside_any(call: Call) -> Resolved:
    return Resolved((None, None), unit_of(call, 0))


elementwise(
    "copysign",
    doc="The size of x with the sign of y.",
    unit=_first_beside_any,
    partials=(lambda out, x, y: ops.sign(x) * ops.copysign(1.0, y), None),
    expr="copysign(x, y)",
    domain=((0.5, 2.0), (-2.0, 2.0)),
    array_api="copysign",
    torch="copysign",
)


@unit_rule
def _step(call: Call) -> Resolved:
    pure(call, 1)
    return Resolved((None, PURE), PURE)


elementwise(
    "heaviside",
    doc="0 below zero, 1 above it, and y at zero.",
    unit=_step,
    partials=(None, lambda out, x, y: ops.where(ops.equal(x, 0), 1.0, 0.0)),
    expr="0.0 if x < 0 else (1.0 if x > 0 else (y if x == 0 else x))",
    domain=((-2.0, 2.0), (0.0, 1.0)),
    definition=AS_EXPRESSED,
    torch="heaviside",
)
