"""Statistics on JAX."""

from typing import Any

import jax.numpy as jnp


def weighted_mean(x: Any, weights: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """By jax.numpy's average, with weights broadcast to the array."""
    x = jnp.asarray(x)
    full = jnp.broadcast_to(jnp.asarray(weights), x.shape)
    return jnp.average(x, axis=axis, weights=full, keepdims=keepdims)
