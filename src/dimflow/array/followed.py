"""Writing into an array that a trace follows, or with values that it follows: right, or refused.

A trace keeps the values that it has seen, so nothing is written into their memory: the array takes
a new value. That is the same to everybody if nobody else sees the old memory; where somebody may
(a view, another array on it, a call on record that keeps it), it is an error.
"""

from sys import getrefcount
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.array.in_place import in_unit
from dimflow.array.leaves import is_leaf, rewritten
from dimflow.autodiff.carrier import CARRIERS, Carrier, innermost, settled
from dimflow.autodiff.tape import Recorded
from dimflow.backends import backend_of
from dimflow.errors import ShapeMismatch, TracedValueError
from dimflow.ops import Op
from dimflow.ops.rules.values import refuse_cut

_NEW_NAME = "give the result a name of its own: y = x * ..."


class _Holder:
    __slots__ = ("value",)


def _count_of_one() -> int:
    """What Python counts for a value that one object holds."""
    holder = _Holder()
    holder.value = object()  # type: ignore[attr-defined]
    return getrefcount(holder.value)  # type: ignore[attr-defined]


_ONE = _count_of_one()


def write(array: Core, op: Op, other: Any) -> Any:
    """`x += y`, as a sum that x is from now on."""
    is_alone = _is_alone(array)  # first: what follows holds the values too
    result = array**other if op.name == "pow" else op.run((array, other), {})
    return put(array, result, is_alone)


def put(array: Core, result: Any, is_alone: bool) -> Any:
    """A result in the place of an array's value, in its unit, shape and dtype."""
    raw = in_unit(array._unit, result, "an in-place operation", _NEW_NAME)
    shape = tuple(getattr(raw, "shape", ()))
    if shape != array.shape:
        raise ShapeMismatch("an in-place operation", array.shape, shape)
    refuse_cut(innermost(raw), array.dtype)
    if raw.dtype != array.dtype:
        raw = ops.astype(raw, array.dtype)
    held = innermost(array._raw)
    library = backend_of(held)
    if is_leaf(array._raw):
        rewritten(array, raw, "an in-place operation")
    elif not library.is_mutable(held):
        return wrap(raw, array._unit)
    elif is_alone:
        _keep_an_array(raw)
        made = wrap(raw, array._unit)
        array.__class__ = type(made)
        array._raw = raw
    else:
        followed = next(v for v in (raw, array._raw) if isinstance(v, Carrier))
        hint = "others may see the old values: make a new array, x = x + y"
        raise TracedValueError("an in-place operation", followed.trace.verb, hint)
    return array


def _keep_an_array(raw: Any) -> None:
    """What stands for an array without axes stays one, that later writes go into too."""
    while isinstance(raw, Carrier):
        if isinstance(raw.value, np.generic):
            raw.value = np.asarray(raw.value)
        raw = raw.value


def assign(array: Core, key: Any, raw: Any) -> None:
    """`x[key] = y`: within no_grad() of a leaf; else where nothing is followed any more."""
    value = settled(raw)
    if isinstance(value, Carrier) or (isinstance(array._raw, Carrier) and not is_leaf(array._raw)):
        CARRIERS.assign(array._raw, key, value)
    elif is_leaf(array._raw):
        held = array._raw.value
        refuse_cut(value, held.dtype)
        rewritten(array, ops.at_set(held, key, value), "x[key] = y")
    else:
        backend_of(array._raw).assign(array._raw, key, value)


def _is_alone(array: Core) -> bool:
    """Whether nobody but the array sees its memory."""
    if not backend_of(innermost(array._raw)).writes_memory(innermost(array._raw)):
        return True
    if getrefcount(array._raw) > _ONE:
        return False
    value = array._raw
    while isinstance(value, Carrier):
        if type(value) is Recorded:  # calls on record hold its value too, and see no change
            if value.is_beginning or value.trace.is_seen_elsewhere(value.value):
                return False
        elif getrefcount(value.value) > _ONE:
            return False
        value = value.value
    return type(value) is np.ndarray and value.base is None
