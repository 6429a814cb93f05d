"""Padding on JAX."""

from typing import Any

import jax
import jax.numpy as jnp

from dimflow.backends.jax_kernels.indexing import uncut
from dimflow.ops.definitions import arranging as definitions
from dimflow.ops.families.shape.padding import as_pairs


def pad_constant(x: Any, pad_width: Any, constant_values: Any) -> Any:
    """By jax.numpy's own function, which knows one constant for each end.

    Where JAX traces a constant, by the definition: the way back of its own function fails if the
    constant alone is differentiated.
    """
    x = jnp.asarray(x)
    if isinstance(constant_values, jax.core.Tracer):
        return definitions.pad_constant(x, pad_width, constant_values=constant_values)
    values = 0 if constant_values is None else uncut(constant_values, x.dtype)
    return jnp.pad(x, as_pairs(pad_width, x.ndim), constant_values=values)
