"""Lists, tuples and dicts of quantities as raw arrays and a form that puts them together again."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import mlx.core as mx
import numpy as np

from dimflow.array import DimArray
from dimflow.array.dimarray import wrap
from dimflow.backends import backend, backend_of
from dimflow.errors import BackendMismatch, UnsupportedFunction
from dimflow.units import Unit


class Form(NamedTuple):
    """What stands at a place: an array, a quantity, a constant, or a structure of others.

    Forms are compared: two are equal if their units are spelled alike, not only if they mean one.
    """

    kind: str
    detail: Any = None
    parts: tuple["Form", ...] = ()


class Spelled(NamedTuple):
    """A unit that is equal to itself alone."""

    serial: int
    unit: Unit


def flattened(value: Any, operation: str) -> tuple[list[Any], Form]:
    """The raw arrays of a structure in order, and its form."""
    leaves: list[Any] = []
    return leaves, _form(value, leaves, operation)


def _form(value: Any, leaves: list[Any], operation: str) -> Form:
    if isinstance(value, DimArray):
        return _quantity(value, leaves, operation)
    if isinstance(value, (mx.array, np.ndarray)):
        leaves.append(backend("mlx").asarray(value))
        return Form("array")
    if isinstance(value, dict):
        parts = tuple(_form(v, leaves, operation) for v in value.values())
        return Form("dict", tuple(value), parts)
    if isinstance(value, (list, tuple)):
        parts = tuple(_form(v, leaves, operation) for v in value)
        return Form("sequence", type(value), parts)
    try:
        hash(value)
    except TypeError:
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        raise UnsupportedFunction(
            f"dimflow.mlx.{operation}",
            f"it takes lists, tuples and dicts of arrays, but got a {kind}",
        ) from None
    return Form("constant", (type(value), value))


def _quantity(value: DimArray, leaves: list[Any], operation: str) -> Form:
    spelled = Spelled(value.unit._serial, value.unit)
    raw, library = value._raw, backend_of(value._raw)
    if library.name == "mlx":
        leaves.append(raw)
        return Form("quantity", spelled)
    if library.rank:
        hint = "convert it: x.to_backend('mlx')"
        raise BackendMismatch(f"dimflow.mlx.{operation}", "mlx", library.name, hint)
    numbers = np.asarray(raw)
    if not numbers.ndim:  # 5 * units.m: a constant, which adapts to the arrays it meets
        return Form("number", (numbers.dtype.str, numbers.item(), spelled))
    leaves.append(backend("mlx").asarray(numbers))
    return Form("quantity", spelled)


def rebuilt(form: Form, leaves: Sequence[Any]) -> Any:
    """The structure of a form with other raw arrays in it."""
    return _built(form, iter(leaves))


def _built(form: Form, leaves: Iterator[Any]) -> Any:
    kind, detail, parts = form
    if kind == "array":
        return next(leaves)
    if kind == "quantity":
        return wrap(next(leaves), detail.unit)
    if kind == "number":
        dtype, number, spelled = detail
        return wrap(np.asarray(number, dtype), spelled.unit)
    if kind == "constant":
        return detail[1]
    values = [_built(part, leaves) for part in parts]
    if kind == "dict":
        return dict(zip(detail, values, strict=True))
    return detail(*values) if hasattr(detail, "_fields") else detail(values)
