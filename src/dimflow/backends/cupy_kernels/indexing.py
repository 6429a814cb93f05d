"""Indexing on CuPy. Integers in arrays that lie outside go round instead of raising."""

from typing import Any

import cupy

from dimflow import ops
from dimflow.ops.families.index.keys import filled
from dimflow.ops.rules.values import refuse_cut

_UFUNCS = {"add": cupy.add, "max": cupy.maximum, "min": cupy.minimum}
_ATOMIC = frozenset(("float32", "float64", "int32", "uint32", "uint64"))


def where(condition: Any, x: Any, y: Any) -> Any:
    """On any condition; CuPy's wants an array, and of truth values."""
    if not isinstance(condition, cupy.ndarray):
        condition = cupy.asarray(condition)
    return cupy.where(condition != 0, x, y)


def index(x: Any, *indices: Any, key: Any) -> Any:
    """x[key], as an array of its own."""
    return x[filled(key, indices)]


def index_set(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with other values at x[key]; of places given twice any may win, so these are ordered."""
    if any(isinstance(part, str) and part == "index" for part in key):
        return ops.index_set.rule("definition")(x, values, *indices, key=key)
    result = x.copy()
    result[filled(key, indices)] = _uncut(values, x)
    return result


def index_add(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with values added at x[key]."""
    return _scattered("add", x, values, indices, key)


def index_max(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with the larger values at x[key]."""
    return _scattered("max", x, values, indices, key)


def index_min(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with the smaller values at x[key]."""
    return _scattered("min", x, values, indices, key)


def _scattered(name: str, x: Any, values: Any, indices: Any, key: Any) -> Any:
    """By the GPU's atomic operations, for the dtypes that have them."""
    values = _uncut(values, x)
    has_nan = name != "add" and x.dtype.kind == "f"  # atomic extremes pass over nan
    if str(x.dtype) not in _ATOMIC or has_nan:
        return ops.get(f"index_{name}").rule("definition")(x, values, *indices, key=key)
    result = x.copy()
    _UFUNCS[name].at(result, filled(key, indices), values)
    return result


def _uncut(values: Any, target: Any) -> Any:
    """Values in the dtype of an array that they are written into."""
    refuse_cut(values, target.dtype)
    return cupy.asarray(values).astype(target.dtype)
