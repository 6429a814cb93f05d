"""From anything array-like to a raw array and a unit."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.conversion import as_unit
from dimflow.array.core import Core
from dimflow.array.guests import guest_of
from dimflow.backends import backend as backend_named
from dimflow.errors import NotANumber, UnitError
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit

_NUMBERS = frozenset({int, float, complex, bool})
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
    if isinstance(data, (list, tuple)) and _holds_units(data):
        target = target or _first_unit(data)
        return _raw(_stacked(data, target), dtype, backend, device, copy, **options), target
    data, source = _unwrapped(data)
    raw = _raw(data, dtype, backend, device, copy, **options)
    if source is None or target is None:
        return raw, target or source or PURE
    convert = checked_converter(source, target)
    return raw if convert is None else convert(raw), target


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
        return data  # a traced value
    return interpreter.asarray(data, dtype=dtype, device=device, copy=copy)


def _unwrapped(value: Any) -> tuple[Any, Unit | None]:
    """The numbers and the unit of something that may carry one: ours, a constant, a peer's."""
    if type(value) in PLAIN:
        return value, None
    if isinstance(value, Core):
        return value._raw, value._unit
    guest = guest_of(type(value))
    if guest is not None:  # whatever the labels, the values may have a unit
        inner = guest.quantities(value)
        if isinstance(inner, Core):
            return inner._raw, inner._unit
    unit = getattr(value, "unit", None)
    if isinstance(unit, Unit):  # a constant
        return value.value, unit
    if unit is None:
        unit = getattr(value, "units", None)
    from dimflow.array.peers import read

    found = read(value)
    if found is not None:
        return found
    if unit is not None and not callable(unit) and not isinstance(value, type):
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        problem = f"dimflow does not know how to read the unit ({unit!s:.40}) of a {kind}"
        raise UnitError(problem, "give the numbers and the unit: DimArray(numbers, unit)")
    return value, None


def _holds_units(values: Any) -> bool:
    return any(
        _holds_units(v) if isinstance(v, (list, tuple)) else _unwrapped(v)[1] is not None
        for v in values
        if type(v) not in _NUMBERS  # most lists hold nothing else
    )


def _first_unit(values: Any) -> Unit:
    for v in values:
        unit = (
            (_first_unit(v) if _holds_units(v) else None)
            if isinstance(v, (list, tuple))
            else _unwrapped(v)[1]
        )
        if unit is not None:
            return unit
    return PURE


def _stacked(value: Any, unit: Unit) -> Any:
    """Nested lists of quantities as one raw array of their own library, in one unit."""
    from dimflow.array.in_place import in_unit

    if isinstance(value, (list, tuple)):
        parts = [_stacked(v, unit) for v in value]
        if all(interpreter_of(type(part)).rank == 0 for part in parts):
            return parts
        return ops.stack(parts)
    raw, source = _unwrapped(value)
    if source is None:
        return in_unit(unit, raw, "a list of numbers and quantities")
    convert = checked_converter(source, unit)
    return raw if convert is None else convert(raw)
