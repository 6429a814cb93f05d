"""The constants of a recorded call: they are to be on the way back what they were on the way there.

Small ones are copied. Large ones are pinned, so that no DimArray writes into them; who writes into
a raw array asks nobody, so how they look is noted, and compared on the way back.
"""

from typing import Any
from weakref import ref

import numpy as np

from dimflow.autodiff.node import Node
from dimflow.backends import pins
from dimflow.errors import ComputationError

COPIED = 1 << 12  # elements up to which a copy costs less than what else is done
_SEEN = 16  # elements that tell whether a large array has been written into

# By the id of a call: the call, and how its large constants looked, by place
held: dict[int, tuple[Any, dict[int, bytes]]] = {}


def kept(value: Any) -> Any:
    """A constant of a recorded call as it is now: `t += dt` may write into its memory later.

    Large arrays are not copied: see `hold`.
    """
    if type(value) is not np.ndarray:
        return value
    if not value.ndim:
        return value[()]
    return value.copy("K") if value.size < COPIED else value


def may_change(array: Any) -> bool:
    """Whether somebody can write into the memory; a view that cannot may be of one that can."""
    while not array.flags.writeable and isinstance(array.base, np.ndarray):
        array = array.base
    return bool(array.flags.writeable)


def hold(call: Node) -> None:
    """Have nobody write into the large constants of a call, which are not copied."""
    looks: dict[int, bytes] = {}
    for place, (value, parent) in enumerate(zip(call.values, call.parents or (), strict=True)):
        is_large = type(value) is np.ndarray and value.size >= COPIED
        if parent is None and is_large and may_change(value):
            pins.pin(call, value)
            looks[place] = _look(value)
    if looks:
        key = id(call)
        held[key] = ref(call, lambda _: held.pop(key, None)), looks


def check_held(call: Node) -> None:
    """ComputationError if large constants of a call are others than they were."""
    assert call.op is not None
    _, looks = held.get(id(call), (None, {}))
    for place, look in looks.items():
        value = call.values[place]
        if type(value) is np.ndarray and _look(value) != look:
            problem = "an array that it used has been written into since"
            hint = "write into a copy, x = x.copy(), or after the derivative is taken"
            raise ComputationError(f"a derivative of {call.op.name}", problem, hint)


def _look(array: Any) -> bytes:
    """Some elements from all over an array, as they are now."""
    each = max(int(_SEEN ** (1 / array.ndim)), 1)
    some: bytes = array[tuple([slice(None, None, -(-n // each)) for n in array.shape])].tobytes()
    return some
