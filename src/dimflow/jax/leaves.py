"""JAX's own functions on DimArrays: they would lose the unit, and say what to call instead."""

import inspect
import sys
from importlib import import_module
from operator import attrgetter
from typing import Any

import jax
import numpy as np

from dimflow.array.core import Core
from dimflow.array.dimarray import DimArray
from dimflow.array.numpy_host.functions import classified
from dimflow.array.protocols import Protocols
from dimflow.errors import UnitError, UnsupportedFunction
from dimflow.jax.libraries import computed, is_aware, is_inside, module_of, package_of
from dimflow.ops import Op
from dimflow.ops.rules.convert import converter
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.units import PURE, RADIAN
from dimflow.units import Unit
from dimflow.units.alike import is_number

_NAMES = {"array": "asarray", "amax": "max", "amin": "min", "around": "round"}  # others of ours
_CALLABLES: Any = (jax.numpy.ufunc, jax.custom_jvp, jax.custom_vjp)
_ALIKE = ("numpy", "nn", "ops", "scipy")  # whose functions are ours under the same names
# What JAX reads from anything with a shape and a dtype, to make an array like it.
_PROBED = ("aval", "sharding")
# Whose functions call yours: what it calls in turn is what loses the unit.
_CALLERS = (
    *("jax._src.tree", "jax._src.api", "jax._src.pjit"),
    *("jax._src.interpreters.", "jax._src.lax.control_flow."),
)
_UPDATES = "_IndexUpdateRef"  # the class of `x.at[key]`


def numbers_for(array: Core, caller: Any) -> Any:
    """What JAX gets when it asks a DimArray for a plain array: `__jax_array__`.

    An operator gets the DimArray itself, which it knows nothing about: Python then asks us. A
    function gets pure numbers, or an error if there is a unit to lose.
    """
    if caller.f_code.co_name.startswith("_operator_"):
        return array
    unit = array._unit
    if not is_number(unit):
        raise _loss(array, caller)
    convert = converter(unit, PURE)
    if convert is None:
        return array._raw
    found = convert(array._raw)
    # of whole numbers in percent JAX saw the dtype, which is not that of the pure numbers
    wanted = caller.f_locals.get("new_dtype")
    if wanted is not None and kind_of(found) in "fc" and jax.numpy.dtype(wanted).kind in "iu":
        place, name = function_called(caller) or ("lax", "convert_element_type")
        cut = f"it would cut the pure numbers of {unit} off to {wanted}"
        raise UnsupportedFunction(f"jax.{place}.{name}", cut, _numbers(unit))
    return found


def _numbers(unit: Unit) -> str:
    """How to get what functions take that know no units: pure numbers, radians."""
    plain = PURE if is_number(unit) else unit
    if unit.dimension is RADIAN.dimension:
        plain = RADIAN
    return f"take the numbers: x.to_value({str(plain)!r})"


def _loss(array: Core, caller: Any) -> UnitError | UnsupportedFunction:
    unit = array._unit
    _refuse_libraries(caller, unit)
    place, name = function_called(caller) or ("numpy", "asarray")
    ours = _ours(place, name)
    other = f"write {ours}(...), or " if ours else ""
    return UnsupportedFunction(
        f"jax.{place}.{name}",
        f"it would lose the unit {unit}",
        f"{other}{_numbers(unit)}",
    )


def _ours(place: str, name: str) -> str | None:
    """What takes quantities under the name of one of JAX's functions: ours, or NumPy's."""
    if not place.startswith(_ALIKE):
        return None
    module, name = import_module("dimflow"), _NAMES.get(name, name)
    inner = place.rpartition(".")[2]  # linalg, fft, special
    for path in (f"{inner}.{name}", name):
        if _has(module, path) and not _takes_no_list(attrgetter(path)(module), name):
            return f"dimflow.{path}"
    path = f"{place}.{name}".removeprefix("numpy.")
    return f"np.{path}" if classified(path)[0] not in ("refused", "unknown") else None


def _takes_no_list(ours: Any, name: str) -> bool:
    """Whether our function takes arrays one by one where NumPy's takes lists of them: select."""
    numpys = getattr(np, name, None)
    return isinstance(ours, Op) and numpys is not None and _takes_any(ours) > _takes_any(numpys)


def _takes_any(function: Any) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(p.kind is p.VAR_POSITIONAL for p in parameters)


def _refuse_libraries(caller: Any, unit: Unit) -> None:
    """Where a library called JAX, its user did not: the error is the library's."""
    while caller is not None and is_inside(caller):
        caller = caller.f_back
    if caller is not None and not is_aware(caller):
        raise computed(package_of(caller), unit)


def function_called(caller: Any) -> tuple[str, str] | None:
    """Where users find the function of JAX that they called, and its name."""
    found = None
    frame = caller
    while frame is not None:
        module = module_of(frame)
        if not module.startswith("jax."):
            break  # who called JAX
        if not module.startswith(_CALLERS):
            found = _public(module, frame) or found
        frame = frame.f_back
    return found


def _public(module: str, frame: Any) -> tuple[str, str] | None:
    """The module of JAX, below `jax`, that offers a function which stands in one of its insides."""
    code, owner = frame.f_code, frame.f_locals.get("self")
    if isinstance(owner, _CALLABLES):  # jnp.add, jax.nn.relu: an object of that name
        method = "" if code.co_name == "__call__" else f".{code.co_name}"
        found = _offered(owner.__module__, owner.__name__, getattr(owner, "fun", owner))
        return found and (found[0], found[1] + method)
    name = code.co_qualname.partition(".")[0]  # a function inside of it is its own
    if name == _UPDATES:
        return "Array", f"at[key].{code.co_name}"
    return None if name.startswith("_") else _offered(module, name, code)


def _offered(module: str, name: str, code: Any) -> tuple[str, str] | None:
    """Where users find something of that name, which stands in a module of JAX."""
    path = module.replace("jax._src.", "jax.")
    while "." in path:
        if callable(getattr(sys.modules.get(path), name, None)):
            return path.partition(".")[2], name
        path = path.rpartition(".")[0]
    for path, offering in [*sys.modules.items()]:  # one that is offered somewhere else
        if path.startswith("jax.") and "._src" not in path:
            offered = inspect.unwrap(vars(offering).get(name))  # type: ignore[arg-type]
            if getattr(offered, "__code__", None) is code:
                return path.partition(".")[2], name
    return None


def _has(module: Any, path: str) -> bool:
    """Whether a function stands there."""
    for name in path.split("."):
        module = getattr(module, name, None)
    return callable(module)


def refuse_as_leaf() -> None:
    """Let JAX's type of a DimArray be our error: it is asked for where only plain arrays fit.

    So is what JAX reads of arrays that it makes others like.
    """
    from jax.experimental import hijax

    hijax.register_hitype(DimArray, _refuse)
    Protocols.__jax_array__ = _jax_array  # type: ignore[attr-defined]
    Protocols.block_until_ready = _waited  # type: ignore[attr-defined]
    for name in _PROBED:
        setattr(Protocols, name, _probe(name))


def _jax_array(array: Core) -> Any:
    return numbers_for(array, sys._getframe(1))


def _waited(array: Core) -> Core:
    """Wait until the numbers are computed, as of JAX's arrays."""
    jax.block_until_ready(array._raw)  # type: ignore[no-untyped-call]
    return array


def _probe(name: str) -> property:
    """An attribute that DimArray has for JAX alone, which loses a unit by it; others see none.

    Not `__getattr__`, which would make every attribute slower.
    """

    def get(array: Core) -> Any:
        caller = sys._getframe(1)
        if str(caller.f_globals.get("__name__")).startswith("jax.") and not is_number(array._unit):
            raise _loss(array, caller)
        problem = f"{type(array).__name__!r} object has no attribute {name!r}"
        raise AttributeError(problem, name=name, obj=array)

    return property(get, doc="For JAX, which makes arrays like others from it.")


def _refuse(array: DimArray) -> Any:
    _refuse_libraries(sys._getframe(1), array._unit)
    unit = str(array._unit) or "a pure number"
    numbers = _numbers(array._unit)
    if found := function_called(sys._getframe(1)):  # no TypeError, which JAX would take for its own
        raise UnitError(f"jax.{'.'.join(found)} takes plain arrays, but got one in {unit}", numbers)
    raise UnitError(
        f"JAX takes plain arrays here, but got a DimArray ({unit})",
        "for a derivative use dimflow.grad(f), dimflow.vjp or dimflow.jvp, which give it its unit; "
        f"for functions of jax.lax {numbers}",
    )
