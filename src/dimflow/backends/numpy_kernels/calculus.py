"""Calculus on NumPy."""

from math import pi
from typing import Any

import numpy as np

from dimflow.backends.numpy_kernels.joining import widened


def diff(x: Any, /, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """NumPy's, which marks ends that were left out by a value of its own."""
    ends = {"prepend": prepend, "append": append}
    return np.diff(x, n, axis, **{k: v for k, v in ends.items() if v is not None})


def unwrap(x: Any, /, discont: Any = None, axis: int = -1, *, period: Any = None) -> Any:
    """NumPy's, with a turn as the default period."""
    return np.unwrap(x, discont, axis, period=2 * pi if period is None else period)


def ediff1d(x: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Differences between values at the ends, which need not be integers where these are."""
    for end in (to_end, to_begin):
        x = x if end is None else widened(x, end)
    return np.ediff1d(x, to_end, to_begin)
