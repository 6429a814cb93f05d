"""Dtypes of MLX and questions about them."""

from typing import Any

import mlx.core as mx

from dimflow.errors import MissingRule

__all__ = ["astype", "bool", "can_cast", "result_type"]

SINGLE = "say that single precision will do: x.astype('float32'), or use x.to_backend('numpy')"

bool = mx.bool_  # the standard's name for it

# A bare number beside arrays is of their dtype, unless its kind is a higher one.
_KINDS: tuple[tuple[type, str, Any], ...] = (
    (complex, "complex floating", mx.complex64),
    (float, "real floating", mx.float32),
    (int, "integral", mx.int32),
)


def astype(x: Any, dtype: Any, /, *, copy: Any = True, device: Any = None) -> Any:
    """With another dtype. A copy is another object; MLX copies no numbers until one is written."""
    if x.dtype == dtype:
        return mx.array(x) if copy else x
    refuse_half(x.dtype, dtype, "astype")
    if not mx.issubdtype(dtype, mx.inexact):  # else MLX takes a cut number for the number itself
        x = mx.stop_gradient(x)
    return x.astype(dtype)


def refuse_half(given: Any, result: Any, operation: str) -> None:
    """An error where double precision would be cut to single on its way to complex numbers."""
    if given == mx.float64 and result == mx.complex64:
        raise MissingRule(
            operation,
            "kernel for float64 arrays of mlx, whose complex numbers are complex64",
            SINGLE,
        )


def can_cast(given: Any, target: Any, /) -> Any:
    """Whether a dtype fits into another without loss."""
    return mx.can_cast(given.dtype if isinstance(given, mx.array) else given, target)


def result_type(*values: Any) -> Any:
    """What arrays, dtypes and bare numbers meet in."""
    strong = [v for v in values if isinstance(v, (mx.array, mx.Dtype))]
    found = mx.result_type(*strong) if strong else mx.bool_
    order = ("bool", "integral", "real floating", "complex floating")
    for value in values:
        for kind, name, default in _KINDS:
            if isinstance(value, kind) and type(value).__name__ != "bool":
                mine = next(i for i, o in enumerate(order) if mx.isdtype(found, o))
                found = default if order.index(name) > mine else found
                break
    return found
