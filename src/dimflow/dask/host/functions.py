"""Dask's functions on arrays with units, each in one of seven places. `classified` says in which.

An op of the table or a rule beside it plans the units while Dask's own function works; NumPy's
function of that name does the same; a definition; the functions that run users' functions on
blocks; questions that no unit answers; functions of pure numbers; or a reason for a refusal.
"""

from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from dask.array import Array
from dask.array import ufunc as ufuncs

from dimflow.array.holes import without_holes
from dimflow.array.numpy_host.functions import classified as in_numpy
from dimflow.array.numpy_host.parts import bare
from dimflow.array.numpy_host.rules import RULES as NUMPY_RULES
from dimflow.backends.dask_blocks.lengths import is_known, unknown_length
from dimflow.backends.holes import honours_masks as op_honours_masks
from dimflow.dask.host.entries import (
    ASKED,
    BLIND,
    BLOCKS,
    BY_KERNEL,
    BY_NUMPY,
    COUNTING,
    HONOURING,
    MACHINERY,
    NUMBERS,
)
from dimflow.dask.host.patches import MODULES, module_of, original_of
from dimflow.dask.host.planned import Planned, in_blocks, plain
from dimflow.dask.host.refused import REFUSED
from dimflow.dask.host.rules import RULES
from dimflow.errors import UnsupportedFunction
from dimflow.ops import TABLE

Handler = Callable[..., Any]

_DEFINITIONS = ("making", "arranging", "measuring", "storing", "masked", "surroundings")
_HINT = "give it the numbers in a unit of your choice: x.to_value(...)"
_UNKNOWN = "dimflow does not know what it does to units"


def public_functions() -> dict[str, Any]:
    """Every function that Dask offers for arrays, by its name below dask.array; Dask's own."""
    return {name: f for module in MODULES for name, f in functions_of(module).items()}


@cache
def functions_of(module: str) -> dict[str, Any]:
    """Those of one module, which is imported for it."""
    found: dict[str, Any] = {}
    place = module_of(module)
    tops = {original_of(f) or f for f in vars(module_of("")).values() if callable(f)}
    for name, value in vars(place).items():
        function = original_of(value) or value
        if name.startswith("_") or not callable(function) or isinstance(function, type):
            continue
        if isinstance(function, ModuleType) or (module and function in tops):
            continue
        if not module or _is_at_home(function, name, place):
            found[f"{module}.{name}" if module else name] = function
    return found


def _function(name: str) -> Any:
    return functions_of(name.rpartition(".")[0]).get(name)


def _is_at_home(function: Any, name: str, place: ModuleType) -> bool:
    """Whether a module offers a function of its own, and has not just imported it for itself."""
    home = str(getattr(function, "__module__", ""))
    is_numpys = home.startswith("numpy.ma") and name.startswith("masked_")
    return is_numpys or home == place.__name__ or place.__name__.endswith("stride_tricks")


def classified(name: str) -> tuple[str, str]:
    """The place of a function: ("op", its op), ("rule", ...), ("numpy", ...), ("defined", where),
    ("blocks", ...), ("asked", ""), ("numbers", ""), ("machinery", why), ("refused", why);
    ("unknown", "") for one that Dask has gained since.
    """
    for kind, reasons in (("refused", REFUSED), ("machinery", MACHINERY)):
        if name in reasons:
            return kind, reasons[name]
    if name in definitions():
        return "defined", definitions()[name].__module__
    for kind, names in (("blocks", BLOCKS), ("asked", ASKED), ("numbers", NUMBERS)):
        if name in names:
            return kind, ""
    if name in BY_NUMPY or isinstance(_function(name), ufuncs.ufunc):
        return "numpy", name
    if name in RULES:
        return "rule", name
    kind, what = in_numpy(name)
    return (kind, what) if kind in ("op", "rule") else ("unknown", "")


@cache
def definitions() -> dict[str, Handler]:
    """Functions written over arrays with units, by Dask's name."""
    found: dict[str, Handler] = {}
    for module in _DEFINITIONS:
        found.update(import_module(f"dimflow.dask.host.{module}").FUNCTIONS)
    return found


def dispatched(module: str) -> list[str]:
    """The functions that look out for arrays with units: all but those that see no array."""
    return [name for name in functions_of(module) if classified(name)[0] != "machinery"]


def handler_of(name: str, original: Any) -> Handler:
    """What runs instead of a function of Dask's; an error if nothing does."""
    found = _handler(name, original)
    return found if honours_masks(name) else without_holes(f"da.{name}", found)


def honours_masks(name: str) -> bool:
    """Whether a function is known to leave out what is under masks, or looks itself for holes."""
    kind, what = classified(name)
    if kind == "op" and name not in BY_KERNEL:
        return op_honours_masks(TABLE[what]) and name not in BLIND
    if kind in ("defined", "rule"):
        return name.startswith("ma.") or name in HONOURING
    return True


def _handler(name: str, original: Any) -> Handler:
    kind, what = classified(name)
    if kind in ("refused", "unknown"):
        raise UnsupportedFunction(f"da.{name}", what or _UNKNOWN, _HINT)
    if kind == "defined":
        return definitions()[name]
    if kind == "blocks":
        blocks = import_module("dimflow.dask.blocks")
        return getattr(blocks, name.rpartition(".")[2])  # type: ignore[no-any-return]
    if kind == "asked":
        return lambda *args, **kwargs: original(*map(in_blocks, bare(args)), **bare(kwargs))
    if kind == "numbers":
        return _of_numbers(name, original)
    if kind == "numpy":
        return getattr(np, name)  # type: ignore[no-any-return]
    if name in RULES:
        return Planned(_counting(name, original), name, RULES[name])
    op = TABLE[what] if kind == "op" else NUMPY_RULES[name]
    return Planned(original, name, op, by_kernel=name in BY_KERNEL)


def _counting(name: str, original: Any) -> Any:
    """Dask's function; one that counts elements asks first whether it can."""
    if name not in COUNTING:
        return original

    @wraps(original)
    def run(*args: Any, **kwargs: Any) -> Any:
        for raw in args:
            if isinstance(raw, Array) and not is_known(raw):
                raise unknown_length(f"da.{name}", raw)
        return original(*args, **kwargs)

    return run


def _of_numbers(name: str, original: Any) -> Handler:
    def run(*args: Any, **kwargs: Any) -> Any:
        numbers: Any = plain(args, f"da.{name}")
        return original(*numbers, **plain(kwargs, f"da.{name}"))

    return run
