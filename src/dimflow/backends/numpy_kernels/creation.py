"""Creation on NumPy."""

from typing import Any

import numpy as np

from dimflow.errors import NotANumber


def uncut(values: Any, dtype: Any) -> Any:
    """Values in a dtype that holds them; fractions are not cut off to fit integers."""
    given, target = np.asarray(values), np.dtype(dtype)
    loses = target.kind in "biu" or (target.kind == "f" and given.dtype.kind == "c")
    if not loses or given.dtype == target:
        return given.astype(target)
    with np.errstate(invalid="ignore"):
        cast = given.real.astype(target)
    if np.any(cast != given):
        raise NotANumber(f"an array of {target}", f"values of {given.dtype}, which it would cut")
    return cast


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
