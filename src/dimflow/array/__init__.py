"""DimArray: a raw array plus a unit."""

from importlib import import_module as _import_module
from typing import Any

from dimflow.array.arrival import when_imported as _when_imported
from dimflow.array.dimarray import DimArray
from dimflow.array.interpreter import INTERPRETER as _INTERPRETER
from dimflow.backends import backend_of as _backend_of
from dimflow.constants.constant import Constant
from dimflow.ops.dispatch import interpreters as _interpreters
from dimflow.units import Unit
from dimflow.units import unit as _unit

__all__ = ["DimArray"]


def _make_quantity(value: Any, unit: Unit) -> Any:
    """`5 * units.m`: numbers and arrays in a unit. An array is copied, as by any product."""
    if isinstance(value, DimArray):
        return value * unit
    if isinstance(value, (Constant, str, bytes, dict, set, type(None))):
        return NotImplemented
    made = DimArray(value, unit)
    made._raw = _backend_of(made._raw).copy(made._raw)
    return made


_unit.make_quantity = _make_quantity
_interpreters[DimArray] = _INTERPRETER
_interpreters[Constant] = _INTERPRETER
_when_imported("matplotlib.units", lambda: _import_module("dimflow.plotting"))
