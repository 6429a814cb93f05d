"""Trigonometry: angles in any unit, radians out; and the hyperbolic functions of pure numbers.

A pure number counts as radians; where NumPy's name says degrees, as degrees.
"""

from math import pi

from dimflow import ops
from dimflow.ops.rules.units import (
    PURE,
    RADIAN,
    Call,
    Resolved,
    angle_to_pure,
    common,
    pure_to_angle,
    pure_to_pure,
    to,
    unit_of,
    unit_rule,
)
from dimflow.ops.table import AS_EXPRESSED, elementwise
from dimflow.units.tables import builtin

DEGREE = builtin.parse("deg")

for name, slope, domain, onnx in (
    ("sin", lambda out, x: ops.cos(x), (-1.4, 1.4), "Sin"),
    ("cos", lambda out, x: -ops.sin(x), (0.1, 3.0), "Cos"),
    ("tan", lambda out, x: 1 + out * out, (-1.3, 1.3), "Tan"),
):
    elementwise(
        name,
        doc=f"The {({'sin': 'sine', 'cos': 'cosine', 'tan': 'tangent'})[name]} of an angle.",
        unit=angle_to_pure,
        partials=(slope,),
        expr=f"{name}(x)",
        domain=domain,
        array_api=name,
        torch=name,
        onnx=onnx,
        flops=12,
        laws=(f"inverse:a{name}",),
    )

for name, word, slope, domain, onnx in (
    ("asin", "sine", lambda out, x: 1 / ops.sqrt((1 - x) * (1 + x)), (-0.9, 0.9), "Asin"),
    ("acos", "cosine", lambda out, x: -1 / ops.sqrt((1 - x) * (1 + x)), (-0.9, 0.9), "Acos"),
    ("atan", "tangent", lambda out, x: 1 / (1 + x * x), (-2.0, 2.0), "Atan"),
):
    elementwise(
        name,
        doc=f"The angle of a {word}, in radians.",
        unit=pure_to_angle,
        partials=(slope,),
        expr=f"{name}(x)",
        domain=domain,
        numpy=f"arc{name[1:]}",
        array_api=name,
        torch=name,
        onnx=onnx,
        flops=14,
        laws=(f"inverse:{name[1:]}",),
    )


@unit_rule
def _direction(call: Call) -> Resolved:
    """The angle between two lengths of one dimension."""
    return Resolved(to(call, common(call)), RADIAN)


elementwise(
    "atan2",
    doc="The angle of the point (y, x): the tangent is x / y, in the right quadrant, in radians.",
    unit=_direction,
    partials=(
        lambda out, x, y: y / (x * x + y * y),
        lambda out, x, y: -x / (x * x + y * y),
    ),
    expr="atan2(x, y)",
    domain=((0.5, 2.0), (-2.0, 2.0)),
    numpy="arctan2",
    array_api="atan2",
    torch="atan2",
    flops=16,
)

for name, word, slope, domain, onnx in (
    ("sinh", "sine", lambda out, x: ops.cosh(x), (-2.0, 2.0), "Sinh"),
    ("cosh", "cosine", lambda out, x: ops.sinh(x), (0.1, 2.0), "Cosh"),
    ("tanh", "tangent", lambda out, x: 1 - out * out, (-2.0, 2.0), "Tanh"),
):
    elementwise(
        name,
        doc=f"The hyperbolic {word}.",
        unit=pure_to_pure,
        partials=(slope,),
        expr=f"{name}(x)",
        domain=domain,
        array_api=name,
        torch=name,
        onnx=onnx,
        flops=14,
        laws=(f"inverse:a{name}",),
    )

for name, word, slope, domain, onnx in (
    ("asinh", "sine", lambda out, x: 1 / ops.cosh(out), (-2.0, 2.0), "Asinh"),
    ("acosh", "cosine", lambda out, x: 1 / ops.sqrt((x - 1) * (x + 1)), (1.2, 3.0), "Acosh"),
    ("atanh", "tangent", lambda out, x: 1 / ((1 - x) * (1 + x)), (-0.8, 0.8), "Atanh"),
):
    elementwise(
        name,
        doc=f"The inverse of the hyperbolic {word}.",
        unit=pure_to_pure,
        partials=(slope,),
        expr=f"{name}(x)",
        domain=domain,
        numpy=f"arc{name[1:]}",
        array_api=name,
        torch=name,
        onnx=onnx,
        flops=16,
        laws=(f"inverse:{name[1:]}",),
    )


@unit_rule
def _to_radians(call: Call) -> Resolved:
    """An angle becomes radians; a pure number counts as degrees, as NumPy has it."""
    angle_to_pure(call)
    is_angle = unit_of(call, 0).dimension is RADIAN.dimension
    return Resolved((DEGREE if is_angle else PURE,), RADIAN)


@unit_rule
def _to_degrees(call: Call) -> Resolved:
    """An angle becomes degrees; a pure number counts as radians."""
    angle_to_pure(call)
    is_angle = unit_of(call, 0).dimension is RADIAN.dimension
    return Resolved((RADIAN if is_angle else PURE,), DEGREE)


for name, torch in (("deg2rad", "deg2rad"), ("radians", None)):
    elementwise(
        name,
        doc="An angle in radians; a pure number counts as degrees.",
        unit=_to_radians,
        partials=(lambda out, x: pi / 180,),
        expr="x * (pi / 180)",
        definition=AS_EXPRESSED,
        domain=(-180.0, 180.0),
        torch=torch,
    )

for name, torch in (("rad2deg", "rad2deg"), ("degrees", None)):
    elementwise(
        name,
        doc="An angle in degrees; a pure number counts as radians.",
        unit=_to_degrees,
        partials=(lambda out, x: 180 / pi,),
        expr="x * (180 / pi)",
        definition=AS_EXPRESSED,
        domain=(-3.0, 3.0),
        torch=torch,
    )
