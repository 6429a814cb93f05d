"""What a recorded call keeps: values that its rule will not look at go, and leave their form.

A sum needs no more of its arguments than their shapes, a product of each what the other has to be
multiplied with, exp its result alone. So large arrays die as soon as the program drops them.
"""

import dis
from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy as np

from dimflow.autodiff.node import Node
from dimflow.ops.rules.derivatives import Linear, Multilinear, Partials

LARGE = 1 << 12  # elements from which an array is worth the few steps here


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


def lighten(call: Node) -> None:
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
