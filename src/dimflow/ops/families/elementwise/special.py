"""Special functions of pure numbers: the error function and the gamma function with its kin."""

from math import pi, sqrt

from dimflow import ops
from dimflow.ops.definitions import special as definitions
from dimflow.ops.rules import dtypes
from dimflow.ops.rules.units import pure_to_pure
from dimflow.ops.table import elementwise

_SLOPE = 2 / sqrt(pi)  # of erf at 0

elementwise(
    "erf",
    doc="The error function: 2/√π times the integral of exp(-t²) from 0 to x.",
    unit=pure_to_pure,
    partials=(lambda out, x: _SLOPE * ops.exp(-x * x),),
    expr="erf(x)",
    definition=definitions.erf,
    domain=(-2.0, 2.0),
    numpy="",
    torch="special.erf",
    onnx="Erf",
    namespace="special",
    flops=40,
    laws=("inverse:erfinv",),
)

elementwise(
    "erfc",
    doc="1 - erf(x), exact where that is small.",
    unit=pure_to_pure,
    partials=(lambda out, x: -_SLOPE * ops.exp(-x * x),),
    expr="erfc(x)",
    definition=definitions.erfc,
    domain=(-2.0, 2.0),
    numpy="",
    torch="special.erfc",
    namespace="special",
    flops=70,
)

elementwise(
    "erfinv",
    doc="The inverse of the error function; nan beyond -1 and 1.",
    unit=pure_to_pure,
    partials=(lambda out, x: ops.exp(out * out) / _SLOPE,),
    expr="erfinv(x)",
    definition=definitions.erfinv,
    domain=(-0.9, 0.9),
    numpy="",
    torch="special.erfinv",
    namespace="special",
    flops=60,
    laws=("inverse:erf",),
)

elementwise(
    "gamma",
    doc="The gamma function: (x - 1)! for whole numbers.",
    unit=pure_to_pure,
    partials=(lambda out, x: out * ops.digamma(x),),
    expr="gamma(x)",
    definition=definitions.gamma,
    domain=(0.5, 4.0),
    numpy="",
    namespace="special",
    flops=60,
)

elementwise(
    "lgamma",
    doc="The logarithm of the size of gamma(x).",
    unit=pure_to_pure,
    partials=(lambda out, x: ops.digamma(x),),
    expr="lgamma(x)",
    definition=definitions.lgamma,
    domain=(2.5, 6.0),
    numpy="",
    torch="special.gammaln",
    namespace="special",
    flops=60,
)

elementwise(
    "digamma",
    doc="The derivative of lgamma.",
    unit=pure_to_pure,
    partials=(lambda out, x: ops.polygamma(1, x),),
    expr="digamma(x)",
    definition=definitions.digamma,
    domain=(1.7, 6.0),
    numpy="",
    torch="special.digamma",
    namespace="special",
    flops=60,
)

elementwise(
    "polygamma",
    doc="The n-th derivative of digamma. The order stands first, as in SciPy and PyTorch.",
    signature="n, x",
    arrays=("x",),
    unit=pure_to_pure,
    partials=(lambda out, x, n: ops.polygamma(n + 1, x),),
    expr="polygamma(n, x)",
    definition=definitions.polygamma,
    domain=(0.5, 4.0),
    numpy="",
    namespace="special",
    flops=80,
)

elementwise(
    "beta",
    doc="gamma(x) gamma(y) / gamma(x + y), without overflow.",
    unit=pure_to_pure,
    partials=(
        lambda out, x, y: out * (ops.digamma(x) - ops.digamma(x + y)),
        lambda out, x, y: out * (ops.digamma(y) - ops.digamma(x + y)),
    ),
    expr="beta(x, y)",
    definition=definitions.beta,
    domain=((0.5, 4.0), (0.5, 4.0)),
    numpy="",
    dtype=dtypes.floating,
    namespace="special",
    flops=200,
    laws=("commutative",),
)

elementwise(
    "betaln",
    doc="The logarithm of the size of beta(x, y).",
    unit=pure_to_pure,
    partials=(
        lambda out, x, y: ops.digamma(x) - ops.digamma(x + y),
        lambda out, x, y: ops.digamma(y) - ops.digamma(x + y),
    ),
    expr="lgamma(x) + lgamma(y) - lgamma(x + y)",
    definition=definitions.betaln,
    domain=((1.2, 4.0), (1.2, 4.0)),
    numpy="",
    dtype=dtypes.floating,
    namespace="special",
    flops=200,
    laws=("commutative",),
)
