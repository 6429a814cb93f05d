"""NumPy's functions that compare whole arrays.

Across dimensions nothing is equal, as with ==. Nor is anything close, but that is an error, as with
<: a tolerance of 1e-5 between metres and seconds is nobody's question.
"""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.interpreter import planned, separated
from dimflow.array.numpy_host.parts import Handler, named, plan
from dimflow.array.numpy_host.ufuncs import holds_others
from dimflow.errors import DimensionError, NotANumber

FUNCTIONS: dict[str, Handler] = {}


def _aligned(a: Any, b: Any) -> tuple[Any, ...]:
    """The raw numbers of both in one unit."""
    return plan(ops.get("equal"), (a, b))[0]


def is_comparable(a: Any, b: Any) -> bool:
    """Whether both are numbers of one dimension."""
    try:
        raws, units = separated((a, b))
        planned(ops.get("equal"), raws, units, {})
    except (DimensionError, NotANumber):
        return False
    return True


def _all_equal(a: Any, b: Any, equal_nan: bool) -> bool:
    """For arrays of other libraries, and traced ones."""
    equal = ops.equal(a, b)
    if equal_nan:
        equal = ops.logical_or(equal, ops.logical_and(ops.isnan(a), ops.isnan(b)))
    return bool(ops.all(equal))


@named(FUNCTIONS, "array_equal")
def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    if not is_comparable(a1, a2):
        return False
    if holds_others((a1, a2)):
        return np.shape(a1) == np.shape(a2) and _all_equal(a1, a2, equal_nan)
    left, right = _aligned(a1, a2)
    return np.array_equal(left, right, equal_nan=equal_nan)


@named(FUNCTIONS, "array_equiv")
def _array_equiv(a1: Any, a2: Any) -> bool:
    if not is_comparable(a1, a2):
        return False
    if holds_others((a1, a2)):
        return _all_equal(a1, a2, False)
    left, right = _aligned(a1, a2)
    return np.array_equiv(left, right)


@named(FUNCTIONS, "isclose")
def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = None, equal_nan: bool = False) -> Any:
    """Without `atol`, only `rtol` counts for arrays with a unit: 1e-8 of what?"""
    return ops.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


@named(FUNCTIONS, "allclose")
def _allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = None, equal_nan: bool = False) -> bool:
    return bool(np.all(isclose(a, b, rtol, atol, equal_nan)))
