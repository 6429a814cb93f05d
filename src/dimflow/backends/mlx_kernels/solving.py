"""Linear systems, which MLX solves on the CPU."""

from typing import Any

import mlx.core as mx

from dimflow import ops
from dimflow.errors import ShapeMismatch


def solve_triangular(
    a: Any, b: Any, /, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False
) -> Any:
    """By LAPACK; the other triangle, and a diagonal of ones, are not looked at."""
    a, b = (x if mx.issubdtype(x.dtype, mx.inexact) else x.astype(mx.float32) for x in (a, b))
    if mx.complex64 in (a.dtype, b.dtype):
        return ops.solve_triangular.rule("definition")(
            a, b, trans=trans, lower=lower, unit_diagonal=unit_diagonal
        )
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ShapeMismatch("solve_triangular", "square matrices", tuple(a.shape))
    if trans in (1, 2, "T", "C"):
        a, lower = mx.swapaxes(a, -1, -2), not lower
    if unit_diagonal:
        is_diagonal = mx.eye(a.shape[-1], dtype=mx.bool_)
        a = mx.where(is_diagonal, mx.array(1, a.dtype), a)
    a = (mx.tril if lower else mx.triu)(a)  # `mx.vmap` would solve by the whole matrix
    columns = b[:, None] if b.ndim == 1 else b
    batch = mx.broadcast_shapes(a.shape[:-2], columns.shape[:-2])
    dtype = mx.result_type(a, columns)
    a, columns = (mx.broadcast_to(x.astype(dtype), (*batch, *x.shape[-2:])) for x in (a, columns))
    found = mx.linalg.solve_triangular(a, columns, upper=not lower, stream=mx.cpu)
    return found[..., 0] if b.ndim == 1 else found
