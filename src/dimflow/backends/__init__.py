"""Array libraries: one file each, found by the name of an array's type.

Nothing is imported until an array of that library appears, or it is asked for by name.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from numbers import Number
from typing import Any

from dimflow.backends.backend import Backend
from dimflow.backends.device import Device
from dimflow.errors import BackendNotInstalled, NotANumber
from dimflow.ops import dispatch
from dimflow.ops.dispatch import Interpreter, interpreter_of

__all__ = [
    "Backend",
    "Device",
    "available",
    "backend",
    "backend_of",
    "class_of",
    "devices",
    "names",
]

# A library's name, which is that of its package -> the module that handles it.
_MODULES = {
    "numpy": "dimflow.backends.numpy",
    "torch": "dimflow.backends.torch",
    "jax": "dimflow.backends.jax",
    "mlx": "dimflow.backends.mlx",
    "cupy": "dimflow.backends.cupy",
    "dask": "dimflow.backends.dask",
    "array_api_strict": "dimflow.backends.array_api_strict",
}
# Those that an extra of ours installs.
_EXTRAS = _MODULES.keys() - {"numpy", "array_api_strict"}
# Parts of a library's package whose arrays are run otherwise than the library's own.
_PARTS = {"numpy.ma": "dimflow.backends.masked", "numpy.ma.core": "dimflow.backends.masked"}
# Other packages whose types belong to a library.
_PACKAGES = {"builtins": "numpy", "jaxlib": "jax"}


@cache
def _offered() -> dict[str, str]:
    """What other packages offer by an entry point; looked up when one of ours does not fit."""
    from importlib.metadata import entry_points

    return {entry.name: entry.value for entry in entry_points(group="dimflow.backends")}


def _module(name: str) -> str | None:
    return _MODULES.get(name) or _offered().get(name)


def names() -> list[str]:
    """The array libraries that dimflow knows, installed or not."""
    return sorted({*_MODULES, *_offered()})


def available() -> list[str]:
    """Those that are installed here. None is imported for it."""
    return [name for name in names() if find_spec(name) is not None]


def devices(backend: str | None = None) -> list[Device]:
    """The devices of a library, or of all that are installed (which imports them)."""
    found = []
    for name in available() if backend is None else [backend]:
        try:
            library = _backend(name)
        except BackendNotInstalled:
            if backend is not None:
                raise
            continue  # its package is there, but does not work here: CuPy without a GPU
        found += [Device(text, library.name) for text in library.devices()]
    return found


def backend(name: str) -> Backend:
    """The backend of a name; BackendNotInstalled if it is unknown or its library is missing."""
    module = _module(name)
    if module is None:
        raise BackendNotInstalled(str(name), f"dimflow knows {', '.join(names())}")
    try:
        found: Backend = import_module(module).BACKEND
    except ImportError as error:
        raise BackendNotInstalled(name, _hint(name, error)) from error
    return found


def _hint(name: str, error: ImportError) -> str | None:
    """How to get a library that is missing, or what keeps one that is there from working."""
    if (error.name or "").partition(".")[0] != name:
        return f"{name} does not work here: {error}"
    return None if name in _EXTRAS else f"install the package {name}"


_backend = backend


def backend_of(raw: Any) -> Backend:
    """The backend that a raw array belongs to."""
    found = interpreter_of(type(raw))
    assert isinstance(found, Backend)
    return found


def class_of(kind: type) -> Any:
    """The class of DimArray for raw values of a type."""
    own = getattr(kind, "array_class", None) or getattr(interpreter_of(kind), "array_class", None)
    text = own or "dimflow.array.dimarray:DimArray"
    module, _, name = text.partition(":")
    return getattr(import_module(module), name)


def _find(kind: type) -> Interpreter:
    for base in kind.__mro__:
        known = dispatch.interpreters.get(base)
        if known is not None:
            return known
        if base.__module__ in _PARTS:
            part: Backend = import_module(_PARTS[base.__module__]).BACKEND
            return part
        package = base.__module__.partition(".")[0]
        name = _PACKAGES.get(package, package)
        if base is not object and _module(name) is not None and backend(name).holds(base):
            if backend(name).is_stubborn:
                dispatch.stubborn.add(kind)
            if backend(name).plain_masks:
                dispatch.plain_masks.add(kind)
            return backend(name)
    error = NotANumber("an operation", f"{kind.__module__}.{kind.__qualname__}")
    make = (
        "DimArray(x)"
        if kind.__module__.startswith(("pandas", "xarray", "dimflow"))
        else "np.asarray(x)"
    )
    make = "float(x)" if issubclass(kind, Number) else make
    what = f"every {kind.__name__}: {make}"
    if kind.__module__ != "builtins":  # a string is no array
        error.hint = f"dimflow knows arrays of {', '.join(names())}; make one of {what}"
    raise error


dispatch.find_interpreter = _find
