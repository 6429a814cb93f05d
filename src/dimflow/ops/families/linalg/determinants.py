"""Determinants: the unit is raised to the power of the side, which must be known."""

from typing import Any

from dimflow import ops
from dimflow.errors import UnitError
from dimflow.ops.definitions import linalg as definitions
from dimflow.ops.families.linalg.matrices import (
    checked,
    cubic,
    floating,
    inner_product,
    real_floating,
    square,
    square_samples,
)
from dimflow.ops.rules import batching
from dimflow.ops.rules.derivatives import Jvp
from dimflow.ops.rules.units import PURE, Call, Resolved, pure_to_pure, unit_of, unit_rule
from dimflow.ops.standard import adapters
from dimflow.ops.table import primitive
from dimflow.units.alike import is_number


def _power_of_side(offset: int) -> Any:
    """The unit to the power of the side of the matrices, which must be known."""

    @unit_rule(shapes=True)
    def rule(call: Call) -> Resolved:
        unit, shape = unit_of(call, 0), call.shapes[0]
        length = checked(call.op.name, shape)[-1]
        if length is None:
            if not is_number(unit):
                raise UnitError(
                    f"{call.op.name} of matrices in {unit} whose side is not known: the unit of "
                    "the result depends on it",
                    "divide by a quantity of that unit first; a lazy array learns its lengths by "
                    "x.compute_chunk_sizes()",
                )
            return Resolved((PURE,), PURE)
        return Resolved((None,), unit ** (length + offset))

    return rule


def _adjugate_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """Of det(x) inv(x), where that exists."""
    inverse, t = ops.inv(args[0]), tangents[0]
    change = inner_product(ops.matrix_transpose(out), t)
    return change[..., None, None] * inverse - ops.matmul(ops.matmul(inverse, t), out)


primitive(
    "adjugate",
    doc="The transposed matrix of cofactors: det(x) inv(x), and defined for singular x too.",
    signature="x, /",
    namespace="linalg",
    numpy="",
    unit=_power_of_side(-1),
    shape=lambda shapes, params: square("adjugate", shapes[0]),
    dtype=floating,
    derivative=Jvp(_adjugate_tangent),
    batching=batching.leading,
    cost=cubic(22),
    definition=definitions.adjugate,
    domain=square_samples,
)

primitive(
    "det",
    doc="The determinant: the unit to the power of the side.",
    signature="x, /",
    namespace="linalg",
    numpy="linalg.det",
    array_api=("linalg.det", adapters.on_fractions("linalg.det")),
    torch="linalg.det",
    onnx="Det",
    unit=_power_of_side(0),
    shape=lambda shapes, params: square("det", shapes[0])[:-2],
    dtype=floating,
    # by the adjugate, which a singular matrix has too
    derivative=Jvp(
        lambda tangents, out, args, params: inner_product(
            ops.matrix_transpose(ops.adjugate(args[0])), tangents[0]
        )
    ),
    batching=batching.leading,
    cost=cubic(2, 3),
    domain=square_samples,
)


def _slogdet_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    change = ops.trace(ops.solve(args[0], tangents[0]), axis1=-2, axis2=-1)
    real = ops.real(change)
    return out[0] * (change - real), real


primitive(
    "slogdet",
    doc="The sign and the logarithm of the size of the determinant, of pure numbers.",
    signature="x, /",
    namespace="linalg",
    numpy="linalg.slogdet",
    array_api=("linalg.slogdet", adapters.on_fractions("linalg.slogdet")),
    torch="linalg.slogdet",
    outputs=("sign", "logabsdet"),
    unit=unit_rule(lambda call: Resolved(pure_to_pure(call).targets, (PURE, PURE))),
    shape=lambda shapes, params: (square("slogdet", shapes[0])[:-2],) * 2,
    dtype=lambda given, params: (floating(given, params), real_floating(given, params)),
    derivative=Jvp(_slogdet_tangent),
    batching=batching.leading,
    cost=cubic(2, 3),
    domain=square_samples,
)
