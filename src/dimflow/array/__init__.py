"""DimArray: a raw array plus a unit."""

import operator as _operator
from importlib import import_module as _import_module
from typing import Any

from dimflow.array.arrival import when_imported as _when_imported
from dimflow.array.dimarray import DimArray
from dimflow.array.guests import guest_of as _guest_of
from dimflow.array.interpreter import INTERPRETER as _INTERPRETER
from dimflow.array.making import PLAIN as _PLAIN
from dimflow.backends import backend_of as _backend_of
from dimflow.constants.constant import Constant
from dimflow.errors import UnitError as _UnitError
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
    if type(value) not in _PLAIN:
        found = _others_product(value, unit)
        if found is not None:
            return found
    made = DimArray(value, unit)
    made._raw = _backend_of(made._raw).copy(made._raw)
    return made


def _others_product(value: Any, unit: Unit) -> Any:
    """What a value with a unit or with labels makes of a product; None for plain numbers."""
    module = type(value).__module__
    if module.startswith("unyt.unit"):  # unyt would take the result for a unit of its own
        problem = f"a unit of unyt ({value}) and one of dimflow ({unit}) make no product"
        raise _UnitError(problem, "read the unit of unyt first: DimArray(unit)")
    guest = _guest_of(type(value))
    if guest is not None:
        return guest.operate(_operator.mul, value, unit)
    if hasattr(value, "unit") or hasattr(value, "units"):
        return DimArray(value) * unit
    return None


_unit.make_quantity = _make_quantity
_interpreters[DimArray] = _INTERPRETER
_interpreters[Constant] = _INTERPRETER
_when_imported("matplotlib.units", lambda: _import_module("dimflow.plotting"))
_when_imported("jax", lambda: _import_module("dimflow.jax"))
_when_imported("pandas", lambda: _import_module("dimflow.pandas"))
_when_imported("xarray", lambda: _import_module("dimflow.xarray"))
for _module in ("pint.registry", "astropy.units.quantity", "unyt.array"):
    _when_imported(_module, lambda: _import_module("dimflow.array.peers.meeting").meet())
