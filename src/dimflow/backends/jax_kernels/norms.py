"""Ranks on JAX."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from dimflow.ops.families.linalg.matrices import from_triangle


def matrix_rank(x: Any, /, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """`tol` is absolute, which JAX's function has no word for."""
    x = jnp.asarray(x)
    if hermitian:
        values = jnp.abs(jnp.linalg.eigvalsh(from_triangle(x, lower=True), symmetrize_input=False))
    else:
        values = jnp.linalg.svd(x, compute_uv=False)
    if tol is None:
        factor = max(x.shape[-2:]) * np.finfo(values.dtype).eps if rtol is None else rtol
        tol = jnp.max(values, axis=-1, initial=0) * factor
    return jnp.count_nonzero(values > jnp.asarray(tol)[..., None], axis=-1)
