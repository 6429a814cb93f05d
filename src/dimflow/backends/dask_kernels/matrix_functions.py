"""Functions of matrices on Dask, of one block each: how often they square depends on the norm."""

from typing import Any

from dimflow import ops
from dimflow.backends.dask_blocks.looping import trailing


def expm(x: Any, /) -> Any:
    """By squaring."""
    return trailing(ops.expm, (x,), {}, [2])


def expm_frechet(x: Any, t: Any, /) -> Any:
    """The same, with its derivative."""
    return trailing(ops.expm_frechet, (x, t), {}, [2, 2])
