"""What `torch.compile` sees of dimflow: the raw operations, and nothing of units.

Dynamo follows the bytecode of a compiled function. Units are settled while it does so: whatever
looks at them is marked as constant, so that Dynamo calls it instead of reading it, and guards the
units by identity. So the graph is that of the raw program, and other units compile anew.
"""

from collections.abc import Callable
from itertools import count
from typing import Any, TypeVar

import numpy as np
import torch

from dimflow import ops
from dimflow.array.conversion import find_converter
from dimflow.array.core import Core
from dimflow.array.dimarray import DimArray
from dimflow.backends import backend
from dimflow.constants import Constant
from dimflow.errors import NotANumber
from dimflow.ops import Op, dispatch
from dimflow.ops.rules.convert import Converter, checked_converter
from dimflow.ops.rules.units import ENDLESS, PURE, ZERO, Plan, resolve
from dimflow.units import Unit

_new = object.__new__


_F = TypeVar("_F", bound=Callable[..., Any])
_assumed_constant: Callable[[_F], _F] = torch.compiler.assume_constant_result


class _Shelf:
    """What was found for compiled functions, by generated names.

    Dynamo can guard the attribute of a global object, but not an object that a constant function
    gives it: so such a function gives the name alone.
    """


_shelf = _Shelf()
_names: dict[Any, str] = {}
_numbers = count()  # threads may trace at once, and no two may take one number


def constant(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function of units and texts: Dynamo calls it and takes the result as a constant."""

    def find(*args: Any) -> str:
        key: Any = function.__name__, *(getattr(a, "_serial", a) for a in args)
        try:
            name = _names.get(key)
        except TypeError:  # a list among the parameters
            key = repr(key)
            name = _names.get(key)
        if name is None:
            value = function(*args)
            name = f"{function.__name__.strip('_')}_{next(_numbers)}"
            setattr(_shelf, name, value)
            name = _names.setdefault(key, name)
        return name

    named = _assumed_constant(find)

    def call(*args: Any) -> Any:
        return getattr(_shelf, named(*args))

    return call


@torch.compiler.substitute_in_graph(dispatch.is_traced, skip_signature_check=True)
def _is_traced(_: int) -> bool:
    return True


@constant
def plan_of(name: str, params: Any, shapes: Any, *units: Any) -> Plan:
    """What the rule of an op says for these units."""
    return resolve(ops.get(name), units, dict(params), shapes)


@constant
def _kernel(name: str) -> Callable[..., Any]:
    """What runs an op on tensors: a kernel, PyTorch's own function, or the op's definition."""
    op = ops.get(name)
    found = backend("torch").native(op) or op.definition
    assert found is not None
    return found


@constant
def _prepared(name: str) -> Op:
    """An op whose generated functions are there."""
    op = ops.get(name)
    if op._call is None:
        op._make_call()
    if op._recall is None:
        op._make_recall()
    return op


@constant
def _across(name: str) -> bool | None:
    return ops.get(name).across


@constant
def unit_named(unit: Any) -> Unit:
    """The unit of a text, or a unit as it is."""
    return Unit(unit)


@constant
def unit_product(left: Unit, right: Unit) -> Unit:
    """The unit of `x * unit`."""
    return left * right


@constant
def unit_quotient(left: Unit, right: Unit) -> Unit:
    """The unit of `x / unit`."""
    return left / right


@constant
def conversion(source: Unit, target: Unit, via: Any = None) -> Converter | None:
    """How numbers in one unit become those in another."""
    return find_converter(source, target) if via is None else checked_converter(source, target, via)


@constant
def class_for(kind: type) -> type[DimArray]:
    """The class of arrays for raw values of a type."""
    from dimflow.backends import class_of

    found: type[DimArray] = class_of(kind)
    return found


@_assumed_constant
def _number_of(array: Core) -> float:
    """A constant of NumPy, as the number that it is: `G = 9.81 * (u.m / u.s**2)`."""
    return array._raw.item()  # type: ignore[no-any-return]


@constant
def _quantity_of(physical: Any) -> Any:
    """A constant of nature as an array of no axes."""
    return physical.value * physical.unit


def made(raw: Any, unit: Unit) -> Any:
    """A tensor with its unit."""
    from dimflow.torch.tensor import DimTensor

    result = _new(DimTensor)
    result._raw = raw
    result._unit = unit
    return result


def raw_and_unit(value: Any) -> tuple[Any, Any]:
    """The raw value and the unit of an argument, which may be a bare number or tensor."""
    if isinstance(value, Constant):
        value = _quantity_of(value)
    if isinstance(value, Core):
        if isinstance(value._raw, torch.Tensor) or value.shape:
            return value._raw, value._unit
        return _number_of(value), value._unit
    if value is None:
        return None, None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value == 0:
            return value, ZERO
        return value, PURE if value - value == 0 else ENDLESS  # inf - inf is nan
    if isinstance(value, (list, tuple)):
        return raw_and_unit(_joined(value))
    return _as_tensor(value), PURE


def _joined(values: Any) -> Any:
    """A list of numbers, tensors and quantities as one array, in the unit of the first."""
    parts = [_joined(v) if isinstance(v, (list, tuple)) else v for v in values]
    if any([isinstance(v, (Core, torch.Tensor)) for v in parts]):  # noqa: C419  traced
        return ops.get("stack")(parts)
    fractions = any([isinstance(v, float) for v in parts])  # noqa: C419  traced
    return torch.tensor(parts, dtype=torch.float64 if fractions else None)  # as NumPy has it


def _as_tensor(value: Any) -> Any:
    """An array of NumPy within a program of PyTorch as one of its own."""
    return torch.as_tensor(value) if isinstance(value, np.ndarray) else value


@torch.compiler.disable  # type: ignore[untyped-decorator]
def _outside(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an op that takes functions between two compiled parts, as it is called in eager mode."""
    return op(*args, **kwargs)


def call(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an op, while it is traced."""
    if op.kind == "control":
        return _outside(op, args, kwargs)
    return _prepared(op.name)._call(*args, **kwargs)


def run(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Run an op on tensors with and without units, while it is traced."""
    op = _prepared(op.name)
    if not any([isinstance(v, Core) or hasattr(v, "unit") for v in args]):  # noqa: C419  traced
        own = tuple([_as_tensor(value) for value in args])
        return op._recall(_kernel(op.name), own, params)  # type: ignore[misc]
    if op.unit is None:
        return op._recall(op.definition, args, params)  # type: ignore[misc]
    raws = []
    units = []
    shapes = []
    for value in args:
        raw, unit = raw_and_unit(value)
        raws.append(raw)
        units.append(unit)
        if op.unit.needs_shapes:
            shapes.append(None if raw is None else tuple(getattr(raw, "shape", ())))
    if op.across is not None and not _are_alike(units):
        return op._recall(_kernel(op.name), tuple(raws), params) & False | _across(op.name)  # type: ignore[misc]
    needed = tuple(params.items()) if op.unit.needs_params else ()
    plan = plan_of(op.name, needed, tuple(shapes), *units)
    converted = []
    for place, raw in enumerate(raws):
        convert = None if plan.converters is None else plan.converters[place]
        converted.append(raw if convert is None else convert(raw))
    result = op._recall(_kernel(op.name), tuple(converted), params)  # type: ignore[misc]
    return wrapped(op, result, plan.result)


def _are_alike(units: list[Any]) -> bool:
    """Whether equality compares values, rather than being False for all of them."""
    found: bool = _of_one_dimension(*units)
    return found


@constant
def _of_one_dimension(*units: Any) -> bool:
    from dimflow.errors import DimensionError

    try:
        resolve(ops.get("equal"), units, {}, ())
    except DimensionError:
        return False
    return True


def wrapped(op: Op, raw: Any, unit: Any) -> Any:
    """Results with their units."""
    if unit is None:
        return raw
    if isinstance(unit, tuple):
        parts = [r if u is None else made(r, u) for r, u in zip(raw, unit, strict=True)]
        return op.result_type(*parts) if op.outputs else tuple(parts)
    return made(raw, unit)


def binary(name: str, function: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """An operator of Python, where one side at least has a unit."""
    if isinstance(right, Unit):
        return _by_unit(name, left, right)
    if isinstance(right, (str, bytes, dict, set)) or isinstance(left, (str, bytes, dict, set)):
        raise NotANumber(name, "a text or a container")
    first, mine = raw_and_unit(left)
    second, theirs = raw_and_unit(right)
    across = _across(name)
    if across is not None and not _of_one_dimension(mine, theirs):
        return function(first, second) & False | across
    plan = plan_of(name, (), (), mine, theirs)
    if plan.converters is not None:
        before, after = plan.converters
        if before is not None:
            first = before(first)
        if after is not None:
            second = after(second)
    raw = function(first, second)
    return raw if plan.result is None else made(raw, plan.result)


def _by_unit(name: str, array: Any, unit: Unit) -> Any:
    if name not in ("multiply", "divide"):
        raise NotANumber(name, "a unit")
    combine = unit_product if name == "multiply" else unit_quotient
    return made(array._raw, combine(array._unit, unit))


def unary(name: str, function: Callable[[Any], Any], array: Any) -> Any:
    """An operator of one argument."""
    plan = plan_of(name, (), (), array._unit)
    raw = array._raw
    if plan.converters is not None and plan.converters[0] is not None:
        raw = plan.converters[0](raw)
    result = function(raw)
    return result if plan.result is None else made(result, plan.result)


def convert(array: Any, unit: Any, via: Any = None, copy: bool = True) -> Any:
    """`x.to("km")`. A compiled program shares or copies as its compiler likes."""
    target = unit_named(unit) if isinstance(unit, str) else unit
    change = conversion(array._unit, target, via)
    return made(array._raw if change is None else change(array._raw), target)


def raised(array: Any, exponent: Any) -> Any:
    """`x ** 2`."""
    if isinstance(exponent, (int, float)):
        return made(array._raw**exponent, _power(array._unit, exponent))
    return ops.get("pow")(array, exponent)


@constant
def _power(unit: Unit, exponent: float) -> Unit:
    if unit.key is PURE.key:
        return unit
    plan = resolve(ops.get("static_power"), (unit,), {"exponent": exponent}, ())
    return plan.result  # type: ignore[return-value]


def install() -> None:
    """Tell Dynamo what to call instead of reading it."""
    dispatch.call_traced = call
    dispatch.run_traced = run


def planned_call(op: Op, values: list[Any], params: dict[str, Any]) -> tuple[Any, Any]:
    """The raw arrays and the plan of a function of PyTorch, while it is traced."""
    raws = []
    units = []
    shapes = []
    for value in values:
        raw, unit = raw_and_unit(value)
        raws.append(raw)
        units.append(unit)
        if op.unit is not None and op.unit.needs_shapes:
            shapes.append(None if raw is None else tuple(raw.shape))
    if op.across is not None and not _of_one_dimension(*units):
        return raws, None
    needed = tuple(params.items()) if op.unit is not None and op.unit.needs_params else ()
    return raws, rule_plan(op, needed, tuple(shapes), *units)


@constant
def rule_plan(op: Op, params: Any, shapes: Any, *units: Any) -> Plan:
    """What a rule beside the table says for these units."""
    return resolve(op, units, dict(params), shapes)
