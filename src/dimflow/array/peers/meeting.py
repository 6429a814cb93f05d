"""Arithmetic between arrays of dimflow and quantities of others: the result is always ours.

Python asks the left operand first. pint steps back for the types in its table of upcast types,
astropy for every type that it cannot read. unyt never does, against NumPy's advice (NEP 13), and
compares a kilometre with 1000 metres as False: its arrays are taught to step back for ours.
"""

import sys
from functools import wraps
from typing import Any

from dimflow.array.dimarray import DimArray
from dimflow.array.interpreter import INTERPRETER
from dimflow.constants.constant import Constant
from dimflow.ops.dispatch import interpreters
from dimflow.units import Unit

# Where each library has the classes of its quantities and units.
_CLASSES = {
    "pint.registry": ("Quantity", "Unit"),
    "astropy.units.quantity": ("Quantity",),
    "astropy.units.core": ("UnitBase",),
    "astropy.units.function.core": ("FunctionUnitBase",),
    "unyt.array": ("unyt_array",),
    "unyt.unit_object": ("Unit",),
}


def meet() -> None:
    """Take the classes of the libraries that are there as operands; called as one arrives."""
    for module, names in _CLASSES.items():
        for name in names:
            kind = getattr(sys.modules.get(module), name, None)
            if kind is not None and kind not in interpreters:
                _forget_subclasses(kind)
                interpreters[kind] = INTERPRETER
    if "pint.compat" in sys.modules:
        for cls in (Unit, Constant, DimArray, *_subclasses(DimArray)):
            outrank_pint(cls)
    if "unyt.array" in sys.modules:
        _outrank_unyt(sys.modules["unyt.array"].unyt_array)


def _outrank_unyt(cls: Any) -> None:
    """Make unyt's arrays leave NumPy's ufuncs to ours wherever one takes part."""
    theirs = cls.__array_ufunc__
    if hasattr(theirs, "__wrapped__"):
        return

    @wraps(theirs)
    def stepping_back(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        operands = (*inputs, *options.get("out", ()))
        if any(isinstance(value, DimArray) for value in operands):
            return NotImplemented
        return theirs(self, ufunc, method, *inputs, **options)

    cls.__array_ufunc__ = stepping_back


def outrank_pint(cls: type) -> None:
    """Make pint leave operations with a class to that class."""
    table: Any = sys.modules["pint.compat"].upcast_type_map
    table[f"{cls.__module__}.{cls.__qualname__}"] = cls


def _forget_subclasses(kind: type) -> None:
    """Types that were met before their library was complete are looked up anew."""
    for known in [k for k in interpreters if issubclass(k, kind)]:
        del interpreters[known]


def _subclasses(cls: type) -> list[type]:
    below: list[type] = cls.__subclasses__()
    return below + [found for sub in below for found in _subclasses(sub)]
