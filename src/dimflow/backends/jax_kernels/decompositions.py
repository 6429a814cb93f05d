"""Decompositions on JAX."""

from typing import Any

import jax.numpy as jnp
from jax import lax

from dimflow.backends.jax_kernels.solving import _floating
from dimflow.ops.families.linalg.matrices import from_triangle


def lu(x: Any, /) -> Any:
    """A permutation and two triangles, for whole batches."""
    (x,) = _floating(x)
    m, n = x.shape[-2:]
    k = min(m, n)
    packed, _, order = lax.linalg.lu(x)
    lower = jnp.tril(packed[..., :k], -1) + jnp.eye(m, k, dtype=x.dtype)
    upper = jnp.triu(packed[..., :k, :])
    rows = jnp.arange(m, dtype=order.dtype)
    p = (rows[:, None] == order[..., None, :]).astype(x.real.dtype)
    return p, lower, upper


def cholesky(x: Any, /, *, upper: bool = False) -> Any:
    """One triangle is read, as in NumPy; JAX would take the mean of both."""
    x = from_triangle(jnp.asarray(x), lower=not upper)
    return jnp.linalg.cholesky(x, upper=upper, symmetrize_input=False)


def svd(
    x: Any, /, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Of a hermitian matrix the lower triangle counts, as in NumPy."""
    x = from_triangle(jnp.asarray(x), lower=True) if hermitian else x
    return jnp.linalg.svd(x, full_matrices, compute_uv, hermitian)
