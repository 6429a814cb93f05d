"""Activations of neural networks, element by element. Those that are not homogeneous take pure
numbers; `relu` and its kin keep any unit.
"""

from math import pi, sqrt
from typing import Any

from dimflow import ops
from dimflow.errors import UnitError
from dimflow.ops.domain import Sample
from dimflow.ops.families.elementwise.complex_numbers import is_complex
from dimflow.ops.rules import dtypes
from dimflow.ops.rules.derivatives import Jvp
from dimflow.ops.rules.units import first, pure_to_pure, same
from dimflow.ops.table import composite, elementwise

_ALPHA = 1.6732632423543772848170429916717  # Klambauer et al. 2017, so that layers keep their
_SCALE = 1.0507009873554804934193349852946  # mean and variance
_ROOT_2_PI = sqrt(2 / pi)


def _relu_partial(out: Any, x: Any) -> Any:
    """1 or 0; complex numbers have no order, which heaviside says."""
    return ops.heaviside(x, 0.0) if is_complex(x) else ops.sign(out)


elementwise(
    "relu",
    doc="The larger of x and 0, in any unit.",
    unit=same,
    partials=(_relu_partial,),
    expr="x if x > 0 or x != x else 0",
    domain=(-2.0, 2.0),
    numpy="",
    dtype=lambda given, params: dtypes.result_type((*given, int)),
    definition=lambda x: ops.maximum(x, 0),
    torch="relu",
    onnx="Relu",
    laws=("idempotent",),
)

elementwise(
    "leaky_relu",
    doc="x where it is positive, elsewhere a fraction of it; in any unit.",
    signature="x, /, negative_slope=0.01",
    unit=same,
    partials=(
        lambda out, x, negative_slope: (
            negative_slope + (1.0 - negative_slope) * ops.heaviside(x, 0.0)
        ),
    ),
    expr="x if x > 0 else negative_slope * x",
    domain=(-2.0, 2.0),
    numpy="",
    definition=lambda x, negative_slope: ops.where(x > 0, x, negative_slope * x),
    torch="nn.functional.leaky_relu",
    onnx="LeakyRelu",
    flops=2,
)

elementwise(
    "prelu",
    doc="x where it is positive, elsewhere y times x, where y is a pure number for each element.",
    unit=first,
    partials=(
        lambda out, x, y: ops.where(x > 0, 1.0, y),
        lambda out, x, y: ops.minimum(x, 0),
    ),
    expr="x if x > 0 else y * x",
    domain=((-2.0, 2.0), (0.1, 0.5)),
    numpy="",
    definition=lambda x, y: ops.where(x > 0, x, y * x),
    dtype=dtypes.promoted,
    torch="prelu",
    onnx="PRelu",
    flops=2,
)

elementwise(
    "elu",
    doc="x where it is positive, elsewhere alpha * (exp(x) - 1).",
    signature="x, /, alpha=1.0",
    unit=pure_to_pure,
    partials=(lambda out, x, alpha: ops.where(x > 0, 1.0, out + alpha),),
    expr="x if x > 0 else alpha * expm1(x)",
    domain=(-2.0, 2.0),
    numpy="",
    definition=lambda x, alpha: ops.where(x > 0, x, alpha * ops.expm1(ops.where(x > 0, 0, x))),
    torch="nn.functional.elu",
    onnx="Elu",
    flops=10,
)

elementwise(
    "celu",
    doc="x where it is positive, elsewhere alpha * (exp(x / alpha) - 1): smooth for every alpha.",
    signature="x, /, alpha=1.0",
    unit=pure_to_pure,
    partials=(lambda out, x, alpha: ops.where(x > 0, 1.0, out / alpha + 1.0),),
    expr="x if x > 0 else alpha * expm1(x / alpha)",
    domain=(-2.0, 2.0),
    numpy="",
    definition=lambda x, alpha: ops.where(
        x > 0, x, alpha * ops.expm1(ops.where(x > 0, 0, x) / alpha)
    ),
    torch="celu",
    onnx="Celu",
    flops=10,
)

elementwise(
    "selu",
    doc="The scaled elu that keeps mean and variance from layer to layer.",
    unit=pure_to_pure,
    partials=(lambda out, x: ops.where(x > 0, _SCALE, out + _SCALE * _ALPHA),),
    expr=f"{_SCALE!r} * x if x > 0 else {_SCALE * _ALPHA!r} * expm1(x)",
    domain=(-2.0, 2.0),
    numpy="",
    definition=lambda x: ops.where(
        x > 0, _SCALE * x, (_SCALE * _ALPHA) * ops.expm1(ops.where(x > 0, 0, x))
    ),
    torch="selu",
    onnx="Selu",
    flops=10,
)


def _normal_density(x: Any) -> Any:
    return ops.exp(x * x * -0.5) * (1 / sqrt(2 * pi))


elementwise(
    "gelu_erf",
    doc="x times the standard normal distribution function of x.",
    unit=pure_to_pure,
    partials=(lambda out, x: 0.5 + 0.5 * ops.erf(x * sqrt(0.5)) + x * _normal_density(x),),
    expr=f"0.5 * x * erfc(-x * {sqrt(0.5)!r})",
    domain=(-3.0, 3.0),
    numpy="",
    definition=lambda x: x * 0.5 * ops.erfc(x * -sqrt(0.5)),
    torch="nn.functional.gelu",
    onnx="Gelu",
    flops=20,
)


def _gelu_slope(out: Any, x: Any) -> Any:
    t = ops.tanh(_ROOT_2_PI * (x + 0.044715 * x * x * x))
    return 0.5 + 0.5 * t + 0.5 * x * (1.0 - t * t) * _ROOT_2_PI * (1.0 + 0.134145 * x * x)


elementwise(
    "gelu_tanh",
    doc="An approximation of `gelu` by tanh (Hendrycks and Gimpel 2016).",
    unit=pure_to_pure,
    partials=(_gelu_slope,),
    expr=f"0.5 * x * (1 + tanh({_ROOT_2_PI!r} * (x + 0.044715 * x * x * x)))",
    domain=(-3.0, 3.0),
    numpy="",
    definition=lambda x: x * 0.5 * (1.0 + ops.tanh(_ROOT_2_PI * (x + 0.044715 * x * x * x))),
    flops=15,
)


@composite(
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)),), {"approximate": "none"}),
        Sample((rng.normal(size=4),), {"approximate": "tanh"}),
    ],
)
def gelu(x: Any, /, approximate: str = "none") -> Any:
    """x times the standard normal distribution function of x; 'tanh' approximates it."""
    if approximate not in ("none", "tanh"):
        raise UnitError(f"gelu is approximated by 'none' or 'tanh', not {approximate!r}")
    return ops.gelu_erf(x) if approximate == "none" else ops.gelu_tanh(x)


elementwise(
    "silu",
    doc="x * sigmoid(x), also called swish.",
    unit=pure_to_pure,
    partials=(lambda out, x: ops.sigmoid(x) + out * ops.sigmoid(-x),),
    expr="x / (1 + exp(-x))",
    domain=(-3.0, 3.0),
    numpy="",
    definition=lambda x: x * ops.sigmoid(x),
    torch="nn.functional.silu",
    flops=12,
)


def _mish_slope(out: Any, x: Any) -> Any:
    t = ops.tanh(ops.softplus(x))
    return t + x * (1.0 - t * t) * ops.sigmoid(x)


elementwise(
    "mish",
    doc="x * tanh(softplus(x)).",
    unit=pure_to_pure,
    partials=(_mish_slope,),
    expr="x * tanh(fmax(x, 0) + log1p(exp(-abs(x))))",
    domain=(-3.0, 3.0),
    numpy="",
    definition=lambda x: x * ops.tanh(ops.softplus(x)),
    torch="nn.functional.mish",
    onnx="Mish",
    flops=25,
)


def _between(x: Any, low: Any, high: Any) -> Any:
    """1 between two ends, in the precision of x, and 0 elsewhere."""
    return ops.heaviside(x - low, 0.0) * ops.heaviside(high - x, 0.0)


elementwise(
    "hardtanh",
    doc="x, held between two pure numbers.",
    signature="x, /, min_val=-1.0, max_val=1.0",
    unit=pure_to_pure,
    partials=(lambda out, x, min_val, max_val: _between(x, min_val, max_val),),
    expr="min_val if x < min_val else max_val if x > max_val else x",
    domain=(-2.0, 2.0),
    numpy="",
    definition=lambda x, min_val, max_val: ops.minimum(ops.maximum(x, min_val), max_val),
    torch="nn.functional.hardtanh",
    flops=2,
    laws=("idempotent",),
)

elementwise(
    "relu6",
    doc="x, held between 0 and 6.",
    unit=pure_to_pure,
    partials=(lambda out, x: _between(x, 0.0, 6.0),),
    expr="0.0 if x < 0 else 6.0 if x > 6 else x",
    domain=(-2.0, 8.0),
    numpy="",
    definition=lambda x: ops.minimum(ops.maximum(x, 0.0), 6.0),
    torch="nn.functional.relu6",
    flops=2,
    laws=("idempotent",),
)

elementwise(
    "hard_sigmoid",
    doc="A sigmoid of straight lines: x/6 + 1/2, held between 0 and 1.",
    unit=pure_to_pure,
    partials=(lambda out, x: (ops.heaviside(x + 3.0, 0.0) - ops.heaviside(x - 3.0, 1.0)) / 6.0,),
    expr="0.0 if x < -3 else 1.0 if x > 3 else x / 6 + 0.5",
    domain=(-5.0, 5.0),
    numpy="",
    definition=lambda x: ops.minimum(ops.maximum(x / 6.0 + 0.5, 0.0), 1.0),
    torch="nn.functional.hardsigmoid",
    flops=4,
)

elementwise(
    "hard_swish",
    doc="x times its hard sigmoid.",
    unit=pure_to_pure,
    partials=(
        lambda out, x: ops.where(x <= -3.0, 0.0, ops.where(x >= 3.0, 1.0, (2.0 * x + 3.0) / 6.0)),
    ),
    expr="x * fmin(fmax(x + 3, 0), 6) / 6",
    domain=(-5.0, 5.0),
    numpy="",
    definition=lambda x: x * ops.hard_sigmoid(x),
    torch="nn.functional.hardswish",
    onnx="HardSwish",
    flops=5,
)


def _softsign_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """Of a complex number the size changes by what points away from 0."""
    (x,), (t,) = args, tangents
    size = 1.0 + ops.abs(x)
    if not is_complex(x):
        return ops.divide(t, ops.square(size))
    away = ops.real(ops.conj(ops.sign(x)) * t)
    return ops.divide(ops.subtract(t, out * away), size)


elementwise(
    "softsign",
    doc="x / (1 + |x|).",
    unit=pure_to_pure,
    partials=Jvp(_softsign_tangent),
    expr="x / (1 + abs(x))",
    domain=(-2.0, 2.0),
    numpy="",
    definition=lambda x: x / (1.0 + ops.abs(x)),
    torch="nn.functional.softsign",
    onnx="Softsign",
    flops=3,
)

elementwise(
    "tanhshrink",
    doc="x - tanh(x).",
    unit=pure_to_pure,
    partials=(lambda out, x: ops.square(ops.tanh(x)),),
    expr="x - tanh(x)",
    domain=(0.5, 2.0),  # near 0 the difference cancels
    numpy="",
    definition=lambda x: x - ops.tanh(1.0 * x),  # tanh of truth values is of half precision
    torch="nn.functional.tanhshrink",
    flops=12,
)

elementwise(
    "softshrink",
    doc="x moved towards 0 by a pure number, and 0 where that would pass it.",
    signature="x, /, lambd=0.5",
    unit=pure_to_pure,
    partials=(lambda out, x, lambd: ops.heaviside(ops.abs(x) - lambd, 0.0),),
    expr="x - lambd if x > lambd else x + lambd if x < -lambd else 0.0 * x",
    domain=(-2.0, 2.0),
    numpy="",
    definition=lambda x, lambd: x - ops.minimum(ops.maximum(x, -lambd), lambd),
    torch="nn.functional.softshrink",
    flops=3,
)

elementwise(
    "hardshrink",
    doc="x, but 0 where |x| is at most a pure number.",
    signature="x, /, lambd=0.5",
    unit=pure_to_pure,
    partials=(lambda out, x, lambd: ops.heaviside(ops.abs(x) - lambd, 0.0),),
    expr="x if abs(x) > lambd or x != x else 0.0",
    domain=(-2.0, 2.0),
    numpy="",
    dtype=lambda given, params: dtypes.result_type((*given, int)),
    definition=lambda x, lambd: ops.where(ops.abs(x) <= lambd, 0, x),
    torch="nn.functional.hardshrink",
    flops=2,
    laws=("idempotent",),
)


@composite(
    torch="nn.functional.glu",
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 6)),), {"axis": -1}),
        Sample((rng.normal(size=(4, 3)),), {"axis": 0}),
    ],
)
def glu(x: Any, /, axis: int = -1) -> Any:
    """The first half of an axis times the sigmoid of its second half."""
    values, gate = ops.split(x, 2, axis=axis)
    return values * ops.sigmoid(gate)
