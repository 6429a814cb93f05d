"""Array libraries: one file each, found by the name of an array's type.

Nothing is imported until an array of that library appears, or it is asked for by name.
"""

from functools import cache
from importlib import import_module
from typing import Any

from dimflow.backends.backend import Backend
from dimflow.errors import BackendNotInstalled, NotANumber
from dimflow.ops import dispatch
from dimflow.ops.dispatch import Interpreter, interpreter_of

__all__ = ["Backend", "backend", "backend_of", "names"]

# The top-level package of an array's type -> the module that handles it.
_MODULES = {
    "numpy": "dimflow.backends.numpy",
    "builtins": "dimflow.backends.numpy",
}
_PLAIN = (bool, int, float, complex, list, tuple)


@cache
def _offered() -> dict[str, str]:
    """What other packages offer by an entry point; looked up when one of ours does not fit."""
    from importlib.metadata import entry_points

    return {entry.name: entry.value for entry in entry_points(group="dimflow.backends")}


def _module(package: str) -> str | None:
    return _MODULES.get(package) or _offered().get(package)


def names() -> list[str]:
    """The array libraries that dimflow knows, installed or not."""
    return sorted({*_MODULES, *_offered()} - {"builtins"})


def backend(name: str) -> Backend:
    """The backend of a name; BackendNotInstalled if it is unknown or its library is missing."""
    module = _module(name)
    if module is None or name == "builtins":
        raise BackendNotInstalled(str(name), f"dimflow knows {', '.join(names())}")
    try:
        found: Backend = import_module(module).BACKEND
    except ImportError as error:
        raise BackendNotInstalled(name) from error
    return found


def backend_of(raw: Any) -> Backend:
    """The backend that a raw array belongs to."""
    found = interpreter_of(type(raw))
    assert isinstance(found, Backend)
    return found


def _find(kind: type) -> Interpreter:
    for base in kind.__mro__:
        known = dispatch.interpreters.get(base)
        if known is not None:
            return known
        package = base.__module__.partition(".")[0]
        if package == "builtins":
            if base in _PLAIN:
                return backend("numpy")
        elif _module(package) is not None:
            return backend(package)
    raise NotANumber("an operation", f"{kind.__module__}.{kind.__qualname__}")


dispatch.find_interpreter = _find
