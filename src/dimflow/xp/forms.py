"""Ops in the standard's form: its signature, calling the op. They run on whatever the op runs on.

Most are made from the signature alone. Those that need more than other names stand here.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from dimflow import ops
from dimflow.array.dimarray import DimArray
from dimflow.array.indexing import raw_key
from dimflow.backends import backend_of
from dimflow.backends import names as libraries
from dimflow.errors import UnitError
from dimflow.ops.rules.dtypes import named
from dimflow.ops.rules.units import PURE
from dimflow.xp.signatures import SIGNATURES

Form = Callable[..., Any]


# The standard's angles are pure numbers, which count radians, and code to it takes float() of them.
_ANGLES = frozenset(("acos", "asin", "atan", "atan2"))


def form(module: str, name: str) -> Form | None:
    """The op of a name in the standard's form; None if the table has none."""
    if (own := _OWN.get((module, name))) is not None:
        return own
    signature = SIGNATURES[module].get(name)
    if signature is None:
        return None
    made = _made(name, signature)
    return _counting_radians(made) if name in _ANGLES else made


def names(module: str) -> set[str]:
    """What there is in a module of the standard."""
    return {*SIGNATURES[module], *(name for place, name in _OWN if place == module)}


def _made(name: str, signature: str) -> Form:
    """A function of that signature, generated, so that a wrong call fails with Python's message."""
    op = ops.get(name)
    texts, passed, is_static = [], [], False
    for part in signature.split(", "):
        declared, _, default = part.partition("=")
        own, _, theirs = declared.partition(":")
        texts.append(f"{own}={default}" if default else own)
        if part not in ("/", "*"):
            passed.append(f"{theirs or own}={own}" if is_static else own)
        is_static = is_static or part[0] in "/*"
    if op.unit_dependent:
        texts += ["unit=None"] if "*" in texts else ["*", "unit=None"]
        passed.append("unit=unit")
    scope = {"_op": op}
    exec(f"def {name}({', '.join(texts)}): return _op({', '.join(passed)})", scope)  # our own text
    made: Any = scope[name]
    made.__doc__ = op.doc
    return made  # type: ignore[no-any-return]


def _counting_radians(angle: Form) -> Form:
    @wraps(angle)
    def call(*args: Any) -> Any:
        result = angle(*args)
        return result.to(PURE, via="angle", copy=False) if isinstance(result, DimArray) else result

    return call


# What is more than another name


def astype(
    x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None, unit: Any = None
) -> Any:
    """With another dtype. Integers need `unit=`, since what is cut off depends on it."""
    return ops.astype(_placed(x, device), dtype, copy=copy, unit=unit)


def nonzero(x: Any, /) -> Any:
    """The indices of elements that are not zero, an array to an axis."""
    if not x.ndim:
        raise UnitError("nonzero needs an array with axes, but got one number", "compare it with 0")
    return ops.nonzero(x)


def repeat(x: Any, repeats: Any, /, *, axis: Any = None) -> Any:
    """Every element several times."""
    return ops.repeat(x, raw_key(repeats), axis)


def reshape(x: Any, /, shape: Any, *, copy: bool | None = None) -> Any:
    """The same elements in another shape; `copy=False` shares them, or fails."""
    if copy:
        x = ops.copy(x)
    elif copy is False:
        raw = x._raw if isinstance(x, DimArray) else x
        library = backend_of(raw)
        if library.name in libraries():  # shapes without data share nothing
            library.namespace.reshape(raw, shape, copy=False)  # the library knows, and raises
    return ops.reshape(x, shape)


def empty_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """Whatever the memory holds, in the shape and unit of an array."""
    return _placed(ops.empty_like(x, dtype), device)


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """One value, in the shape and unit of an array."""
    return _placed(ops.full_like(x, fill_value, dtype), device)


def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """Ones, in the shape and unit of an array."""
    return _placed(ops.ones_like(x, dtype), device)


def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """Zeros, in the shape and unit of an array."""
    return _placed(ops.zeros_like(x, dtype), device)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The cross product of vectors of three components along an axis."""
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        got = f"{x1.shape[axis]} and {x2.shape[axis]}"
        raise UnitError(f"linalg.cross takes vectors of 3 components, but got {got}")
    return ops.cross(x1, x2, axis=axis)


def eig(x: Any, /) -> Any:
    """Eigenvalues and eigenvectors, complex for real matrices too: no dtype hangs on a value."""
    found = ops.eig(x)
    return type(found)(*[_as_complex(part) for part in found])


def eigvals(x: Any, /) -> Any:
    """The eigenvalues, in no order, complex for real matrices too."""
    return _as_complex(ops.eigvals(x))


def _as_complex(x: Any) -> Any:
    wide = "complex64" if named(x.dtype) in ("float32", "complex64") else "complex128"
    return ops.astype(x, wide, copy=False)


def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """The diagonals of the matrices in the last two axes."""
    return ops.diagonal(x, offset, -2, -1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """The sums of the diagonals of the matrices in the last two axes."""
    return ops.sum(diagonal(x, offset=offset), -1, dtype=dtype)


def _placed(x: Any, device: Any) -> Any:
    """On another device, if one is asked for."""
    if device is None:
        return x
    is_ours = isinstance(x, DimArray)
    return x.to_device(device) if is_ours else backend_of(x).asarray(x, device=device)


_MAIN = (astype, nonzero, repeat, reshape, empty_like, full_like, ones_like, zeros_like)
_OWN: dict[tuple[str, str], Form] = {
    **{("", function.__name__): function for function in _MAIN},
    **{
        ("linalg", function.__name__): function
        for function in (cross, diagonal, eig, eigvals, trace)
    },
}
