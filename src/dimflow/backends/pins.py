"""Memory that a record counts on: large arrays of NumPy's that a recorded call uses as they are.

Small ones are copied when they are recorded. Large ones are not: whoever writes into an array asks
here first, and is refused while a way back needs what is there.
"""

from typing import Any
from weakref import ref

import numpy as np

from dimflow.errors import TracedValueError

_FEW = 64  # entries of one array from which those of calls that are gone are thrown out

# By the id of the array that owns the memory: that array, and the calls that use some of it.
_pins: dict[int, tuple[Any, list[Any]]] = {}


def pin(call: Any, array: Any) -> None:
    """A recorded call needs the array's values, for as long as it holds them."""
    owner = _owner(array)
    key = id(owner)
    found = _pins.get(key)
    if found is None:
        found = _pins[key] = ref(owner, lambda _: _pins.pop(key, None)), []
    calls = found[1]
    calls.append(ref(call))
    if len(calls) >= _FEW and not len(calls) & (len(calls) - 1):
        calls[:] = [each for each in calls if each() is not None and each().values]


def check(array: Any) -> None:
    """TracedValueError if somebody needs the values that are about to be written over."""
    if not _pins or type(array) is not np.ndarray:
        return
    found = _pins.get(id(_owner(array)))
    for each in () if found is None else found[1]:
        call = each()
        if call is not None and any(_meets(value, array) for value in call.values):
            hint = "write into a copy, x = x.copy(), or after the derivative is taken"
            raise TracedValueError("an in-place operation", "used by a derivative", hint)


def _meets(value: Any, array: Any) -> bool:
    return type(value) is np.ndarray and np.may_share_memory(value, array)


def _owner(array: Any) -> Any:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
