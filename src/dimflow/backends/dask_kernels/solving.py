"""Linear systems on Dask: matrices of one block each, or Dask's blocks if they are too large.

Dask's factorisation by blocks pivots within the blocks of the diagonal alone, so that it fails for
some matrices that have an inverse; it runs where there is no other way.
"""

from typing import Any

import dask.array as da
import numpy as np

from dimflow import ops
from dimflow.backends.dask_blocks.lengths import fits, in_one_block
from dimflow.backends.dask_blocks.looping import trailing
from dimflow.ops.rules.dtypes import as_floating, result_type


def inv(x: Any, /) -> Any:
    """By LAPACK; of a matrix too large for one block, by Dask."""
    if x.ndim == 2 and not fits(*x.shape, dtype=x.dtype):
        n = x.shape[0]
        return da.linalg.inv(in_squares(x)).astype(as_floating(x.dtype))[:n, :n]
    return trailing(ops.inv, (x,), {}, [2])


def pinv(x: Any, /, rcond: Any = None, hermitian: bool = False) -> Any:
    """By LAPACK."""
    return trailing(ops.pinv, (x,), {"rcond": rcond, "hermitian": hermitian}, [2])


def solve(a: Any, b: Any, /) -> Any:
    """By LAPACK; with a matrix too large for one block, by Dask."""
    if a.ndim == 2 and b.ndim <= 2 and not fits(*a.shape, dtype=a.dtype):
        dtype = as_floating(result_type((a.dtype, b.dtype)))
        n, a = b.shape[0], in_squares(a)
        return da.linalg.solve(a, _as_long(b, a)).astype(dtype)[:n]
    core = 1 if b.ndim == 1 else 2
    return trailing(ops.solve, (a, b), {}, [2, core])


def solve_triangular(
    a: Any, b: Any, /, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False
) -> Any:
    """By LAPACK; with a matrix too large for one block, by Dask."""
    params = {"trans": trans, "lower": lower, "unit_diagonal": unit_diagonal}
    if a.ndim == 2 and b.ndim <= 2 and not fits(*a.shape, dtype=a.dtype):
        return _by_blocks(a, b, **params)
    core = 1 if b.ndim == 1 else 2
    return trailing(ops.solve_triangular, (a, b), params, [2, core])


def _by_blocks(a: Any, b: Any, trans: Any, lower: bool, unit_diagonal: bool) -> Any:
    n, a = b.shape[0], in_squares(a)
    a = (da.tril if lower else da.triu)(a, k=(-1 if lower else 1) if unit_diagonal else 0)
    if unit_diagonal:
        a = a + da.eye(a.shape[0], chunks=a.chunks[0][0], dtype=a.dtype)
    if trans not in (0, "N"):
        a, lower = a.T, not lower
        a = a.conj() if trans in (2, "C") else a
    dtype = as_floating(result_type((a.dtype, b.dtype)))
    return da.linalg.solve_triangular(a, _as_long(b, a), lower=lower).astype(dtype)[:n]


def lstsq(a: Any, b: Any, /, rcond: Any = None) -> Any:
    """By LAPACK, of a tall matrix in rows of blocks after it is reduced to its triangle."""
    if a.ndim == 2 and _is_tall(a) and not fits(*a.shape, dtype=a.dtype):
        return _reduced(a, b, rcond)
    return trailing(ops.lstsq, (a, b), {"rcond": rcond}, [2, b.ndim])


def _is_tall(a: Any) -> bool:
    return a.shape[0] > a.shape[1] and fits(a.shape[1], a.shape[1], dtype=a.dtype)


def _reduced(a: Any, b: Any, rcond: Any) -> Any:
    """From R of Q R = a, which has the singular values of a; what is left over is summed up."""
    dtype = as_floating(result_type((a.dtype, b.dtype)))
    if rcond is None:
        rcond = float(np.finfo(dtype).eps * max(a.shape))
    q, r = da.linalg.qr(in_one_block("lstsq", a, [1]))
    inner = da.tensordot(da.conj(q), b, axes=(0, 0))
    core = b.ndim
    found = trailing(ops.lstsq, (r, inner), {"rcond": rcond}, [2, core])
    left = b - da.tensordot(a, found.x, axes=(1, 0))
    squares = (abs(left) ** 2).sum(axis=0, keepdims=b.ndim == 1)
    residuals = squares[da.broadcast_to(found.rank == a.shape[1], squares.shape)]
    return found._replace(residuals=residuals.astype(found.residuals.dtype))


def in_squares(x: Any) -> Any:
    """A square matrix in blocks of one length, which Dask's algorithms ask for.

    Where its length is no multiple, ones follow on the diagonal: what is found for the whole holds
    for the part that the matrix is of it.
    """
    length = max(map(max, x.chunks))
    missing = -x.shape[0] % length
    if missing:
        ones = da.eye(missing, chunks=missing, dtype=x.dtype)
        rows = da.concatenate([x, da.zeros((x.shape[0], missing), dtype=x.dtype)], axis=1)
        below = da.concatenate([da.zeros((missing, x.shape[1]), dtype=x.dtype), ones], axis=1)
        x = da.concatenate([rows, below], axis=0)
    chunks = (length,) * (x.shape[0] // length)
    return x if x.chunks == (chunks, chunks) else x.rechunk((chunks, chunks))


def _as_long(b: Any, a: Any) -> Any:
    """A right side with zeros after it, in the blocks of the matrix."""
    missing = a.shape[0] - b.shape[0]
    if missing:
        b = da.concatenate([b, da.zeros((missing, *b.shape[1:]), dtype=b.dtype)], axis=0)
    return b.rechunk({0: a.chunks[0]})
