"""Reductions on JAX, beyond jax.numpy's own."""

from typing import Any

import jax.numpy as jnp


def prod_of_others(x: Any, axis: int = -1) -> Any:
    """What stands before each element, multiplied up, times what stands after it."""
    x = jnp.moveaxis(jnp.asarray(x), axis, -1)
    up = jnp.cumprod(x[..., :-1], axis=-1)
    down = jnp.flip(jnp.cumprod(jnp.flip(x[..., 1:], -1), axis=-1), -1)
    one = jnp.ones((*x.shape[:-1], min(1, x.shape[-1])), up.dtype)
    before = jnp.concatenate([one, up], axis=-1)
    after = jnp.concatenate([down, one], axis=-1)
    return jnp.moveaxis(before * after, -1, axis)


def logsumexp(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Less the maximum before exp, which is added again after log; -inf of no elements."""
    x = jnp.asarray(x)
    if 0 in x.shape:
        return jnp.log(jnp.sum(jnp.exp(x), axis=axis, keepdims=keepdims))
    highest = jnp.max(x.real, axis=axis, keepdims=True)
    highest = jnp.where(jnp.isfinite(highest), highest, 0)
    result = jnp.log(jnp.sum(jnp.exp(x - highest), axis=axis, keepdims=True)) + highest
    return result if keepdims else jnp.squeeze(result, axis=axis)
