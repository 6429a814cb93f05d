"""How ops run on arrays with units: resolve the units, convert, run on the raw arrays, wrap."""

from math import isfinite
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.dimarray import DimArray, wrap
from dimflow.array.durations import is_duration
from dimflow.backends import Backend
from dimflow.backends.abstract import Abstract
from dimflow.backends.holes import has_holes, refuse_holes
from dimflow.errors import DimensionError, NotANumber, UnitError
from dimflow.ops import Op, dispatch
from dimflow.ops.rules import points
from dimflow.ops.rules.dtypes import named
from dimflow.ops.rules.units import ENDLESS, PURE, ZERO, AnyUnit, Plan, resolve
from dimflow.ops.rules.values import depends_on_unit, refuse_cast
from dimflow.units import Unit


class UnitInterpreter:
    """Runs ops on DimArrays, and on bare numbers and raw arrays beside them."""

    name = "units"
    rank = 9

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Run an op on arrays with units."""
        if op.unit is None:
            return _by_definition(op, args, params)
        plan = remembered(op, args)
        if plan is not None:
            raws = tuple([array._raw for array in args])
            if params.get("dtype") is not None:
                units = tuple([array._unit for array in args])
                refuse_cut(op, op.name, raws, params, units, plan.result)
            unit, raw = plan.result, dispatch.run_alike(op, raws, params)
            return wrap(raw, unit) if type(unit) is Unit else wrapped(op, raw, unit)
        raws, units = separated(args)
        try:
            plan = planned(op, raws, units, params)
        except DimensionError:
            if op.across is None:
                raise
            return _full_like_broadcast(op, raws)
        if op.unit_dependent:
            params = {name: value for name, value in params.items() if name != "unit"}
        raws = converted(plan, raws)
        if params.get("dtype") is not None:
            refuse_cut(op, op.name, raws, params, units, plan.result)
        return wrapped(op, dispatch.run(op, raws, params), plan.result)

    def run_with(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Run an op with a DimArray among its static parameters: pure ones are numbers there."""
        if op.unit is None:
            return _by_definition(op, args, params)
        numbers = dict(params)
        for name, value in params.items():
            if isinstance(value, DimArray):
                raw = numbers[name] = value._parameter(name, op.name)
                is_static = op.unit.needs_params or isinstance(raw, (np.ndarray, np.generic))
                if is_static and shape_of(raw) == () and type(raw) not in dispatch.followed:
                    numbers[name] = wrap(raw, PURE).item()  # an error where a library traces it
        if op.unit.needs_params and not dispatch.wrappers.isdisjoint(map(type, numbers.values())):
            return dispatch.run(op, args, numbers)  # the trace refuses what units depend on
        return self.run(op, args, numbers)


def _by_definition(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """A composite: its parts resolve their own units."""
    assert op.definition is not None
    raws = [array._raw if isinstance(array, DimArray) else array for array in args]
    refuse_holes(op, raws, params)
    try:
        return op.call(op.definition, args, params)
    except UnitError as error:
        error.of_call(op.name)
        raise
    except Exception as error:
        library = dispatch.select(op, tuple(raws))
        if isinstance(library, Backend):
            library.explain(op.name, raws, error)
        raise


def remembered(op: Op, args: tuple[Any, ...]) -> Plan | None:
    """The plan for arrays that meet as they are, if their units alone decide and were met before.

    It saves small calls most of the way.
    """
    rule = op.unit
    if rule.needs_params or rule.needs_shapes:  # type: ignore[union-attr]
        return None
    serials = []
    for array in args:
        if not isinstance(array, DimArray):
            return None
        serials.append(array._unit._serial)
    plan = op.plans.get(tuple(serials))
    return plan if plan is not None and plan.converters is None else None


def planned(op: Op, raws: tuple[Any, ...], units: tuple[AnyUnit, ...], params: Any) -> Plan:
    """The plan for these units, with the shapes if the rule looks at them."""
    assert op.unit is not None
    shapes: tuple[Any, ...] = ()
    if op.unit.needs_shapes:
        shapes = tuple(None if raw is None else shape_of(raw) for raw in raws)
    return resolve(op, units, params, shapes)


def converted(plan: Plan, raws: tuple[Any, ...]) -> tuple[Any, ...]:
    """The raw arrays in the units that the plan asks for."""
    if plan.converters is None:
        return raws
    pairs = zip(plan.converters, raws, strict=True)
    return tuple([raw if convert is None else convert(raw) for convert, raw in pairs])


def refuse_cut(
    op: Op, name: str, raws: tuple[Any, ...], params: Any, units: tuple[Any, ...], result: Any
) -> None:
    """An error where `dtype=` of an op would cut fractions off: see `refuse_cast`.

    They may be those of an argument, or of the result, as in the mean of integers.
    """
    dtype = params["dtype"]
    values = values_read(op, raws)
    refuse_cast(name, dtype, values, (*units, *(result if type(result) is tuple else (result,))))
    unit = depends_on_unit(dtype, result)
    if unit is None:
        return
    if any(value is raws[0] for value in values) and op.family != "numpy":
        refuse_cast(name, dtype, _usual(op, raws, params), unit)


def values_read(op: Op, raws: tuple[Any, ...]) -> list[Any]:
    """The arguments whose values a result is made of: none of zeros_like, the second of full_like.

    The casts are none of these: a rule of their own has seen to the unit.
    """
    if op.name in ops.TABLE and op.points is points.free:
        return []
    read = getattr(op.derivative, "arguments", None)
    return [raw for i, raw in enumerate(raws) if read is None or i in read]


def _usual(op: Op, raws: tuple[Any, ...], params: Any) -> tuple[Any, ...]:
    """The results of an op without `dtype=`, as shapes and dtypes alone."""
    forms = tuple(
        [Abstract(shape_of(r), named(r.dtype)) if hasattr(r, "dtype") else r for r in raws]
    )
    own = op.signature.parameters
    params = {key: None if key == "dtype" else v for key, v in params.items() if key in own}
    results = op.run(forms, params)
    return results if isinstance(results, tuple) else (results,)


def separated(args: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[AnyUnit, ...]]:
    """Raw values and units of arguments."""
    raws: list[Any] = []
    units: list[AnyUnit] = []
    raw: Any
    unit: AnyUnit
    for value in args:
        if isinstance(value, DimArray):
            raw, unit = value._raw, value._unit
        else:
            raw, unit = lifted(value)
        raws.append(raw)
        units.append(unit)
    return tuple(raws), tuple(units)


def lifted(value: Any) -> tuple[Any, AnyUnit]:
    """The raw value and the unit of something that is no DimArray."""
    if value is None:
        return None, None
    if _is_number(value):
        if value == 0:
            return value, ZERO
        return value, PURE if isfinite(value) else ENDLESS
    is_list = isinstance(value, (list, tuple))
    if is_list or hasattr(value, "unit") or hasattr(value, "units") or is_duration(value):
        array = DimArray(value)
        return array._raw, array._unit
    if isinstance(value, (str, bytes, dict, set, Unit)):
        raise NotANumber("an operation", f"{type(value).__name__} {value!r:.60}")
    if dispatch.interpreter_of(type(value)) is INTERPRETER:  # an error here names the type
        array = DimArray(value)  # a unit of another library
        return array._raw, array._unit
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.kind not in "biufc":
            raise NotANumber("an operation", f"an array of {value.dtype}")
        is_condition = value.dtype.kind == "b" and has_holes(value)  # of a comparison with holes
        if isinstance(value, np.ndarray) and type(value) is not np.ndarray and not is_condition:
            value = DimArray(value)._raw  # without its class; masks and matrices are refused
    return value, PURE


def _is_number(value: Any) -> bool:
    """Whether this is one real number; NumPy makes an array of no axes of its own scalars."""
    if isinstance(value, (int, float)):
        return not isinstance(value, bool)
    return (
        # a subclass of ndarray may have a unit
        (isinstance(value, np.number) or type(value) is np.ndarray)
        and not value.ndim
        and value.dtype.kind in "iuf"
    )


def wrapped(op: Op, raw: Any, unit: Any) -> Any:
    """Results with their units; plain where they have none."""
    if unit is None:
        return raw
    if type(unit) is tuple:
        parts = [r if u is None else wrap(r, u) for r, u in zip(raw, unit, strict=True)]
        return op.result_type(*parts) if op.outputs else tuple(parts)
    return wrap(raw, unit)


def shape_of(raw: Any) -> tuple[int | None, ...]:
    """The shape of a raw array or number; None for a length that is nan: Dask does not know it."""
    return tuple([None if n != n else n for n in getattr(raw, "shape", ())])


def _full_like_broadcast(op: Op, raws: tuple[Any, ...]) -> Any:
    """What equality gives across dimensions, for every element."""
    return wrap(dispatch.run(op, tuple(raws), {}) & False | bool(op.across), PURE)


INTERPRETER = UnitInterpreter()
