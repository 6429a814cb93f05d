"""Signs on JAX."""

from typing import Any

import jax.numpy as jnp


def sign(x: Any) -> Any:
    """JAX takes that of a complex number for constant in derivatives: it is x/|x| here."""
    if not jnp.issubdtype(jnp.result_type(x), jnp.complexfloating):
        return jnp.sign(x)
    is_zero = x == 0
    away = jnp.where(is_zero, 1, x)  # the derivative of |x| at 0 is no number
    return jnp.where(is_zero, x, away / jnp.abs(away))
