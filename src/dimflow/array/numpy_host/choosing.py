"""NumPy's functions that pick values by conditions, and those that run a user's function."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.dimarray import DimArray, wrap
from dimflow.array.in_place import in_unit
from dimflow.array.interpreter import separated
from dimflow.array.numpy_host.out import run_into, written
from dimflow.array.numpy_host.parts import Handler, named, normal_axis, parts, plan, pure
from dimflow.array.numpy_host.rules import rule
from dimflow.array.numpy_host.ufuncs import holds_others
from dimflow.backends import backend_of
from dimflow.errors import PointError, ShapeMismatch, UnsupportedFunction
from dimflow.ops.rules import points
from dimflow.ops.rules.units import PURE, same
from dimflow.ops.rules.values import refuse_cast
from dimflow.units import Unit

FUNCTIONS: dict[str, Handler] = {}

_SELECT = rule("select", "*choices", same, points=points.keep)
CHOOSE = rule("choose", "*choices", same, points=points.keep)


@named(FUNCTIONS, "where")
def _where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    """With one argument, the indices of what is not zero."""
    if x is None and y is None:
        return np.nonzero(condition)
    if isinstance(x, str) or isinstance(y, str):  # elsewhere a string says how, and is no value
        return np.where(condition, *(np.asarray(v) if isinstance(v, str) else v for v in (x, y)))
    return ops.where(condition, x, y)


@named(FUNCTIONS, "clip")
def _clip(
    a: Any,
    a_min: Any = np._NoValue,
    a_max: Any = np._NoValue,
    out: Any = None,
    *,
    min: Any = np._NoValue,
    max: Any = np._NoValue,
    **kwargs: Any,
) -> Any:
    """Both spellings of the ends; None is no end."""
    low, high = (
        None if end is np._NoValue else end
        for end in (
            a_min if min is np._NoValue else min,
            a_max if max is np._NoValue else max,
        )
    )
    ends = tuple(end for end in (low, high) if end is not None)
    if holds_others((a, *ends)):
        if kwargs:
            reason = f"{next(iter(kwargs))}= has a meaning for NumPy's own arrays only"
            raise UnsupportedFunction("np.clip", reason)
        return written(ops.clip(a, min=low, max=high), out, "np.clip")
    (raw, low, high), unit = plan(ops.get("clip"), (a, low, high))
    refuse_cast("np.clip", kwargs.get("dtype"), (raw, low, high), unit)
    return run_into(np.clip, (raw, low, high), {"out": out, **kwargs}, unit, "np.clip")


@named(FUNCTIONS, "select")
def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    if holds_others((*condlist, *choicelist, default)):
        result = default
        for condition, choice in list(zip(condlist, choicelist, strict=True))[::-1]:
            result = ops.where(condition, choice, result)
        return result
    raws, unit = plan(_SELECT, (*choicelist, default))
    return wrap(np.select(pure(condlist, "a condition"), list(raws[:-1]), raws[-1]), unit)


@named(FUNCTIONS, "choose")
def _choose(a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    if holds_others(tuple(choices)) and out is None and mode == "raise":
        return _chosen(pure(a, "an index"), list(choices))
    raws, unit = plan(CHOOSE, tuple(choices))
    kwargs = {"mode": mode} if out is None else {"mode": mode, "out": out}
    return run_into(np.choose, (pure(a, "an index"), raws), kwargs, unit, "np.choose")


def _chosen(places: Any, choices: list[Any]) -> Any:
    """For arrays of other libraries: one after the other where it is their turn."""
    np.choose(places, range(len(choices)))  # raises if one lies outside
    result = choices[0]
    for k, choice in enumerate(choices):
        result = ops.where(np.equal(places, k), choice, result)
    return result


@named(FUNCTIONS, "piecewise")
def _piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """Each function on the elements that its condition picks; results in the unit of the first.

    The dtype is that of x, as NumPy has it; a value that does not fit is an error, not cut.
    """
    raw, _ = parts(x)
    masks = masks_of(pure(condlist, "a condition"), np.asarray(raw), len(funclist))
    pieces = []
    for mask, piece in zip(masks, funclist, strict=True):
        if callable(piece):
            if not mask.any():
                continue
            piece = piece(x[mask], *args, **kw)
        pieces.append((mask, piece))
    unit = next((u for _, p in pieces for u in separated((p,))[1] if isinstance(u, Unit)), PURE)
    ask_for_every(masks, unit)
    result = wrap(np.zeros(np.shape(raw), np.asarray(raw).dtype), unit)
    for mask, piece in pieces:
        value = in_unit(result._unit, piece, "np.piecewise")
        backend_of(result._raw).assign(result._raw, mask, value)
    return result


def ask_for_every(masks: list[Any], unit: Unit) -> None:
    """PointError where no function gives an element, for which NumPy has 0: 0 °C is a choice."""
    if unit.law is not None and not np.all(np.any(masks, axis=0)):
        hint = "give one function more than conditions: it is for all other elements"
        raise PointError("np.piecewise with no function for some elements", unit, hint)


def masks_of(condlist: Any, raw: Any, count: int) -> list[Any]:
    """One mask for each function; the one for all other elements last."""
    is_one = np.ndim(condlist) == 0 or not isinstance(condlist[0], (list, np.ndarray))
    if np.isscalar(condlist) or (is_one and raw.ndim):
        condlist = [condlist]
    masks = [np.broadcast_to(np.asarray(c, bool), raw.shape) for c in condlist]
    if len(masks) == count - 1:
        masks.append(~np.any(masks, axis=0))
    if len(masks) != count:
        wanted = f"{len(masks)} or {len(masks) + 1} functions for {len(masks)} conditions"
        raise ShapeMismatch("np.piecewise", wanted, count)
    return masks


@named(FUNCTIONS, "apply_along_axis")
def _apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """A user's function on every 1-d slice, which it gets with its unit."""
    raw, unit = parts(arr)
    raw = np.asarray(raw)
    axis = normal_axis(axis, raw.ndim)
    slices = np.moveaxis(raw, axis, -1)
    lead = slices.shape[:-1]
    if not np.prod(lead, dtype=int):
        raise ShapeMismatch("np.apply_along_axis", "no other axis of length 0", raw.shape)
    results = [func1d(wrap(slices[i], unit), *args, **kwargs) for i in np.ndindex(lead)]
    if any(isinstance(result, Core) for result in results):
        stacked = DimArray(results)
        values, result_unit = stacked._raw, stacked._unit
    else:
        values, result_unit = np.asarray(results), None
    inner = values.ndim - 1
    values = values.reshape((*lead, *values.shape[1:]))
    source = range(len(lead), len(lead) + inner)
    values = np.moveaxis(values, source, range(axis, axis + inner))
    return values if result_unit is None else wrap(values, result_unit)


@named(FUNCTIONS, "apply_over_axes")
def _apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """A user's function along one axis after the other; no axis is lost."""
    value = a
    for axis in np.atleast_1d(pure(axes, "an axis")).tolist():
        axis = normal_axis(axis, np.ndim(a))
        result = func(value, axis)
        if np.ndim(result) != np.ndim(value):
            result = np.expand_dims(result, axis)
        if np.ndim(result) != np.ndim(value):
            wanted = "a function that keeps the number of axes, or drops the one it works along"
            raise ShapeMismatch("np.apply_over_axes", wanted, f"{np.ndim(result)} axes")
        value = result
    return value
