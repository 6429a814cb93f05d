"""Special functions of real numbers: polynomials where a function is smooth, identities elsewhere.

They are computed in the precision of their argument, and poles are infinite or nan. The same
functions on NumPy, which has masks that skip work, are in its kernels.
"""

from collections.abc import Callable
from functools import wraps
from math import inf, log, nan, pi, prod, sqrt
from typing import Any

from dimflow import ops
from dimflow.errors import NotANumber
from dimflow.ops.definitions import special_tables as tables
from dimflow.ops.definitions.series import HARMONIC, ROOT_OF_DIGAMMA, STIRLING, ZETA
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.values import floated

Part = Callable[..., Any]


def of_real_numbers(function: Part) -> Part:
    """Integers become fractions; complex numbers are refused."""

    @wraps(function)
    def checked(*args: Any, **params: Any) -> Any:
        for x in args:
            if kind_of(x) == "c":
                what = f"complex numbers ({getattr(x, 'dtype', complex)}); it is for real ones"
                raise NotANumber(function.__name__.lstrip("_"), what)
        return function(*map(floated, args), **params)

    return checked


def polynomial(t: Any, coefficients: tuple[float, ...]) -> Any:
    """By Horner's rule."""
    result = t * coefficients[0] + coefficients[1]
    for coefficient in coefficients[2:]:
        result = result * t + coefficient
    return result


def split(mask: Any, x: Any, inside: Part, outside: Part, within: float, beyond: float) -> Any:
    """One function where a mask holds and another elsewhere, each at numbers it is good for."""
    return ops.where(mask, inside(ops.where(mask, x, within)), outside(ops.where(mask, beyond, x)))


def _is_double(x: Any) -> bool:
    return "64" in str(x.dtype)


def _sin_pi(x: Any) -> Any:
    """sin(πx), exactly 0 at whole numbers."""
    r = x - 2 * ops.round(x / 2)
    folded = ops.where(ops.greater(ops.abs(r), 0.5), ops.copysign(1 - ops.abs(r), r), r)
    return ops.sin(pi * folded)


def _cot_pi(x: Any) -> Any:
    return 1 / ops.tan(pi * (x - ops.round(x)))


def _is_pole(x: Any) -> Any:
    """The negative whole numbers."""
    return ops.logical_and(ops.less(x, 0), ops.equal(x, ops.floor(x)))


def _off_poles(x: Any, function: Part, value: float) -> Any:
    """A function of positive and negative numbers that has poles, and its value at these."""
    pole = _is_pole(x)
    return ops.where(pole, value, function(ops.where(pole, -0.5, x)))


# The error function


def _erf_inner(x: Any) -> Any:
    """For |x| up to 1."""
    return x * polynomial(2 * x * x - 1, tables.ERF)


def _erfc_outer(x: Any) -> Any:
    """For x from 0 on; x² in two parts, since exp magnifies its rounding."""
    x = ops.minimum(x, 30.0)
    high = ops.trunc(x * 16) / 16
    gauss = ops.exp(-high * high) * ops.exp(-(x - high) * (x + high))
    return gauss * polynomial((x - 3.75) / (x + 3.75), tables.ERFC) / (x + 0.5)


@of_real_numbers
def erf(x: Any) -> Any:
    """From erfc where that is small."""
    size = ops.abs(x)
    large = ops.copysign(1 - _erfc_outer(ops.maximum(size, 1.0)), x)
    small = ops.less(size, 1)
    return ops.where(small, _erf_inner(ops.where(small, x, 0.0)), large)


@of_real_numbers
def erfc(x: Any) -> Any:
    """From erf where that is small."""
    size = ops.abs(x)
    far = _erfc_outer(ops.maximum(size, 0.5))
    near = ops.less(size, 0.5)
    inner = 1 - _erf_inner(ops.where(near, x, 0.0))
    return ops.where(near, inner, ops.where(ops.less(x, 0), 2 - far, far))


def _erfinv_outer(y: Any) -> Any:
    """For |y| from 3/4 to 1."""
    s = ops.sqrt(-ops.log1p(-y))
    t = (ops.log(s) - 1) / 0.875
    return polynomial(ops.minimum(t, 1.0), tables.ERFINV_TAIL)


@of_real_numbers
def erfinv(x: Any) -> Any:
    """Two polynomials; infinite at 1, nan beyond."""
    size = ops.abs(x)
    near = ops.less(size, 0.75)
    inner = ops.where(near, x, 0.0)
    inner = inner * polynomial(inner * inner * (32 / 9) - 1, tables.ERFINV)
    far = ops.logical_and(ops.greater_equal(size, 0.75), ops.less(size, 1))
    outer = ops.copysign(_erfinv_outer(ops.where(far, size, 0.8)), x)
    end = ops.where(ops.equal(size, 1), ops.copysign(inf, x), nan)
    return ops.where(near, inner, ops.where(far, outer, end))


# The gamma function


def _stirling(x: Any) -> Any:
    """What Stirling's formula leaves of lgamma(x), for x from 8 on."""
    return polynomial(1 / (x * x), STIRLING) / x


def _gamma_large(x: Any) -> Any:
    """Stirling's formula; the power in two halves, which do not overflow before the result."""
    x = ops.minimum(x, 180.0 if _is_double(x) else 40.0)
    half = ops.pow(x, 0.5 * x - 0.25)
    return sqrt(2 * pi) * ops.exp(_stirling(x)) * (half * ops.exp(-x)) * half


def _gamma_small(x: Any) -> Any:
    """For x from 0 to 8: from that of the fraction, by the factors between."""
    whole = ops.floor(x)
    result = 1 / polynomial(2 * (x - whole) - 1, tables.RECIPROCAL_GAMMA)
    for k in range(1, 7):
        result = result * ops.where(ops.greater(whole, k), x - k, 1.0)
    first = ops.equal(whole, 0)
    return ops.where(first, result / ops.where(first, x, 1.0), result)


def _gamma_positive(x: Any) -> Any:
    return split(ops.less(x, 8), x, _gamma_small, _gamma_large, 1.0, 9.0)


def _gamma(x: Any) -> Any:
    """Negative numbers are reflected; in steps that do not overflow."""
    negative = ops.less(x, 0)
    positive = _gamma_positive(ops.abs(x))
    away = ops.where(negative, x, -0.5)
    reflected = -pi / ops.where(negative, positive, 1.0) / away / _sin_pi(away)
    return ops.where(negative, reflected, ops.where(ops.equal(x, 0), 1 / x, positive))


@of_real_numbers
def gamma(x: Any) -> Any:
    """nan at negative whole numbers, infinite at 0."""
    infinite = ops.equal(x, -inf)
    return ops.where(infinite, nan, _off_poles(ops.where(infinite, 1.0, x), _gamma, nan))


def _lgamma_large(x: Any) -> Any:
    return (x - 0.5) * (ops.log(x) - 1) + (0.5 * log(2 * pi) - 0.5) + _stirling(x)


def _lgamma_middle(x: Any) -> Any:
    """For x from 2 to 8: from that between 2 and 3."""
    whole = ops.floor(x)
    y = x - (whole - 2)
    product = ops.ones_like(x)
    for k in range(1, 6):
        product = product * ops.where(ops.less_equal(k, whole - 2), x - k, 1.0)
    return (y - 1) * (y - 2) * polynomial(2 * y - 5, tables.LGAMMA_2) + ops.log(product)


def _lgamma_small(x: Any) -> Any:
    """For x from 0 to 2, with the roots at 1 and 2 as factors."""
    below = ops.less(x, 1)
    roots = ops.where(below, x * (x - 1), (x - 1) * (x - 2))
    result = roots * polynomial(2 * ops.where(below, x + 1, x) - 3, tables.LGAMMA_1)
    return ops.where(below, result - ops.log(ops.where(below, x, 1.0)), result)


def _lgamma_positive(x: Any) -> Any:
    def above(x: Any) -> Any:
        return split(ops.less(x, 8), x, _lgamma_middle, _lgamma_large, 3.0, 9.0)

    return split(ops.less(x, 2), x, _lgamma_small, above, 1.5, 3.0)


def _lgamma(x: Any) -> Any:
    negative = ops.less(x, 0)
    positive = _lgamma_positive(ops.abs(x))
    away = ops.where(negative, x, -0.5)
    sine = ops.log(ops.abs(_sin_pi(away)))  # the product with x might underflow
    reflected = log(pi) - ops.log(ops.abs(away)) - sine - positive
    return ops.where(negative, reflected, positive)


@of_real_numbers
def lgamma(x: Any) -> Any:
    """Infinite at the poles, and where x is."""
    infinite = ops.isinf(x)
    return ops.where(infinite, inf, _off_poles(ops.where(infinite, 1.0, x), _lgamma, inf))


def _digamma_large(x: Any) -> Any:
    w = 1 / (x * x)
    return ops.log(x) - 0.5 / x - w * polynomial(w, HARMONIC)


def _digamma_small(x: Any) -> Any:
    """For x from 0 to 8: from that between 1 and 2, with its root as a factor."""
    below = ops.less(x, 1)
    shift = ops.where(below, -1.0, ops.floor(x) - 1)
    root, rest = ROOT_OF_DIGAMMA
    distance = ops.where(below, x - (root - 1), x - shift - root) - rest
    result = distance * polynomial(2 * (x - shift) - 3, tables.DIGAMMA)
    for k in range(1, 7):
        above = ops.less_equal(k, shift)
        result = result + ops.where(above, 1 / ops.where(above, x - k, 1.0), 0.0)
    return ops.where(below, result - 1 / x, result)


def _digamma(x: Any) -> Any:
    negative = ops.less(x, 0)
    positive = split(ops.less(ops.abs(x), 8), ops.abs(x), _digamma_small, _digamma_large, 1.0, 9.0)
    away = ops.where(negative, x, -0.5)
    positive = ops.where(ops.equal(x, 0), -1 / x, positive)  # which keeps the sign of -0.0
    return ops.where(negative, positive - 1 / away - pi * _cot_pi(away), positive)


@of_real_numbers
def digamma(x: Any) -> Any:
    """nan at negative whole numbers."""
    infinite = ops.equal(x, -inf)
    return ops.where(infinite, nan, _off_poles(ops.where(infinite, 1.0, x), _digamma, nan))


def _zeta(s: int, x: Any) -> Any:
    """Hurwitz's zeta function for x > 0, by the formula of Euler and Maclaurin from 10 + s on."""
    count = 10 + s
    a = x + count
    result = a ** (1 - s) / (s - 1) + 0.5 * a**-s
    for k in reversed(range(count)):
        result = result + (x + k) ** -s
    factor = s * a ** (-s - 1)
    for k, coefficient in enumerate(ZETA, 1):
        result = result + coefficient * factor
        factor = factor * ((s + 2 * k - 1) * (s + 2 * k)) / (a * a)
    return result


def _cotangent_derivative(n: int) -> tuple[float, ...]:
    """The n-th derivative of π cot(πx) in powers of cot(πx), highest first."""
    powers = [0.0, pi]
    for _ in range(n):
        slope = [k * c for k, c in enumerate(powers)][1:]
        powers = [
            -pi * (a + b) for a, b in zip([*slope, 0.0, 0.0], [0.0, 0.0, *slope], strict=True)
        ]
    return tuple(reversed(powers))


def polygamma(n: Any, x: Any) -> Any:
    """The n-th derivative of digamma; nan at negative whole numbers."""
    return _polygamma(x, n=n)


@of_real_numbers
def _polygamma(x: Any, n: Any) -> Any:
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise NotANumber("polygamma", f"n={n!r} (it takes a whole number from 0 on)")
    if n == 0:
        return ops.digamma(x)
    sign = -1.0 if n % 2 == 0 else 1.0
    size = sign * float(prod(range(1, n + 1)))

    def function(x: Any) -> Any:
        negative = ops.less(x, 0)
        positive = size * _zeta(n + 1, ops.where(negative, 1 - x, x))
        cotangent = _cot_pi(ops.where(negative, x, -0.25))
        turned = -sign * positive - polynomial(cotangent, _cotangent_derivative(n))
        return ops.where(negative, turned, positive)

    infinite = ops.equal(x, -inf)
    return ops.where(infinite, nan, _off_poles(ops.where(infinite, 1.0, x), function, nan))


# The beta function


def _log_ratio(a: Any, b: Any) -> Any:
    """lgamma(b) - lgamma(a + b) for both from 8 on, where the difference would cancel."""
    large = -(b - 0.5) * ops.log1p(a / b) - a * (ops.log(a + b) - 1)
    return large + _stirling(b) - _stirling(a + b)


def _beta_parts(x: Any, y: Any) -> tuple[Any, Any]:
    """The factor and exponent of beta = factor * exp(exponent)."""
    a, b = ops.minimum(x, y), ops.maximum(x, y)
    both = ops.greater_equal(a, 8)
    large = ops.logical_and(ops.greater_equal(b, 8), ops.greater_equal(a + b, 8))
    one = ops.logical_and(large, ops.logical_not(both))
    small = ops.logical_not(ops.logical_or(one, both))
    factor = ops.gamma(ops.where(both, 1.0, a))
    low, high = ops.where(small, a, 1.0), ops.where(small, b, 1.0)
    factor = ops.where(small, factor * (ops.gamma(high) / ops.gamma(low + high)), factor)
    ratio = _log_ratio(ops.where(one, a, 1.0), ops.where(one, b, 9.0))
    low, high = ops.where(both, a, 9.0), ops.where(both, b, 9.0)
    root = sqrt(2 * pi) * ops.sqrt((1 + low / high) / low)
    exponent = -low * ops.log1p(high / low) - high * ops.log1p(low / high)
    exponent = exponent + (_stirling(low) + _stirling(high) - _stirling(low + high))
    exponent = ops.where(both, exponent, ops.where(one, ratio, 0.0))
    return ops.where(both, root, factor), exponent


@of_real_numbers
def beta(x: Any, y: Any) -> Any:
    """From gamma if both are small, from Stirling's formula if not.

    Of numbers below 0 for which gamma leaves the range of the dtype it is nan.
    """
    factor, exponent = _beta_parts(x, y)
    return factor * ops.exp(exponent)


@of_real_numbers
def betaln(x: Any, y: Any) -> Any:
    """The logarithm of the size of beta."""
    factor, exponent = _beta_parts(x, y)
    return ops.log(ops.abs(factor)) + exponent
