"""Activations that JAX has a derivative of its own for."""

from typing import Any

import jax


def relu(x: Any) -> Any:
    """JAX's own: at 0 its derivative is 0, where that of the maximum is 1/2."""
    return jax.nn.relu(x)
