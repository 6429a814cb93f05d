"""What definitions of NumPy's functions share: nested arguments, planning by a rule."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dimflow.array.core import Core, is_followed
from dimflow.array.interpreter import converted, planned, separated
from dimflow.backends.reading import refused
from dimflow.errors import UnsupportedFunction
from dimflow.ops import Op
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit

Handler = Callable[..., Any]


def named(functions: dict[str, Handler], *names: str) -> Callable[[Handler], Handler]:
    """Enter a function under NumPy's names."""

    def enter(function: Handler) -> Handler:
        functions.update(dict.fromkeys(names, function))
        return function

    return enter


def mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """Nested lists and tuples with a function applied to every DimArray in them."""
    if isinstance(value, Core):
        return function(value)
    if type(value) in (list, tuple):
        return type(value)(mapped(v, function) for v in value)
    if type(value) is dict:
        return {k: mapped(v, function) for k, v in value.items()}
    return value


def bare(value: Any) -> Any:
    """The raw arrays, whatever their units: for questions that no unit answers."""
    return mapped(value, lambda array: array._raw)


def pure(value: Any, operation: str) -> Any:
    """The raw numbers of pure arrays; UnitLossError for any other."""
    return mapped(value, lambda array: array._pure(operation))


def are_labels(value: Any) -> bool:
    """Whether this holds strings, dates or objects, among which masks and indices pick."""
    if isinstance(value, (list, tuple)):
        return any(isinstance(v, (str, bytes)) or are_labels(v) for v in value)
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "SUOM"


def plan(op: Op, arrays: Sequence[Any], params: Any = None) -> tuple[tuple[Any, ...], Any]:
    """Raw arrays as a rule wants them, and the units of the results."""
    raws, units = separated(tuple(arrays))
    for raw in raws:
        refuse_deaf(raw, f"np.{op.name}")
    found = planned(op, raws, units, params or {})
    return converted(found, raws), found.result


def parts(array: Any) -> tuple[Any, Unit]:
    """The raw numbers and the unit of one argument; a bare number is a pure one."""
    (raw,), (unit,) = separated((array,))
    refuse_deaf(raw, "this function of NumPy")
    return raw, unit if isinstance(unit, Unit) else PURE


def is_deaf(raw: Any) -> bool:
    """Whether NumPy would take another library's array for numbers of its own, or not at all."""
    if raw is None or not interpreter_of(type(raw)).rank:
        return False
    return getattr(type(raw), "__array_function__", None) is None


def refuse_deaf(raw: Any, name: str) -> None:
    """An error for an array that NumPy's functions would turn into one of NumPy's."""
    if is_deaf(raw):
        refuse_traced(raw, name)
        library = interpreter_of(type(raw)).name
        reason = f"it works on NumPy's own arrays only, and this is one of {library}"
        raise UnsupportedFunction(name, reason, "convert it: x.to_backend('numpy')")


def refuse_traced(raw: Any, name: str, hint: str | None = None) -> None:
    """An error for a value that is being differentiated, which NumPy's own code cannot follow."""
    if is_followed(raw):
        raise refused(name, raw.trace.verb, hint or raw.trace.hint)


def normal_axis(axis: int, ndim: int) -> int:
    """An axis counted from the front; NumPy's own error if there is none such."""
    return int(np.lib.array_utils.normalize_axis_index(axis, ndim))
