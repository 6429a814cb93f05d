"""Elementwise functions that MLX lacks, or has with another signature or meaning."""

from typing import Any

import mlx.core as mx

__all__ = [
    "abs",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "clip",
    "copysign",
    "floor_divide",
    "hypot",
    "imag",
    "nextafter",
    "not_equal",
    "positive",
    "real",
    "round",
    "sign",
    "signbit",
    "trunc",
]

_abs, _round = mx.abs, mx.round
_BITS = {mx.float16: mx.int16, mx.bfloat16: mx.int16, mx.float32: mx.int32, mx.float64: mx.int64}


def _array(value: Any, like: Any = None) -> mx.array:
    """A bare number as an array of its partner's dtype."""
    if isinstance(value, mx.array):
        return value
    return mx.array(value, like.dtype) if isinstance(like, mx.array) else mx.array(value)


def _pair(x: Any, y: Any) -> tuple[mx.array, mx.array]:
    """Two arrays of one dtype of fractions."""
    x, y = _array(x, y), _array(y, x)
    dtype = mx.result_type(x, y)
    if not mx.issubdtype(dtype, mx.inexact):
        dtype = mx.float32
    return x.astype(dtype), y.astype(dtype)


def not_equal(x: Any, y: Any, /) -> mx.array:
    """Not by MLX's own, whose batch axis is wrong where one value is shared and has more axes."""
    return mx.logical_not(mx.equal(x, y))


def _bitwise(name: str, of_masks: Any = None) -> Any:
    """MLX's function, of two values that are both batched if one is.

    `mx.vmap` reads beyond the end of a value that all calls share.
    """
    function = getattr(mx, name)

    def apply(x: Any, y: Any, /) -> Any:
        x, y = _array(x, y), _array(y, x)
        if of_masks is not None and x.dtype == y.dtype == mx.bool_:
            return of_masks(x, y)
        is_first = mx.array(True)
        return function(mx.where(is_first, x, y), mx.where(is_first, y, x))

    return apply


bitwise_and = _bitwise("bitwise_and", mx.logical_and)
bitwise_or = _bitwise("bitwise_or", mx.logical_or)
bitwise_xor = _bitwise("bitwise_xor", not_equal)
bitwise_left_shift = _bitwise("left_shift")
bitwise_right_shift = _bitwise("right_shift")


def abs(x: Any, /) -> mx.array:
    """Without a sign."""
    return _abs(x)


def positive(x: mx.array, /) -> mx.array:
    """The same numbers as another object."""
    return mx.array(x)


def real(x: mx.array, /) -> mx.array:
    """The real part."""
    return mx.real(x) if x.dtype == mx.complex64 else mx.array(x)


def imag(x: mx.array, /) -> mx.array:
    """The imaginary part, which is 0 for real numbers."""
    return mx.imag(x) if x.dtype == mx.complex64 else mx.zeros_like(x)


def hypot(x: Any, y: Any, /) -> mx.array:
    """Scaled by the larger, so that no square overflows."""
    x, y = _pair(x, y)
    x, y = _abs(x), _abs(y)
    large, small = mx.maximum(x, y), mx.minimum(x, y)
    is_plain = mx.logical_and(large > 0, large < mx.inf)
    ratio = small / mx.where(is_plain, large, 1)
    ends = mx.where(mx.logical_or(x == mx.inf, y == mx.inf), mx.array(mx.inf, x.dtype), large)
    return mx.where(is_plain, large * mx.sqrt(1 + ratio * ratio), ends)


def signbit(x: mx.array, /) -> mx.array:
    """Whether the sign is a minus: -0.0 has one."""
    return mx.view(mx.stop_gradient(x), _BITS[x.dtype]) < 0 if x.dtype in _BITS else x < 0


def copysign(x: Any, y: Any, /) -> mx.array:
    """The size of x with the sign of y."""
    x, y = _pair(x, y)
    x, y = mx.broadcast_arrays(x, y)
    return mx.where(signbit(mx.contiguous(y)), -_abs(x), _abs(x))


def sign(x: mx.array, /) -> mx.array:
    """nan stays nan; of complex numbers the direction."""
    if x.dtype == mx.complex64:
        size = _abs(x)
        return mx.where(size == 0, 0j, x / mx.where(size == 0, 1, size))
    is_fraction = mx.issubdtype(x.dtype, mx.floating)
    return mx.where(mx.isnan(x), x, mx.sign(x)) if is_fraction else mx.sign(x)


def nextafter(x: Any, y: Any, /) -> mx.array:
    """The next number towards y, by counting up or down in its bits."""
    x, y = _pair(x, y)
    x, y = (mx.contiguous(a) for a in mx.broadcast_arrays(x, y))
    whole = _BITS[x.dtype]
    grows = (y > x) == (x > 0)
    stepped = mx.view(mx.view(x, whole) + mx.where(grows, 1, -1).astype(whole), x.dtype)
    tiny = mx.view(mx.where(y > 0, 1, mx.iinfo(whole).min + 1).astype(whole), x.dtype)
    moved = mx.where(x == 0, tiny, stepped)
    unmoved = mx.where(x == y, y, mx.array(mx.nan, x.dtype))
    return mx.where(mx.logical_or(x == y, mx.logical_or(mx.isnan(x), mx.isnan(y))), unmoved, moved)


def clip(x: Any, /, min: Any = None, max: Any = None) -> mx.array:
    """Between two ends; those of None are open."""
    x = mx.array(x) if min is None and max is None else x
    x = x if min is None else mx.maximum(x, min)
    return x if max is None else mx.minimum(x, max)


def round(x: mx.array, /) -> mx.array:
    """To the nearest whole number, halves to the even one."""
    return _round(x) if mx.issubdtype(x.dtype, mx.inexact) else mx.array(x)


def trunc(x: mx.array, /) -> mx.array:
    """Towards zero."""
    return mx.trunc(x) if mx.issubdtype(x.dtype, mx.inexact) else mx.array(x)


def floor_divide(x: Any, y: Any, /) -> mx.array:
    """The whole quotient that belongs to the remainder; MLX's own is that of a rounded x / y."""
    quotient = x / y
    if not any(mx.issubdtype(v.dtype, mx.inexact) for v in (x, y) if isinstance(v, mx.array)):
        return mx.floor_divide(x, y)
    whole = _round((x - mx.remainder(x, y)) / y)
    is_below = mx.logical_and(x != 0, not_equal(x < 0, y < 0))  # either may be a plain number
    at_inf = mx.where(is_below, -1, 0).astype(whole.dtype)
    whole = mx.where(mx.logical_and(mx.isinf(y), mx.isfinite(x)), at_inf, whole)
    return mx.where(y == 0, quotient, whole)
