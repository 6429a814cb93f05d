"""Comparison on JAX."""

from typing import Any

import jax.numpy as jnp


def within(x: Any, y: Any, rtol: Any, atol: Any, equal_nan: bool) -> Any:
    """As jax.numpy's isclose."""
    return jnp.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)


def isclose(x: Any, y: Any, rtol: Any, atol: Any, equal_nan: bool) -> Any:
    """jax.numpy's, with NumPy's default tolerance."""
    return jnp.isclose(x, y, rtol=rtol, atol=1e-8 if atol is None else atol, equal_nan=equal_nan)
