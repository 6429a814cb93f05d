"""Decompositions on NumPy."""

from math import prod
from typing import Any

import numpy as np

from dimflow.backends.numpy_kernels.solving import solve_triangular

_BLOCK = 32  # columns that are eliminated one by one before a matrix product does the rest


def lu(x: Any, /) -> Any:
    """Gaussian elimination with partial pivoting, block by block, for a whole batch at once."""
    x = np.asarray(x)
    dtype = x.dtype if x.dtype.kind in "fc" else np.dtype(np.float64)
    *batch, m, n = x.shape
    a = np.array(x.reshape(prod(batch), m, n), dtype, copy=True)
    rows = np.tile(np.arange(m), (len(a), 1))
    k = min(m, n)
    for start in range(0, k, _BLOCK):
        stop = min(start + _BLOCK, k)
        for column in range(start, stop):
            _eliminate(a, rows, column, stop)
        if stop < n:
            corner = a[:, start:stop, start:stop]
            beside = solve_triangular(corner, a[:, start:stop, stop:], 0, True, True)
            a[:, start:stop, stop:] = beside
            a[:, stop:, stop:] -= np.matmul(a[:, stop:, start:stop], beside)
    p = np.zeros((len(a), m, m), dtype.type(0).real.dtype)
    p[np.arange(len(a))[:, None], rows, np.arange(m)] = 1
    lower = np.tril(a[:, :, :k], -1) + np.eye(m, k, dtype=dtype)
    upper = np.triu(a[:, :k, :])
    return tuple(f.reshape((*batch, *f.shape[1:])) for f in (p, lower, upper))


def _eliminate(a: Any, rows: Any, column: int, stop: int) -> None:
    """Bring the largest element up, and clear the column below it, up to the block's end."""
    which = np.arange(len(a))
    below = a[:, column:, column]
    # of complex numbers LAPACK takes the sum of both parts
    pivots = column + np.argmax(np.abs(below.real) + np.abs(below.imag), axis=1)
    for array in (a, rows):
        upper, chosen = array[which, column], array[which, pivots]
        array[which, pivots], array[which, column] = upper, chosen
    pivot = a[:, column, column]
    # below a pivot of zero all is zero already
    factors = a[:, column + 1 :, column] / np.where(pivot == 0, 1, pivot)[:, None]
    a[:, column + 1 :, column] = factors
    inside = slice(column + 1, stop)
    a[:, column + 1 :, inside] -= factors[:, :, None] * a[:, None, column, inside]
