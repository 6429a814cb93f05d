"""Indexing on JAX: new arrays with other values, by `x.at[key]`.

Indices that are out of bounds are clamped when they are read, and left out when they are written,
as JAX does it: traced code cannot raise.
"""

from typing import Any

import jax.numpy as jnp

from dimflow.ops.families.index.keys import filled
from dimflow.ops.rules.values import refuse_cut


def uncut(values: Any, dtype: Any) -> Any:
    """Values in the dtype of an array that they are written into."""
    refuse_cut(values, dtype)
    return jnp.asarray(values, dtype)


def index(x: Any, *indices: Any, key: Any) -> Any:
    """x[key]."""
    return jnp.asarray(x)[filled(key, indices)]


def index_set(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with other values at x[key]."""
    x = jnp.asarray(x)
    return x.at[filled(key, indices)].set(uncut(values, x.dtype))


def index_add(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with values added at x[key]."""
    x = jnp.asarray(x)
    return x.at[filled(key, indices)].add(uncut(values, x.dtype))


def index_max(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with the larger values at x[key]."""
    x = jnp.asarray(x)
    return x.at[filled(key, indices)].max(uncut(values, x.dtype))


def index_min(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with the smaller values at x[key]."""
    x = jnp.asarray(x)
    return x.at[filled(key, indices)].min(uncut(values, x.dtype))


def take(x: Any, indices: Any, axis: Any = None, *, mode: str = "raise") -> Any:
    """jax.numpy's; what "raise" would refuse is nan, since traced code cannot raise."""
    return jnp.take(x, jnp.asarray(indices), axis=axis, mode="fill" if mode == "raise" else mode)
