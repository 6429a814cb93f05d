"""Segments on JAX. Ids outside of the segments are left out, negative ones too."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import ops as segment

from dimflow import ops
from dimflow.backends.jax_kernels.precision import fractions
from dimflow.errors import ShapeMismatch


def _ids(x: Any, ids: Any, count: int) -> Any:
    """Ids in which all that is left out is `count`; JAX would count negative ones from the end."""
    if ids.ndim != 1 or x.shape[:1] != ids.shape:
        wanted = f"one segment id for each of x's rows, {x.shape[:1]}"
        raise ShapeMismatch("a segment op", wanted, ids.shape)
    return jnp.where(ids < 0, count, ids)


def _by_segment(function: Callable[..., Any], x: Any, ids: Any, count: int) -> Any:
    x, ids = jnp.asarray(x), jnp.asarray(ids)
    return function(x, _ids(x, ids, count), num_segments=count)


def segment_sum(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Sums of rows of one id."""
    x = jnp.asarray(x)
    x = x.astype(jnp.sum(x[:0]).dtype)
    return _by_segment(segment.segment_sum, x, segment_ids, num_segments)


def segment_prod(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Products of rows of one id. JAX has no derivative for places met twice; the table has."""
    x, ids = jnp.asarray(x), jnp.asarray(segment_ids)
    x = x.astype(jnp.sum(x[:0]).dtype)
    return _product(x, _ids(x, ids, num_segments), num_segments)


@partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def _product(x: Any, ids: Any, count: int) -> Any:
    return segment.segment_prod(x, ids, num_segments=count)


@_product.defjvp
def _product_jvp(ids: Any, count: int, primals: Any, tangents: Any) -> Any:
    out = _product(primals[0], ids, count)
    rule = ops.get("segment_prod").rule("derivative")
    params = {"num_segments": count}
    return out, rule.function((tangents[0], None), out, (primals[0], ids), params)


def segment_mean(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Means of rows of one id."""
    x = fractions(x)
    total = _by_segment(segment.segment_sum, x, segment_ids, num_segments)
    ones = jnp.ones(x.shape[:1], x.real.dtype)
    counts = _by_segment(segment.segment_sum, ones, segment_ids, num_segments)
    return total / counts.reshape(-1, *[1] * (x.ndim - 1))


def segment_max(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Maxima of rows of one id."""
    return _by_segment(segment.segment_max, x, segment_ids, num_segments)


def segment_min(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """Minima of rows of one id."""
    return _by_segment(segment.segment_min, x, segment_ids, num_segments)
