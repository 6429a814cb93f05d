"""Powers on JAX."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import jax.numpy as jnp

from dimflow.backends.jax_kernels.precision import usual


def static_power(x: Any, exponent: Any) -> Any:
    """x to a number; a Fraction as the nearest float. Integers to a negative one are fractions."""
    if isinstance(exponent, (Fraction, Decimal)):
        exponent = float(exponent)
    x = jnp.asarray(x)
    if exponent < 0 and not jnp.issubdtype(x.dtype, jnp.inexact):
        exponent = float(exponent)
    return jnp.power(x, exponent)


def float_power(x: Any, y: Any) -> Any:
    """In the longest precision that JAX is set to."""
    is_complex = jnp.issubdtype(jnp.result_type(x, y), jnp.complexfloating)
    return jnp.power(jnp.asarray(x).astype(usual(complex if is_complex else float)), y)
