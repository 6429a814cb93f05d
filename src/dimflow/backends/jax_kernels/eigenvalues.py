"""Eigenvalues on JAX."""

from typing import Any

import jax.numpy as jnp

from dimflow.ops.families.linalg.matrices import from_triangle


def eigh(x: Any, /, UPLO: str = "L") -> Any:
    """One triangle counts, as in NumPy; JAX would take the mean of both."""
    return jnp.linalg.eigh(
        from_triangle(jnp.asarray(x), lower=UPLO in "lL"), symmetrize_input=False
    )


def eigvalsh(x: Any, /, UPLO: str = "L") -> Any:
    """The values alone."""
    return jnp.linalg.eigvalsh(
        from_triangle(jnp.asarray(x), lower=UPLO in "lL"), symmetrize_input=False
    )
