"""Exponentials and logarithms: of pure numbers; percent and km/m are rescaled first."""

from math import log as _log
from math import pi
from typing import Any

from dimflow import ops
from dimflow.ops.definitions import elementwise as elements
from dimflow.ops.rules import dtypes
from dimflow.ops.rules.units import exponent_to_pure, pure_to_pure
from dimflow.ops.table import elementwise

_LN2 = _log(2.0)
_LN10 = _log(10.0)

elementwise(
    "exp",
    doc="e to the power of x.",
    unit=exponent_to_pure,
    partials=(lambda out, x: out,),
    expr="exp(x)",
    domain=(-2.0, 2.0),
    array_api="exp",
    torch="exp",
    onnx="Exp",
    flops=10,
    laws=("inverse:log",),
)

elementwise(
    "exp2",
    doc="2 to the power of x.",
    unit=pure_to_pure,
    partials=(lambda out, x: out * _LN2,),
    expr="exp2(x)",
    definition=elements.exp2,
    domain=(-2.0, 2.0),
    torch="exp2",
    flops=10,
    laws=("inverse:log2",),
)

elementwise(
    "expm1",
    doc="exp(x) - 1, exact for small x.",
    unit=pure_to_pure,
    partials=(lambda out, x: ops.exp(x),),
    expr="expm1(x)",
    domain=(-2.0, 2.0),
    array_api="expm1",
    torch="expm1",
    flops=12,
    laws=("inverse:log1p",),
)

elementwise(
    "log",
    doc="The natural logarithm.",
    unit=pure_to_pure,
    partials=(lambda out, x: 1 / x,),
    expr="log(x)",
    domain=(0.5, 2.0),
    array_api="log",
    torch="log",
    onnx="Log",
    flops=10,
    laws=("inverse:exp",),
)

elementwise(
    "log2",
    doc="The logarithm to base 2.",
    unit=pure_to_pure,
    partials=(lambda out, x: 1 / (x * _LN2),),
    expr="log2(x)",
    domain=(0.5, 2.0),
    array_api="log2",
    torch="log2",
    flops=10,
    laws=("inverse:exp2",),
)

elementwise(
    "log10",
    doc="The logarithm to base 10.",
    unit=pure_to_pure,
    partials=(lambda out, x: 1 / (x * _LN10),),
    expr="log10(x)",
    domain=(0.5, 2.0),
    array_api="log10",
    torch="log10",
    flops=10,
)

elementwise(
    "log1p",
    doc="log(1 + x), exact for small x.",
    unit=pure_to_pure,
    partials=(lambda out, x: 1 / (1 + x),),
    expr="log1p(x)",
    domain=(-0.5, 2.0),
    array_api="log1p",
    torch="log1p",
    flops=12,
    laws=("inverse:expm1",),
)

elementwise(
    "logaddexp",
    doc="log(exp(x) + exp(y)) without overflow.",
    unit=pure_to_pure,
    partials=(lambda out, x, y: ops.sigmoid(x - y), lambda out, x, y: ops.sigmoid(y - x)),
    expr="fmax(x, y) + log1p(exp(-abs(x - y)))",
    domain=((-2.0, 2.0), (-2.0, 2.0)),
    array_api="logaddexp",
    torch="logaddexp",
    flops=24,
    laws=("commutative", "associative"),
)

elementwise(
    "logaddexp2",
    doc="log2(2**x + 2**y) without overflow.",
    unit=pure_to_pure,
    partials=(
        lambda out, x, y: ops.sigmoid((x - y) * _LN2),
        lambda out, x, y: ops.sigmoid((y - x) * _LN2),
    ),
    expr="fmax(x, y) + log2(1 + exp2(-abs(x - y)))",
    definition=elements.logaddexp2,
    domain=((-2.0, 2.0), (-2.0, 2.0)),
    torch="logaddexp2",
    flops=24,
    laws=("commutative", "associative"),
)


def _sinc_slope(out: Any, x: Any) -> Any:
    """(cos(πx) - sinc(x)) / x, which cancels near 0: a series there."""
    small = ops.abs(x) < 0.03
    z = pi * x
    series = -pi * z / 3 * (1 - z * z / 10 * (1 - z * z / 28 * (1 - z * z / 54)))
    return ops.where(small, series, (ops.cos(z) - out) / ops.where(small, 1.0, x))


elementwise(
    "sinc",
    doc="sin(πx) / (πx), and 1 at 0.",
    unit=pure_to_pure,
    partials=(_sinc_slope,),
    expr="1.0 if x == 0 else sin(pi * x) / (pi * x)",
    definition=elements.sinc,
    dtype=dtypes.floating,
    domain=(-2.0, 2.0),
    torch="sinc",
    flops=14,
)

elementwise(
    "sigmoid",
    doc="1 / (1 + exp(-x)), the logistic function.",
    unit=pure_to_pure,
    partials=(lambda out, x: out * ops.sigmoid(-x),),
    expr="1 / (1 + exp(-x))",
    definition=elements.sigmoid,
    domain=(-2.0, 2.0),
    numpy="",
    torch="sigmoid",
    onnx="Sigmoid",
    flops=13,
    laws=("inverse:logit",),
)

elementwise(
    "logit",
    doc="log(x / (1 - x)), the logarithm of the odds.",
    unit=pure_to_pure,
    partials=(lambda out, x: 1 / (x * (1 - x)),),
    expr="log(x / (1 - x))",
    definition=elements.logit,
    domain=(0.1, 0.9),
    numpy="",
    torch="logit",
    flops=13,
    laws=("inverse:sigmoid",),
)

elementwise(
    "softplus",
    doc="log(1 + exp(x)) without overflow.",
    unit=pure_to_pure,
    partials=(lambda out, x: ops.sigmoid(x),),
    expr="fmax(x, 0.0) + log1p(exp(-abs(x)))",
    definition=elements.softplus,
    domain=(-2.0, 2.0),
    numpy="",
    torch="nn.functional.softplus",
    onnx="Softplus",
    flops=24,
)

elementwise(
    "log_sigmoid",
    doc="log(sigmoid(x)) without underflow.",
    unit=pure_to_pure,
    partials=(lambda out, x: ops.sigmoid(-x),),
    expr="fmin(x, 0.0) - log1p(exp(-abs(x)))",
    definition=elements.log_sigmoid,
    domain=(-2.0, 2.0),
    numpy="",
    torch="nn.functional.logsigmoid",
    flops=24,
)
