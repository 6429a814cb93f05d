"""From anything array-like to a raw array and a unit."""

from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.conversion import as_unit
from dimflow.array.core import Core, is_followed
from dimflow.array.durations import is_duration
from dimflow.array.guests import guest_of
from dimflow.backends import backend as backend_named
from dimflow.errors import NotANumber, UnitError
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import BARE, PURE
from dimflow.ops.rules.values import refuse_cast
from dimflow.units import Unit
from dimflow.units.alike import are_alike
from dimflow.units.conversion import cannot_convert
from dimflow.units.typed_quantities import read_value

_NUMBERS = frozenset({int, float, complex, bool})
_LARGEST = 1 << 63  # of NumPy's integers
PLAIN = _NUMBERS | {list, tuple, np.ndarray, np.float64, np.int64}  # these carry no unit themselves


def raw_and_unit(
    data: Any,
    unit: Any,
    dtype: Any,
    backend: str | None,
    device: Any,
    copy: bool | None,
    **options: Any,
) -> tuple[Any, Unit]:
    """What `DimArray(...)` holds. The options are for the `asarray` of a backend that has some."""
    target = None if unit is None else as_unit(unit)
    source: Unit | None
    if isinstance(data, str):
        data = _typed(data, target)
    if isinstance(data, (list, tuple)) and _holds_arrays(data):
        first = _first_unit(data)
        source = None if first is None else target or first  # None: bare numbers alone
        data = _stacked(data, source or PURE, is_asked=target is not None)
    else:
        data, source = _unwrapped(data)
    unit = target or source or PURE
    convert = None if source is None else checked_converter(source, unit)
    if convert is not None:  # before a cast: integers in one unit are fractions in another
        data, copy = convert(_raw(data, None, backend, device, copy, **options)), None
    refuse_cast("DimArray", dtype, (data,), unit)
    return _raw(data, dtype, backend, device, copy, **options), unit


def assembled(values: Any) -> Any:
    """A list as the array that it is, if it holds arrays: with a unit if one of them has one."""
    if not _holds_arrays(values):
        return values
    from dimflow.array.dimarray import DimArray, wrap

    if _first_unit(values) is not None:
        return DimArray(values)
    raw = _stacked(values, PURE, is_asked=False)
    return wrap(raw, BARE) if _holds_ours(values) else raw


def _holds_ours(values: Any) -> bool:
    return any(
        _holds_ours(v) if isinstance(v, (list, tuple)) else isinstance(v, Core) for v in values
    )


def _typed(text: str, default: Unit | None) -> Any:
    """`"65 mile/hour"` as the product of a number and a unit; whole numbers as integers."""
    from dimflow.array.dimarray import wrap

    value, typed, unit = read_value(text, default)
    is_whole = isinstance(value, Fraction) and typed.lstrip("+-").isdigit()
    if is_whole and -_LARGEST < value < _LARGEST:
        return wrap(np.asarray(int(value))[()], unit)
    try:
        number = float(value)
    except OverflowError:  # 1e400, as float("1e400") has it
        number = -inf if typed.startswith("-") else inf
    return wrap(np.asarray(number)[()], unit)


def _raw(
    data: Any, dtype: Any, backend: str | None, device: Any, copy: bool | None, **options: Any
) -> Any:
    if backend is not None:
        library: Any = backend_named(backend)
        return library.asarray(data, dtype=dtype, device=device, copy=copy, **options)
    if isinstance(data, (str, bytes, dict, set)) or data is None:
        raise NotANumber("DimArray", f"{type(data).__name__} {data!r:.60}")
    interpreter: Any
    try:
        interpreter = interpreter_of(type(data))
    except NotANumber:
        interpreter = backend_named("numpy")  # whatever offers __array__ or a buffer
    if not hasattr(interpreter, "asarray"):
        return data if dtype is None else ops.astype(data, dtype)  # a traced value
    return interpreter.asarray(data, dtype=dtype, device=device, copy=copy)


def _unwrapped(value: Any) -> tuple[Any, Unit | None]:
    """The numbers and the unit of something that may carry one: ours, or a peer's."""
    if type(value) in PLAIN and not is_duration(value):
        return value, None
    if isinstance(value, Core):
        return value._raw, None if value._unit is BARE else value._unit
    guest = guest_of(type(value))
    if guest is not None:  # whatever the labels, the values may have a unit
        value = guest.quantities(value)
        if isinstance(value, Core):
            return value._raw, value._unit
    from dimflow.array.peers import read

    found = read(value)
    if found is not None:
        return found
    unit = getattr(value, "unit", None)
    if unit is None:
        unit = getattr(value, "units", None)
    if unit is not None and not callable(unit) and not isinstance(value, type):
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        problem = f"dimflow does not know how to read the unit ({unit!s:.40}) of a {kind}"
        raise UnitError(problem, "give the numbers and the unit: DimArray(numbers, unit)")
    return value, None


def _holds_arrays(values: Any) -> bool:
    """Whether these are put together by an op: quantities, other libraries' arrays, tracers."""
    return any(
        _holds_arrays(v)
        if isinstance(v, (list, tuple))
        else is_followed(v) or _rank(v) > 0 or _unwrapped(v)[1] is not None
        for v in values
        if type(v) not in _NUMBERS  # most lists hold nothing else
    )


def _rank(value: Any) -> int:
    """That of the library whose array it is: 0 for NumPy's, and for what is none."""
    try:
        return interpreter_of(type(value)).rank
    except NotANumber:
        return 0


def _first_unit(values: Any) -> Unit | None:
    for v in values:
        unit = _first_unit(v) if isinstance(v, (list, tuple)) else _unwrapped(v)[1]
        if unit is not None:
            return unit
    return None


def _stacked(value: Any, unit: Unit, is_asked: bool) -> Any:
    """Nested lists of quantities as one raw array of their own library, in one unit.

    Numbers become levels, and levels numbers, where that unit was asked for.
    """
    from dimflow.array.in_place import in_unit

    if isinstance(value, (list, tuple)):
        parts = [_stacked(v, unit, is_asked) for v in value]
        arrays = [part for part in parts if interpreter_of(type(part)).rank]
        if not arrays:
            return parts
        if not shape_of(arrays[0]):  # a number stands beside others
            zero = ops.zeros_like(arrays[0])
            parts = [zero + part if type(part) in _NUMBERS else part for part in parts]
        return ops.stack(parts)
    raw, source = _unwrapped(value)
    if source is None:
        return in_unit(unit, raw, "a list of numbers and quantities")
    if not (is_asked or are_alike(source, unit)):
        raise cannot_convert(source, unit)
    convert = checked_converter(source, unit)
    return raw if convert is None else convert(raw)
