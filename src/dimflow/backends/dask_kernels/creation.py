"""Arrays like others on Dask, in their blocks, and of other dtypes."""

from typing import Any

import dask.array as da
import numpy as np

from dimflow.backends.dask_blocks.conversion import copied
from dimflow.backends.dask_blocks.known_numbers import numbers_of
from dimflow.backends.dask_blocks.layout import laid_out
from dimflow.backends.dask_blocks.lengths import is_known
from dimflow.ops.rules.values import refuse_cut


def full_like(x: Any, fill_value: Any, /, dtype: Any = None, *, shape: Any = None) -> Any:
    """Dask's for a number; an array, which may be lazy, is stretched over the blocks of x."""
    dtype = x.dtype if dtype is None else dtype
    refuse_cut(fill_value, dtype)
    number = numbers_of(fill_value) if isinstance(fill_value, da.Array) else fill_value
    if number is not None and not np.ndim(number):
        return da.full_like(x, np.asarray(number)[()], dtype=dtype, shape=shape)
    value = fill_value.astype(dtype)
    if shape is not None:
        shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        return da.broadcast_to(value, shape)
    if not is_known(x):
        return da.where(da.ones_like(x, dtype=bool), value, value)
    return da.broadcast_to(laid_out(value, x) if is_known(value) else value, x.shape)


def cast_floating(x: Any, /, dtype: Any, *, unit: Any = None, copy: bool = True) -> Any:
    """With another dtype of fractions; blocks of another dtype are new, and need no copy."""
    return _cast(x, np.dtype(dtype), copy)


def cast_discrete(x: Any, /, dtype: Any, *, unit: Any = None, copy: bool = True) -> Any:
    """With a dtype of integers."""
    return _cast(x, np.dtype(dtype), copy)


def _cast(x: Any, dtype: Any, copy: bool) -> Any:
    if x.dtype == dtype:
        return copied(x) if copy else x
    return (x.real if x.dtype.kind == "c" and dtype.kind != "c" else x).astype(dtype)
