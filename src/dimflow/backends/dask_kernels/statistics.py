"""Statistics by Dask's trees."""

from math import isnan
from typing import Any

import dask.array as da

from dimflow import ops


def weighted_mean(x: Any, weights: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """By the definition; where lengths are not known, weights meet the array element by element."""
    if isnan(x.size):
        weights = da.where(da.logical_or(x != x, True), weights, 0)
        total = ops.sum(x * weights, axis=axis, keepdims=keepdims)
        return total / ops.sum(weights, axis=axis, keepdims=keepdims)
    return ops.weighted_mean.rule("definition")(x, weights, axis=axis, keepdims=keepdims)
