"""Bessel functions on NumPy: polynomials up to 8, Hankel's expansions from there on."""

from math import factorial, pi

import numpy as np

from dimflow.backends.numpy_kernels.blocks import Array, kernel, polynomial, split
from dimflow.ops.definitions import special_tables as tables

# of I0(x) and 2 I1(x) / x in powers of x²/4, all positive, highest first; of J0(x) in -x²/4
_SERIES_0 = tuple(1 / factorial(k) ** 2 for k in range(30, -1, -1))
_SERIES_1 = tuple(1 / (factorial(k) * factorial(k + 1)) for k in range(30, -1, -1))


def _inner(x: Array) -> Array:
    """Where |x| stands in the polynomials up to 8."""
    return x * x / 32 - 1


def _waves(x: Array, p: Array, q: Array, order: int) -> tuple[Array, Array]:
    """J and Y for x from 8 on. The phase is taken apart, since x - π/4 would round."""
    t = 128 / (x * x) - 1
    amplitude = 1 / np.sqrt(pi * x)
    p, q = polynomial(t, p), polynomial(t, q) / x
    sin, cos = np.sin(x), np.cos(x)
    if order == 0:
        c, s = cos + sin, sin - cos
    else:
        c, s = sin - cos, -sin - cos
    return amplitude * (p * c - q * s), amplitude * (p * s + q * c)


def _j0_inner(x: Array) -> Array:
    """By its own series near 0, where the result is 1 exactly."""
    return split(
        np.abs(x) < 1,
        x,
        lambda x: polynomial(x * x / -4, _SERIES_0[-10:]),
        lambda x: polynomial(_inner(x), tables.J0),
    )


def _j1_inner(x: Array) -> Array:
    return x * polynomial(_inner(x), tables.J1)


def _waves_0(x: Array) -> tuple[Array, Array]:
    return _waves(x, tables.P0, tables.Q0, 0)


def _waves_1(x: Array) -> tuple[Array, Array]:
    return _waves(x, tables.P1, tables.Q1, 1)


def _at_infinity(x: Array, result: Array) -> Array:
    return np.where(np.isinf(x), 0.0, result)


@kernel
def bessel_j0(x: Array) -> Array:
    """Even."""
    a = np.abs(x)
    return _at_infinity(x, split(a < 8, a, _j0_inner, lambda a: _waves_0(a)[0]))


@kernel
def bessel_j1(x: Array) -> Array:
    """Odd."""
    a = np.abs(x)
    result = split(a < 8, a, _j1_inner, lambda a: _waves_1(a)[0])
    return _at_infinity(x, np.where(x < 0, -result, result))


@kernel
def bessel_y0(x: Array) -> Array:
    """-inf at 0, nan below."""
    result = split(
        x < 8,
        x,
        lambda x: 2 / pi * np.log(x) * _j0_inner(x) + polynomial(_inner(x), tables.Y0),
        lambda x: _waves_0(x)[1],
    )
    return np.where(x == np.inf, 0.0, result)


@kernel
def bessel_y1(x: Array) -> Array:
    """-inf at 0, nan below."""
    result = split(
        x < 8,
        x,
        lambda x: (
            2 / pi * (np.log(x) * _j1_inner(x) - 1 / x) + x * polynomial(_inner(x), tables.Y1)
        ),
        lambda x: _waves_1(x)[1],
    )
    return np.where(x == 0, -np.inf, np.where(x == np.inf, 0.0, result))


def _i_inner(a: Array, order: int) -> Array:
    if order == 0:
        return polynomial(a * a / 4, _SERIES_0)
    return a / 2 * polynomial(a * a / 4, _SERIES_1)


def _i_outer(a: Array, order: int) -> Array:
    """exp(-a) I(a) for a from 8 on."""
    return polynomial(16 / a - 1, (tables.I0, tables.I1)[order]) / np.sqrt(a)


def _i(x: Array, order: int) -> Array:
    def outer(a: Array) -> Array:
        half = np.exp(a / 2)  # exp(a) overflows before I(a)
        return np.where(np.isinf(a), np.inf, half * _i_outer(a, order) * half)

    a = np.abs(x)
    result = split(a < 8, a, lambda a: _i_inner(a, order), outer)
    return np.where(x < 0, -result, result) if order else result


def _scaled_i(x: Array, order: int) -> Array:
    a = np.abs(x)
    result = split(
        a < 8, a, lambda a: np.exp(-a) * _i_inner(a, order), lambda a: _i_outer(a, order)
    )
    return np.where(x < 0, -result, result) if order else result


@kernel
def bessel_i0(x: Array) -> Array:
    """Even."""
    return _i(x, 0)


@kernel
def bessel_i1(x: Array) -> Array:
    """Odd."""
    return _i(x, 1)


@kernel
def bessel_i0e(x: Array) -> Array:
    """Even; does not overflow."""
    return _scaled_i(x, 0)


@kernel
def bessel_i1e(x: Array) -> Array:
    """Odd; does not overflow."""
    return _scaled_i(x, 1)
