"""Linear systems on NumPy."""

from typing import Any

import numpy as np

_BLOCK = 32  # rows that are solved as one small dense system


def solve_triangular(
    a: Any, b: Any, /, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False
) -> Any:
    """By halves: two triangles of half the size and a matrix product, down to small blocks."""
    a, b = np.asarray(a), np.asarray(b)
    if trans in (2, "C"):
        a = np.conj(a)
    if trans in (1, 2, "T", "C"):
        a, lower = np.swapaxes(a, -1, -2), not lower
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    is_vector = b.ndim == 1
    columns = b[..., None] if is_vector else b
    dtype = np.result_type(*(x if x.dtype.kind in "fc" else np.float64 for x in (a, b)))
    a, columns = a.astype(dtype, copy=False), columns.astype(dtype, copy=False)
    result = _halved(a, columns, lower, unit_diagonal)
    return result[..., 0] if is_vector else result


def _halved(a: Any, b: Any, lower: bool, unit_diagonal: bool) -> Any:
    n = a.shape[-1]
    if n <= _BLOCK:
        return _substituted(_triangle(a, lower, unit_diagonal), b, lower)
    half = n // 2
    first, second = (slice(half), slice(half, n)) if lower else (slice(half, n), slice(half))
    x = _halved(a[..., first, first], b[..., first, :], lower, unit_diagonal)
    rest = b[..., second, :] - np.matmul(a[..., second, first], x)
    y = _halved(a[..., second, second], rest, lower, unit_diagonal)
    x = np.broadcast_to(x, (*y.shape[:-2], *x.shape[-2:]))
    return np.concatenate([x, y] if lower else [y, x], axis=-2)


def _substituted(a: Any, b: Any, lower: bool) -> Any:
    """An upper triangle needs no elimination, so a dense solver only substitutes back."""
    if lower:
        return np.linalg.solve(a[..., ::-1, ::-1], b[..., ::-1, :])[..., ::-1, :]
    return np.linalg.solve(a, b)


def _triangle(a: Any, lower: bool, unit_diagonal: bool) -> Any:
    if unit_diagonal:
        one = np.eye(a.shape[-1], dtype=a.dtype)
        return (np.tril(a, -1) if lower else np.triu(a, 1)) + one
    return np.tril(a) if lower else np.triu(a)
