"""Sorting on JAX."""

from typing import Any

import jax.numpy as jnp

from dimflow import ops


def partition(x: Any, kth: Any, axis: Any) -> Any:
    """Sorted altogether, which puts every element at its place."""
    return jnp.sort(x, axis=axis)


def argpartition(x: Any, kth: Any, axis: Any) -> Any:
    """The indices that sort."""
    return jnp.argsort(x, axis=axis)


def unique_index(x: Any, axis: Any, equal_nan: bool) -> Any:
    """jax.numpy's unique, without the values."""
    x = jnp.asarray(x)
    _, indices, inverse, counts = jnp.unique(
        x,
        return_index=True,
        return_inverse=True,
        return_counts=True,
        axis=axis,
        equal_nan=equal_nan,
    )
    shape = x.shape if axis is None else (x.shape[axis],)
    return ops.unique_index.result_type(indices, inverse.reshape(shape), counts)
