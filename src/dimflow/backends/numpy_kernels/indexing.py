"""Indexing on NumPy."""

from typing import Any

import numpy as np

from dimflow.backends.numpy_kernels.creation import uncut
from dimflow.ops.families.index.keys import filled


def index(x: Any, *indices: Any, key: Any) -> Any:
    """x[key]."""
    return np.asarray(x)[filled(key, indices)]


def index_set(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with other values at x[key]."""
    result = np.array(x)
    result[filled(key, indices)] = uncut(values, result.dtype)
    return result


def index_add(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with values added at x[key]."""
    return _updated(np.add, x, values, indices, key)


def index_max(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with the larger values at x[key]."""
    return _updated(np.maximum, x, values, indices, key)


def index_min(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with the smaller values at x[key]."""
    return _updated(np.minimum, x, values, indices, key)


def _updated(ufunc: Any, x: Any, values: Any, indices: Any, key: Any) -> Any:
    result = np.array(x)
    ufunc.at(result, filled(key, indices), uncut(values, result.dtype))
    return result
