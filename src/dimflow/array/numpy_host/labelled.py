"""NumPy's functions on columns of pandas and arrays of xarray: those of the array in them.

NumPy makes plain arrays of what it does not know. That loses a unit, or mixes quantities one by one
with bare numbers: `np.where(mask, series, 5)`. So NumPy asks these classes first, as it asks other
libraries' arrays. What is a method of theirs (`np.mean`, `np.cumsum`) stays their own.

Labels whose unit is an attribute are quantities, as beside others: `np.diff(wind.x)`. Beside bare
numbers, and where no unit comes out, they are plain numbers as in xarray: `np.interp(45.0, x, y)`.
"""

import sys
from collections.abc import Callable
from contextvars import ContextVar
from types import FrameType
from typing import Any

import numpy as np

from dimflow.array.dimarray import DimArray
from dimflow.array.durations import is_duration
from dimflow.array.guests import guest_of, rounding
from dimflow.errors import DimflowError
from dimflow.ops.rules.units import PURE

_kinds: tuple[type, ...] = ()
_plain = ContextVar("_plain", default=False)  # functions of NumPy within one on plain labels
_AROUND = ("numpy", "xarray", "dimflow")  # what may stand between a function of NumPy and us


class _Protocol:
    """NumPy looks into the class; who asks an object whether it is an array hears what it was."""

    def __get__(self, found: Any, kind: type) -> Callable[..., Any]:
        if found is not None:
            raise AttributeError("__array_function__")
        return array_function


def take_part(*kinds: Any) -> None:
    """Make NumPy ask objects of these classes before it makes plain arrays of them."""
    global _kinds
    _kinds += kinds
    for kind in kinds:
        kind.__array_function__ = _Protocol()


def array_function(found: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """What NumPy calls: the function as it is, or on arrays with units where that refuses."""
    if getattr(function, "_implementation", None) is None:  # np.array(..., like=series)
        return NotImplemented
    labels: list[DimArray] = []
    given = _each(lambda value: _counted(value, labels), (args, kwargs))
    if labels and not _plain.get():
        is_one = len({label.unit for label in labels}) == 1
        try:
            result = _called(function, types, *given)
            if not is_one or _has_unit(result):
                return result
        except DimflowError:
            if not is_one:
                raise
    token = _plain.set(bool(labels))
    try:
        return _called(function, types, args, kwargs)
    finally:
        _plain.reset(token)


def _called(function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    refusals: list[bool] = []  # filled by `is_asked`; a few functions hide errors
    if all(issubclass(kind, (*_kinds, DimArray)) or _is_plain(kind) for kind in types):
        try:
            result = function._implementation(*args, **kwargs)
            if not refusals:
                return result
        except Exception as error:
            if not (refusals or isinstance(error, DimflowError)):
                raise
    with rounding("x"):
        return function(*_each(_array, args), **_each(_array, kwargs))


def _counted(value: Any, labels: list[DimArray]) -> Any:
    guest = guest_of(type(value)) if isinstance(value, _kinds) else None
    counted = value if guest is None else guest.counted(value)
    if guest is not None and counted is not value:
        labels.append(guest.quantities(counted))
    return counted


def _has_unit(result: Any) -> bool:
    if isinstance(result, (list, tuple)):
        return any(map(_has_unit, result))
    guest = guest_of(type(result)) if isinstance(result, _kinds) else None
    result = result if guest is None else guest.quantities(result)
    return isinstance(result, DimArray) and result.unit is not PURE


def _is_plain(kind: Any) -> bool:
    """Whether an array has no say of its own in functions of NumPy."""
    return bool(kind.__array_function__ is np.ndarray.__array_function__)


def _array(value: Any) -> Any:
    """The array in such an object; anything else as it is."""
    guest = guest_of(type(value)) if isinstance(value, _kinds) else None
    if guest is None:
        return value
    inner = guest.quantities(value)
    if is_duration(inner):
        return DimArray(inner)
    return inner if hasattr(inner, "__array_function__") else np.asarray(inner)


def _each(function: Callable[[Any], Any], value: Any) -> Any:
    """A function of every object, also of those in lists."""
    if isinstance(value, dict):
        return {name: _each(function, part) for name, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_each(function, part) for part in value)
    return function(value)


def is_asked() -> bool:
    """Whether a function of NumPy makes a plain array of the object that asks this."""
    found = False
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if frame.f_code is _called.__code__:
            frame.f_locals["refusals"].append(True)
            found = True
        is_series = package == "pandas" and frame.f_code.co_name == "__array__"
        frame = frame.f_back if is_series or package in _AROUND else None
    return found
