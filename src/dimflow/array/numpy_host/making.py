"""NumPy's functions that make arrays `like=` a DimArray: DimArrays, in the unit of what they get.

`like` names the kind of array, as it does for all libraries, so bare numbers stay pure numbers.
"""

from typing import Any

import numpy as np

from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.array.factories import arange
from dimflow.array.numpy_host.parts import Handler, named, parts, plan
from dimflow.array.numpy_host.parts import pure as pure_numbers
from dimflow.array.numpy_host.rules import rule
from dimflow.errors import UnitError
from dimflow.ops.rules import points
from dimflow.ops.rules.units import PURE, same
from dimflow.ops.rules.values import refuse_cast

FUNCTIONS: dict[str, Handler] = {}

_FROM_ARRAYS = ("array", "asanyarray", "asarray", "ascontiguousarray", "asfortranarray", "require")
_FROM_NUMBERS = (
    *("empty", "eye", "frombuffer", "fromfile", "fromiter", "fromstring", "genfromtxt"),
    *("identity", "loadtxt", "ones", "tri", "zeros"),
)


def _from_array(name: str) -> Handler:
    function = getattr(np, name)

    def run(a: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        raw, unit = parts(a)
        refuse_cast(name, dtype, (raw,), unit)
        return wrap(function(raw, dtype, *args, **kwargs), unit)

    return run


def _from_numbers(name: str) -> Handler:
    function = getattr(np, name)

    def run(*args: Any, **kwargs: Any) -> Any:
        operation = f"np.{name}"
        return wrap(function(*pure_numbers(args, operation), **kwargs), PURE)

    return run


FUNCTIONS.update({name: _from_array(name) for name in _FROM_ARRAYS})
FUNCTIONS.update({name: _from_numbers(name) for name in _FROM_NUMBERS})


@named(FUNCTIONS, "full")
def _full(shape: Any, fill_value: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
    raw, unit = parts(fill_value)
    refuse_cast("full", dtype, (raw,), unit)
    return wrap(np.full(shape, raw, dtype, *args, **kwargs), unit)


@named(FUNCTIONS, "fromfunction")
def _fromfunction(function: Any, shape: Any, **kwargs: Any) -> Any:
    """What the function gives for arrays of indices: a unit comes from the function alone."""
    result = np.fromfunction(function, shape, **kwargs)
    return result if isinstance(result, Core) else wrap(result, PURE)


ARANGE = rule("arange", "*values", same, points=points.refuse)


@named(FUNCTIONS, "arange")
def _arange(*limits: Any, **kwargs: Any) -> Any:
    """Limits and step in one unit. A step of 1 is another one in each unit, so it must be given."""
    given = {key: kwargs.pop(key) for key in ("start", "stop", "step") if key in kwargs}
    values = [*limits, *given.values()]
    if len(values) >= 3 and isinstance(values[0], Core) and values[0]._unit.law is not None:
        names = dict(zip(("start", "stop", "step"), limits, strict=False))
        return arange(**names, **given, dtype=kwargs.get("dtype"))
    raws, unit = plan(ARANGE, values)
    if unit.key is not PURE.key and len(limits) < 3 and "step" not in given:
        raise UnitError(
            f"arange in {unit} needs a step, since a step of 1 depends on the unit",
            f"np.arange(start, stop, 1 * Unit({str(unit)!r}), like=x)",
        )
    refuse_cast("arange", kwargs.get("dtype"), raws, unit)
    by_name: dict[str, Any] = dict(zip(given, raws[len(limits) :], strict=True))
    function: Any = np.arange
    return wrap(function(*raws[: len(limits)], **by_name, **kwargs), unit)
