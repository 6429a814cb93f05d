"""Complex numbers: their parts. Cotangents pair as sum(ct * tangent), without conjugation."""

from math import pi
from typing import Any

from dimflow import ops
from dimflow.ops.definitions import elementwise as elements
from dimflow.ops.rules import dtypes, points
from dimflow.ops.rules.derivatives import Jvp, Linear
from dimflow.ops.rules.units import RADIAN, Call, Resolved, same, to, unit_rule
from dimflow.ops.standard import adapters
from dimflow.ops.table import elementwise
from dimflow.units.tables import builtin

_DEGREE = builtin.parse("deg")


def is_complex(x: Any) -> bool:
    """Whether an array is of a complex dtype, whichever library it belongs to."""
    dtype = getattr(x, "dtype", None)
    return isinstance(x, complex) if dtype is None else "complex" in str(dtype)


elementwise(
    "real",
    doc="The real part.",
    unit=same,
    points=points.keep,
    partials=Linear(lambda ct, args, params: (ct,)),
    expr="real(x)",
    domain=(-2.0, 2.0),
    dtype=dtypes.real,
    array_api=("real", adapters.real),
    torch="real",
    flops=0,
    laws=("idempotent",),
)

elementwise(
    "imag",
    doc="The imaginary part; zero for real numbers.",
    unit=same,
    points=points.unshifted,
    partials=Linear(lambda ct, args, params: (ct * (-1j if is_complex(args[0]) else 0),)),
    expr="imag(x)",
    domain=(-2.0, 2.0),
    dtype=dtypes.real,
    array_api=("imag", adapters.imag),
    flops=0,
)

elementwise(
    "conj",
    doc="The complex conjugate.",
    unit=same,
    points=points.keep,
    partials=Linear(lambda ct, args, params: (ops.conj(ct),)),
    expr="conj(x)",
    domain=(-2.0, 2.0),
    numpy="conjugate",
    array_api="conj",
    torch="conj_physical",
    laws=("involution",),
)


@unit_rule(params=True)
def _phase(call: Call) -> Resolved:
    return Resolved(to(call, None), _DEGREE if call.params.get("deg") else RADIAN)


def _phase_dtype(given: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """That of atan2 of the parts, where a real number's imaginary part is a bare 0."""
    found = dtypes.result_type(given)
    if found.kind == "c":
        return dtypes.real_of(found)
    return dtypes.ufunc("arctan2")((int, found), params)


def _turned(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """How far a tangent turns the number."""
    turn = ops.imag(tangents[0] / args[0])
    return turn * (180 / pi) if params.get("deg") else turn


elementwise(
    "angle",
    doc="The phase of a complex number: in radians, or in degrees if `deg`.",
    signature="x, /, deg=False",
    unit=_phase,
    partials=Jvp(_turned),
    expr="angle(x) * (180 / pi if deg else 1)",
    domain=(0.5, 2.0),
    dtype=_phase_dtype,
    definition=elements.angle,
    torch="angle",
    flops=16,
)
