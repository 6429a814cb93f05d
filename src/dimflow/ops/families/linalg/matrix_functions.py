"""Functions of matrices: powers and the exponential."""

from typing import Any

from dimflow import ops
from dimflow.ops.definitions import linalg as definitions
from dimflow.ops.domain import Sample
from dimflow.ops.families.linalg.matrices import (
    cubic,
    floating,
    on_diagonal,
    regular,
    square,
    with_phases,
)
from dimflow.ops.rules import batching, points
from dimflow.ops.rules.costs import Cost
from dimflow.ops.rules.derivatives import Jvp
from dimflow.ops.rules.shapes import broadcast_shapes
from dimflow.ops.rules.transposition import shape_of, unbroadcast
from dimflow.ops.rules.units import PURE, Call, Resolved, pure, pure_to_pure, unit_of, unit_rule
from dimflow.ops.table import composite, primitive


@unit_rule(params=True)
def _matrix_power_unit(call: Call) -> Resolved:
    return Resolved((None,), unit_of(call, 0) ** call.params["n"])


@composite(
    numpy="linalg.matrix_power",
    array_api=("linalg.matrix_power", None),
    torch="linalg.matrix_power",
    namespace="linalg",
    unit=_matrix_power_unit,
    points=points.refuse,
    domain=lambda rng: [Sample((regular(rng, 2, 3, 3),), {"n": n}) for n in (0, 1, 3, 6, -2)],
)
def matrix_power(x: Any, /, n: int) -> Any:
    """The product of n copies of each matrix; of its inverse for negative n."""
    square("matrix_power", shape_of(x))
    if n == 0:
        return on_diagonal(ops.static_power(x, exponent=0))
    x = ops.inv(x) if n < 0 else x
    result = None
    for digit in reversed(f"{abs(n):b}"):
        if digit == "1":
            result = x if result is None else ops.matmul(result, x)
        x = ops.matmul(x, x)
    return result


def _expm_cost(count: int) -> Cost:
    """Six products, a solution, and a few squarings of matrices `count` times as wide."""
    return cubic(20 * count**3)


primitive(
    "expm",
    doc="The exponential of each matrix.",
    signature="x, /",
    namespace="linalg",
    numpy="",
    torch="linalg.matrix_exp",
    unit=pure_to_pure,
    shape=lambda shapes, params: square("expm", shapes[0]),
    dtype=floating,
    derivative=Jvp(
        lambda tangents, out, args, params: ops.expm_frechet(args[0], tangents[0]),
    ),
    batching=batching.leading,
    cost=_expm_cost(1),
    definition=definitions.expm,
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 3)),)),
        Sample((rng.normal(size=(2, 2, 2)),)),
        Sample((4 * rng.normal(size=(3, 3)),)),
        Sample((with_phases(rng, rng.normal(size=(3, 3))),)),
    ],
)


@unit_rule
def _frechet_unit(call: Call) -> Resolved:
    pure(call, 0)
    return Resolved((PURE, None), unit_of(call, 1))


def _blocks(x: Any, t: Any) -> Any:
    """[[x, t], [0, x]]: functions of it hold their derivative in the upper right block."""
    t = ops.zeros_like(x) if t is None else t
    shape = broadcast_shapes([shape_of(x), shape_of(t)])
    x, t = ops.broadcast_to(x, shape=shape), ops.broadcast_to(t, shape=shape)
    upper = ops.concat([x, t], axis=-1)
    return ops.concat([upper, ops.concat([ops.zeros_like(x), x], axis=-1)], axis=-2)


def _frechet_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """The same op on blocks of blocks: the upper right block of a derivative is the second."""
    x, t = args
    by_x, by_t = tangents
    n = shape_of(x)[-1]
    terms = []
    if by_t is not None:
        terms.append(ops.expm_frechet(x, by_t))
    if by_x is not None:
        one = ops.ones_like(t[..., :1, :1])  # carries the unit of t past the blocks of numbers
        second = ops.expm_frechet(_blocks(x, t / one), _blocks(by_x, None))
        terms.append(second[..., :n, n:] * one)
    return terms[0] if len(terms) == 1 else terms[0] + terms[1]


primitive(
    "expm_frechet",
    doc="The change of expm(x) as x changes by t.",
    signature="x, t, /",
    namespace="linalg",
    numpy="",
    unit=_frechet_unit,
    shape=lambda shapes, params: broadcast_shapes(
        [square("expm_frechet", shapes[0]), square("expm_frechet", shapes[1])]
    ),
    dtype=floating,
    derivative=Jvp(
        _frechet_tangent,
        (
            None,
            lambda ct, args, params: unbroadcast(
                ops.expm_frechet(ops.matrix_transpose(args[0]), ct), args[1]
            ),
        ),
    ),
    batching=batching.leading,
    cost=_expm_cost(2),
    definition=definitions.expm_frechet,
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 3)), rng.normal(size=(3, 3)))),
        Sample((rng.normal(size=(2, 2, 2)), rng.normal(size=(2, 2)))),
    ],
)
