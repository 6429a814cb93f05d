"""The dtypes that JAX has for plain numbers, which depend on whether it is set to 64 bits."""

from typing import Any

import jax.numpy as jnp


def usual(kind: type) -> Any:
    """JAX's dtype for Python's bool, int, float or complex."""
    return jnp.result_type(kind)


def fractions(x: Any) -> Any:
    """An array of a dtype that holds fractions."""
    x = jnp.asarray(x)
    return x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(usual(float))
