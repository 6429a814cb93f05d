"""Floating point on JAX."""

from typing import Any

import jax
import jax.numpy as jnp


def frexp_mantissa(x: Any) -> Any:
    """The first of a pair."""
    return jnp.frexp(x)[0]


def frexp_exponent(x: Any) -> Any:
    """The second of a pair."""
    return jnp.frexp(x)[1]


@jax.custom_jvp
def nextafter(x: Any, y: Any) -> Any:
    """JAX's own, which has no derivative: it moves with x, and not with y."""
    return jnp.nextafter(x, y)


@nextafter.defjvp
def _nextafter_jvp(primals: Any, tangents: Any) -> Any:
    out = nextafter(*primals)
    return out, jnp.broadcast_to(tangents[0], out.shape).astype(out.dtype)


@jax.custom_jvp
def ldexp(x: Any, y: Any) -> Any:
    """JAX's own, whose derivative at 0 is 1, whatever y is."""
    return jnp.ldexp(x, y)


@ldexp.defjvp
def _ldexp_jvp(primals: Any, tangents: Any) -> Any:
    out = ldexp(*primals)
    factor = jnp.ldexp(jnp.ones((), out.dtype), primals[1])
    return out, (tangents[0] * factor).astype(out.dtype)
