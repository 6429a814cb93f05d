"""Writing into arrays that exist: in-place operators, assignment and `out=` never change a unit."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from dimflow.array.core import Core, is_followed
from dimflow.array.interpreter import converted, planned, separated, shape_of
from dimflow.array.operators import is_foreign
from dimflow.backends import backend_of, pins
from dimflow.backends.holes import refuse_written
from dimflow.errors import BackendMismatch, ShapeMismatch, UnitError
from dimflow.ops import Op, dispatch
from dimflow.ops.rules import dtypes
from dimflow.ops.rules.convert import checked_converter, lazily
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.units import ENDLESS, PURE, ZERO
from dimflow.ops.rules.values import refuse_cut
from dimflow.units import Unit
from dimflow.units.alike import are_alike, readings

_NEW_NAME = "give the result a name of its own: y = x * ..."


def write(array: Core, op: Op, function: Callable[[Any, Any], Any], other: Any) -> Any:
    """`x += y`. Into the raw array if the result is in its unit; else convert, or raise.

    The dtype stays too, even where the library makes a new array: see `refuse_cut`.
    """
    if op.name == "pow" and not is_followed(array) and not is_followed(other):
        return write_result(array, array**other)
    if isinstance(other, Unit):
        raise _changes(op, array._unit, "a product with a unit")
    if isinstance(other, (Fraction, Decimal)):
        other = float(other)
    if is_foreign(type(other)):
        return NotImplemented
    if dispatch.followed and (is_followed(array) or is_followed(other)):
        from dimflow.array import followed

        return followed.write(array, op, other)
    raws, units = separated((array, other))
    plan = planned(op, raws, units, {})
    if plan.result is not array._unit or (plan.converters and plan.converters[0]):
        return write_result(array, op.run((array, other), {}))
    library = backend_of(array._raw)
    raw = library.lifted_beside(array._raw, converted(plan, raws)[1])
    if type(raw) in lazily and type(array._raw) not in lazily:
        hint = "give the result a name of its own, or compute what is lazy: y.compute()"
        raise BackendMismatch(f"{op.name} in place", library.name, backend_of(raw).name, hint)
    _refuse_cut(op, array._raw, raw)
    if type(array._raw) not in lazily:
        refuse_written(array._raw, raw)
    if not library.is_mutable(array._raw):
        return array._like(function(array._raw, raw), array._unit)
    pins.check(array._raw)
    result = function(array._raw, raw)
    if result is not array._raw:  # the library made a new array, of whatever shape
        _check_shape(op, array.shape, shape_of(result))
        same = result.dtype == array._raw.dtype
        array._raw = result if same else result.astype(array._raw.dtype)
    return array


def _check_shape(op: Op, shape: tuple[Any, ...], found: tuple[Any, ...]) -> None:
    """An array keeps its shape; lengths that only the data know (nan) may be any."""
    pairs = zip(shape, found, strict=False)
    if len(shape) != len(found) or any(a != b and a == a and b == b for a, b in pairs):
        raise ShapeMismatch(f"{op.name} in place", shape, tuple(found))


def write_result(array: Core, result: Any) -> Any:
    """Write a whole result into the array, in the array's unit."""
    if is_followed(array) or is_followed(result):
        from dimflow.array import followed

        return followed.put(array, result, is_alone=False)
    raw = in_unit(array._unit, result, "an in-place operation", _NEW_NAME)
    if not backend_of(array._raw).is_mutable(array._raw):
        refuse_cut(raw, array._raw.dtype)
        return array._like(raw, array._unit)
    backend_of(array._raw).assign(array._raw, ..., raw)
    return array


def _refuse_cut(op: Op, raw: Any, other: Any) -> None:
    """The rule for what is written, before an operator writes: quotients of integers count too."""
    refuse_cut(other, raw.dtype)
    if kind_of(raw) in "biu":
        whole = dtypes.named(raw.dtype)
        refuse_cut(np.empty((), op.rule("dtype")((whole, whole), {})), raw.dtype)


def in_unit(target: Unit, value: Any, operation: str, hint: str | None = None) -> Any:
    """The raw numbers of a value in the unit of an array that they are written into.

    A hint says that the value is a result, whose unit the array would have to take over.
    """
    if isinstance(value, Core) and value._unit is target:
        return value._raw
    raws, units = separated((value,))
    unit = units[0]
    if unit is ENDLESS or (unit is ZERO and target.law is None):
        return raws[0]
    source = unit if isinstance(unit, Unit) else PURE
    if not are_alike(source, target):
        wanted, given = str(target) or "a pure number", str(source) or "a pure number"
        meant = readings(source, target, ("y", "x"))
        if hint is None:
            if meant is None and source.key is PURE.key:
                meant = f"write the value with its unit: 5 * Unit({str(target)!r})"
            raise UnitError(f"{operation} takes values in {wanted}, but got {given}", meant)
        raise UnitError(
            f"{operation} would change the unit of an existing array from {wanted} to {given}",
            meant or hint,
        )
    convert = checked_converter(source, target)
    return raws[0] if convert is None else convert(raws[0])


def _changes(op: Op, unit: Unit, what: str) -> UnitError:
    return UnitError(f"{what} in place would change the unit {unit} of an existing array")
