"""Linear systems on JAX."""

from typing import Any

import jax.numpy as jnp
from jax import lax

from dimflow.backends.jax_kernels.precision import usual
from dimflow.ops.families.linalg.matrices import from_triangle


def _floating(*arrays: Any) -> tuple[Any, ...]:
    """Arrays of one dtype of fractions."""
    dtype = jnp.result_type(*arrays)
    if not jnp.issubdtype(dtype, jnp.inexact):
        dtype = usual(float)
    return tuple(jnp.asarray(a).astype(dtype) for a in arrays)


def solve_triangular(
    a: Any, b: Any, /, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False
) -> Any:
    """By XLA's own, for broadcast batches."""
    a, b = _floating(a, b)
    is_vector = b.ndim == 1
    columns = b[:, None] if is_vector else b
    batch = jnp.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    a = jnp.broadcast_to(a, (*batch, *a.shape[-2:]))
    columns = jnp.broadcast_to(columns, (*batch, *columns.shape[-2:]))
    result = lax.linalg.triangular_solve(
        a,
        columns,
        left_side=True,
        lower=lower,
        transpose_a=trans in (1, 2, "T", "C"),
        conjugate_a=trans in (2, "C"),
        unit_diagonal=unit_diagonal,
    )
    return result[..., 0] if is_vector else result


def pinv(x: Any, rcond: Any, hermitian: bool) -> Any:
    """`rcond` is JAX's rtol; of a hermitian matrix the lower triangle counts, as in NumPy."""
    x = from_triangle(x, lower=True) if hermitian else x
    return jnp.linalg.pinv(x, rtol=rcond, hermitian=hermitian)


def lstsq(a: Any, b: Any, /, rcond: Any = None) -> Any:
    """Residuals are left out by the shape alone, since traced code cannot ask for the rank."""
    x, residuals, rank, spread = jnp.linalg.lstsq(a, b, rcond=rcond)
    m, n = a.shape
    return x, residuals if m > n else residuals[:0], rank, spread
