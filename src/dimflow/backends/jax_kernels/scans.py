"""Scans on JAX."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from dimflow.backends.jax_kernels.precision import fractions


def _flat(x: Any, axis: int | None) -> tuple[Any, int]:
    x = jnp.asarray(x)
    return (x.reshape(-1), 0) if axis is None else (x, axis % x.ndim)


def _scanned(scan: Callable[..., Any], x: Any, axis: Any, dtype: Any, include_initial: bool) -> Any:
    """Narrow integers are widened as in a sum, which JAX's running products do not."""
    x, axis = _flat(x, axis)
    if dtype is None and not jnp.issubdtype(x.dtype, jnp.inexact):
        dtype = jax.eval_shape(jnp.sum, x).dtype
    return scan(x, axis=axis, dtype=dtype, include_initial=include_initial)


def cumulative_sum(
    x: Any, axis: int | None = None, dtype: Any = None, *, include_initial: bool = False
) -> Any:
    """Running sums."""
    return _scanned(jnp.cumulative_sum, x, axis, dtype, include_initial)


def cumulative_prod(
    x: Any, axis: int | None = None, dtype: Any = None, *, include_initial: bool = False
) -> Any:
    """Running products."""
    return _scanned(jnp.cumulative_prod, x, axis, dtype, include_initial)


def cummax(x: Any, axis: int | None = None) -> Any:
    """Running maxima."""
    x, axis = _flat(x, axis)
    return lax.cummax(x, axis)


def cummin(x: Any, axis: int | None = None) -> Any:
    """Running minima."""
    x, axis = _flat(x, axis)
    return lax.cummin(x, axis)


def logcumsumexp(x: Any, axis: int | None = None) -> Any:
    """Running sums of exponentials, as logarithms."""
    x, axis = _flat(x, axis)
    return lax.cumlogsumexp(fractions(x), axis)
