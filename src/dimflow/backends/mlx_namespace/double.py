"""Functions that MLX computes in single precision even for float64, in double precision.

MLX's expm1, tan, log1p and tanh are right in float64; exp, sin and cos are not, nor are the
derivatives that MLX builds from those. Here they are made of the former, with derivatives of their
own. For all other dtypes they are MLX's functions.
"""

from collections.abc import Callable
from typing import Any

import mlx.core as mx

Function = Callable[..., Any]


def _with_derivative(function: Function, derivative: Callable[[Any, Any], Any]) -> Function:
    """A function of float64 with `derivative(x, out)`."""
    wrapped = mx.custom_function(function)

    @wrapped.vjp  # type: ignore[untyped-decorator,unused-ignore]
    def pull(primal: Any, cotangent: Any, out: Any) -> Any:
        return cotangent * derivative(primal, out)

    @wrapped.jvp  # type: ignore[untyped-decorator,unused-ignore]
    def push(primals: Any, tangents: Any) -> Any:
        x, t = (v[0] if isinstance(v, (tuple, list)) else v for v in (primals, tangents))
        return t * derivative(x, wrapped(x))

    wrapped.vmap(_batched(wrapped))
    return wrapped


def _batched(elementwise: Function) -> Callable[[Any, Any], Any]:
    """Without a rule of its own for batches, MLX takes a custom function in one for constant."""

    def batch(inputs: Any, axes: Any) -> tuple[Any, int]:
        pairs = (
            zip(inputs, axes, strict=True)
            if isinstance(inputs, (tuple, list))
            else [(inputs, axes)]
        )
        front = [x if axis is None else mx.moveaxis(x, axis, 0) for x, axis in pairs]
        return elementwise(*mx.broadcast_arrays(*front)), 0

    return batch


def _exp(x: Any) -> Any:
    """For negative x the square of a half, whose reciprocal does not overflow."""
    root = 1 / (mx.expm1(mx.abs(x) / 2) + 1)
    return mx.where(x < 0, root * root, mx.expm1(x) + 1)


def _sin(x: Any) -> Any:
    half = mx.tan(x / 2)
    return 2 * half / (1 + half * half)


def _cos(x: Any) -> Any:
    """Near its zeros the sine over the tangent, which is exact there."""
    half = mx.tan(x / 2)
    plain = (1 - half) * (1 + half) / (1 + half * half)
    is_small = mx.abs(plain) < 0.5
    return mx.where(is_small, _sin(x) / mx.where(is_small, mx.tan(x), 1), plain)


_EXP = _with_derivative(_exp, lambda x, out: out)
_EXPM1 = _with_derivative(lambda x: mx.expm1(x), lambda x, out: out + 1)
_SIN: Function = _with_derivative(_sin, lambda x, out: _COS(x))
_COS: Function = _with_derivative(_cos, lambda x, out: -_SIN(x))
_TAN = _with_derivative(lambda x: mx.tan(x), lambda x, out: 1 + out * out)


def _of_doubles(single: Function, double: Function) -> Function:
    def function(x: Any, /) -> Any:
        return double(x) if x.dtype == mx.float64 else single(x)

    return function


def _expm1(x: Any) -> Any:
    """Of complex numbers too, part by part."""
    if x.dtype != mx.complex64:
        return mx.expm1(x)
    a, b = mx.real(x), mx.imag(x)
    return mx.expm1(a) * mx.cos(b) - 2 * mx.sin(b / 2) ** 2 + 1j * (mx.exp(a) * mx.sin(b))


exp = _of_doubles(mx.exp, _EXP)
expm1 = _of_doubles(_expm1, _EXPM1)
sin = _of_doubles(mx.sin, _SIN)
cos = _of_doubles(mx.cos, _COS)
tan = _of_doubles(mx.tan, _TAN)


def _add_in_logs(x: Any, y: Any) -> Any:
    """Equal ones, infinities among them, differ by 0."""
    gap = mx.where(x == y, 0, -mx.abs(x - y))
    return mx.maximum(x, y) + mx.log1p(exp(gap))


_LOGADDEXP = mx.custom_function(_add_in_logs)


@_LOGADDEXP.vjp  # type: ignore[untyped-decorator,unused-ignore]
def _pull(primals: Any, cotangent: Any, out: Any) -> Any:
    return tuple(cotangent * exp(x - out) for x in primals)


@_LOGADDEXP.jvp  # type: ignore[untyped-decorator,unused-ignore]
def _push(primals: Any, tangents: Any) -> Any:
    out = _LOGADDEXP(*primals)
    return sum(t * exp(x - out) for x, t in zip(primals, tangents, strict=True))


_LOGADDEXP.vmap(_batched(_LOGADDEXP))


def logaddexp(x: Any, y: Any, /) -> Any:
    """log(exp(x) + exp(y)); two infinities of one sign stay as they are."""
    if (x + y).dtype != mx.float64:
        return mx.logaddexp(x, y)
    parts = (v if isinstance(v, mx.array) else mx.array(v, mx.float64) for v in (x, y))
    return _LOGADDEXP(*mx.broadcast_arrays(*(v.astype(mx.float64) for v in parts)))
