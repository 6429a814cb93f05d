"""Scans on JAX."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from dimflow.backends.jax_kernels.precision import fractions


def _flat(x: Any, axis: int | None) -> tuple[Any, int]:
    x = jnp.asarray(x)
    return (x.reshape(-1), 0) if axis is None else (x, axis % x.ndim)


def _accumulated(scan: Callable[..., Any], x: Any, axis: Any, dtype: Any, start: Any) -> Any:
    x, axis = _flat(x, axis)
    result = scan(x, axis=axis, dtype=dtype)
    if start is None:
        return result
    shape = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    return jnp.concatenate([jnp.full(shape, start, result.dtype), result], axis=axis)


def cumulative_sum(
    x: Any, axis: int | None = None, dtype: Any = None, *, include_initial: bool = False
) -> Any:
    """Running sums."""
    return _accumulated(jnp.cumsum, x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(
    x: Any, axis: int | None = None, dtype: Any = None, *, include_initial: bool = False
) -> Any:
    """Running products."""
    return _accumulated(jnp.cumprod, x, axis, dtype, 1 if include_initial else None)


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
