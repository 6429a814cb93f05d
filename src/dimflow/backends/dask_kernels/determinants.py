"""Determinants on Dask, of matrices of one block each."""

from typing import Any

from dimflow import ops
from dimflow.backends.dask_blocks.looping import trailing


def det(x: Any, /) -> Any:
    """By LAPACK."""
    return trailing(ops.det, (x,), {}, [2])


def slogdet(x: Any, /) -> Any:
    """By LAPACK."""
    return trailing(ops.slogdet, (x,), {}, [2])


def adjugate(x: Any, /) -> Any:
    """By singular values."""
    return trailing(ops.adjugate, (x,), {}, [2])
