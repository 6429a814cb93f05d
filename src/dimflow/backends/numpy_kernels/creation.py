"""Creation on NumPy."""

from typing import Any

import numpy as np

from dimflow.ops.rules.values import refuse_cut


def uncut(values: Any, dtype: Any) -> Any:
    """Values in the dtype of an array that they are written into."""
    refuse_cut(values, dtype)
    return np.asarray(values, dtype)


def full_like(x: Any, fill_value: Any, dtype: Any, shape: Any) -> Any:
    """An array full of one value."""
    result = np.empty_like(x, dtype=dtype, shape=shape)
    result[...] = uncut(fill_value, result.dtype)
    return result


def cast_floating(x: Any, dtype: Any, unit: Any, copy: Any) -> Any:
    """With a dtype that holds fractions; the unit rule has chosen the unit."""
    return np.asarray(x).astype(dtype, copy=copy)


def cast_discrete(x: Any, dtype: Any, copy: Any) -> Any:
    """With a dtype of integers."""
    return np.asarray(x).astype(dtype, copy=copy)


def cast_truth(x: Any, copy: Any) -> Any:
    """Whether each element is not 0."""
    return np.asarray(x).astype(np.bool_, copy=copy)
