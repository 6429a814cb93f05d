"""Eigenvalues on Dask, of matrices of one block each."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.backends.dask_blocks.block_op import BlockOp
from dimflow.backends.dask_blocks.looping import trailing


def eigh(x: Any, /, UPLO: str = "L") -> Any:
    """By LAPACK."""
    return trailing(ops.eigh, (x,), {"UPLO": UPLO}, [2])


def eig(x: Any, /) -> Any:
    """By LAPACK; complex even where NumPy sees that all imaginary parts are zero."""
    return trailing(ops.eig, (x,), {}, [2], _Complex)


class _Complex(BlockOp):
    """Results in the dtype that is known before the numbers are."""

    __slots__ = ()

    def __call__(self, *blocks: Any) -> Any:
        parts = super().__call__(*blocks)
        single = all(part.dtype in (np.float32, np.complex64) for part in parts)
        dtype = np.complex64 if single else np.complex128
        return tuple(part.astype(dtype) for part in parts)
