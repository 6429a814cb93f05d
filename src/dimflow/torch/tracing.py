"""What `torch.compile` sees of dimflow: the raw operations, and nothing of units.

Dynamo follows the bytecode of a compiled function. Units are settled while it does so: whatever
looks at them is marked as constant, so that Dynamo calls it instead of reading it, and guards the
units by identity. So the graph is that of the raw program, and other units compile anew.
"""

import operator
from collections.abc import Callable
from itertools import count
from threading import local
from typing import Any, TypeVar

import numpy as np
import torch
from torch._dynamo.exc import ShortenTraceback
from torch._dynamo.symbolic_convert import tls as convert_tls

from dimflow import ops
from dimflow.array.conversion import find_converter
from dimflow.array.core import Core
from dimflow.array.dimarray import DimArray
from dimflow.backends import backend
from dimflow.constants import Constant
from dimflow.errors import DimflowError, NotANumber, UnitError
from dimflow.ops import Op, dispatch
from dimflow.ops.dispatch import is_traced
from dimflow.ops.rules import values as values_rules
from dimflow.ops.rules.convert import Converter, checked_converter
from dimflow.ops.rules.units import ENDLESS, PURE, ZERO, Plan, resolve
from dimflow.units import Unit, scope

_new = object.__new__


_F = TypeVar("_F", bound=Callable[..., Any])
_assumed_constant: Callable[[_F], _F] = torch.compiler.assume_constant_result


class _Shelf:
    """What was found for compiled functions, by generated names.

    Dynamo can guard the attribute of a global object, but not an object that a constant function
    gives it: so such a function gives the name alone.
    """


_shelf = _Shelf()


class _Here(local):
    """What texts mean in this thread, as Dynamo guards it where a compiled function reads one."""

    scope = str(None)


_here = _Here()


def read_texts_by(state: scope.State) -> None:
    """Have functions that read texts compiled anew. Threads share those, but not this."""
    _here.scope = str(state)


_names: dict[Any, str] = {}
_numbers = count()  # threads may trace at once, and no two may take one number


class Found(ShortenTraceback):
    """An error of units that Dynamo met: PyTorch raises what `remove_dynamo_frames` returns."""

    def __init__(self, error: DimflowError) -> None:
        super().__init__(str(error), first_useful_frame=None)
        self.error = error

    def remove_dynamo_frames(self) -> Any:
        """The error itself, where the compiled function is called."""
        return self.error


def _arriving(error: DimflowError) -> Exception:
    """What to raise while Dynamo traces, after the functions that it is in have named themselves.

    Any other error that a constant function raises becomes an `InternalTorchDynamoError`.
    """
    from dimflow.torch.functions import name_of, torch_function
    from dimflow.torch.host.planned import Planned

    root = getattr(convert_tls, "current_tx", None)
    if root is None:  # after a break of the graph
        return error
    frame = root.output.current_tx
    while frame is not None:
        names = frame.symbolic_locals
        if frame.f_code is run.__code__:
            op = names["op"].realize().value
            if op.unit is None:
                error.of_call(op.name)
        elif frame.f_code is Planned._planned.__code__:
            names["self"].realize().value.relabel(error)
        elif frame.f_code is torch_function.__code__:
            error.of_call(f"torch.{name_of(names['function'].realize().as_python_constant())}")
        frame = frame.parent
    return Found(error)


def constant(function: Callable[..., Any], reads_texts: bool = False) -> Callable[..., Any]:
    """Mark a function of units and names: Dynamo calls it and takes the result as a constant.

    One that reads units from texts is called again in another scope.
    """

    def find(*args: Any) -> str:
        # what a string means depends on the scope
        where = scope.current().state
        key: Any = where, function.__name__, *(getattr(a, "_serial", a) for a in args)
        try:
            name = _names.get(key)
        except TypeError:  # a list among the parameters
            key = repr(key)
            name = _names.get(key)
        if name is None:
            try:
                value = function(*args)
            except DimflowError as error:
                raise _arriving(error) from None
            name = f"{function.__name__.strip('_')}_{next(_numbers)}"
            setattr(_shelf, name, value)
            name = _names.setdefault(key, name)
        return name

    named = _assumed_constant(find)

    def call(*args: Any) -> Any:
        return getattr(_shelf, named(*args))

    def find_in(where: str, *args: Any) -> str:
        here = scope.current().state if scope.entered.get() else None
        if where != str(here):
            raise _arriving(
                UnitError(
                    "a compiled function reads the text of a unit while another task has a scope",
                    "make the unit outside of the function: x.to(Unit(text))",
                )
            )
        return find(*args)

    in_scope = _assumed_constant(find_in)

    def call_in_scope(*args: Any) -> Any:
        return getattr(_shelf, in_scope(_here.scope, *args))

    return call_in_scope if reads_texts else call


def reading_texts(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a function that reads units from texts."""
    return constant(function, reads_texts=True)


@torch.compiler.substitute_in_graph(dispatch.is_traced, skip_signature_check=True)
def _is_traced(_: int) -> bool:
    return True


@constant
def plan_of(name: str, params: Any, shapes: Any, *units: Any) -> Plan:
    """What the rule of an op says for these units."""
    return resolve(ops.get(name), units, dict(params), shapes)


@reading_texts
def plan_in_scope(name: str, params: Any, shapes: Any, *units: Any) -> Plan:
    """The same where parameters may be texts of units: `unit="m"`."""
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


@reading_texts
def unit_named(unit: Any) -> Unit:
    """The unit of a text, or a unit as it is."""
    return Unit(unit)


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
        mask = op._recall(_kernel(op.name), tuple(raws), params)  # type: ignore[misc]
        return made(mask & False | _across(op.name), PURE)
    needed = tuple(params.items()) if op.unit.needs_params else ()
    find = plan_in_scope if needed else plan_of
    plan = find(op.name, needed, tuple(shapes), *units)
    converted = []
    for place, raw in enumerate(raws):
        convert = None if plan.converters is None else plan.converters[place]
        converted.append(raw if convert is None else convert(raw))
    if params.get("dtype") is not None:
        refuse_cast(op.name, params["dtype"], tuple(converted), (*units, plan.result))
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


def refuse_cast(operation: str, dtype: Any, values: Any, unit: Any) -> None:
    """See `dimflow.ops.rules.values`; of tensors the dtypes alone decide."""
    if is_traced(0):
        units = unit if type(unit) is tuple else (unit,)
        _refuse_cast(operation, dtype, tuple([getattr(v, "dtype", v) for v in values]), *units)
    else:
        values_rules.refuse_cast(operation, dtype, values, unit)


@constant
def _refuse_cast(operation: str, dtype: Any, kinds: Any, *units: Any) -> None:
    values = [torch.empty(0, dtype=k) if isinstance(k, torch.dtype) else k for k in kinds]
    values_rules.refuse_cast(operation, dtype, values, units)


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
        return _by_unit(name, function, left, right)
    if isinstance(right, (str, bytes, dict, set)) or isinstance(left, (str, bytes, dict, set)):
        is_left = isinstance(left, Core)
        _refuse(name, function, (left if is_left else right)._unit, right if is_left else left)
    first, mine = raw_and_unit(left)
    second, theirs = raw_and_unit(right)
    across = _across(name)
    if across is not None and not _of_one_dimension(mine, theirs):
        return made(function(first, second) & False | across, PURE)
    plan = plan_of(name, (), (), mine, theirs)
    if plan.converters is not None:
        before, after = plan.converters
        if before is not None:
            first = before(first)
        if after is not None:
            second = after(second)
    raw = function(first, second)
    return raw if plan.result is None else made(raw, plan.result)


@constant
def _refuse(name: str, function: Callable[[Any, Any], Any], unit: Unit, other: Any) -> None:
    """Raise what eager mode raises beside a text, a container or a unit."""
    function(made(torch.ones(()), unit), other)
    raise NotANumber(name, f"a {type(other).__name__}")


@constant
def _scaled(function: Callable[[Any, Any], Any], unit: Unit, other: Unit) -> Unit:
    """The unit of `x * unit` and of `x / unit`."""
    return function(made(torch.ones(()), unit), other)._unit  # type: ignore[no-any-return]


def _by_unit(name: str, function: Callable[[Any, Any], Any], array: Any, unit: Unit) -> Any:
    if name not in ("multiply", "divide"):
        _refuse(name, function, array._unit, unit)
    return made(array._raw, _scaled(function, array._unit, unit))


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
    if isinstance(exponent, Unit):
        _refuse("pow", operator.pow, array._unit, exponent)
    return ops.get("pow")(array, exponent)


@constant
def _power(unit: Unit, exponent: float) -> Unit:
    if unit.key is PURE.key:
        return unit
    try:
        plan = resolve(ops.get("static_power"), (unit,), {"exponent": exponent}, ())
    except UnitError as error:
        error.of_call("pow")
        raise
    return plan.result  # type: ignore[return-value]


def install() -> None:
    """Tell Dynamo what to call instead of reading it."""
    dispatch.call_traced = call
    dispatch.run_traced = run
    scope.compilers.append(read_texts_by)
    scope.changed()


def planned_call(op: Op, values: Any, params: dict[str, Any]) -> tuple[Any, Any]:
    """The raw arrays and the plan of a function of PyTorch, while it is traced.

    There is no plan for a comparison across dimensions.
    """
    if op.across is not None:
        pairs = [raw_and_unit(value) for value in values]
        if not _of_one_dimension(*[unit for _, unit in pairs]):
            return [raw for raw, _ in pairs], None
    return rule_planned(op, values, params)


def rule_planned(op: Op, values: Any, params: dict[str, Any]) -> tuple[Any, Plan]:
    """The raw arrays, as they are, and the plan."""
    raws = []
    units = []
    shapes = []
    for value in values:
        raw, unit = raw_and_unit(value)
        raws.append(raw)
        units.append(unit)
        if op.unit is not None and op.unit.needs_shapes:
            shapes.append(None if raw is None else tuple(raw.shape))
    needed = tuple(params.items()) if op.unit is not None and op.unit.needs_params else ()
    find = rule_plan_in_scope if needed else rule_plan
    return raws, find(op, needed, tuple(shapes), *units)


@constant
def rule_plan(op: Op, params: Any, shapes: Any, *units: Any) -> Plan:
    """What a rule beside the table says for these units."""
    return resolve(op, units, dict(params), shapes)


@reading_texts
def rule_plan_in_scope(op: Op, params: Any, shapes: Any, *units: Any) -> Plan:
    """The same where parameters may be texts of units."""
    return resolve(op, units, dict(params), shapes)
