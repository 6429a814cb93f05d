"""Determinants on JAX."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from dimflow.backends.jax_kernels.precision import fractions


def adjugate(x: Any, /) -> Any:
    """From the determinants of all minors, which have derivatives for singular x too."""
    x = fractions(x)
    n = x.shape[-1]
    if n < 2:
        return jnp.ones_like(x)
    others = np.array([[i for i in range(n) if i != left] for left in range(n)])
    minors = x[..., others[:, None, :, None], others[None, :, None, :]]
    signs = (-1.0) ** np.add.outer(np.arange(n), np.arange(n))
    return jnp.swapaxes(jnp.linalg.det(minors) * signs.astype(x.real.dtype), -1, -2)
