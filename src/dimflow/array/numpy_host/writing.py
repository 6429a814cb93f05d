"""NumPy's functions that write into an array: values are converted into the target's unit."""

from typing import Any

import numpy as np

from dimflow.array.core import Core
from dimflow.array.in_place import in_unit
from dimflow.array.numpy_host.parts import Handler, named, pure, refuse_traced
from dimflow.backends import pins
from dimflow.errors import NotANumber, UnitLossError
from dimflow.ops.rules.values import refuse_overflow, would_cut

FUNCTIONS: dict[str, Handler] = {}


def _pair(target: Any, values: Any, name: str) -> tuple[Any, Any]:
    """The raw target, and the raw values in its unit; nothing is written yet."""
    operation = f"np.{name}"
    if isinstance(target, Core):
        raw, value = target._raw, in_unit(target._unit, values, operation)
    else:
        try:
            raw, value = target, pure(values, f"{operation} into a plain array")
        except UnitLossError as error:
            error.hint = f"{error.hint}; an array with a unit takes them: dimflow.full(shape, x)"
            raise
    if not isinstance(raw, np.ndarray):
        refuse_traced(raw, operation, "make a new array: x = x.at[key].set(y)")
        raise NotANumber(operation, f"{type(raw).__name__}, which cannot be written into")
    refuse_traced(value, operation, "make a new array: x = x.at[key].set(y)")
    pins.check(raw)
    return raw, value


def _fits(raw: Any, value: Any, name: str) -> Any:
    """The values, if the target holds them uncut: no fractions in an array of integers.

    A single integer is told by its value, and cast, since NumPy asks some of them for a safe dtype.
    """
    found = np.asarray(value)
    if not found.ndim and found.dtype.kind in "iu" and raw.dtype.kind in "iu":
        refuse_overflow(found, raw.dtype)
        return found.astype(raw.dtype)
    if not np.can_cast(found.dtype, raw.dtype, "same_kind"):
        raise would_cut(f"np.{name} into an array of {raw.dtype}", found.dtype)
    return value


@named(FUNCTIONS, "copyto")
def _copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    raw, value = _pair(dst, src, "copyto")
    if isinstance(dst, Core) or isinstance(src, Core):
        value = _fits(raw, value, "copyto")
    np.copyto(raw, value, casting=casting, where=pure(where, "where= of np.copyto"))


@named(FUNCTIONS, "put")
def _put(a: Any, ind: Any, v: Any, mode: Any = "raise") -> None:
    raw, value = _pair(a, v, "put")
    value = _fits(raw, value, "put")
    np.put(raw, pure(ind, "an index"), value, mode=mode)


@named(FUNCTIONS, "place")
def _place(arr: Any, mask: Any, vals: Any) -> None:
    raw, value = _pair(arr, vals, "place")
    value = _fits(raw, value, "place")
    np.place(raw, pure(mask, "a mask"), value)


@named(FUNCTIONS, "putmask")
def _putmask(a: Any, mask: Any, values: Any) -> None:
    raw, value = _pair(a, values, "putmask")
    value = _fits(raw, value, "putmask")
    np.putmask(raw, pure(mask, "a mask"), value)


@named(FUNCTIONS, "fill_diagonal")
def _fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    raw, value = _pair(a, val, "fill_diagonal")
    value = _fits(raw, value, "fill_diagonal")
    np.fill_diagonal(raw, value, wrap=wrap)


@named(FUNCTIONS, "put_along_axis")
def _put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> None:
    raw, value = _pair(arr, values, "put_along_axis")
    value = _fits(raw, value, "put_along_axis")
    np.put_along_axis(raw, pure(indices, "an index"), value, axis)
