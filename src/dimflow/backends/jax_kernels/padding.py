"""Padding on JAX."""

from typing import Any

import jax.numpy as jnp

from dimflow.backends.jax_kernels.indexing import uncut
from dimflow.ops.families.shape.padding import as_pairs


def pad_constant(x: Any, pad_width: Any, constant_values: Any) -> Any:
    """By jax.numpy's own function, which knows one constant for each end."""
    x = jnp.asarray(x)
    values = 0 if constant_values is None else uncut(constant_values, x.dtype)
    return jnp.pad(x, as_pairs(pad_width, x.ndim), constant_values=values)
