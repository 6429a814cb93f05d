"""Dask's functions learn of units: da.sum(x), da.linalg.qr(x), da.ma.filled(x, 0 * units.m).

NumPy and PyTorch ask the arrays that they are given; functions of Dask ask nobody. So its public
names are replaced by functions that look at their arguments first. Without an array with a unit
among these, Dask's own function runs as ever. Nothing within Dask is changed: what was imported
from it before keeps to itself, and refuses arrays with units by `to_dask_array`. But two methods of
its arrays would take them for constants, and put all of one into every block: these look too, and
so does the call of a `da.gufunc`, which Dask makes of a user's function. An index that is a mask of
ours would be read as integers (`raw[x > y]`), so indexing looks as well.
"""

from collections.abc import Callable
from functools import partial, update_wrapper
from importlib import import_module
from typing import Any

from dask.array import Array, gufunc
from dask.array.ufunc import ufunc

from dimflow.array.core import Core
from dimflow.array.indexing import raw_key
from dimflow.array.numpy_host.parts import mapped
from dimflow.arrival import when_imported
from dimflow.backends.dask_blocks.lengths import blame_lengths
from dimflow.errors import DimensionError, UnitError

MODULES = ("", "linalg", "fft", "ma", "random", "overlap", "lib.stride_tricks", "stats")
METHODS = ("dot", "map_blocks", "__getitem__", "__setitem__")
_LATE = "stats"  # which Dask itself imports for those alone who ask for it, with all of SciPy's

# What a `da.gufunc` keeps for the call.
_OPTIONS = ("vectorize", "axes", "axis", "keepdims", "output_sizes", "output_dtypes", "meta")

# Functions that are made of ops of other names.
_OF_PARTS = ("da.ma.", "np.block", "np.select")

_WATCHED = (Core, list, tuple, dict)
_found: dict[str, Callable[..., Any]] = {}


def install() -> None:
    """Put the dispatching functions in their places; once, however often it is called."""
    for module in MODULES:
        if module != _LATE:
            install_in(module)
    when_imported(f"dask.array.{_LATE}", partial(install_in, _LATE))
    for name in METHODS:
        original = getattr(Array, name, None)  # arrays of expressions have not all of them
        if original is not None and original_of(original) is None:
            setattr(Array, name, _method(original, name))
    if original_of(gufunc.__call__) is None:
        gufunc.__call__ = _called(gufunc.__call__)


def install_in(module: str) -> None:
    """The same for one module of dask.array."""
    from dimflow.dask.host.functions import dispatched

    place = module_of(module)
    for name in dispatched(module):
        last = name.rpartition(".")[2]
        original = getattr(place, last)
        if original_of(original) is None:
            setattr(place, last, _replacement(original, name))


def module_of(name: str) -> Any:
    """A module of dask.array by its name below that."""
    return import_module(f"dask.array.{name}" if name else "dask.array")


def original_of(function: Any) -> Any:
    """Dask's own function behind one of ours; None for any other."""
    return getattr(function, "__dict__", {}).get("_dimflow_original")


def own(name: str) -> Any:
    """Dask's own function of a name below dask.array, whatever stands in its place."""
    module, _, last = name.rpartition(".")
    found = getattr(module_of(module), last)
    return original_of(found) or found


def holds_units(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether an array with a unit is among arguments, or in a list that is one."""
    return is_within(args) or is_within(kwargs.values())


def is_within(values: Any) -> bool:
    """Whether an array with a unit is among values, however deep in lists and dicts."""
    for value in values.values() if isinstance(values, dict) else values:
        if isinstance(value, _WATCHED) and (isinstance(value, Core) or is_within(value)):
            return True
    return False


def _replacement(original: Any, name: str) -> Any:
    return _UnitUfunc(original) if isinstance(original, ufunc) else _dispatching(original, name)


def _dispatching(original: Callable[..., Any], name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        for value in args:  # every call of a function of Dask's comes by here
            if isinstance(value, _WATCHED) and (isinstance(value, Core) or is_within(value)):
                return run(name, original, args, kwargs)
        for value in kwargs.values():
            if isinstance(value, _WATCHED) and (isinstance(value, Core) or is_within(value)):
                return run(name, original, args, kwargs)
        return original(*args, **kwargs)

    update_wrapper(call, original)
    # A pickle names the public place, where another process finds what it has there itself.
    module, _, last = name.rpartition(".")
    call.__module__ = module_of(module).__name__
    call.__qualname__ = call.__name__ = last
    call._dimflow_original = original  # type: ignore[attr-defined]
    return call


def _method(original: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A method of Dask's arrays by the function of its name; a user's function comes first.

    An index has its arrays in place of ours.
    """

    def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if not holds_units(args, kwargs):
            return original(self, *args, **kwargs)
        if name.startswith("__"):
            return original(self, raw_key(args[0]), *args[1:])
        function = getattr(module_of(""), name)
        if name == "dot":
            return function(self, *args, **kwargs)
        users, *others = (kwargs.pop("func"), *args) if "func" in kwargs else args
        return function(users, self, *others, **kwargs)

    update_wrapper(call, original)
    call._dimflow_original = original  # type: ignore[attr-defined]
    return call


def _called(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function with a signature by `apply_gufunc`, with all that Dask's object was told."""

    def call(self: Any, *args: Any, allow_rechunk: bool = False, **kwargs: Any) -> Any:
        if not holds_units(args, kwargs):
            return original(self, *args, allow_rechunk=allow_rechunk, **kwargs)
        options = {name: getattr(self, name) for name in _OPTIONS}
        options["allow_rechunk"] = self.allow_rechunk or allow_rechunk
        return with_units("apply_gufunc", self.pyfunc, self.signature, *args, **options, **kwargs)

    update_wrapper(call, original)
    call._dimflow_original = original  # type: ignore[attr-defined]
    return call


def run(name: str, original: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function of Dask's gives for arrays with units."""
    handler = _found.get(name)
    if handler is None:
        from dimflow.dask.host.functions import handler_of

        handler = _found[name] = handler_of(name, original)
    return explained(f"da.{name}", handler, args, kwargs)


def explained(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What a function gives. An error about its insides says which length was not known, and one
    about an op that it is made of names the function instead.
    """
    try:
        return function(*args, **kwargs)
    except UnitError as error:
        if isinstance(error, DimensionError) and name.startswith(_OF_PARTS):
            error.operation = name.partition(".")[2]
        error.of_call(name.rpartition(".")[2])
        raise
    except Exception as error:
        found: list[Any] = []
        mapped((args, kwargs), lambda array: found.append(array._raw))
        blame_lengths(name, found, error)
        raise


def with_units(name: str, *args: Any, **kwargs: Any) -> Any:
    """The same by the name of the function."""
    return run(name, own(name), args, kwargs)


class _UnitUfunc(ufunc):  # type: ignore[misc]
    """One of Dask's ufuncs, which are objects with a method and attributes of their own."""

    def __init__(self, original: Any) -> None:
        self.__dict__.update(original.__dict__)
        self._dimflow_original = original

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if holds_units(args, kwargs):
            return self._ufunc(*args, **kwargs)  # NumPy asks the arrays
        return self._dimflow_original(*args, **kwargs)

    def outer(self, A: Any, B: Any, **kwargs: Any) -> Any:
        """The ufunc on all pairs of elements."""
        if holds_units((A, B), kwargs):
            return self._ufunc.outer(A, B, **kwargs)
        return self._dimflow_original.outer(A, B, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        return ufunc, (self._ufunc,)  # a process without dimflow takes Dask's own
