"""Functions of matrices on NumPy."""

from math import comb, factorial
from typing import Any

import numpy as np

# N. J. Higham, The scaling and squaring method for the matrix exponential revisited, SIAM J.
# Matrix Anal. Appl. 26 (2005), table 2.3: the largest 1-norm for which the diagonal Padé
# approximant of a degree is exact to double precision.
_REACH = {
    3: 1.495585217958292e-2,
    5: 2.539398330063230e-1,
    7: 9.504178996162932e-1,
    9: 2.097847961257068e0,
    13: 5.371920351148152e0,
}


def expm(x: Any, /) -> Any:
    """Scaling and squaring of a Padé approximant; each matrix of a batch by its own norm."""
    x = np.asarray(x)
    x = x if x.dtype.kind in "fc" else x.astype(np.float64)
    if not x.size:
        return x.copy()
    norms = np.abs(x).sum(axis=-2).max(axis=-1)
    is_finite = np.isfinite(norms)
    x = np.where(is_finite[..., None, None], x, 0)
    norms = np.where(is_finite, norms, 0)
    largest = float(norms.max())
    degree = next((d for d, reach in _REACH.items() if largest <= reach), 13)
    squarings = np.ceil(np.log2(np.maximum(norms / _REACH[13], 1))).astype(int)
    scaled = x * (0.5**squarings)[..., None, None].astype(x.real.dtype)
    result = _pade(scaled, degree)
    for step in range(int(squarings.max())):
        squared = np.matmul(result, result)
        result = np.where((squarings > step)[..., None, None], squared, result)
    return np.where(is_finite[..., None, None], result, x.dtype.type(np.nan))


def _pade(x: Any, degree: int) -> Any:
    """The diagonal Padé approximant of the exponential."""
    weights = [
        comb(degree, k) * factorial(2 * degree - k) // factorial(degree) for k in range(degree + 1)
    ]
    one = np.eye(x.shape[-1], dtype=x.dtype)
    square = np.matmul(x, x)
    even, odd = weights[0] * one, weights[1] * one
    power = one
    for k in range(2, degree + 1, 2):
        power = np.matmul(power, square) if k > 2 else square
        even = even + weights[k] * power
        odd = odd + weights[k + 1] * power
    odd = np.matmul(x, odd)
    return np.linalg.solve(even - odd, even + odd)


def expm_frechet(x: Any, t: Any, /) -> Any:
    """The upper right block of exp([[x, t], [0, x]])."""
    x, t = np.asarray(x), np.asarray(t)
    n = x.shape[-1]
    shape = np.broadcast_shapes(x.shape, t.shape)
    dtype = np.result_type(*(a if a.dtype.kind in "fc" else np.float64 for a in (x, t)))
    # the derivative is linear in t: a t as small as x keeps the scaling that x needs
    size = np.abs(t).max(initial=0.0)
    size = size if np.isfinite(size) and size > 0 else dtype.type(1).real
    block = np.zeros((*shape[:-2], 2 * n, 2 * n), dtype)
    block[..., :n, :n] = block[..., n:, n:] = x
    block[..., :n, n:] = t / size
    return expm(block)[..., :n, n:] * size
