"""Running a function of real numbers on arrays, block by block, so that parts stay in the cache."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from dimflow.errors import NotANumber
from dimflow.ops.rules import dtypes

_BLOCK = 8192  # doubles

Array = Any
Part = Callable[..., Array]


def kernel(function: Part) -> Part:
    """Run a function of flat blocks of doubles on arrays of any shape and real dtype."""

    @wraps(function)
    def run(*args: Any, **params: Any) -> Any:
        arrays = [np.asarray(x) for x in args]
        numbers = (bool, int, float, complex)
        kinds = tuple(
            type(x) if type(x) in numbers else a.dtype for x, a in zip(args, arrays, strict=True)
        )
        dtype = dtypes.floating(kinds, {})
        if dtype.kind == "c":
            raise NotANumber(
                function.__name__.lstrip("_"), f"complex numbers ({dtype}); it is for real ones"
            )
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        flat = [np.broadcast_to(a, shape).ravel().astype(np.float64, copy=False) for a in arrays]
        result = np.empty(flat[0].shape)
        with np.errstate(all="ignore"):
            for start in range(0, result.size, _BLOCK):
                block = slice(start, start + _BLOCK)
                result[block] = function(*(a[block] for a in flat), **params)
            return result.reshape(shape).astype(dtype, copy=False)[()]

    return run


def polynomial(t: Array, coefficients: tuple[float, ...]) -> Array:
    """By Horner's rule, in place."""
    result = np.full_like(t, coefficients[0])
    for coefficient in coefficients[1:]:
        result *= t
        result += coefficient
    return result


def split(mask: Array, x: Array, inside: Part, outside: Part) -> Array:
    """One function where a mask holds and another elsewhere, each on its own elements alone."""
    if mask.all():
        return inside(x)
    if not mask.any():
        return outside(x)
    result = np.empty_like(x)
    result[mask] = inside(x[mask])
    rest = ~mask
    result[rest] = outside(x[rest])
    return result
