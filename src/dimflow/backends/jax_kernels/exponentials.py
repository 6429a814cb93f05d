"""Exponentials that stay in range where the plain formula overflows."""

from typing import Any

import jax
import jax.numpy as jnp


def _is_complex(x: Any) -> bool:
    return bool(jnp.issubdtype(jnp.result_type(x), jnp.complexfloating))


def sigmoid(x: Any) -> Any:
    """JAX's own, which XLA knows as one instruction."""
    return 1 / (1 + jnp.exp(-x)) if _is_complex(x) else jax.nn.sigmoid(x)


def logit(x: Any) -> Any:
    """By atanh around 1/2, where the logarithm of the odds is small."""
    x = jnp.asarray(x)
    centred = 2 * x - 1
    near = jnp.abs(centred) < 0.5
    inner = 2 * jnp.arctanh(jnp.where(near, centred, 0))
    odds = jnp.where(near, 0.5, x)
    return jnp.where(near, inner, jnp.log(odds / (1 - odds)))


def softplus(x: Any) -> Any:
    """log(1 + exp(x))."""
    return jnp.log1p(jnp.exp(x)) if _is_complex(x) else jnp.logaddexp(x, 0)


def log_sigmoid(x: Any) -> Any:
    """The opposite of softplus of -x."""
    return -softplus(jnp.negative(x))
