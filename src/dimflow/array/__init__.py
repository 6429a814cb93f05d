"""DimArray: a raw array plus a unit."""

import operator as _operator
from datetime import timedelta as _timedelta
from typing import Any

from numpy import timedelta64 as _timedelta64

from dimflow.array.dimarray import DimArray
from dimflow.array.guests import guest_of as _guest_of
from dimflow.array.interpreter import INTERPRETER as _INTERPRETER
from dimflow.array.making import PLAIN as _PLAIN
from dimflow.array.making import assembled as _assembled
from dimflow.backends import backend_of as _backend_of
from dimflow.constants.constant import Constant
from dimflow.errors import UnitError as _UnitError
from dimflow.ops import dispatch as _dispatch
from dimflow.ops.dispatch import interpreters as _interpreters
from dimflow.ops.dispatch import wrappers as _wrappers
from dimflow.ops.rules.units import PURE as _PURE
from dimflow.units import Unit
from dimflow.units import unit as _unit

__all__ = ["DimArray"]


def _make_quantity(value: Any, unit: Unit, is_inverse: bool = False) -> Any:
    """`5 * units.m`, and `units.m / 5`: as one of the unit would. An array is copied."""
    if isinstance(value, (str, bytes, dict, set, type(None))):
        return NotImplemented
    if is_inverse:
        value = _inverse(value)
    if isinstance(value, DimArray):
        return value * unit
    if type(value).__module__.startswith("unyt.unit"):  # would take the result for its own
        problem = f"a unit of unyt ({value}) and one of dimflow ({unit}) make no product"
        raise _UnitError(problem, "read the unit of unyt first: DimArray(unit)")
    guest = None if type(value) in _PLAIN else _guest_of(type(value))
    if guest is not None:
        return guest.operate(_operator.mul, value, unit)
    made = DimArray(value)
    if made._unit is not _PURE:  # of quantities in a list, of a duration, of another library
        return made * unit
    made._raw, made._unit = _backend_of(made._raw).copy(made._raw), unit
    return made


def _inverse(value: Any) -> Any:
    try:
        return 1 / value
    except TypeError:  # lists and durations do not divide
        return 1 / DimArray(value)


_unit.make_quantity = _make_quantity
_dispatch.assemble = _assembled
_interpreters[DimArray] = _INTERPRETER
_interpreters[Constant] = _INTERPRETER
_interpreters[_timedelta] = _interpreters[_timedelta64] = _INTERPRETER
_wrappers.add(Constant)
