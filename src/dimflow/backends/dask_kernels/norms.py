"""Norms on Dask: its own function but in single precision, which it doubles, and by singular values
of any matrix.
"""

from typing import Any

import dask.array as da
import numpy as np

from dimflow import ops
from dimflow.backends.dask_blocks.looping import trailing
from dimflow.ops.rules.shapes import normalized

_DOUBLE = (np.float64, np.complex128)


def _floated(x: Any) -> Any:
    """Integers as NumPy's norms take them: squares of short ones would wrap around."""
    return x.astype(np.float64) if x.dtype.kind in "biu" else x


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """By the definition: Dask's takes two axes for those of a matrix."""
    return ops.vector_norm.definition(_floated(x), axis=axis, keepdims=keepdims, ord=ord)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """By the definition: Dask's has no batches of matrices."""
    return ops.matrix_norm.definition(_floated(x), keepdims=keepdims, ord=ord)


def norm(x: Any, /, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Dask's, where it has one."""
    x = _floated(x)
    is_of_singular_values = ord in (2, -2, "nuc") and len(normalized(axis, x.ndim)) == 2
    is_flat = ord is None and axis is None and x.ndim > 2
    if x.dtype not in _DOUBLE or is_of_singular_values or is_flat or not x.ndim or 0 in x.shape:
        return ops.norm.definition(x, ord=ord, axis=axis, keepdims=keepdims)
    return da.linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims)


def matrix_rank(x: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """By LAPACK."""
    params = {"hermitian": hermitian, "rtol": rtol}
    return trailing(ops.matrix_rank, (x, tol), params, [2, 0])
