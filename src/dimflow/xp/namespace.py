"""Namespace: the standard's functions with units, bound to a library; each is made when needed."""

import math
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np

from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.backends import Backend, backend_of
from dimflow.errors import MissingRule, UnitError
from dimflow.ops.namespace import names as op_names
from dimflow.ops.rules.units import PURE
from dimflow.xp import forms, numpy_style
from dimflow.xp.creation import Creation
from dimflow.xp.dtypes import NAMES, Dtypes, Info

VERSION = "2025.12"
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", VERSION)
CONSTANTS = {"e": math.e, "inf": math.inf, "nan": math.nan, "newaxis": None, "pi": math.pi}

# Functions that the table has no op for, and where they stand.
_BOUND: dict[str, dict[str, type]] = {
    "": {
        **dict.fromkeys(("arange", "asarray", "empty", "eye", "from_dlpack"), Creation),
        **dict.fromkeys(("full", "linspace", "ones", "zeros"), Creation),
        **dict.fromkeys(("can_cast", "finfo", "iinfo", "isdtype", "result_type"), Dtypes),
    },
    "linalg": {},
    "fft": dict.fromkeys(("fftfreq", "rfftfreq"), Creation),
}
_EXTENSIONS = ("linalg", "fft")


def attribute(library: Backend, module: str, name: str) -> Any:
    """What a namespace bound to a library has under a name; AttributeError if it has none.

    After the standard's functions come the other ops of the table, in their own form.
    """
    if not module and (form := numpy_style.FORMS.get(name)) is not None:
        return with_units(form)
    if (form := forms.form(module, name)) is not None:
        return with_units(form)
    if (place := _BOUND[module].get(name)) is not None:
        return getattr(place(library), name)
    if not module and (found := _special(library, name)) is not _NOTHING:
        return found
    if not name.startswith("_") and (op := op_names(module).get(name)) is not None:
        return with_units(op)
    where = f"dimflow.xp.{module}".rstrip(".")
    raise AttributeError(f"module {where!r} has no attribute {name!r}")


_NOTHING = object()


def _special(library: Backend, name: str) -> Any:
    """Constants, dtypes, extensions and inspection."""
    if name in CONSTANTS:
        return CONSTANTS[name]
    if name in NAMES:
        try:
            return library.as_dtype(name)
        except (
            UnitError,
            MissingRule,
        ) as error:  # the library lacks it, so the namespace has no such name
            raise AttributeError(str(error)) from error
    if name in _EXTENSIONS:
        return Namespace(library, name)
    if name == "broadcast_shapes":
        return broadcast_shapes
    if name == "lib":
        return numpy_style.LIB
    if name == "__array_api_version__":
        return VERSION
    if name == "__array_namespace_info__":
        return lambda: Info(library)
    return _NOTHING


def names(module: str) -> list[str]:
    """Everything that a namespace has."""
    found = {*forms.names(module), *_BOUND[module], *op_names(module)}
    if not module:
        found.update(CONSTANTS, NAMES, _EXTENSIONS)
        found.update(("broadcast_shapes", "__array_api_version__", "__array_namespace_info__"))
    return sorted(found)


class Namespace(ModuleType):
    """A namespace bound to a library: `x.__array_namespace__()`, `dimflow.xp.linalg`."""

    def __init__(self, library: Backend, module: str = "") -> None:
        bound = "" if library.name == "numpy" else library.name
        parts = ["dimflow.xp", bound, module]
        super().__init__(".".join(filter(None, parts)), "The array API standard with units.")
        self._library = library
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = attribute(self._library, self._module, name)
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return names(self._module)

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self._library.name, self._module)


def _restored(library: str, module: str) -> Any:
    from dimflow.xp import for_library

    found = for_library(library)
    return getattr(found, module) if module else found


def with_units(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with every result a DimArray: masks and indices are pure numbers."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return _lifted(function(*args, **kwargs))

    return call


def _lifted(result: Any) -> Any:
    """A result of an op as a DimArray; an element that a library made a scalar is an array."""
    if isinstance(result, Core):
        raw = result._raw
        if type(raw) in _SCALARS or isinstance(raw, np.generic):
            return wrap(np.asarray(raw), result._unit)
        return result
    if isinstance(result, tuple):
        parts = [_lifted(part) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    if isinstance(result, list):
        return [_lifted(part) for part in result]
    return wrap(backend_of(result).asarray(result), PURE)


_SCALARS = frozenset((bool, int, float, complex))


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that arrays of these shapes have together."""
    return tuple(np.broadcast_shapes(*shapes))
