"""Arithmetic: sums, products, quotients and remainders."""

from math import inf
from typing import Any

from dimflow import ops
from dimflow.errors import UnitError
from dimflow.ops.definitions import elementwise as elements
from dimflow.ops.domain import Sample
from dimflow.ops.families.elementwise.complex_numbers import is_complex
from dimflow.ops.rules import dtypes, points, shapes
from dimflow.ops.rules.derivatives import DISCRETE, STEPS, Jvp, Linear, Multilinear
from dimflow.ops.rules.transposition import unbroadcast
from dimflow.ops.rules.units import (
    PURE,
    ZERO,
    Call,
    Resolved,
    UnitRule,
    common,
    counts,
    finely,
    finest,
    product,
    pure,
    quotient,
    same,
    to,
    unit_of,
    unit_rule,
    unlike,
)
from dimflow.ops.rules.values import floated
from dimflow.ops.table import composite, elementwise
from dimflow.units import Unit
from dimflow.units.alike import are_alike

elementwise(
    "add",
    doc="x + y.",
    unit=same,
    points=points.add,
    partials=Linear(
        lambda ct, args, params: (unbroadcast(ct, args[0]), unbroadcast(ct, args[1])),
    ),
    expr="x + y",
    domain=((-2.0, 2.0), (-2.0, 2.0)),
    array_api="add",
    torch="add",
    onnx="Add",
    laws=("commutative", "associative", "identity:0"),
)

elementwise(
    "subtract",
    doc="x - y.",
    unit=same,
    points=points.subtract,
    partials=Linear(
        lambda ct, args, params: (unbroadcast(ct, args[0]), unbroadcast(-ct, args[1])),
    ),
    expr="x - y",
    domain=((-2.0, 2.0), (-2.0, 2.0)),
    array_api="subtract",
    torch="sub",
    onnx="Sub",
)

elementwise(
    "multiply",
    doc="x * y.",
    unit=product,
    points=points.count_per,
    partials=Multilinear(
        (
            lambda ct, args, params: unbroadcast(ct * args[1], args[0]),
            lambda ct, args, params: unbroadcast(ct * args[0], args[1]),
        )
    ),
    expr="x * y",
    domain=((-2.0, 2.0), (-2.0, 2.0)),
    array_api="multiply",
    torch="mul",
    onnx="Mul",
    laws=("commutative", "associative", "identity:1"),
)


def _over(y: Any, out: Any) -> Any:
    """1 / y in the precision of the quotient: PyTorch's is single for a whole number."""
    given, wanted = getattr(y, "dtype", None), getattr(out, "dtype", None)
    if given is None and isinstance(y, (int, float, complex)):
        return 1 / y if y else inf  # the mean of nothing divides by a bare 0
    is_known = type(given) is type(wanted)  # dtypes of two libraries do not compare
    return 1 / (ops.astype(y, wanted) if is_known and given != wanted else y)


elementwise(
    "divide",
    doc="x / y.",
    unit=quotient,
    points=points.count_over,
    partials=(lambda out, x, y: _over(y, out), lambda out, x, y: -out / y),
    expr="x / y",
    domain=((-2.0, 2.0), (0.5, 2.0)),
    array_api="divide",
    torch="div",
    onnx="Div",
    flops=4,
)


@unit_rule
def _multiply_add(call: Call) -> Resolved:
    """The third argument has the unit of the product; a radian counts as 1 if one side has none."""
    y, given = unit_of(call, 1), call.units[2]
    xy = unit_of(call, 0) * y
    if not isinstance(given, Unit) or (given.dimension is xy.dimension and are_alike(given, xy)):
        return Resolved((None, None, xy), xy)
    if not are_alike(given, xy):
        raise unlike(call.op.name, xy, given, ("x * y", "z"))
    if given.dimension is given.dimension.without_angle():
        return Resolved((given / y, None, None), given)
    return Resolved((None, None, xy), xy)


elementwise(
    "multiply_add",
    doc="x * y + z.",
    unit=_multiply_add,
    partials=(lambda out, x, y, z: y, lambda out, x, y, z: x, lambda out, x, y, z: 1.0),
    expr="x * y + z",
    domain=((-2.0, 2.0), (-2.0, 2.0), (-2.0, 2.0)),
    numpy="",
    dtype=lambda given, params: dtypes.ufunc("add")(
        (dtypes.ufunc("multiply")(given[:2], params), given[2]), params
    ),
    definition=lambda x, y, z: x * y + z,
    flops=2,
)


@unit_rule
def _between(call: Call) -> Resolved:
    unit = common(call, (0, 1))
    pure(call, 2)
    return Resolved((unit, unit, PURE), unit)


def _lerp_points(rule: UnitRule, call: Call) -> Resolved:
    """A weight of 0 is a number, not a point."""
    if call.units[2] is ZERO:
        call = call._replace(units=(*call.units[:2], PURE))
    return points.blend(rule, call)


elementwise(
    "lerp",
    doc="x + z * (y - x): from x to y as the weight z goes from 0 to 1.",
    unit=_between,
    points=_lerp_points,
    partials=(
        lambda out, x, y, z: 1 - z,
        lambda out, x, y, z: z,
        lambda out, x, y, z: y - x,
    ),
    expr="x + z * (y - x)",
    domain=((-2.0, 2.0), (-2.0, 2.0), (0.0, 1.0)),
    numpy="",
    dtype=dtypes.promoted,
    definition=lambda x, y, z: x + z * (y - x),
    torch="lerp",
    flops=3,
)

elementwise(
    "negative",
    doc="-x.",
    unit=same,
    partials=Linear(lambda ct, args, params: (-ct,)),
    expr="-x",
    domain=(-2.0, 2.0),
    array_api="negative",
    torch="neg",
    onnx="Neg",
    laws=("involution",),
)

elementwise(
    "positive",
    doc="+x.",
    unit=same,
    points=points.keep,
    partials=Linear(lambda ct, args, params: (ct,)),
    expr="+x",
    domain=(-2.0, 2.0),
    array_api="positive",
    torch="positive",
    onnx="Identity",
    laws=("idempotent", "involution"),
)


def _abs_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """The part of the tangent that points away from 0."""
    direction = ops.sign(args[0])
    if is_complex(args[0]):
        return ops.real(ops.conj(direction) * tangents[0])
    return direction * tangents[0]


elementwise(
    "abs",
    doc="The absolute value.",
    unit=same,
    partials=Jvp(_abs_tangent),
    expr="abs(x)",
    domain=(0.5, 2.0),
    numpy="absolute",
    array_api="abs",
    torch="abs",
    onnx="Abs",
    laws=("idempotent",),
)

elementwise(
    "fabs",
    doc="The absolute value of real numbers, as floating point.",
    unit=same,
    partials=(lambda out, x: ops.sign(x),),
    expr="abs(x)",
    domain=(0.5, 2.0),
    definition=lambda x: ops.abs(floated(x)),
    laws=("idempotent",),
)


@unit_rule
def _ratio(call: Call) -> Resolved:
    """How often the second goes into the first: a pure number, for arguments of one dimension."""
    x, y = unit_of(call, 0), unit_of(call, 1)
    if y.key is PURE.key and not x.dimension.without_angle().is_dimensionless:
        raise UnitError(
            f"the result of {call.op.name} of {x} and a pure number depends on the unit, "
            "and none was chosen",
            f"say in which: dimflow.floor(x / y, unit={str(x)!r})",
        )
    return Resolved(to(call, finest(call)), PURE)


elementwise(
    "floor_divide",
    doc="The largest whole number of times that y goes into x.",
    unit=_ratio,
    partials=STEPS,
    expr="floordiv(x, y)",
    domain=((-5.0, 5.0), (0.5, 2.0)),
    array_api="floor_divide",
    torch="floor_divide",
    flops=6,
)

elementwise(
    "remainder",
    doc="What is left of x after whole multiples of y, with the sign of y.",
    unit=finely,
    partials=(lambda out, x, y: 1.0, lambda out, x, y: -ops.floor_divide(x, y)),
    expr="x - floordiv(x, y) * y",
    domain=((0.1, 5.0), (0.5, 2.0)),
    array_api="remainder",
    torch="remainder",
    onnx="Mod",
    flops=6,
)

elementwise(
    "fmod",
    doc="What is left of x after whole multiples of y, with the sign of x.",
    unit=finely,
    partials=(lambda out, x, y: 1.0, lambda out, x, y: -ops.rint((x - out) / y)),
    expr="fmod(x, y)",
    definition=elements.fmod,
    domain=((0.1, 5.0), (0.5, 2.0)),
    torch="fmod",
    flops=6,
)


@unit_rule
def _ratio_and_rest(call: Call) -> Resolved:
    targets, count = _ratio(call)
    assert isinstance(count, Unit)
    return Resolved(targets, (count, targets[0]))


def _division_samples(rng: Any) -> list[Sample]:
    return [
        Sample((rng.uniform(0.1, 5.0, (2, 3)), rng.uniform(0.5, 2.0, 3))),
        Sample((rng.uniform(-5.0, -0.1, 4), rng.uniform(0.5, 2.0))),
    ]


@composite(
    numpy="divmod",
    unit=_ratio_and_rest,
    points=points.refuse,
    shape=shapes.broadcast_to_each(2),
    dtype=dtypes.ufunc("divmod"),
    outputs=("quotient", "remainder"),
    domain=_division_samples,
)
def divmod(x: Any, y: Any, /) -> Any:
    """How often y goes into x, and what is left: floor_divide and remainder."""
    return ops.floor_divide(x, y), ops.remainder(x, y)


for name, doc in (
    ("gcd", "The greatest common divisor of whole numbers."),
    ("lcm", "The least common multiple of whole numbers."),
):
    elementwise(
        name,
        doc=doc,
        unit=counts,
        partials=DISCRETE,
        expr=f"{name}(x, y)",
        definition=getattr(elements, name),
        domain=((1, 60, True), (1, 60, True)),
        torch=name,
        flops=20,
        laws=("commutative", "associative"),
    )
