"""The array API standard 2025.12, with units.

    from dimflow import xp
    xp.sum(xp.asarray([1.0, 2.0], unit="m"))

Code that is written to the standard takes its functions from `x.__array_namespace__()`, which is
this module for arrays of NumPy, and one like it, bound to their library, for others. Every function
is an op of the table under the standard's signature, or makes arrays, or tells about dtypes.
Results are always DimArrays, masks and indices too; arguments may be raw arrays and numbers.
"""

from functools import cache
from importlib import import_module
from typing import Any

from dimflow.backends import backend as _backend
from dimflow.errors import UnitError as _UnitError
from dimflow.xp import namespace as _namespace

_LIBRARY = _backend("numpy")
_for_other = cache(_namespace.Namespace)


def for_library(name: str, api_version: str | None = None) -> Any:
    """The namespace whose arrays belong to a library: `for_library("torch").zeros(3)`."""
    if api_version not in (None, *_namespace.VERSIONS):
        known = ", ".join(_namespace.VERSIONS)
        raise _UnitError(f"there is no array API of version {api_version!r} here", f"try {known}")
    library = _backend(name)
    return import_module(__name__) if library is _LIBRARY else _for_other(library)


def __getattr__(name: str) -> Any:
    found = _namespace.attribute(_LIBRARY, "", name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return _namespace.names("")
