"""Exponentials on NumPy: those that stay in range where the plain formula overflows."""

from typing import Any

import numpy as np


def _floating(x: Any) -> Any:
    """Integers in double precision: of those without a sign the opposite would wrap round."""
    dtype = getattr(x, "dtype", None)
    return x if dtype is None or dtype.kind in "fc" else np.asarray(x, np.float64)


def sigmoid(x: Any) -> Any:
    """From exp(-|x|), which cannot overflow; the plain formula for complex numbers."""
    if np.iscomplexobj(x):
        return 1 / (1 + np.exp(np.negative(x)))
    z = np.exp(-np.abs(_floating(x)))
    return np.where(np.less(x, 0), z, 1)[()] / (1 + z)


def logit(x: Any) -> Any:
    """By atanh around 1/2, where the logarithm of the odds is small."""
    centred = 2 * np.asarray(x) - 1
    near = np.abs(centred) < 0.5
    inner = 2 * np.arctanh(np.where(near, centred, 0))
    odds = np.where(near, 0.5, x)
    return np.where(near, inner, np.log(odds / (1 - odds)))[()]


def softplus(x: Any) -> Any:
    """The larger of x and 0, and what the other adds; NumPy's logaddexp warns of a nan."""
    if np.iscomplexobj(x):
        return np.log1p(np.exp(x))
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(_floating(x))))


def log_sigmoid(x: Any) -> Any:
    """The opposite of softplus of -x."""
    if np.iscomplexobj(x):
        return -np.log1p(np.exp(np.negative(x)))
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(_floating(x))))
