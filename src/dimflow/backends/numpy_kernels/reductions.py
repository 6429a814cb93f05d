"""Reductions on NumPy. The ufuncs' own `reduce` is what NumPy's functions end in."""

from typing import Any

import numpy as np

_add: Any = np.add.reduce


def _fold(
    ufunc: Any, x: Any, axis: Any, dtype: Any, keepdims: bool, initial: Any, where: Any
) -> Any:
    given = {}
    if where is not None:
        given["where"] = where
    if initial is not None:
        given["initial"] = initial
        if dtype is None:
            dtype = _wide_enough(ufunc, x, initial)
    return ufunc.reduce(x, axis=axis, dtype=dtype, keepdims=keepdims, **given)


def _wide_enough(ufunc: Any, x: Any, initial: Any) -> Any:
    """A dtype that holds an initial value which NumPy would cut off: 0.5 among integers."""
    found = ufunc.reduce(np.ones(1, np.asarray(x).dtype)).dtype
    joint = np.result_type(found, initial)
    return joint if joint.kind != found.kind else None


def sum(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """The sum along axes."""
    if initial is None and where is None:
        return _add(x, axis, dtype, None, keepdims)
    return _fold(np.add, x, axis, dtype, keepdims, initial, where)


def prod(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """The product along axes."""
    return _fold(np.multiply, x, axis, dtype, keepdims, initial, where)


def max(
    x: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    """The maximum along axes."""
    return _fold(np.maximum, x, axis, None, keepdims, initial, where)


def min(
    x: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    """The minimum along axes."""
    return _fold(np.minimum, x, axis, None, keepdims, initial, where)


def mean(
    x: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, where: Any = None
) -> Any:
    """The mean along axes."""
    given = {} if where is None else {"where": where}
    return np.mean(x, axis=axis, dtype=dtype, keepdims=keepdims, **given)


def var(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    ddof: Any = 0,
    *,
    keepdims: bool = False,
    mean: Any = None,
    where: Any = None,
) -> Any:
    """The variance along axes."""
    given = {n: v for n, v in (("mean", mean), ("where", where)) if v is not None}
    return np.var(x, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims, **given)


def std(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    ddof: Any = 0,
    *,
    keepdims: bool = False,
    mean: Any = None,
    where: Any = None,
) -> Any:
    """The standard deviation along axes."""
    given = {n: v for n, v in (("mean", mean), ("where", where)) if v is not None}
    return np.std(x, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims, **given)


def any(x: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None) -> Any:
    """Whether any element is not zero."""
    given = {} if where is None else {"where": where}
    return np.any(x, axis=axis, keepdims=keepdims, **given)


def all(x: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None) -> Any:
    """Whether all elements are not zero."""
    given = {} if where is None else {"where": where}
    return np.all(x, axis=axis, keepdims=keepdims, **given)


def prod_of_others(x: Any, axis: int = -1) -> Any:
    """What stands before each element, multiplied up, times what stands after it."""
    x = np.moveaxis(np.asarray(x), axis, -1)
    before = np.ones(x.shape, np.multiply.reduce(np.ones(1, x.dtype)).dtype)
    after = before.copy()
    np.multiply.accumulate(x[..., :-1], axis=-1, out=before[..., 1:])
    np.multiply.accumulate(x[..., :0:-1], axis=-1, out=after[..., -2::-1])
    return np.moveaxis(before * after, -1, axis)


def logsumexp(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Less the maximum before exp, which is added again after log."""
    x = np.asarray(x)
    if not x.size:
        with np.errstate(divide="ignore"):
            return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))
    highest = np.max(x.real, axis=axis, keepdims=True)
    highest = np.where(np.isfinite(highest), highest, 0)
    with np.errstate(divide="ignore"):
        result = np.log(np.sum(np.exp(x - highest), axis=axis, keepdims=True)) + highest
    return result if keepdims else np.squeeze(result, axis=axis)[()]
