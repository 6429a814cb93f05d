"""Determinants on Dask, of matrices of one block each."""

from typing import Any

from dimflow import ops
from dimflow.backends.dask_kernels.gathering import matrices


def det(x: Any, /) -> Any:
    """By LAPACK."""
    return matrices(ops.det, (x,), {}, [2], [0])


def slogdet(x: Any, /) -> Any:
    """By LAPACK."""
    return matrices(ops.slogdet, (x,), {}, [2], [0, 0])


def adjugate(x: Any, /) -> Any:
    """By singular values."""
    return matrices(ops.adjugate, (x,), {}, [2], [2])
