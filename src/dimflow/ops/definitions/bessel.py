"""Bessel functions of real numbers: polynomials up to 8, Hankel's expansions from there on."""

from math import factorial, inf, nan, pi, sqrt
from typing import Any

from dimflow import ops
from dimflow.ops.definitions import special_tables as tables
from dimflow.ops.definitions.special import of_real_numbers, polynomial, split

# of I0(x) and 2 I1(x) / x in powers of x²/4, all positive, highest first; of J0(x) in -x²/4
_SERIES_0 = tuple(1 / factorial(k) ** 2 for k in range(30, -1, -1))
_SERIES_1 = tuple(1 / (factorial(k) * factorial(k + 1)) for k in range(30, -1, -1))


def _inner(x: Any) -> Any:
    """Where |x| stands in the polynomials up to 8."""
    return x * x / 32 - 1


def _wave(x: Any, order: int, second: bool) -> Any:
    """J or Y for x from 8 on. The phase is taken apart, since x - π/4 would round."""
    far, near = ((tables.P0, tables.Q0), (tables.P1, tables.Q1))[order]
    t = 128 / (x * x) - 1
    p, q = polynomial(t, far), polynomial(t, near) / x
    sin, cos = ops.sin(x), ops.cos(x)
    c, s = (cos + sin, sin - cos) if order == 0 else (sin - cos, -sin - cos)
    amplitude = 1 / (sqrt(pi) * ops.sqrt(x))  # the root of a product might overflow
    return amplitude * (p * s + q * c) if second else amplitude * (p * c - q * s)


def _j0_inner(x: Any) -> Any:
    """By its own series near 0, where the result is 1 exactly."""
    near = polynomial(ops.minimum(x * x, 1.0) / -4, _SERIES_0[-10:])
    return ops.where(ops.less(x, 1), near, polynomial(_inner(x), tables.J0))


def _j1_inner(x: Any) -> Any:
    return x * polynomial(_inner(x), tables.J1)


def _finite(size: Any, function: Any, limit: Any) -> Any:
    """A function of sizes, and its limit where they are infinite."""
    infinite = ops.isinf(size)
    return ops.where(infinite, limit, function(ops.where(infinite, 1.0, size)))


def _odd(x: Any, result: Any) -> Any:
    return ops.where(ops.less(x, 0), -result, result)


@of_real_numbers
def bessel_j0(x: Any) -> Any:
    """Even."""

    def function(a: Any) -> Any:
        return split(ops.less(a, 8), a, _j0_inner, lambda a: _wave(a, 0, False), 1.0, 9.0)

    return _finite(ops.abs(x), function, 0.0)


@of_real_numbers
def bessel_j1(x: Any) -> Any:
    """Odd."""

    def function(a: Any) -> Any:
        return split(ops.less(a, 8), a, _j1_inner, lambda a: _wave(a, 1, False), 1.0, 9.0)

    return _odd(x, _finite(ops.abs(x), function, 0.0))


def _positive(x: Any, inner: Any, outer: Any) -> Any:
    """A function of x > 0 that is -inf at 0, nan below it, and 0 in the end."""
    plain = ops.logical_and(ops.greater(x, 0), ops.less(x, inf))
    safe = ops.where(plain, x, 1.0)
    found = split(ops.less(safe, 8), safe, inner, outer, 1.0, 9.0)
    end = ops.where(ops.equal(x, inf), 0.0, ops.full_like(x, nan))
    end = ops.where(ops.equal(x, 0), -inf, end)
    return ops.where(plain, found, end)


@of_real_numbers
def bessel_y0(x: Any) -> Any:
    """-inf at 0, nan below."""

    def inner(x: Any) -> Any:
        return 2 / pi * ops.log(x) * _j0_inner(x) + polynomial(_inner(x), tables.Y0)

    return _positive(x, inner, lambda x: _wave(x, 0, True))


@of_real_numbers
def bessel_y1(x: Any) -> Any:
    """-inf at 0, nan below."""

    def inner(x: Any) -> Any:
        steep = 2 / pi * (ops.log(x) * _j1_inner(x) - 1 / x)
        return steep + x * polynomial(_inner(x), tables.Y1)

    return _positive(x, inner, lambda x: _wave(x, 1, True))


def _i_inner(a: Any, order: int) -> Any:
    if order == 0:
        return polynomial(a * a / 4, _SERIES_0)
    return a / 2 * polynomial(a * a / 4, _SERIES_1)


def _i_outer(a: Any, order: int) -> Any:
    """exp(-a) I(a) for a from 8 on."""
    return polynomial(16 / a - 1, (tables.I0, tables.I1)[order]) / ops.sqrt(a)


def _i(a: Any, order: int) -> Any:
    def outer(a: Any) -> Any:
        half = ops.exp(a / 2)  # exp(a) overflows before I(a)
        return half * _i_outer(a, order) * half

    def function(a: Any) -> Any:
        return split(ops.less(a, 8), a, lambda a: _i_inner(a, order), outer, 1.0, 9.0)

    return _finite(a, function, inf)


def _scaled_i(a: Any, order: int) -> Any:
    def inner(a: Any) -> Any:
        return ops.exp(-a) * _i_inner(a, order)

    def function(a: Any) -> Any:
        return split(ops.less(a, 8), a, inner, lambda a: _i_outer(a, order), 1.0, 9.0)

    return _finite(a, function, 0.0)


@of_real_numbers
def bessel_i0(x: Any) -> Any:
    """Even."""
    return _i(ops.abs(x), 0)


@of_real_numbers
def bessel_i1(x: Any) -> Any:
    """Odd."""
    return _odd(x, _i(ops.abs(x), 1))


@of_real_numbers
def bessel_i0e(x: Any) -> Any:
    """Even; does not overflow."""
    return _scaled_i(ops.abs(x), 0)


@of_real_numbers
def bessel_i1e(x: Any) -> Any:
    """Odd; does not overflow."""
    return _odd(x, _scaled_i(ops.abs(x), 1))
