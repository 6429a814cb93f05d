"""Reductions on JAX, beyond jax.numpy's own."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp


def with_initial(function: Callable[..., Any]) -> Callable[..., Any]:
    """JAX's function, which would cut an initial value to the dtype of the array."""

    def kernel(x: Any, axis: Any = None, *rest: Any, **options: Any) -> Any:
        initial = options.get("initial")
        if initial is not None and options.get("dtype") is None and not any(rest):
            x = jnp.asarray(x)
            joint = jnp.result_type(x, initial)
            if jnp.issubdtype(joint, jnp.inexact) and not jnp.issubdtype(x.dtype, jnp.inexact):
                x = x.astype(joint)
        return function(x, axis, *rest, **options)

    kernel.__name__ = function.__name__
    return kernel


sum = with_initial(jnp.sum)
prod = with_initial(jnp.prod)
max = with_initial(jnp.max)
min = with_initial(jnp.min)


def prod_of_others(x: Any, axis: int = -1) -> Any:
    """What stands before each element, multiplied up, times what stands after it."""
    x = jnp.moveaxis(jnp.asarray(x), axis, -1)
    up = jnp.cumprod(x[..., :-1], axis=-1)
    down = jnp.flip(jnp.cumprod(jnp.flip(x[..., 1:], -1), axis=-1), -1)
    one = jnp.ones((*x.shape[:-1], int(x.shape[-1] > 0)), up.dtype)
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
