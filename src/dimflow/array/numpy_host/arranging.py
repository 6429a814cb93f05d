"""NumPy's functions that arrange arrays and take them in forms of their own."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.dimarray import wrap
from dimflow.array.numpy_host.parts import Handler, named, plan
from dimflow.array.numpy_host.rules import rule
from dimflow.array.numpy_host.ufuncs import holds_others
from dimflow.ops.rules import points
from dimflow.ops.rules.units import same

FUNCTIONS: dict[str, Handler] = {}

BLOCK = rule("block", "*arrays", same, points=points.keep)


def _atleast(name: str) -> Handler:
    op = ops.get(name)

    def run(*arys: Any) -> Any:
        results = tuple(op(array) for array in arys)
        return results[0] if len(results) == 1 else results

    return run


FUNCTIONS.update({name: _atleast(name) for name in ("atleast_1d", "atleast_2d", "atleast_3d")})


@named(FUNCTIONS, "astype")
def _astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """Integers are refused for arrays with a unit: `x.astype(int, unit="m")` says in which."""
    np.empty(0).to_device(device or "cpu")  # NumPy's own error for any other
    return ops.astype(x, dtype, copy=copy)


def _depth(part: Any) -> int:
    return 1 + _depth(part[0]) if type(part) is list and part else 0


def _assembled(part: Any, depth: int, ndim: int) -> Any:
    """For arrays of other libraries: the innermost lists are joined along the last axis."""
    if type(part) is list:
        return ops.concat([_assembled(inner, depth - 1, ndim) for inner in part], axis=-depth)
    return ops.reshape(part, shape=(*[1] * (ndim - np.ndim(part)), *np.shape(part)))


@named(FUNCTIONS, "block")
def _block(arrays: Any) -> Any:
    """Nested lists of arrays of one dimension, in the unit of the first."""
    leaves: list[Any] = []

    def collect(part: Any) -> None:
        if type(part) is list:
            for inner in part:
                collect(inner)
        else:
            leaves.append(part)

    collect(arrays)
    if holds_others(tuple(leaves)):
        return _assembled(arrays, _depth(arrays), max(_depth(arrays), *map(np.ndim, leaves)))
    raws, unit = plan(BLOCK, leaves)
    rest = iter(raws)

    def rebuilt(part: Any) -> Any:
        return [rebuilt(inner) for inner in part] if type(part) is list else next(rest)

    return wrap(np.block(rebuilt(arrays)), unit)
