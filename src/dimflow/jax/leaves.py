"""JAX's own functions on DimArrays: they would lose the unit, and say what to call instead."""

import sys
from importlib import import_module
from typing import Any

from dimflow.array.core import Core
from dimflow.array.dimarray import DimArray
from dimflow.array.protocols import Protocols
from dimflow.errors import UnitError, UnsupportedFunction
from dimflow.ops.rules.convert import converter
from dimflow.ops.rules.units import PURE

_NUMPY = "jax._src.numpy."
# What JAX reads from anything with a shape and a dtype, to make an array like it.
_PROBED = ("aval", "sharding")


def numbers_for(array: Core, caller: Any) -> Any:
    """What JAX gets when it asks a DimArray for a plain array: `__jax_array__`.

    An operator gets the DimArray itself, which it knows nothing about: Python then asks us. A
    function gets pure numbers, or an error if there is a unit to lose.
    """
    if caller.f_code.co_name.startswith("_operator_"):
        return array
    unit = array._unit
    if not _is_pure(array):
        raise _loss(array, caller)
    convert = converter(unit, PURE)
    return array._raw if convert is None else convert(array._raw)


def _is_pure(array: Core) -> bool:
    return array._unit.dimension.is_dimensionless and array._unit.law is None


def _loss(array: Core, caller: Any) -> UnsupportedFunction:
    unit = array._unit
    name = _function(caller)
    other = f"dimflow.{name}(x) keeps the unit; or " if _has(name) else ""
    return UnsupportedFunction(
        f"jax.numpy.{name}",
        f"it would lose the unit {unit}",
        f"{other}take the numbers: x.to_value({str(unit)!r})",
    )


def _function(caller: Any) -> str:
    """The name of the function of jax.numpy that was called."""
    frame = caller
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        name: str = frame.f_code.co_name
        is_helper = module.endswith(".util") or name.startswith(("_", "<"))
        if module.startswith(_NUMPY) and not is_helper:
            return name
        frame = frame.f_back
    return "asarray"


def _has(name: str) -> bool:
    return callable(getattr(import_module("dimflow"), name, None))


def refuse_as_leaf() -> None:
    """Let JAX's type of a DimArray be our error: it is asked for where only plain arrays fit.

    So is what JAX reads of arrays that it makes others like.
    """
    from jax.experimental import hijax

    hijax.register_hitype(DimArray, _refuse)
    Protocols.__jax_array__ = _jax_array  # type: ignore[attr-defined]
    for name in _PROBED:
        setattr(Protocols, name, _probe(name))


def _jax_array(array: Core) -> Any:
    return numbers_for(array, sys._getframe(1))


def _probe(name: str) -> property:
    """An attribute that DimArray has for JAX alone, which loses a unit by it; others see none.

    Not `__getattr__`, which would make every attribute slower.
    """

    def get(array: Core) -> Any:
        caller = sys._getframe(1)
        if str(caller.f_globals.get("__name__")).startswith("jax.") and not _is_pure(array):
            raise _loss(array, caller)
        problem = f"{type(array).__name__!r} object has no attribute {name!r}"
        raise AttributeError(problem, name=name, obj=array)

    return property(get, doc="For JAX, which makes arrays like others from it.")


def _refuse(array: DimArray) -> Any:
    unit = str(array._unit) or "a pure number"
    raise UnitError(
        f"JAX takes plain arrays here, but got a DimArray ({unit})",
        "for a derivative use dimflow.grad(f), dimflow.vjp or dimflow.jvp, which give it its unit; "
        f"for functions of jax.lax take the numbers: x.to_value({str(array._unit)!r})",
    )
