"""NumPy's functions of products whose arguments come in forms of their own."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.numpy_host.out import run_into
from dimflow.array.numpy_host.parts import Handler, named, plan
from dimflow.array.numpy_host.rules import rule
from dimflow.array.numpy_host.ufuncs import holds_others, planned_power, refuse_cut
from dimflow.ops.rules.units import product

FUNCTIONS: dict[str, Handler] = {}

_EINSUM = rule("einsum", "*operands", product)


@named(FUNCTIONS, "einsum")
def _einsum(*operands: Any, **kwargs: Any) -> Any:
    """Both forms: a text of subscripts, or subscripts as lists after each array."""
    if isinstance(operands[0], str):
        subscripts, *arrays = operands
        if holds_others(tuple(arrays)) and not kwargs:
            return ops.einsum(subscripts, *arrays)
        raws, unit = plan(_EINSUM, arrays)
        args: tuple[Any, ...] = (subscripts, *raws)
    else:
        places = range(0, len(operands) - 1, 2)
        raws, unit = plan(_EINSUM, [operands[i] for i in places])
        args = tuple(raws[i // 2] if i in places else operand for i, operand in enumerate(operands))
    refuse_cut("einsum", kwargs.get("dtype"), raws, unit)
    return run_into(np.einsum, args, kwargs, unit, "np.einsum")


@named(FUNCTIONS, "lib.scimath.power")
def _power(x: Any, p: Any) -> Any:
    """As np.power; a negative base gives complex numbers."""
    raws, unit = planned_power((x, p))
    return run_into(np.emath.power, raws, {}, unit, "np.emath.power")
