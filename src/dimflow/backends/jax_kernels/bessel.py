"""Modified Bessel functions, from jax.scipy."""

from typing import Any

import jax.scipy.special as special

from dimflow.backends.jax_kernels.special import _real


def bessel_i1(x: Any) -> Any:
    """Of order 1."""
    return special.i1(*_real("bessel_i1", x))


def bessel_i0e(x: Any) -> Any:
    """Of order 0, times exp(-|x|)."""
    return special.i0e(*_real("bessel_i0e", x))


def bessel_i1e(x: Any) -> Any:
    """Of order 1, times exp(-|x|)."""
    return special.i1e(*_real("bessel_i1e", x))
