"""NumPy's ufuncs on DimArrays: np.add(x, y), np.add.reduce(x), out=, where=, dtype=.

The unit rules are those of the table; the work is done by the ufunc itself, with every keyword
that it was given.
"""

from fractions import Fraction
from functools import cache
from importlib import import_module
from numbers import Real
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.dimarray import DimArray, wrap
from dimflow.array.indexing import raw_key
from dimflow.array.interpreter import converted, planned, separated
from dimflow.array.numpy_host.out import Units, refuse_unwritable, run_into
from dimflow.array.numpy_host.refused import UFUNCS as REFUSED
from dimflow.array.operators import elsewhere, is_foreign, serial
from dimflow.errors import (
    DimensionError,
    NotANumber,
    UnitError,
    UnsupportedFunction,
)
from dimflow.ops import Op
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.namespace import search
from dimflow.ops.rules.units import PURE
from dimflow.ops.rules.values import refuse_cast
from dimflow.units import Unit

_umath: Any = import_module("numpy._core.umath")  # where NumPy keeps all of its own

_new = object.__new__
_ndarray = np.ndarray
_LIMIT = 1 << 12  # plans kept for calls of one or two arrays

# Ufuncs under a second name, or that NumPy keeps to itself.
_ALIASES = {
    "radians": "deg2rad",
    "degrees": "rad2deg",
    "clip": "clip",
    "_ones_like": "ones_like",
}
POWERS = ("power", "float_power")

# By ufunc and the units' serials: how to convert each argument, and the unit of the result.
_of_one: dict[tuple[Any, int], tuple[Any, Unit | None]] = {}
_of_two: dict[tuple[Any, int | None, int | None], tuple[Any, Any, Unit | None]] = {}


def is_numpys(ufunc: Any) -> bool:
    """Whether a ufunc is one of NumPy's own, and not of another library under its name."""
    return getattr(_umath, ufunc.__name__, None) is ufunc


@cache
def op_of(ufunc: Any) -> Op:
    """The op of a ufunc of NumPy's, or an error that names it."""
    name = ufunc.__name__
    op = search(lambda op: getattr(np, op.hosts.numpy or "", None) is ufunc)
    if op is None and name in _ALIASES:
        op = ops.get(_ALIASES[name])
    if op is not None:
        return op
    raise UnsupportedFunction(
        f"the ufunc {name}",
        REFUSED.get(name) or "dimflow does not know what it does to units",
        "give it the numbers in a unit of your choice: x.to_value(...)",
    )


def array_ufunc(array: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """What NumPy calls: `DimArray.__array_ufunc__`. First the fast path: arrays and no keywords."""
    if kwargs or method != "__call__":
        return _call(ufunc, method, inputs, kwargs)
    if len(inputs) == 1:
        raw = array._raw
        known = _of_one.get((ufunc, array._unit._serial))
        if known is None or (type(raw) is not _ndarray and interpreter_of(type(raw)).rank):
            return _call(ufunc, method, inputs, kwargs)
        convert, unit = known
        raw = ufunc(raw if convert is None else convert(raw))
    elif len(inputs) == 2:
        x, y = inputs
        mine: int | None
        theirs: int | None
        if type(x) is DimArray:
            left, mine = x._raw, x._unit._serial
        else:
            left, mine = _number(x)
        if type(y) is DimArray:
            right, theirs = y._raw, y._unit._serial
        else:
            right, theirs = _number(y)
        pair = _of_two.get((ufunc, mine, theirs))
        if (
            pair is None
            or (type(left) is not _ndarray and interpreter_of(type(left)).rank)
            or (type(right) is not _ndarray and interpreter_of(type(right)).rank)
        ):
            return _call(ufunc, method, inputs, kwargs)
        first, second, unit = pair
        if first is not None:
            left = first(left)
        if second is not None:
            right = second(right)
        raw = ufunc(left, right)
    else:
        return _call(ufunc, method, inputs, kwargs)
    if unit is None:
        return raw
    result = _new(DimArray)
    result._raw = raw
    result._unit = unit
    return result


def _number(value: Any) -> tuple[Any, int | None]:
    """A bare number or plain array and the serial of its unit; None if it needs a closer look."""
    kind = type(value)
    if kind is _ndarray and value.ndim:
        return value, PURE._serial if value.dtype.kind in "biufc" else None
    if kind is float or kind is int or kind is np.float64:
        return value, serial(value)
    if (kind is _ndarray or isinstance(value, np.generic)) and value.dtype.kind in "iuf":
        return value, serial(value.item())
    return value, None


def _call(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not is_numpys(ufunc):
        from dimflow.array.numpy_host import foreign

        return foreign.call(ufunc, method, inputs, kwargs)
    try:
        return _METHODS[method](ufunc, inputs, kwargs)
    except NotANumber:
        if method == "__call__" and len(inputs) == 2 and not kwargs:
            found = (elsewhere(ufunc, *inputs, other) for other in inputs)  # a Series of pandas
            result = next((r for r in found if r is not NotImplemented), NotImplemented)
            if result is not NotImplemented:
                return result
        if any(is_foreign(type(x)) and hasattr(type(x), "__array_ufunc__") for x in inputs):
            return NotImplemented  # another library's array: its turn
        raise
    except UnitError as error:
        error.of_call(f"np.{ufunc.__name__}" + (method != "__call__") * f".{method}")
        raise


@cache
def defaults(op: Op) -> dict[str, Any]:
    """The static parameters of an op as they are if nobody gives them."""
    parameters = op.signature.parameters.items()
    return {name: p.default for name, p in parameters if name not in op.array_names}


def resolved(ufunc: Any, op: Op, inputs: tuple[Any, ...]) -> tuple[tuple[Any, ...], Units]:
    """The raw arrays as the rule wants them, and the units of the results."""
    if ufunc.__name__ in POWERS:
        return planned_power(inputs)
    raws, units = separated(inputs)
    plan = planned(op, raws, units, defaults(op))
    if op.unit is not None and not op.unit.needs_shapes:
        _remember(ufunc, units, plan)
    return converted(plan, raws), plan.result


def _remember(ufunc: Any, units: Any, plan: Any) -> None:
    """Keep a plan for the fast path."""
    if type(plan.result) is tuple or ufunc.nin != len(units) or ufunc is np.reciprocal:
        return
    memo: Any = _of_one if ufunc.nin == 1 else _of_two
    if len(memo) >= _LIMIT:
        memo.clear()
    converters = plan.converters or (None,) * ufunc.nin
    memo[(ufunc, *(u._serial for u in units))] = (*converters, plan.result)


def planned_power(inputs: tuple[Any, ...]) -> tuple[tuple[Any, ...], Units]:
    """Base and exponent as NumPy takes them, and the unit of the power."""
    op, arrays, params = _power(inputs)
    raws, units = separated(arrays)
    plan = planned(op, raws, units, params)
    if not params:
        return converted(plan, raws), plan.result
    # a scalar of NumPy has a dtype of its own, which the result depends on
    given = inputs[1]._pure("an exponent") if isinstance(inputs[1], Core) else inputs[1]
    exponent = float(given) if isinstance(given, Fraction) else given
    return (*converted(plan, raws), exponent), plan.result


def _power(inputs: tuple[Any, ...]) -> tuple[Op, tuple[Any, ...], dict[str, Any]]:
    """A power with one exponent raises the unit to it; with an array of them, pure numbers only."""
    base, exponent = inputs
    if isinstance(exponent, Core) and exponent.is_dimensionless:
        exponent = exponent._pure("an exponent")
    is_one = not isinstance(exponent, Core) and np.ndim(exponent) == 0
    if is_one and isinstance(base, Core):
        number = exponent.item() if isinstance(exponent, (np.ndarray, np.generic)) else exponent
        if isinstance(number, Real):
            return ops.get("static_power"), (base,), {"exponent": number}
    return ops.get("array_power"), (base, exponent), {}


def holds_others(inputs: tuple[Any, ...]) -> bool:
    """Whether some raw array is not NumPy's, so that the op itself must run."""
    for value in inputs:
        kind = type(value._raw) if isinstance(value, Core) else type(value)
        if kind is _ndarray or issubclass(kind, Real) or not interpreter_of(kind).rank:
            continue
        if isinstance(value, Core) or not hasattr(value, "unit") | hasattr(value, "units"):
            # constants and quantities of other libraries are numbers
            return True
    return False


def _plain_call(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    op = op_of(ufunc)
    if holds_others(inputs):
        return _run_op(ufunc, op, inputs, kwargs)
    kwargs = plain_keywords(kwargs, ufunc.__name__)
    if op.unit is None and ufunc.__name__ not in POWERS:
        return _run_op(ufunc, op, inputs, kwargs)
    try:
        raws, units = resolved(ufunc, op, inputs)
    except DimensionError:
        if op.across is None:
            raise
        raws = separated(inputs)[0]
        return run_into(_across(ufunc, op.across), raws, kwargs, PURE, ufunc.__name__)
    is_inverse = ufunc is np.reciprocal or (ufunc is np.power and np.ndim(raws[1]) == 0)
    if is_inverse and np.result_type(*raws).kind in "biu" and (len(raws) == 1 or raws[1] < 0):
        # cut off to integers, it would depend on the unit
        raws = (np.asarray(raws[0], float), *raws[1:])
    _refuse_cut(ufunc, ufunc.__name__, kwargs, raws, inputs, units)
    return run_into(ufunc, raws, kwargs, units, ufunc.__name__, is_masked=True)


def _across(ufunc: Any, answer: bool) -> Any:
    """What == and != give for every element across dimensions."""

    def compared(*raws: Any, out: Any = None, **kwargs: Any) -> Any:
        result = ufunc(*raws, **kwargs) & False | answer
        if out is None or out[0] is None:
            return result
        np.copyto(out[0], result, where=kwargs.get("where", True))
        return out[0]

    return compared


def _run_op(ufunc: Any, op: Op, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run the op where the ufunc cannot: on another library's arrays, or by its definition."""
    extra = [key for key in kwargs if key != "out"]
    if extra:
        reason = f"{extra[0]}= has a meaning for NumPy's own arrays only"
        raise UnsupportedFunction(f"the ufunc {ufunc.__name__}", reason)
    if ufunc is np.power:
        op, inputs, params = _power(inputs)
        result = op.run(inputs, params)
        result = result if isinstance(result, Core) else wrap(result, PURE)  # of pure numbers
    else:
        result = op.run(inputs, defaults(op))
    if "out" not in kwargs:
        return result
    results = result if isinstance(result, tuple) else (result,)
    units: Any = tuple(r._unit if isinstance(r, Core) else None for r in results)
    raws = tuple(r._raw if isinstance(r, Core) else r for r in results)
    for raw in raws:
        refuse_unwritable(raw, ufunc.__name__)

    def copied(*, out: Any = None) -> Any:
        for target, raw in zip(out or (), raws, strict=False):
            if target is not None:
                np.copyto(target, raw)
        return raws if len(raws) > 1 else raws[0]

    return run_into(copied, (), kwargs, units if len(units) > 1 else units[0], ufunc.__name__)


def plain_keywords(kwargs: dict[str, Any], name: str) -> dict[str, Any]:
    """Keywords with every pure DimArray as its numbers; one with a unit is an error.

    `out=` is left as it is, and `initial=` has a rule of its own.
    """
    if not any(isinstance(v, Core) for k, v in kwargs.items() if k not in ("out", "initial")):
        return kwargs
    return {
        key: value._parameter(key, name)
        if isinstance(value, Core) and key not in ("out", "initial")
        else value
        for key, value in kwargs.items()
    }


def _refuse_cut(ufunc: Any, name: str, kwargs: Any, raws: Any, inputs: Any, units: Any) -> None:
    """An error where a loop was asked for that takes integers, and numbers have fractions."""
    loop = kwargs.get("signature", kwargs.get("sig"))
    if loop is None and kwargs.get("dtype") is None:
        return
    if loop is None or (isinstance(loop, str) and "->" not in loop):
        loop = (None,) * ufunc.nin + (np.dtype(kwargs.get("dtype", loop)),) * ufunc.nout
    given = [raw.dtype if hasattr(raw, "dtype") else type(raw) for raw in raws]
    try:
        found = ufunc.resolve_dtypes(
            (*given, *(None,) * ufunc.nout), signature=loop, casting="unsafe"
        )
    except TypeError:
        return  # there is none, as NumPy will say
    given_units = [x._unit for x in inputs if isinstance(x, Core)]
    every = (*given_units, *(units if isinstance(units, tuple) else (units,)))
    for raw, dtype in zip(raws, found, strict=False):
        refuse_cast(name, dtype, (raw,), every)


def _reduce(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from dimflow.array.numpy_host.folds import reduce

    return reduce(ufunc, inputs[0], kwargs)


def _accumulate(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from dimflow.array.numpy_host.folds import steady

    return steady(ufunc, "accumulate", inputs, kwargs)


def _reduceat(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from dimflow.array.numpy_host.folds import steady

    return steady(ufunc, "reduceat", (inputs[0], raw_key(inputs[1])), kwargs)


def _outer(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    name = f"{ufunc.__name__}.outer"
    kwargs = plain_keywords(kwargs, name)
    op = op_of(ufunc)
    if holds_others(inputs):
        left, right = inputs
        spread = (*np.shape(left), *(1,) * np.ndim(right))
        return _run_op(ufunc, op, (ops.get("reshape")(left, spread), right), kwargs)
    try:
        raws, units = resolved(ufunc, op, inputs)
    except DimensionError:
        if op.across is None:
            raise
        return wrap(ufunc.outer(*separated(inputs)[0]) & False | op.across, PURE)
    _refuse_cut(ufunc, name, kwargs, raws, inputs, units)
    return run_into(ufunc.outer, raws, kwargs, units, name, is_masked=True)


def _at(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from dimflow.array.numpy_host.folds import at

    return at(ufunc, inputs, kwargs)


_METHODS = {
    "__call__": _plain_call,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "reduceat": _reduceat,
    "outer": _outer,
    "at": _at,
}
