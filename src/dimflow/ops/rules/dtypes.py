"""Dtype rules: from the dtypes of the arrays to those of the results, as NumPy has it.

A bare Python number counts as the class `bool`, `int`, `float` or `complex`: it adapts to its
partners (NEP 50).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

DtypeRule = Callable[[tuple[Any, ...], dict[str, Any]], Any]

_NUMBERS = {bool: True, int: 0, float: 0.0, complex: 0j}


def named(dtype: Any) -> Any:
    """A dtype of any library as NumPy's of that name; the classes of bare numbers stay as they are.

    One that NumPy has no name for (bfloat16) stays as it is too.
    """
    if (
        dtype is None
        or isinstance(dtype, np.dtype)
        or (isinstance(dtype, type) and dtype in _NUMBERS)
    ):
        return dtype
    try:
        return np.dtype(dtype)
    except TypeError:
        name = str(dtype).rpartition(".")[2]  # "torch.float32", "mlx.core.float32"
        return np.dtype(name) if name in np.sctypeDict else dtype


_KINDS = (("complex", "c"), ("float", "f"), ("uint", "u"), ("int", "i"), ("bool", "b"))


def kind(dtype: Any) -> str:
    """The letter of a dtype's kind: b, i, u, f, c; bfloat16 counts as f.

    By its name, which a compiler that traces a library's own code can follow; but NumPy is slow to
    name its own.
    """
    if isinstance(dtype, np.dtype) and dtype.kind in "biufc":
        return str(dtype.kind)
    if isinstance(dtype, (list, tuple)):
        return "V"  # of records
    name = str(dtype)
    for part, letter in _KINDS:
        if part in name:
            return letter
    return str(np.dtype(named(dtype)).kind)  # "<f8", "d"


def kind_of(value: Any) -> str:
    """The letter of the kind of an array's or a bare number's dtype."""
    return kind(getattr(value, "dtype", type(value)))


def is_one_real(value: Any) -> bool:
    """Whether this is one real number of NumPy's: a scalar, or an array without axes."""
    return (
        isinstance(value, (np.ndarray, np.floating))
        and not value.ndim
        and value.dtype.kind == "f"
        and value.dtype.itemsize <= 8
    )


def promoted(dtypes: tuple[Any, ...], params: dict[str, Any]) -> np.dtype[Any]:
    """The dtype that all meet in."""
    return result_type(dtypes)


def result_type(dtypes: tuple[Any, ...]) -> np.dtype[Any]:
    """NumPy's result_type, with Python's classes for bare numbers; None does not count."""
    return np.result_type(*(_NUMBERS.get(d, named(d)) for d in dtypes if d is not None))


def floating(dtypes: tuple[Any, ...], params: dict[str, Any]) -> np.dtype[Any]:
    """The same, where integers and booleans become double precision."""
    return as_floating(result_type(dtypes))


def as_floating(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """A dtype that can hold fractions."""
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)


def first(dtypes: tuple[Any, ...], params: dict[str, Any]) -> np.dtype[Any]:
    """That of the first array."""
    return result_type(dtypes[:1])


def boolean(dtypes: tuple[Any, ...], params: dict[str, Any]) -> np.dtype[Any]:
    """Masks."""
    return np.dtype(np.bool_)


def index(dtypes: tuple[Any, ...], params: dict[str, Any]) -> np.dtype[Any]:
    """Indices and counts."""
    return np.dtype(np.intp)


def takes_complex(rule: DtypeRule | None, count: int) -> bool:
    """Whether NumPy has a loop of complex numbers for a function of so many arrays."""
    try:
        return rule is not None and rule((np.dtype(np.complex128),) * count, {}) is not None
    except KeyError:  # it depends on a parameter
        return True
    except TypeError:
        return False


def real(dtypes: tuple[Any, ...], params: dict[str, Any]) -> np.dtype[Any]:
    """The dtype of an absolute value: a complex number's parts."""
    return real_of(result_type(dtypes))


def real_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """float32 for complex64, float64 for complex128."""
    return np.empty(0, dtype).real.dtype


def ufunc(name: str) -> DtypeRule:
    """What NumPy's ufunc of this name resolves to."""

    def resolved(dtypes: tuple[Any, ...], params: dict[str, Any]) -> Any:
        function = getattr(np, name)
        inputs = [d for d in dtypes if d is not None]
        # a ufunc does not take the class bool
        inputs = [np.dtype(np.bool_) if d is bool else d for d in inputs]
        found = function.resolve_dtypes((*inputs, *([None] * function.nout)))
        results = found[function.nin :]
        return results[0] if function.nout == 1 else tuple(results)

    return resolved
