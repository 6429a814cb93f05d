"""Decompositions on Dask: tall and wide matrices by Dask's algorithms, others in one block each."""

from typing import Any
from warnings import catch_warnings, simplefilter

import dask.array as da
import numpy as np

from dimflow import ops
from dimflow.backends.dask_blocks.lengths import fits, is_known
from dimflow.backends.dask_blocks.looping import trailing
from dimflow.backends.dask_kernels.solving import in_squares
from dimflow.errors import ShapeMismatch
from dimflow.ops.families.linalg.matrices import from_triangle
from dimflow.ops.rules.dtypes import as_floating


def cholesky(x: Any, /, *, upper: bool = False) -> Any:
    """By LAPACK; of a matrix too large for one block, by Dask."""
    if x.ndim == 2 and not fits(*x.shape, dtype=x.dtype):
        n, whole = x.shape[0], in_squares(from_triangle(x, lower=not upper))
        factor = da.linalg.cholesky(whole, lower=not upper)
        return factor.astype(as_floating(x.dtype))[:n, :n]
    return trailing(ops.cholesky, (x,), {"upper": upper}, [2])


def qr(x: Any, /, mode: str = "reduced") -> Any:
    """Of a matrix in rows or in columns of blocks by Dask."""
    if mode in ("reduced", "r") and _is_in_strips(x) and _is_right(x):
        q, r = da.linalg.qr(_floating(x))
        return r if mode == "r" else ops.qr.result_type(q, r)
    if x.ndim == 2:
        _refuse_large("qr", x, mode == "complete", "mode='reduced'")
    return trailing(ops.qr, (x,), {"mode": mode}, [2])


def svd(
    x: Any, /, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Of a matrix in rows or in columns of blocks by Dask, if the reduced form will do."""
    if not hermitian and not (full_matrices and compute_uv) and _is_in_strips(x):
        with catch_warnings():  # Dask casts its empty complex array to describe real values
            simplefilter("ignore", np.exceptions.ComplexWarning)
            u, s, vh = da.linalg.svd(_floating(x), coerce_signs=False)
        return ops.svd.result_type(u, s, vh) if compute_uv else s
    if x.ndim == 2:
        _refuse_large("svd", x, full_matrices and compute_uv, "full_matrices=False")
    params = {"full_matrices": full_matrices, "compute_uv": compute_uv, "hermitian": hermitian}
    return trailing(ops.svd, (x,), params, [2])


def svdvals(x: Any, /) -> Any:
    """Without vectors, where they are not needed on the way."""
    return svd(x, full_matrices=False, compute_uv=False)


def lu(x: Any, /) -> Any:
    """By LAPACK, which pivots over the whole matrix."""
    return trailing(ops.lu, (x,), {}, [2])


def _floating(x: Any) -> Any:
    dtype = as_floating(x.dtype)
    return x if x.dtype == dtype else x.astype(dtype)


def _is_in_strips(x: Any) -> bool:
    """Whether a matrix is cut along its longer axis alone, as Dask's algorithms have it."""
    if x.ndim != 2 or not is_known(x) or 0 in x.shape:
        return False
    long = 0 if x.shape[0] >= x.shape[1] else 1
    return bool(x.numblocks[long] > 1 and x.numblocks[1 - long] == 1)


def _is_right(x: Any) -> bool:
    """Whether Dask's Q is: in columns of blocks it comes of the first, and is not conjugated."""
    return bool(x.numblocks[1] == 1 or (x.chunks[1][0] >= x.shape[0] and x.dtype.kind != "c"))


def _refuse_large(op: str, x: Any, is_full: bool, hint: str) -> None:
    """A square factor as long as a long matrix would fill the memory of one worker."""
    side = max(x.shape)
    if is_full and not fits(side, side, dtype=x.dtype) and not np.isnan(side):
        wanted = f"a factor of {side} by {side} numbers to fit in a block"
        raise ShapeMismatch(f"{op} of a lazy matrix", wanted, tuple(x.shape), hint)
