"""Histograms on JAX."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dimflow.backends.jax_kernels.precision import usual


def spaced_edges(x: Any, bins: Any = 10, *, range: Any = None) -> Any:
    """Edges of one width. How many a rule such as "sqrt" asks for, NumPy finds from the data."""
    if isinstance(bins, str):
        numbers = np.asarray(jax.lax.stop_gradient(x))  # a count has no derivative
        bins = len(np.histogram_bin_edges(numbers, bins, range)) - 1
    return jnp.histogram_bin_edges(x, bins, None if range is None else tuple(range))


def bin_index(x: Any, edges: Any) -> Any:
    """By search; the last bin holds its upper edge, what is in none has the number of bins."""
    x, edges = jnp.asarray(x), jnp.asarray(edges)
    count = len(edges) - 1
    found = jnp.searchsorted(edges, x, side="right") - 1
    found = jnp.where(x == edges[-1], count - 1, found)
    return jnp.where((found < 0) | (x > edges[-1]) | jnp.isnan(x), count, found).astype(usual(int))


def bin_counts(x: Any, edges: Any, *, evenly: bool = False) -> Any:
    """How many lie in each bin."""
    ones = jnp.ones(jnp.shape(x), usual(int))
    return bin_sums(x, edges, ones)


def bin_sums(x: Any, edges: Any, weights: Any, *, evenly: bool = False) -> Any:
    """The weights in each bin, added up."""
    weights = jnp.asarray(weights)
    found = bin_index(jnp.ravel(x), edges)
    return jnp.zeros(len(edges) - 1, weights.dtype).at[found].add(weights.ravel(), mode="drop")


def integer_counts(x: Any, minlength: int = 0) -> Any:
    """By jax.numpy's bincount."""
    return jnp.bincount(x, minlength=minlength)


def integer_sums(x: Any, weights: Any, minlength: int = 0) -> Any:
    """By jax.numpy's bincount with weights."""
    return jnp.bincount(x, weights, minlength=minlength)
