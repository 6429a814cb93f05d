"""What a recorded call keeps: values that its rule will not look at go, and leave their form.

A sum needs no more of its arguments than their shapes, a product of each what the other has to be
multiplied with, exp its result alone. So large arrays die as soon as the program drops them.
"""

import dis
from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any
from weakref import ref

import numpy as np

from dimflow.autodiff.node import Node
from dimflow.backends import pins
from dimflow.errors import ComputationError
from dimflow.ops.rules.derivatives import Linear, Multilinear, Partials

LARGE = 1 << 12  # elements from which an array is worth the few steps here
_SEEN = 16  # elements that tell whether a large array has been written into
_COPIED = LARGE  # elements up to which a copy costs less than what else is done

# By the id of a call: the call, and how its large constants looked, by place
held: dict[int, tuple[Any, dict[int, bytes]]] = {}


class Form:
    """The shape and the dtype of an array that is gone."""

    __slots__ = ("dtype", "shape")

    def __init__(self, array: Any) -> None:
        self.shape: tuple[int, ...] = array.shape
        self.dtype: Any = array.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    def zeros(self) -> Any:
        """An array of this form."""
        return np.zeros(self.shape, self.dtype)


def kept(value: Any) -> Any:
    """A constant of a recorded call as it is now: `t += dt` may write into its memory later.

    Large arrays are not copied: see `pins`, which refuses writes into them.
    """
    if type(value) is not np.ndarray:
        return value
    if not value.ndim:
        return value[()]
    return value.copy("K") if value.size < _COPIED else value


def may_change(array: Any) -> bool:
    """Whether somebody can write into the memory; a view that cannot may be of one that can."""
    while not array.flags.writeable and isinstance(array.base, np.ndarray):
        array = array.base
    return bool(array.flags.writeable)


def lighten(call: Node) -> None:
    """Keep no large arrays that the way back will not need, and have nobody write into others."""
    _drop(call)
    hold(call)


def hold(call: Node) -> None:
    """Have nobody write into the large constants of a call, which are not copied.

    Who writes into a raw array asks nobody: how they look now is noted, and compared later.
    """
    looks: dict[int, bytes] = {}
    for place, (value, parent) in enumerate(zip(call.values, call.parents or (), strict=True)):
        is_large = type(value) is np.ndarray and value.size >= _COPIED
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


def _drop(call: Node) -> None:
    """Put forms in the place of large arrays that the way back will not need."""
    assert call.op is not None
    rule = call.op.derivative
    if type(rule) is Partials:
        needs_out, needed = _read(rule, tuple(parent is not None for parent in call.parents or ()))
    elif type(rule) is Multilinear:
        wanted = [i for i, parent in enumerate(call.parents or ()) if parent is not None]
        needs_out = False
        needed = tuple(wanted not in ([], [i]) for i in range(len(call.values)))
    elif type(rule) is Linear:
        needs_out = False
        linear = range(len(call.values)) if rule.arguments is None else rule.arguments
        needed = tuple(i not in linear for i in range(len(call.values)))
    else:
        return
    call.values = tuple(
        [
            value if keep or type(value) is not np.ndarray else Form(value)
            for value, keep in zip(call.values, needed, strict=True)
        ]
    )
    if not needs_out and type(call.out) is np.ndarray:
        call.out = Form(call.out)


@cache
def _read(rule: Partials, wanted: tuple[bool, ...]) -> tuple[bool, tuple[bool, ...]]:
    """Whether partials by some arguments look at the result, and at which arguments."""
    chosen = [f for f, is_wanted in zip(rule.functions, wanted, strict=True) if f and is_wanted]
    places = [_looked_at(function, 1 + len(wanted)) for function in chosen]
    used = set().union(*places)
    return 0 in used, tuple(1 + i in used for i in range(len(wanted)))


def _looked_at(function: Callable[..., Any], count: int) -> set[int]:
    """The places of the parameters that a function's code names; all, if it cannot be told."""
    code = getattr(function, "__code__", None)
    everything = set(range(count))
    if code is None or code.co_argcount < count or code.co_cellvars:
        return everything
    places = {name: i for i, name in enumerate(code.co_varnames[:count])}
    found = set()
    for step in dis.get_instructions(code):
        if "FAST" in step.opname:
            names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
            found |= {places[name] for name in names if name in places}
    return found
