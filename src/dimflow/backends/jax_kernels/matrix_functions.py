"""Functions of matrices on JAX."""

from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg as linalg

from dimflow.backends.jax_kernels.solving import _floating


def expm(x: Any, /) -> Any:
    """By Padé's approximant, after scaling, up to a norm of 2 to the power of 48."""
    (x,) = _floating(x)
    return linalg.expm(x, max_squarings=48)


def expm_frechet(x: Any, t: Any, /) -> Any:
    """The derivative of expm along t."""
    x, t = _floating(x, t)
    shape = jnp.broadcast_shapes(x.shape, t.shape)
    return jax.jvp(expm, (jnp.broadcast_to(x, shape),), (jnp.broadcast_to(t, shape),))[1]
