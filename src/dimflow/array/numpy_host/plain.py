"""NumPy's functions whose answer no unit changes, and those that write texts and files."""

from typing import Any

import numpy as np

from dimflow.array.core import Core
from dimflow.array.numpy_host.parts import Handler, bare, named, pure
from dimflow.errors import UnitLossError

FUNCTIONS: dict[str, Handler] = {}

# They look at shapes, dtypes and memory alone.
_UNITLESS = (
    *("can_cast", "common_type", "diag_indices_from", "einsum_path", "iscomplexobj"),
    *("isrealobj", "may_share_memory", "min_scalar_type", "ndim", "result_type", "shape"),
    "shares_memory",
)

# They look at the shape of the first argument; the second is a number of axes or places.
_COUNTING = ("size", "tril_indices_from", "triu_indices_from")

# They take indices, and lengths of axes.
_INDICES = ("ravel_multi_index",)


def _unitless(name: str) -> Handler:
    function = getattr(np, name)

    def run(*args: Any, **kwargs: Any) -> Any:
        return function(*bare(args), **bare(kwargs))

    return run


def _counting(name: str) -> Handler:
    function = getattr(np, name)

    def run(*args: Any, **kwargs: Any) -> Any:
        counts = {key: kwargs.pop(key) for key in ("axis", "k") if key in kwargs}
        rest = (*args[1:], counts)
        *given, counts = pure(rest, f"np.{name}")
        return function(*bare(args[:1]), *given, **bare(kwargs), **counts)

    return run


def _of_pure(name: str) -> Handler:
    function = getattr(np, name)

    def run(*args: Any, **kwargs: Any) -> Any:
        operation = f"np.{name}"
        return function(*pure(args, operation), **pure(kwargs, operation))

    return run


FUNCTIONS.update({name: _unitless(name) for name in _UNITLESS})
FUNCTIONS.update({name: _of_pure(name) for name in _INDICES})
FUNCTIONS.update({name: _counting(name) for name in _COUNTING})


@named(FUNCTIONS, "array2string")
def _array2string(a: Any, *args: Any, **kwargs: Any) -> str:
    """The numbers as NumPy writes them, and the unit once behind them."""
    return f"{np.array2string(a.to_numpy(), *args, **kwargs)} {a._unit}".rstrip()


@named(FUNCTIONS, "array_repr")
def _array_repr(arr: Any, *args: Any, **kwargs: Any) -> str:
    """As `repr`; with options, NumPy's own with the unit in it."""
    if not args and not kwargs:
        return repr(arr)
    text = np.array_repr(arr.to_numpy(), *args, **kwargs)
    return f"Dim{text[0].upper()}{text[1:-1]}, unit={str(arr._unit)!r})"


@named(FUNCTIONS, "array_str")
def _array_str(a: Any, *args: Any, **kwargs: Any) -> str:
    """As `str`; with options, NumPy's own and the unit."""
    if not args and not kwargs:
        return str(a)
    return f"{np.array_str(a.to_numpy(), *args, **kwargs)} {a._unit}".rstrip()


def _stored(array: Any, name: str) -> Any:
    """The numbers to be stored, where no unit is lost."""
    if not isinstance(array, Core):
        return array
    if not array._unit.dimension.is_dimensionless:
        error = UnitLossError(name, array._unit)
        error.hint = "dimflow.save and dimflow.savetxt store units; or store x.to_value(...)"
        raise error
    return array._pure(name)


@named(FUNCTIONS, "save")
def _save(file: Any, arr: Any, allow_pickle: bool = True) -> None:
    np.save(file, _stored(arr, "np.save"), allow_pickle=allow_pickle)


@named(FUNCTIONS, "savetxt")
def _savetxt(fname: Any, X: Any, *args: Any, **kwargs: Any) -> None:
    np.savetxt(fname, _stored(X, "np.savetxt"), *args, **kwargs)


def _savez(name: str) -> Handler:
    function = getattr(np, name)

    def run(file: Any, *args: Any, **kwargs: Any) -> None:
        arrays = [_stored(array, f"np.{name}") for array in args]
        by_name = {key: _stored(array, f"np.{name}") for key, array in kwargs.items()}
        function(file, *arrays, **by_name)

    return run


FUNCTIONS.update({name: _savez(name) for name in ("savez", "savez_compressed")})
