"""Reductions without nan, on JAX."""

from typing import Any

import jax.numpy as jnp

from dimflow.backends.jax_kernels.reductions import with_initial


def nansum(x: Any, axis: Any = None, **options: Any) -> Any:
    """The sum of all that is no nan."""
    return with_initial(jnp.nansum)(x, axis, **options)


def nanprod(x: Any, axis: Any = None, **options: Any) -> Any:
    """The product of all that is no nan."""
    return with_initial(jnp.nanprod)(x, axis, **options)


def nanmax(x: Any, axis: Any = None, **options: Any) -> Any:
    """The largest that is no nan."""
    return with_initial(jnp.nanmax)(x, axis, **options)


def nanmin(x: Any, axis: Any = None, **options: Any) -> Any:
    """The smallest that is no nan."""
    return with_initial(jnp.nanmin)(x, axis, **options)
