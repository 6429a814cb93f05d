"""Methods of NumPy's ufuncs that apply a binary one many times: reduce, accumulate, at.

The unit of a fold follows from the op's own rule for two arguments: if two metres give metres, so
do many. Products and quotients need to know how many.
"""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.core import Core, is_followed
from dimflow.array.indexing import raw_key
from dimflow.array.interpreter import converted, planned, separated
from dimflow.array.numpy_host.out import run_into, written
from dimflow.array.numpy_host.parts import refuse_traced
from dimflow.array.numpy_host.rules import rule
from dimflow.array.numpy_host.ufuncs import op_of, plain_keywords
from dimflow.backends import Backend, pins
from dimflow.backends.holes import has_holes, refuse_blind
from dimflow.backends.numpy_kernels.joining import widened
from dimflow.errors import NotANumber, PointError, UnitError, UnitLossError, UnsupportedFunction
from dimflow.ops import TABLE, Op
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.rules import points
from dimflow.ops.rules.convert import Converter, converter
from dimflow.ops.rules.shapes import length
from dimflow.ops.rules.units import PURE, Call, resolve, same
from dimflow.ops.rules.values import refuse_cast, refuse_overflow, would_cut
from dimflow.units import Unit
from dimflow.units.alike import are_alike, is_number

_FOLDED = {"power": "array_power", "float_power": "array_power"}
_REDUCTIONS = {np.add: "sum", np.multiply: "prod", np.maximum: "max", np.minimum: "min"}
_ACCUMULATIONS = {np.add: "cumulative_sum", np.multiply: "cumulative_prod"}


_INITIAL = rule("reduce", "array, initial, /", same, points=points.keep)


def _op(ufunc: Any) -> Op:
    return TABLE[_FOLDED[ufunc.__name__]] if ufunc.__name__ in _FOLDED else op_of(ufunc)


def _steady_unit(op: Op, unit: Unit) -> tuple[Converter | None, Unit | None] | None:
    """The unit that a fold stays in, and how to get there; None if it changes with each step."""
    candidates = [unit, PURE] if unit.law is None and are_alike(unit, PURE) else [unit]
    for start in candidates:
        result = resolve(op, (start, start), {}).result
        assert not isinstance(result, tuple)
        convert = converter(unit, start)
        if result is None or (result is PURE and start is not PURE):
            step = resolve(op, (PURE, start), {})
            if step.converters is None and step.result is result:  # logic, of any units
                return convert, result
        elif result.key is start.key:
            return convert, start
        elif start.key is PURE.key:
            return convert, result
    return None


def _folded(ufunc: Any, method: str, unit: Unit) -> tuple[Converter | None, Unit | None]:
    op = _op(ufunc)
    if unit.law is not None and op.points in (points.add, points.subtract):
        try:  # 3 dB moves 3 dB, but np.sum of levels may mean their powers
            points.refuse(same, Call(op, (unit,), {}, ()))
        except PointError as error:
            error.operation = f"{ufunc.__name__}.{method}"
            raise
    found = _steady_unit(op, unit)
    if found is None:
        reason = f"the unit {unit} would change with every element"
        hint = "divide by a reference value first, so that it works on pure numbers"
        raise UnsupportedFunction(f"{ufunc.__name__}.{method}", reason, hint)
    return found


def _is_run_by_op(array: Any) -> bool:
    """Whether it is no array of NumPy's, or has holes, under which NumPy's own fold looks."""
    if isinstance(array, Core) and interpreter_of(type(array._raw)).rank:
        return True
    return is_followed(array) or has_holes(getattr(array, "_raw", array))


def _one(ufunc: Any, method: str, array: Any) -> tuple[Any, Unit]:
    """The raw array and the unit of the array that is folded."""
    (raw,), (unit,) = separated((array,))
    if has_holes(raw):
        refuse_blind(f"{ufunc.__name__}.{method}")
    if not isinstance(raw, (np.ndarray, np.generic, int, float, complex)):
        refuse_traced(raw, f"{ufunc.__name__}.{method}")
        reason = "it works on NumPy's own arrays only"
        raise UnsupportedFunction(f"{ufunc.__name__}.{method}", reason)
    return raw, unit if isinstance(unit, Unit) else PURE


def reduce(ufunc: Any, array: Any, kwargs: dict[str, Any]) -> Any:
    """`ufunc.reduce`: along one axis unless told otherwise."""
    name = f"{ufunc.__name__}.reduce"
    if _is_run_by_op(array) and ufunc in _REDUCTIONS:
        return _by_op(_REDUCTIONS[ufunc], name, array, kwargs)
    kwargs = plain_keywords(kwargs, name)
    raw, unit = _one(ufunc, "reduce", array)
    result: Unit | None
    if ufunc in (np.multiply, np.divide) and unit.key is not PURE.key:
        resolve(_op(ufunc), (unit, unit), {})  # points are refused here
        convert, result, kwargs = _product(ufunc, raw, unit, kwargs)
    else:
        convert, result = _folded(ufunc, "reduce", unit)
        kwargs = _with_initial(name, kwargs, result)
    raw = raw if convert is None else convert(raw)
    if kwargs.get("initial", np._NoValue) not in (None, np._NoValue):
        raw = widened(raw, kwargs["initial"])
    refuse_cast(name, kwargs.get("dtype"), (raw,), result)
    return run_into(ufunc.reduce, (raw,), kwargs, result, name)


def _by_op(op: str, name: str, array: Any, kwargs: dict[str, Any]) -> Any:
    """A fold of an array that NumPy's own cannot take, by the op that means the same."""
    given = {key: value for key, value in kwargs.items() if value is not np._NoValue}
    out = given.pop("out", None)
    params = {"axis": 0, **{key: v for key, v in given.items() if v is not None or key == "axis"}}
    if given.get("dtype") is not None:
        raise UnsupportedFunction(name, "dtype= has a meaning for NumPy's own arrays only")
    out = out[0] if isinstance(out, tuple) else out
    return written(ops.get(op)(array, **params), out, name)


def _product(
    ufunc: Any, raw: Any, unit: Unit, kwargs: dict[str, Any]
) -> tuple[Converter | None, Unit, dict[str, Any]]:
    """A product of n elements has the n-th power of their unit; a quotient, one less n - 1."""
    name = f"{ufunc.__name__}.reduce"
    where = kwargs.get("where", True)
    if where is not True and where is not np._NoValue:
        if is_number(unit):
            kwargs = _with_initial(name, kwargs, PURE)
            return converter(unit, PURE), PURE, kwargs
        reason = "with where= the unit depends on how many elements are picked"
        raise UnsupportedFunction(name, reason, "divide by a reference value first")
    initial, start = kwargs.get("initial"), PURE
    has_initial = initial is not None and initial is not np._NoValue
    if has_initial:
        (number,), (given,) = separated((initial,))
        start = given if isinstance(given, Unit) else PURE
        kwargs = {**kwargs, "initial": number}
    count = length(np.shape(raw), kwargs.get("axis", 0)) if np.ndim(raw) else 1
    assert count is not None
    if ufunc is np.multiply:
        return None, start * unit**count if count else start, kwargs
    return None, start / unit**count if has_initial else unit ** (2 - count), kwargs


def _with_initial(name: str, kwargs: dict[str, Any], unit: Unit | None) -> dict[str, Any]:
    """The keywords with `initial=` in the unit of the fold."""
    initial = kwargs.get("initial")
    if initial is None or initial is np._NoValue:
        return kwargs
    (number,), (given,) = separated((initial,))
    plan = resolve(_INITIAL, (unit or PURE, given), {})
    return {**kwargs, "initial": converted(plan, (None, number))[1]}


def steady(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`accumulate` and `reduceat`: every result in one unit, so only where a fold stays in one."""
    name = f"{ufunc.__name__}.{method}"
    if _is_run_by_op(inputs[0]) and method == "accumulate" and ufunc in _ACCUMULATIONS:
        return _by_op(_ACCUMULATIONS[ufunc], name, inputs[0], kwargs)
    kwargs = plain_keywords(kwargs, name)
    raw, unit = _one(ufunc, method, inputs[0])
    convert, result = _folded(ufunc, method, unit)
    raw = raw if convert is None else convert(raw)
    refuse_cast(name, kwargs.get("dtype"), (raw,), result)
    return run_into(getattr(ufunc, method), (raw, *inputs[1:]), kwargs, result, name)


def at(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """`ufunc.at`: in place on the first array, in its own unit."""
    target, index, *others = inputs
    name = f"{ufunc.__name__}.at"
    raw = target._raw if isinstance(target, Core) else target
    unit = target._unit if isinstance(target, Core) else PURE
    if any(has_holes(getattr(value, "_raw", value)) for value in inputs):
        refuse_blind(name)
    if not isinstance(raw, np.ndarray):
        refuse_traced(raw, name, "make a new array: x = x.at[key].add(y)")
        raise NotANumber(name, f"{type(raw).__name__}, which cannot be written into")
    raws, units = separated(tuple(others))
    for value in raws:
        refuse_traced(value, name, "make a new array: x = x.at[key].add(y)")
    raws = tuple(map(_numbers_of, raws))
    values, result = _into_first(_op(ufunc), (unit, *units), (raw, *raws))
    same_numbers = result.key.scale == unit.key.scale and result.law == unit.law
    if not (same_numbers and are_alike(result, unit)):
        if not isinstance(target, Core):
            raise UnitLossError(f"{name} into a plain array", result)
        raise UnitError(
            f"{name} would change the unit of an existing array from "
            f"{str(unit) or 'a pure number'} to {str(result) or 'a pure number'}",
            "compute the result as a new array",
        )
    _refuse_cut(ufunc, raw, values, name)
    pins.check(raw)
    ufunc.at(raw, raw_key(index), *values, **kwargs)


def _numbers_of(raw: Any) -> Any:
    """An array of another library as NumPy's, which alone NumPy adds to its own."""
    library = interpreter_of(type(raw))
    return library.to_numpy(raw) if isinstance(library, Backend) and library.rank else raw


def _refuse_cut(ufunc: Any, raw: Any, values: tuple[Any, ...], name: str) -> None:
    """Refuse results that do not fit the array: NumPy would cut fractions off here."""
    dtypes = [v.dtype if hasattr(v, "dtype") else type(v) for v in (raw, *values)]
    found = ufunc.resolve_dtypes((*dtypes, None), casting="unsafe")[-1]
    if not np.can_cast(found, raw.dtype, "same_kind"):
        raise would_cut(f"{name} into an array of {raw.dtype}", found)
    for value in values:
        refuse_overflow(value, raw.dtype)


def _into_first(
    op: Op, units: tuple[Any, ...], raws: tuple[Any, ...]
) -> tuple[tuple[Any, ...], Unit]:
    """All but the first array as the rule wants them, and the unit of the result."""
    if op.name == "array_power" and np.ndim(raws[1]) == 0 and units[0].key is not PURE.key:
        exponent = raws[1].item() if hasattr(raws[1], "item") else raws[1]
        return (exponent,), units[0] ** exponent
    other = units[1] if len(units) > 1 and isinstance(units[1], Unit) else PURE
    is_linear = units[0].law is None and other.law is None
    if is_linear and op.name in ("multiply", "divide") and is_number(other):
        convert = converter(other, PURE)  # a factor of 5 % is one of 0.05
        return (raws[1] if convert is None else convert(raws[1]),), units[0]
    if is_linear and op.unit is same and units[-1] is other and are_alike(other, units[0]):
        convert = converter(other, units[0])  # a sum of radians and numbers would be a number
        raws = (raws[0], raws[1] if convert is None else convert(raws[1]))
        units = (units[0], units[0])
    plan = planned(op, raws, units, {})
    result = PURE if plan.result is None else plan.result
    assert isinstance(result, Unit)
    return converted(plan, raws)[1:], result
