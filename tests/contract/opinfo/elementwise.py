"""PyTorch's elementwise functions by our ops."""

from math import inf, log, pi
from typing import Any

from dimflow import ops
from tests.contract.opinfo.registry import adapts, enter_direct

_SAME_NAME = (
    "abs acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh deg2rad digamma erf erfc "
    "erfinv exp exp2 expm1 floor floor_divide fmax fmin fmod gcd heaviside hypot imag isfinite "
    "isinf isnan isneginf isposinf isreal lcm ldexp lerp lgamma log log10 log1p log2 logaddexp "
    "logaddexp2 logical_and logical_not logical_or logical_xor maximum minimum nextafter positive "
    "pow rad2deg reciprocal remainder sigmoid sign signbit sin sinc sinh sqrt square tan tanh "
    "trunc bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift float_power "
    "angle real"
)
enter_direct({name: name for name in _SAME_NAME.split()})
enter_direct(
    {
        "alias_copy": "copy",
        "bitwise_not": "bitwise_invert",
        "clone": "copy",
        "conj": "conj",
        "conj_physical": "conj",
        "contiguous": "copy",
        "eq": "equal",
        "ge": "greater_equal",
        "gt": "greater",
        "i0": "bessel_i0",
        "le": "less_equal",
        "lt": "less",
        "max/binary": "maximum",
        "min/binary": "minimum",
        "mul": "multiply",
        "ne": "not_equal",
        "neg": "negative",
        "nn.functional.hardsigmoid": "hard_sigmoid",
        "nn.functional.hardswish": "hard_swish",
        "nn.functional.logsigmoid": "log_sigmoid",
        "nn.functional.mish": "mish",
        "nn.functional.relu": "relu",
        "nn.functional.relu6": "relu6",
        "nn.functional.selu": "selu",
        "nn.functional.silu": "silu",
        "nn.functional.silu/complex": "silu",
        "nn.functional.softsign": "softsign",
        "nn.functional.tanhshrink": "tanhshrink",
        "resolve_conj": "copy",
        "resolve_neg": "copy",
        "sgn": "sign",
        "special.bessel_j0": "bessel_j0",
        "special.bessel_j1": "bessel_j1",
        "special.bessel_y0": "bessel_y0",
        "special.bessel_y1": "bessel_y1",
        "special.i0e": "bessel_i0e",
        "special.i1": "bessel_i1",
        "special.i1e": "bessel_i1e",
        "special.modified_bessel_i0": "bessel_i0",
        "special.modified_bessel_i1": "bessel_i1",
        "true_divide": "divide",
    }
)


@adapts("div/no_rounding_mode", "div/floor_rounding", "div/trunc_rounding")
def _div(input: Any, other: Any, *, rounding_mode: Any = None) -> Any:
    if rounding_mode is None:
        return ops.divide(input, other)
    if rounding_mode == "floor":
        return ops.floor_divide(input, other)
    return ops.trunc(ops.divide(input, other))


@adapts("add")
def _add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    return ops.add(input, _times(alpha, other))


@adapts("sub")
def _sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    return ops.subtract(input, _times(alpha, other))


@adapts("rsub")
def _rsub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    return ops.subtract(other, _times(alpha, input))


def _times(factor: Any, x: Any) -> Any:
    return x if factor == 1 else ops.multiply(factor, x)


for _name, _op in {
    "__radd__": ops.add,
    "__rdiv__": ops.divide,
    "__rmul__": ops.multiply,
    "__rand__": ops.bitwise_and,
    "__ror__": ops.bitwise_or,
    "__rxor__": ops.bitwise_xor,
    "__rmatmul__": ops.matmul,
    "__rmod__": ops.remainder,
    "__rpow__": ops.pow,
    "__rsub__": ops.subtract,
}.items():
    adapts(_name)(lambda input, other, op=_op: op(other, input))


@adapts("clamp")
def _clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    return ops.clip(input, min, max)


@adapts("clamp_min")
def _clamp_min(input: Any, min: Any) -> Any:
    return ops.clip(input, min)


@adapts("clamp_max")
def _clamp_max(input: Any, max: Any) -> Any:
    return ops.clip(input, None, max)


@adapts("addcmul")
def _addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    return ops.multiply_add(_times(value, tensor1), tensor2, input)


@adapts("addcdiv")
def _addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any:
    return ops.add(input, ops.divide(_times(value, tensor1), tensor2))


@adapts("frac")
def _frac(input: Any) -> Any:
    return ops.modf(input)[0]


@adapts("frexp")
def _frexp(input: Any) -> Any:
    return tuple(ops.frexp(input))


@adapts("rsqrt")
def _rsqrt(input: Any) -> Any:
    return ops.static_power(input, exponent=-0.5)


@adapts("isclose")
def _isclose(
    input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    return ops.isclose(input, other, rtol=rtol, atol=atol, equal_nan=equal_nan)


@adapts("allclose")
def _allclose(*args: Any, **kwargs: Any) -> Any:
    return ops.all(_isclose(*args, **kwargs))


@adapts("equal")
def _equal(input: Any, other: Any) -> Any:
    return input.shape == other.shape and bool(ops.all(ops.equal(input, other)))


@adapts("round", "round/decimals_0", "round/decimals_3", "round/decimals_neg_3")
def _round(input: Any, *, decimals: int = 0) -> Any:
    return ops.round(input, decimals=decimals)


@adapts("complex")
def _complex(real: Any, imag: Any) -> Any:
    return ops.add(real, ops.multiply(imag, 1j))


@adapts("polar")
def _polar(abs: Any, angle: Any) -> Any:
    return ops.multiply(abs, ops.exp(ops.multiply(angle, 1j)))


@adapts("view_as_real")
def _view_as_real(input: Any) -> Any:
    return ops.stack([ops.real(input), ops.imag(input)], axis=-1)


@adapts("view_as_complex")
def _view_as_complex(input: Any) -> Any:
    return ops.add(input[..., 0], ops.multiply(input[..., 1], 1j))


@adapts("logit")
def _logit(input: Any, eps: Any = None) -> Any:
    return ops.logit(input if eps is None else ops.clip(input, eps, 1 - eps))


@adapts("xlogy")
def _xlogy(input: Any, other: Any) -> Any:
    product = ops.multiply(input, ops.log(other))
    return ops.where(ops.isnan(other), other, ops.where(ops.equal(input, 0), 0.0, product))


@adapts("special.xlog1py")
def _xlog1py(input: Any, other: Any) -> Any:
    product = ops.multiply(input, ops.log1p(other))
    return ops.where(ops.isnan(other), other, ops.where(ops.equal(input, 0), 0.0, product))


@adapts("special.entr")
def _entr(input: Any) -> Any:
    positive = ops.negative(ops.multiply(input, ops.log(input)))
    below = ops.where(ops.equal(input, 0), 0.0, -inf)
    return ops.where(ops.greater(input, 0), positive, ops.where(ops.isnan(input), input, below))


@adapts("special.ndtr")
def _ndtr(input: Any) -> Any:
    return ops.multiply(0.5, ops.erfc(ops.multiply(input, -(0.5**0.5))))


@adapts("special.ndtri")
def _ndtri(input: Any) -> Any:
    return ops.multiply(2**0.5, ops.erfinv(ops.subtract(ops.multiply(2, input), 1)))


@adapts("special.log_ndtr")
def _log_ndtr(input: Any) -> Any:
    return ops.log(_ndtr(input))


@adapts(
    *(f"polygamma/polygamma_n_{n}" for n in range(5)), "special.polygamma/special_polygamma_n_0"
)
def _polygamma(input: Any, n: int) -> Any:
    return ops.digamma(input) if n == 0 else ops.polygamma(n, input)


@adapts("mvlgamma/mvlgamma_p_1", "mvlgamma/mvlgamma_p_3", "mvlgamma/mvlgamma_p_5")
def _mvlgamma(input: Any, p: int) -> Any:
    total = p * (p - 1) / 4 * log(pi)
    for j in range(p):
        total = ops.add(total, ops.lgamma(ops.subtract(input, j / 2)))
    return total


@adapts("special.spherical_bessel_j0")
def _spherical_j0(x: Any) -> Any:
    return ops.sinc(ops.divide(x, pi))


@adapts("nan_to_num")
def _nan_to_num(input: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    import numpy as np

    ends = np.finfo(np.dtype(str(input.dtype).removeprefix("torch.")))
    x = ops.where(ops.isnan(input), 0.0 if nan is None else nan, input)
    x = ops.where(ops.isposinf(input), float(ends.max) if posinf is None else posinf, x)
    return ops.where(ops.isneginf(input), float(ends.min) if neginf is None else neginf, x)


# Activations


@adapts("nn.functional.leaky_relu")
def _leaky_relu(input: Any, negative_slope: float = 0.01) -> Any:
    return ops.leaky_relu(input, negative_slope=negative_slope)


@adapts("nn.functional.prelu")
def _prelu(input: Any, weight: Any) -> Any:
    rank = len(input.shape)
    if weight.shape:
        weight = ops.reshape(weight, shape=(-1, *[1] * (rank - 2)) if rank > 1 else (-1,) * rank)
    return ops.prelu(input, weight)


@adapts("nn.functional.elu")
def _elu(input: Any, alpha: float = 1.0) -> Any:
    return ops.elu(input, alpha=alpha)


@adapts("nn.functional.celu")
def _celu(input: Any, alpha: float = 1.0) -> Any:
    return ops.celu(input, alpha=alpha)


@adapts("nn.functional.gelu")
def _gelu(input: Any, approximate: str = "none") -> Any:
    return ops.gelu(input, approximate=approximate)


@adapts("nn.functional.hardtanh")
def _hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    return ops.hardtanh(input, min_val=min_val, max_val=max_val)


@adapts("nn.functional.softshrink")
def _softshrink(input: Any, lambd: float = 0.5) -> Any:
    return ops.softshrink(input, lambd=lambd)


@adapts("nn.functional.hardshrink")
def _hardshrink(input: Any, lambd: float = 0.5) -> Any:
    return ops.hardshrink(input, lambd=lambd)


@adapts("nn.functional.softplus")
def _softplus(input: Any, beta: float = 1, threshold: float = 20) -> Any:
    scaled = ops.multiply(input, beta)
    return ops.where(ops.greater(scaled, threshold), input, ops.divide(ops.softplus(scaled), beta))


@adapts("nn.functional.threshold")
def _threshold(input: Any, threshold: float, value: float) -> Any:
    return ops.where(ops.greater(input, threshold), input, value)


@adapts("nn.functional.glu")
def _glu(input: Any, dim: int = -1) -> Any:
    return ops.glu(input, axis=dim)


@adapts("where")
def _where(input: Any, condition: Any, other: Any) -> Any:
    return ops.where(condition, input, other)


@adapts("fill")
def _fill(input: Any, value: Any) -> Any:
    return ops.full_like(input, value)


@adapts("zeros_like")
def _zeros_like(input: Any, dtype: Any = None, **_: Any) -> Any:
    return ops.zeros_like(input, dtype=dtype)


@adapts("ones_like")
def _ones_like(input: Any, dtype: Any = None, **_: Any) -> Any:
    return ops.ones_like(input, dtype=dtype)


@adapts("full_like")
def _full_like(input: Any, fill_value: Any, dtype: Any = None, **_: Any) -> Any:
    return ops.full_like(input, fill_value, dtype=dtype)


for _name, _dtype in {
    "bool": "bool",
    "byte": "uint8",
    "char": "int8",
    "double": "float64",
    "float": "float32",
    "half": "float16",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "cdouble": "complex128",
    "cfloat": "complex64",
}.items():
    adapts(_name)(lambda input, memory_format=None, dtype=_dtype: ops.astype(input, dtype))
