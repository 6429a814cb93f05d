"""Elementwise ops whose scalar expression is no safe definition for every number."""

from math import log, pi
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.ops.rules import dtypes
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.values import floated


def fmod(x: Any, y: Any) -> Any:
    """The remainder of sizes, which is exact, with the sign of x; of integers, mended by one y."""
    if kind_of(x) == "f" or kind_of(y) == "f":
        return ops.copysign(ops.remainder(ops.abs(x), ops.abs(y)), x)
    rest = ops.remainder(x, y)
    apart = ops.not_equal(ops.less(x, 0), ops.less(y, 0))
    return ops.where(ops.logical_and(apart, ops.not_equal(rest, 0)), ops.subtract(rest, y), rest)


def gcd(x: Any, y: Any) -> Any:
    """By Euclid; as many steps as the largest numbers of the dtype can take."""
    x, y = ops.abs(x), ops.abs(y)
    x, y = ops.add(x, ops.multiply(y, 0)), ops.add(y, ops.multiply(x, 0))
    bits = 8 * dtypes.named(x.dtype).itemsize
    for _ in range(bits * 3 // 2):
        done = ops.equal(y, 0)
        x, y = ops.where(done, x, y), ops.where(done, 0, ops.remainder(x, ops.where(done, 1, y)))
    return ops.abs(x)  # the lowest integer has no positive size


def lcm(x: Any, y: Any) -> Any:
    """The product without its common factor; 0 if either is."""
    common = ops.gcd(x, y)
    share = ops.floor_divide(ops.abs(x), ops.where(ops.equal(common, 0), 1, common))
    return ops.multiply(share, ops.abs(y))


def bitwise_count(x: Any) -> Any:
    """Bit by bit: shifts of the lowest number, which has no positive size, count right too."""
    x = ops.abs(x)
    total: Any = 0
    for place in range(8 * dtypes.named(x.dtype).itemsize):
        total = ops.add(total, ops.bitwise_and(ops.bitwise_right_shift(x, place), 1))
    return ops.astype(total, "uint8")


def angle(x: Any, deg: bool = False) -> Any:
    """By the two parts; that of a real number is 0 or half a turn."""
    if kind_of(x) == "c":
        found = ops.atan2(ops.imag(x), ops.real(x))
    else:
        x = floated(x)
        found = ops.where(ops.isnan(x), x, ops.where(ops.less(x, 0), pi, ops.zeros_like(x)))
        found = ops.where(ops.logical_and(ops.signbit(x), ops.equal(x, 0)), pi, found)
    return ops.multiply(found, 180 / pi) if deg else found


def within(x: Any, y: Any, rtol: Any, atol: Any, equal_nan: bool = False) -> Any:
    """Equal, or finite and near; nan beside nan if so asked."""
    y = floated(y)  # the difference of integers might wrap round
    reach = ops.add(atol, ops.multiply(rtol, ops.abs(y)))
    near = ops.less_equal(ops.abs(ops.subtract(x, y)), reach)
    close = ops.logical_or(ops.equal(x, y), ops.logical_and(ops.isfinite(y), near))
    if equal_nan:
        close = ops.logical_or(close, ops.logical_and(ops.isnan(x), ops.isnan(y)))
    return close


def cbrt(x: Any) -> Any:
    """A power, mended by a step of Newton's."""
    x = floated(x)
    size = ops.abs(x)
    plain = ops.logical_and(ops.isfinite(x), ops.not_equal(x, 0))
    a = ops.where(plain, size, 1.0)
    root = ops.array_power(a, 1 / 3)
    root = root - (root - a / (root * root)) / 3
    return ops.where(plain, ops.copysign(root, x), x)


def _one_of(x: Any, y: Any, both: Any) -> Any:
    if kind_of(x) not in "fc" and kind_of(y) not in "fc":
        return both
    return ops.where(ops.isnan(x), y, ops.where(ops.isnan(y), x, both))


def fmax(x: Any, y: Any) -> Any:
    """The other one beside a nan."""
    return _one_of(x, y, ops.maximum(x, y))


def fmin(x: Any, y: Any) -> Any:
    """The other one beside a nan."""
    return _one_of(x, y, ops.minimum(x, y))


# Numbers as they are stored


def rint(x: Any) -> Any:
    """Integers become fractions first, as in NumPy."""
    return ops.round(floated(x))


def spacing(x: Any) -> Any:
    """The step away from 0."""
    x = floated(x)
    return ops.nextafter(x, ops.where(ops.less(x, 0), -np.inf, ops.full_like(x, np.inf))) - x


def _power_of_two(y: Any, like: Any) -> Any:
    """2**y for whole numbers y, in the precision of another array."""
    return ops.array_power(2.0, ops.astype(y, like.dtype))


def _reach(dtype: str) -> int:
    """A power of two that takes any number of a dtype out of its range."""
    if "64" in dtype:
        return 2100
    return 42 if "float16" in dtype and "bfloat16" not in dtype else 300


def ldexp(x: Any, y: Any) -> Any:
    """In three steps, none of which leaves the range of the dtype before the result does."""
    if not hasattr(x, "dtype"):
        x = ops.full_like(floated(y), x)
    x = floated(x)
    reach = _reach(str(x.dtype))
    y = ops.minimum(ops.maximum(y, -reach), reach)
    third = ops.floor_divide(y, 3)
    step = _power_of_two(third, x)
    return x * step * step * _power_of_two(y - 2 * third, x)


def _taken_apart(x: Any) -> tuple[Any, Any]:
    """Mantissa and exponent: by the logarithm, then mended by one where that rounded."""
    x = floated(x)
    plain = ops.logical_and(ops.isfinite(x), ops.not_equal(x, 0))
    size = ops.where(plain, ops.abs(x), 0.5)
    small = ops.less(size, 2.0**-100)  # a number below the normal ones has fewer bits
    size = ops.where(small, size * 2.0**100, size)
    exponent = ops.floor(ops.log2(size)) + 1
    mantissa = ops.ldexp(size, ops.astype(-exponent, "int32"))
    for beyond, step in ((ops.greater_equal(mantissa, 1.0), 1), (ops.less(mantissa, 0.5), -1)):
        mantissa = ops.where(beyond, mantissa * 0.5**step, mantissa)
        exponent = ops.where(beyond, exponent + step, exponent)
    exponent = ops.where(plain, ops.where(small, exponent - 100, exponent), 0)
    return ops.where(plain, ops.copysign(mantissa, x), x), ops.astype(exponent, "int32")


def frexp_mantissa(x: Any) -> Any:
    """Infinite and nan where x is."""
    return _taken_apart(x)[0]


def frexp_exponent(x: Any) -> Any:
    """0 where there is none."""
    return _taken_apart(x)[1]


# Exponentials


def exp2(x: Any) -> Any:
    """A power of two."""
    return ops.array_power(2.0, floated(x))


def logaddexp2(x: Any, y: Any) -> Any:
    """The larger, and what the other adds; one more than both where they are equal."""
    x, y = floated(x), floated(y)
    apart = ops.where(ops.equal(x, y), 0.0, ops.subtract(x, y))
    more = ops.log1p(ops.exp2(-ops.abs(apart))) / log(2)
    return ops.maximum(x, y) + more


def sinc(x: Any) -> Any:
    """1 at 0."""
    x = floated(x)
    z = pi * ops.where(ops.equal(x, 0), 1.0, x)
    return ops.where(ops.equal(x, 0), 1.0, ops.sin(z) / z)


def _small_exp(x: Any) -> Any:
    """exp(-|x|), which cannot overflow."""
    return ops.exp(-ops.abs(x))


def sigmoid(x: Any) -> Any:
    """From exp(-|x|); the plain formula for complex numbers."""
    x = floated(x)
    if kind_of(x) == "c":
        return 1 / (1 + ops.exp(-x))
    z = _small_exp(x)
    return ops.where(ops.less(x, 0), z, 1.0) / (1 + z)


def logit(x: Any) -> Any:
    """By atanh around 1/2, where the logarithm of the odds is small."""
    x = floated(x)
    if kind_of(x) == "c":
        return ops.log(x / (1 - x))
    centred = 2 * x - 1
    near = ops.less(ops.abs(centred), 0.5)
    inner = 2 * ops.atanh(ops.where(near, centred, 0.0))
    odds = ops.where(near, 0.5, x)
    return ops.where(near, inner, ops.log(odds / (1 - odds)))


def softplus(x: Any) -> Any:
    """The larger of x and 0, and what the other adds."""
    x = floated(x)
    if kind_of(x) == "c":
        return ops.log1p(ops.exp(x))
    return ops.maximum(x, 0.0) + ops.log1p(_small_exp(x))


def log_sigmoid(x: Any) -> Any:
    """The opposite of softplus of -x."""
    x = floated(x)
    if kind_of(x) == "c":
        return -ops.log1p(ops.exp(-x))
    return ops.minimum(x, 0.0) - ops.log1p(_small_exp(x))
