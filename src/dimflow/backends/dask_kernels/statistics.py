"""Statistics by Dask's trees."""

from math import isnan
from typing import Any

import dask.array as da
import numpy as np

from dimflow import ops


def weighted_mean(x: Any, weights: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """By the definition; where lengths are not known, weights meet the array element by element."""
    if weights.dtype.kind in "fc" and weights.dtype != x.dtype:  # which NumPy sums in this dtype
        weights = weights.astype(np.result_type(x.dtype, weights.dtype))
    if isnan(x.size):
        weights = ops.where(da.logical_or(x != x, True), weights, 0)
        total = ops.sum(x * weights, axis=axis, keepdims=keepdims)
        return total / ops.sum(weights, axis=axis, keepdims=keepdims)
    return ops.weighted_mean.rule("definition")(x, weights, axis=axis, keepdims=keepdims)


def cov(
    x: Any,
    y: Any = None,
    /,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """By the definition, and as NumPy's in double precision if nobody says in which."""
    dtype = _at_least_double(x, y) if dtype is None else dtype
    define: Any = ops.cov.definition
    return define(x, y, rowvar, bias, ddof, fweights, aweights, dtype=dtype)


def corrcoef(x: Any, y: Any = None, /, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """The same."""
    wanted = _at_least_double(x, y) if dtype is None else None
    if wanted is not None:
        x, y = (z if z is None else z.astype(wanted) for z in (x, y))
    define: Any = ops.corrcoef.definition
    return define(x, y, rowvar, dtype=dtype)


def _at_least_double(*arrays: Any) -> Any:
    """The dtype that NumPy computes covariances in; None where the arrays have it, or integers."""
    given = np.result_type(*[a.dtype for a in arrays if a is not None])
    wanted = np.result_type(given, np.float64)
    return None if given.kind in "biu" or given == wanted else wanted
