"""Special functions on NumPy alone: polynomials where a function is smooth, identities elsewhere.

They are evaluated in double precision and give no warnings: poles are infinite or nan.
"""

from math import log, pi, sqrt
from typing import Any

import numpy as np

from dimflow.backends.numpy_kernels.blocks import Array, kernel, polynomial, split
from dimflow.errors import NotANumber
from dimflow.ops.definitions import special_tables as tables
from dimflow.ops.definitions.series import HARMONIC, ROOT_OF_DIGAMMA, STIRLING, ZETA


def _sin_pi(x: Array) -> Array:
    """sin(πx), exactly 0 at whole numbers."""
    r = x - 2 * np.round(x / 2)
    folded = np.where(np.abs(r) > 0.5, np.copysign(1 - np.abs(r), r), r)
    return np.sin(pi * folded)


def _cot_pi(x: Array) -> Array:
    return 1 / np.tan(pi * (x - np.round(x)))


def _at_poles(x: Array, value: float, result: Array) -> Array:
    """The value at the negative whole numbers."""
    return np.where((x < 0) & (x == np.floor(x)), value, result)


# The error function


def _erf_inner(x: Array) -> Array:
    """For |x| up to 1."""
    return x * polynomial(2 * x * x - 1, tables.ERF)


def _erfc_outer(x: Array) -> Array:
    """For x from 0 on; x² in two parts, since exp magnifies its rounding."""
    x = np.minimum(x, 30.0)
    high = np.trunc(x * 16) / 16
    gauss = np.exp(-high * high) * np.exp(-(x - high) * (x + high))
    return gauss * polynomial((x - 3.75) / (x + 3.75), tables.ERFC) / (x + 0.5)


@kernel
def erf(x: Array) -> Array:
    """From erfc where that is small."""
    return split(np.abs(x) < 1, x, _erf_inner, lambda x: np.copysign(1 - _erfc_outer(np.abs(x)), x))


@kernel
def erfc(x: Array) -> Array:
    """From erf where that is small."""
    return split(
        x < 0.5,
        x,
        lambda x: split(x > -0.5, x, lambda x: 1 - _erf_inner(x), lambda x: 2 - _erfc_outer(-x)),
        _erfc_outer,
    )


def _erfinv_outer(y: Array) -> Array:
    """For |y| from 3/4 to 1."""
    s = np.sqrt(-np.log1p(-np.abs(y)))
    t = (np.log(s) - 1) / 0.875
    x = polynomial(np.minimum(t, 1), tables.ERFINV_TAIL)
    return np.copysign(np.where(np.abs(y) == 1, np.inf, x), y)


@kernel
def erfinv(x: Array) -> Array:
    """Two polynomials; nan beyond 1."""
    return split(
        np.abs(x) < 0.75,
        x,
        lambda x: x * polynomial(x * x * (32 / 9) - 1, tables.ERFINV),
        _erfinv_outer,
    )


# The gamma function


def _stirling(x: Array) -> Array:
    """What Stirling's formula leaves of lgamma(x), for x from 8 on."""
    return polynomial(1 / (x * x), STIRLING) / x


def _gamma_large(x: Array) -> Array:
    """Stirling's formula; the power in two halves, which do not overflow before the result."""
    x = np.minimum(x, 180.0)
    half = np.power(x, 0.5 * x - 0.25)
    return sqrt(2 * pi) * np.exp(_stirling(x)) * (half * np.exp(-x)) * half


def _gamma_small(x: Array) -> Array:
    """For x from 0 to 8: from that of the fraction, by the factors between."""
    whole = np.floor(x)
    result = 1 / polynomial(2 * (x - whole) - 1, tables.RECIPROCAL_GAMMA)
    for k in range(1, 7):
        result *= np.where(k < whole, x - k, 1)
    return np.where(whole == 0, result / x, result)


def _gamma_positive(x: Array) -> Array:
    return split(x < 8, x, _gamma_small, _gamma_large)


def _gamma_negative(x: Array) -> Array:
    """Reflected; in steps that do not overflow."""
    return -pi / _gamma_positive(-x) / x / _sin_pi(x)


def _gamma(x: Array) -> Array:
    result = split(x < 0, x, _gamma_negative, _gamma_positive)
    return _at_poles(x, np.nan, result)


@kernel
def gamma(x: Array) -> Array:
    """nan at negative whole numbers, infinite at 0 and from 171.62 on."""
    return _gamma(x)


def _lgamma_large(x: Array) -> Array:
    return (x - 0.5) * (np.log(x) - 1) + (0.5 * log(2 * pi) - 0.5) + _stirling(x)


def _lgamma_middle(x: Array) -> Array:
    """For x from 2 to 8: from that between 2 and 3."""
    whole = np.floor(x)
    y = x - (whole - 2)
    product = np.ones_like(x)
    for k in range(1, 6):
        product *= np.where(k <= whole - 2, x - k, 1)
    return (y - 1) * (y - 2) * polynomial(2 * y - 5, tables.LGAMMA_2) + np.log(product)


def _lgamma_small(x: Array) -> Array:
    """For x from 0 to 2, with the roots at 1 and 2 as factors."""
    below = x < 1
    roots = np.where(below, x * (x - 1), (x - 1) * (x - 2))
    result = roots * polynomial(2 * (x + below) - 3, tables.LGAMMA_1)
    return np.where(below, result - np.log(x), result)


def _lgamma_positive(x: Array) -> Array:
    return split(x < 2, x, _lgamma_small, lambda x: split(x < 8, x, _lgamma_middle, _lgamma_large))


def _lgamma(x: Array) -> Array:
    result = split(
        x < 0,
        x,
        lambda x: log(pi) - np.log(np.abs(x * _sin_pi(x))) - _lgamma_positive(-x),
        _lgamma_positive,
    )
    return np.where(np.isinf(x), np.inf, _at_poles(x, np.inf, result))


@kernel
def lgamma(x: Array) -> Array:
    """Infinite at the poles, and where x is."""
    return _lgamma(x)


def _digamma_large(x: Array) -> Array:
    w = 1 / (x * x)
    return np.log(x) - 0.5 / x - w * polynomial(w, HARMONIC)


def _digamma_small(x: Array) -> Array:
    """For x from 0 to 8: from that between 1 and 2, with its root as a factor."""
    below = x < 1
    shift = np.where(below, -1, np.floor(x) - 1)
    root, rest = ROOT_OF_DIGAMMA
    distance = np.where(below, x - (root - 1), x - shift - root) - rest
    result = distance * polynomial(2 * (x - shift) - 3, tables.DIGAMMA)
    for k in range(1, 7):
        result += np.where(k <= shift, 1 / (x - k), 0)
    return np.where(below, result - 1 / x, result)


def _digamma_positive(x: Array) -> Array:
    return split(x < 8, x, _digamma_small, _digamma_large)


@kernel
def digamma(x: Array) -> Array:
    """nan at negative whole numbers."""
    result = split(
        x < 0, x, lambda x: _digamma_positive(-x) - 1 / x - pi * _cot_pi(x), _digamma_positive
    )
    return _at_poles(x, np.nan, result)


def _zeta(s: int, x: Array) -> Array:
    """Hurwitz's zeta function for x > 0, by the formula of Euler and Maclaurin from 10 + s on."""
    count = 10 + s
    result = sum((x + k) ** -s for k in range(count))
    a = x + count
    result += a ** (1 - s) / (s - 1) + 0.5 * a**-s
    factor = s * a ** (-s - 1)
    for k, coefficient in enumerate(ZETA, 1):
        result += coefficient * factor
        factor *= (s + 2 * k - 1) * (s + 2 * k) / (a * a)
    return result


def _cotangent_derivative(n: int, c: Array) -> Array:
    """The n-th derivative of π cot(πx), as a polynomial in c = cot(πx)."""
    p = np.polynomial.Polynomial([0, pi])
    for _ in range(n):
        p = -pi * np.polynomial.Polynomial([1, 0, 1]) * p.deriv()
    return p(c)


def polygamma(n: Any, x: Any) -> Any:
    """The n-th derivative of digamma; nan at negative whole numbers."""
    return _polygamma(x, n=n)


@kernel
def _polygamma(x: Array, n: Any) -> Array:
    if not isinstance(n, (int, np.integer)) or n < 0:
        raise NotANumber("polygamma", f"n={n!r} (it takes a whole number from 0 on)")
    n = int(n)
    if n == 0:
        return digamma(x)
    sign = -1.0 if n % 2 == 0 else 1.0
    size = sign * np.prod(np.arange(1.0, n + 1))

    def reflected(x: Array) -> Array:
        return -sign * size * _zeta(n + 1, 1 - x) - _cotangent_derivative(n, _cot_pi(x))

    result = split(x < 0, x, reflected, lambda x: size * _zeta(n + 1, x))
    return _at_poles(x, np.nan, result)


def _log_ratio(a: Array, b: Array) -> Array:
    """lgamma(b) - lgamma(a + b) for both from 8 on, where the difference would cancel."""
    large = -(b - 0.5) * np.log1p(a / b) - a * (np.log(a + b) - 1)
    return large + _stirling(b) - _stirling(a + b)


def _beta_parts(x: Array, y: Array) -> tuple[Array, Array]:
    """The factor and exponent of beta = factor * exp(exponent)."""
    a, b = np.minimum(x, y), np.maximum(x, y)
    factor, exponent = _gamma(a) * (_gamma(b) / _gamma(a + b)), np.zeros_like(a)
    one = (a < 8) & (b >= 8) & (a + b >= 8)
    if one.any():
        factor[one] = _gamma(a[one])
        exponent[one] = _log_ratio(a[one], b[one])
    both = a >= 8
    if both.any():
        a, b = a[both], b[both]
        factor[both] = sqrt(2 * pi) * np.sqrt((1 + a / b) / a)
        exponent[both] = -a * np.log1p(b / a) - b * np.log1p(a / b)
        exponent[both] += _stirling(a) + _stirling(b) - _stirling(a + b)
    return factor, exponent


@kernel
def beta(x: Array, y: Array) -> Array:
    """From gamma if both are small, from Stirling's formula if not."""
    factor, exponent = _beta_parts(x, y)
    return factor * np.exp(exponent)


@kernel
def betaln(x: Array, y: Array) -> Array:
    """The logarithm of the size of beta."""
    factor, exponent = _beta_parts(x, y)
    return np.log(np.abs(factor)) + exponent
