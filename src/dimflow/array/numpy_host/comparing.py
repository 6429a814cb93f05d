"""NumPy's functions that compare whole arrays: across dimensions nothing is equal, as with ==."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.numpy_host.parts import Handler, named, plan
from dimflow.errors import DimensionError, NotANumber

FUNCTIONS: dict[str, Handler] = {}


def _aligned(a: Any, b: Any) -> tuple[Any, Any] | None:
    """The raw numbers of both in one unit; None across dimensions."""
    try:
        (left, right), _ = plan(ops.get("equal"), (a, b))
    except (DimensionError, NotANumber):
        return None
    return left, right


@named(FUNCTIONS, "array_equal")
def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    pair = _aligned(a1, a2)
    return pair is not None and np.array_equal(*pair, equal_nan=equal_nan)


@named(FUNCTIONS, "array_equiv")
def _array_equiv(a1: Any, a2: Any) -> bool:
    pair = _aligned(a1, a2)
    return pair is not None and np.array_equiv(*pair)


@named(FUNCTIONS, "isclose")
def _isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = None, equal_nan: bool = False) -> Any:
    """Without `atol`, only `rtol` counts for arrays with a unit: 1e-8 of what?"""
    if _aligned(a, b) is None:
        return np.broadcast_to(False, np.broadcast_shapes(np.shape(a), np.shape(b))).copy()[()]
    return ops.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


@named(FUNCTIONS, "allclose")
def _allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = None, equal_nan: bool = False) -> bool:
    return bool(np.all(_isclose(a, b, rtol, atol, equal_nan)))
