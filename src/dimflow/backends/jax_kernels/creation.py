"""Creation on JAX."""

from typing import Any

import jax
import jax.numpy as jnp

from dimflow.backends.jax_kernels.indexing import uncut


def full_like(x: Any, fill_value: Any, dtype: Any, shape: Any) -> Any:
    """An array full of one value."""
    x = jnp.asarray(x)
    dtype = x.dtype if dtype is None else dtype
    return jnp.full_like(x, uncut(fill_value, dtype), dtype=dtype, shape=shape)


def stop_gradient(x: Any) -> Any:
    """The values, that no transformation of JAX's differentiates through."""
    return jax.lax.stop_gradient(x)


def cast_floating(x: Any, dtype: Any, unit: Any = None, copy: Any = True) -> Any:
    """With a dtype that holds fractions."""
    return _cast(x, dtype)


def cast_discrete(x: Any, dtype: Any, unit: Any = None, copy: Any = True) -> Any:
    """With a dtype of integers."""
    return _cast(x, dtype)


def cast_truth(x: Any, copy: Any = True) -> Any:
    """Whether each element is not 0."""
    return jnp.asarray(x).astype(jnp.bool_)


def _cast(x: Any, dtype: Any) -> Any:
    """Without JAX's warning that an imaginary part is lost."""
    x = jnp.asarray(x)
    is_lost = jnp.issubdtype(x.dtype, jnp.complexfloating)
    is_lost = is_lost and not jnp.issubdtype(dtype, jnp.complexfloating)
    return (x.real if is_lost else x).astype(dtype)
