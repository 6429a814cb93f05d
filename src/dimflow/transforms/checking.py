"""check: run a function on units and shapes alone, before anything expensive starts."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow.array import DimArray
from dimflow.backends import Backend, backend_of
from dimflow.backends.abstract import Abstract, unknown_length
from dimflow.constants.constant import Constant
from dimflow.errors import DimflowError, NotANumber
from dimflow.ops.dispatch import interpreter_of
from dimflow.transforms.location import with_location
from dimflow.transforms.spec import Spec, read_spec
from dimflow.transforms.structure import mapped
from dimflow.units import Unit


def check(function: Callable[..., Any], /, *specs: Any, **named_specs: Any) -> Any:
    """What a function would give for arguments of these units and shapes; no data is touched.

        check(kinetic, m="kg[1000]", v="m/s[1000]")     # <Spec 'kg*m**2/s**2[1000]' [energy]>

    A spec is a text (`"m/s:float32[3, ?]"`, where `?` is a length that is not known), a `Unit` (one
    number), a `Spec`, or an array with or without a unit, of which only unit, shape and dtype
    count. Lists, tuples, dicts and dataclasses of specs are taken apart. Anything else, Python's
    numbers too, is handed to the function as it is.

    The result has the structure of the function's result, with a `Spec` for every array. An error
    is the one that the call itself would raise; its note and its `location` give the line of your
    code that made it.
    """
    args = tuple(_argument(spec, f"argument {i + 1}") for i, spec in enumerate(specs))
    kwargs = {name: _argument(spec, name) for name, spec in named_specs.items()}
    try:
        result = function(*args, **kwargs)
    except Exception as error:
        with_location(error)
        if type(error) is TypeError and "NoneType" in str(error) and _is_unknown((args, kwargs)):
            raise with_location(unknown_length("arithmetic"), error.__traceback__) from error
        raise
    return mapped(result, lambda value, _: outcome(value))


def _is_unknown(arguments: Any) -> bool:
    """Whether any argument has a length that is not known."""
    shapes: list[Any] = []
    mapped(arguments, lambda value, _: shapes.extend(getattr(value, "shape", ())))
    return None in shapes


def _argument(spec: Any, name: str) -> Any:
    """What the function is called with."""

    def make(value: Any, path: str) -> Any:
        try:
            return abstract(value)
        except DimflowError as error:
            error.add_note(
                f"in the spec of {name}{path}; a text that the function itself should get goes "
                "into a function around it: lambda x: f(x, mode='linear')"
            )
            raise

    return mapped(spec, make)


def abstract(value: Any) -> Any:
    """A value without data in place of a spec; other things as they are."""
    if isinstance(value, str):
        value = read_spec(value)
    if isinstance(value, Unit):
        value = Spec(value)
    if isinstance(value, Constant):
        value = DimArray(value)
    if isinstance(value, Spec):
        raw = Abstract(value.shape, value.dtype)
        return raw if value.unit is None else DimArray(raw, value.unit)
    if isinstance(value, DimArray):
        dtype = backend_of(value._raw).numpy_dtype(value._raw)
        return DimArray(Abstract(value.shape, dtype), value.unit)
    if is_raw(value):
        return Abstract(value.shape, backend_of(value).numpy_dtype(value))
    return value


def is_raw(value: Any) -> bool:
    """Whether this is an array of a library that dimflow knows; a bare number is none."""
    try:
        interpreter = interpreter_of(type(value))
    except NotANumber:
        return False
    return isinstance(interpreter, Backend) and hasattr(value, "shape")


def outcome(value: Any) -> Any:
    """The Spec of an array; other things as they are."""
    if isinstance(value, DimArray):
        dtype = backend_of(value._raw).numpy_dtype(value._raw)
        return Spec(value.unit, value.shape, np.dtype(dtype))
    if is_raw(value):
        return Spec(None, tuple(value.shape), np.dtype(backend_of(value).numpy_dtype(value)))
    return value
