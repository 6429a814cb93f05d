"""NumPy's functions of products whose arguments come in forms of their own."""

from string import ascii_lowercase, ascii_uppercase
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.numpy_host.out import run_into, written
from dimflow.array.numpy_host.parts import Handler, named, plan
from dimflow.array.numpy_host.rules import rule
from dimflow.array.numpy_host.ufuncs import holds_others, planned_power
from dimflow.ops.rules.units import product
from dimflow.ops.rules.values import refuse_cast

FUNCTIONS: dict[str, Handler] = {}

_LETTERS = ascii_uppercase + ascii_lowercase
EINSUM = rule("einsum", "*operands", product)


@named(FUNCTIONS, "einsum")
def _einsum(*operands: Any, **kwargs: Any) -> Any:
    """Both forms: a text of subscripts, or subscripts as lists after each array."""
    if isinstance(operands[0], str):
        subscripts, *arrays = operands
        if holds_others(tuple(arrays)) and kwargs.keys() <= {"optimize", "out"}:
            return written(ops.einsum(subscripts, *arrays), kwargs.get("out"), "np.einsum")
        raws, unit = plan(EINSUM, arrays)
        args: tuple[Any, ...] = (subscripts, *raws)
    else:
        places = range(0, len(operands) - 1, 2)
        arrays = [operands[i] for i in places]
        if holds_others(tuple(arrays)) and kwargs.keys() <= {"optimize", "out"}:
            found = ops.einsum(_as_text(operands), *arrays)
            return written(found, kwargs.get("out"), "np.einsum")
        raws, unit = plan(EINSUM, arrays)
        args = tuple(raws[i // 2] if i in places else operand for i, operand in enumerate(operands))
    refuse_cast("einsum", kwargs.get("dtype"), raws, unit)
    return run_into(np.einsum, args, kwargs, unit, "np.einsum")


def _as_text(operands: tuple[Any, ...]) -> str:
    """Subscripts that were given as lists of numbers, as NumPy spells them: 0 is A, 26 is a."""

    def text(labels: Any) -> str:
        return "".join("..." if i is ... else _LETTERS[i] for i in labels)

    inputs = ",".join(map(text, operands[1 : len(operands) // 2 * 2 : 2]))
    return inputs if len(operands) % 2 == 0 else f"{inputs}->{text(operands[-1])}"


@named(FUNCTIONS, "lib.scimath.power")
def _power(x: Any, p: Any) -> Any:
    """As np.power; a negative base gives complex numbers."""
    raws, unit = planned_power((x, p))
    return run_into(np.emath.power, raws, {}, unit, "np.emath.power")
