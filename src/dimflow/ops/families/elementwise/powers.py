"""Powers and roots. A power of a quantity has a unit only if the exponent is known without data."""

from math import inf
from numbers import Real
from typing import Any

from dimflow import ops
from dimflow.errors import UnitError, UnitRangeError
from dimflow.ops.definitions import elementwise as elements
from dimflow.ops.domain import Sample
from dimflow.ops.families.elementwise.complex_numbers import is_complex
from dimflow.ops.rules import dtypes
from dimflow.ops.rules.units import (
    PURE,
    Call,
    Resolved,
    ask_pure,
    power,
    pure,
    same,
    unit_of,
    unit_rule,
)
from dimflow.ops.standard import adapters
from dimflow.ops.table import composite, elementwise
from dimflow.units.alike import is_number

elementwise(
    "sqrt",
    doc="The square root.",
    unit=power("1/2"),
    partials=(lambda out, x: 0.5 / out,),
    expr="sqrt(x)",
    domain=(0.5, 2.0),
    array_api="sqrt",
    torch="sqrt",
    onnx="Sqrt",
    flops=4,
)

elementwise(
    "cbrt",
    doc="The cube root, of negative numbers too.",
    unit=power("1/3"),
    partials=(lambda out, x: 1 / (3 * out * out),),
    expr="cbrt(x)",
    definition=elements.cbrt,
    domain=(0.5, 2.0),
    flops=12,
)

elementwise(
    "square",
    doc="x * x.",
    unit=power(2),
    partials=(lambda out, x: 2 * x,),
    expr="x * x",
    domain=(-2.0, 2.0),
    array_api="square",
    torch="square",
    laws=("inverse:sqrt",),
)

elementwise(
    "reciprocal",
    doc="1 / x; of integers too, where NumPy cuts the fraction off.",
    unit=power(-1),
    partials=(lambda out, x: -out * out,),
    expr="1 / x",
    dtype=dtypes.floating,
    domain=(0.5, 2.0),
    array_api="reciprocal",
    torch="reciprocal",
    onnx="Reciprocal",
    flops=4,
    laws=("involution",),
)


def _or_inf(size: Any) -> Any:
    """Infinite for 0, so that the derivative there is 0, as that of abs(x) is."""
    return ops.where(size == 0, inf, size)


elementwise(
    "hypot",
    doc="sqrt(x*x + y*y) without overflow.",
    unit=same,
    partials=(lambda out, x, y: x / _or_inf(out), lambda out, x, y: y / _or_inf(out)),
    expr="hypot(x, y)",
    domain=((0.5, 2.0), (0.5, 2.0)),
    array_api="hypot",
    torch="hypot",
    flops=8,
    laws=("commutative", "associative"),
)


def _plain_number(exponent: Any) -> Any:
    """An exponent as a number that multiplies arrays: a Fraction as the nearest float."""
    return exponent if isinstance(exponent, (int, float)) else float(exponent)


@unit_rule(params=True)
def _static_power(call: Call) -> Resolved:
    """The unit to that power; pure numbers may be raised to powers that no unit can be."""
    unit, exponent = unit_of(call, 0), call.params["exponent"]
    try:
        return Resolved((None,), unit**exponent)
    except UnitRangeError:
        if not is_number(unit):
            raise
        return Resolved((PURE,), PURE)


def _power_slope(out: Any, x: Any, exponent: Any) -> Any:
    if exponent == 0:
        return 0.0 / ops.where(x == 0, inf, x)  # not 0 * 0**-1
    return _plain_number(exponent) * ops.static_power(x, exponent=exponent - 1)


def _power_dtype(given: tuple[Any, ...], params: dict[str, Any]) -> Any:
    exponent = params["exponent"]
    if exponent < 0 and dtypes.result_type(given).kind in "biu":
        return dtypes.floating(given, {})
    kind = getattr(exponent, "dtype", None) or type(_plain_number(exponent))
    return dtypes.ufunc("power")((*given, kind), {})


elementwise(
    "static_power",
    doc="x to a power that is known without data: the unit is raised to it.",
    signature="x, /, exponent",
    unit=_static_power,
    partials=(_power_slope,),
    expr="x ** exponent",
    domain=(0.5, 2.0),
    numpy="",
    array_api=("pow", adapters.static_power),
    dtype=_power_dtype,
    flops=10,
)


@unit_rule
def _array_power(call: Call) -> Resolved:
    pure(call, 1)
    if not unit_of(call, 0).dimension.without_angle().is_dimensionless:
        raise UnitError(
            f"pow of {unit_of(call, 0)} needs one exponent that is known without data, "
            "since the unit of the result depends on it",
            "give the exponent as a number: x ** 2",
        )
    pure(call, 0)
    return Resolved((PURE, PURE), PURE)


elementwise(
    "array_power",
    doc="x to the power of y, element by element: pure numbers.",
    unit=_array_power,
    partials=(
        # neither 0 * 0**-1 nor 0 * log(0)
        lambda out, x, y: y * ops.array_power(ops.where(y == 0, 1.0, x), y - 1),
        lambda out, x, y: out * ops.log(ops.where(x == 0, 1.0, x)),
    ),
    expr="x ** y",
    domain=((0.5, 2.0), (-2.0, 2.0)),
    numpy="power",
    array_api="pow",
    flops=20,
)


def _static(exponent: Any) -> Any:
    """An exponent that is one number known now; None if it is an array."""
    if isinstance(exponent, Real):
        return exponent
    if getattr(exponent, "shape", None) == () and hasattr(exponent, "to_value"):
        ask_pure("pow", exponent.unit, "exponent")
        exponent = exponent.to_value(PURE)
    if type(exponent).__module__ == "numpy" and exponent.shape == ():
        exponent = exponent[()]  # NumPy's scalar, which has a dtype: a number of Python has none
    return exponent if isinstance(exponent, Real) else None


def _power_samples(rng: Any) -> list[Sample]:
    base = rng.uniform(0.5, 2.0, (2, 3))
    return [
        Sample((base, rng.uniform(-2.0, 2.0, 3)), units=("", "")),
        Sample((base, 3), units=("m", None)),
        Sample((base, -2), units=("km/h", None)),
    ]


@composite(
    numpy="power",
    array_api=("pow", None),
    torch="pow",
    onnx="Pow",
    domain=_power_samples,
)
def pow(x: Any, y: Any, /) -> Any:
    """x to the power of y. A base with a unit needs a single number as exponent."""
    is_bare = isinstance(x, Real) or (isinstance(x, (list, tuple)) and not isinstance(y, Real))
    exponent = None if is_bare else _static(y)
    if exponent is not None:
        return ops.static_power(x, exponent=exponent)
    return ops.array_power(x, y)


@composite(numpy="float_power", torch="float_power", domain=_power_samples)
def float_power(x: Any, y: Any, /) -> Any:
    """x to the power of y in double precision, whatever the arguments have."""
    if _static(y) is None:
        y = _double(y)
    return ops.pow(_double(x), y)


def _double(x: Any) -> Any:
    return ops.astype(x, "complex128" if is_complex(x) else "float64")
