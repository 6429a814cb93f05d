"""What a function gave for a block, held against what was planned."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from dask.base import is_dask_collection

from dimflow.array.core import Core
from dimflow.array.dimarray import DimArray
from dimflow.errors import DimflowError
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.units import BARE, PURE
from dimflow.units import Unit

_NUMBERS = "biufc"  # kinds of dtype that a unit may belong to

_TO_NUMPY = "convert it: x.to_backend('numpy')"

Refuse = Callable[[str, str, str, str | None], DimflowError]  # what, expected, actual, hint


class Wanted(NamedTuple):
    """What a function has to give for every block. A unit of None stands for plain numbers."""

    unit: Unit | None = None
    dtype: Any = None  # None: whatever comes
    declares_unit: bool = False  # by the user: then results are converted into it
    declares_dtype: bool = False  # then results are cast to it, where nothing is lost


def taken_apart(result: Any) -> tuple[Any, Unit | None] | None:
    """The numbers and the unit of a function's result; None where it holds no numbers.

    A lazy array is none: Dask would not compute it within a block.
    """
    if is_dask_collection(result):
        return None
    if isinstance(result, Core):
        raw = result._raw
        unit = None if result._unit is BARE else result._unit
        return (raw if hasattr(raw, "dtype") else np.asarray(raw)), unit
    if hasattr(result, "shape") and hasattr(result, "dtype"):
        if hasattr(result, "unit") or hasattr(result, "units"):
            made = DimArray(result)  # a quantity of another library
            return made._raw, made._unit
        return result, None
    if isinstance(result, (bool, int, float, complex)):
        return np.asarray(result), None
    return None


def settled(result: Any, wanted: Wanted, shape: Any, refuse: Refuse) -> Any:
    """The raw numbers of a result, in the unit and the dtype that were planned, or an error."""
    found = taken_apart(result)
    if found is None:
        raise refuse("result", "an array", described(result), "return an array or a DimArray")
    raw, unit = found
    if not isinstance(raw.dtype, np.dtype):
        raise refuse("result", "an array of NumPy's dtypes", _library(raw), _TO_NUMPY)
    raw = _in_unit(raw, unit, wanted, refuse)
    _check_shape(raw, shape, refuse)
    return _in_dtype(raw, wanted, refuse)


def _library(raw: Any) -> str:
    return f"one of {type(raw).__module__.partition('.')[0]}"


def described(result: Any) -> str:
    """A value that is no array, in a few words."""
    return "None" if result is None else f"{type(result).__name__} {result!r:.40}"


def _in_unit(raw: Any, unit: Unit | None, wanted: Wanted, refuse: Refuse) -> Any:
    if not wanted.declares_unit:
        planned, given = wanted.unit or PURE, unit or PURE
        if planned.key is not given.key:
            raise refuse("unit", _shown(wanted.unit), _shown(unit), _unit_hint(planned, given))
        return raw
    target = wanted.unit
    assert target is not None
    if unit is None:
        _check_numbers(raw, target, refuse)
        return raw
    try:
        convert = checked_converter(unit, target)
    except DimflowError as error:
        raise refuse("unit", _shown(target), _shown(unit), None) from error
    return raw if convert is None else convert(raw)


def _check_numbers(raw: Any, target: Unit, refuse: Refuse) -> None:
    """Conditions and texts are no numbers in a unit."""
    kind = np.dtype(raw.dtype).kind
    if kind not in _NUMBERS or (kind == "b" and target.key is not PURE.key):
        raise refuse(
            "result", f"numbers in {target}", f"an array of {raw.dtype}", "leave out unit="
        )


def _check_shape(raw: Any, shape: Any, refuse: Refuse) -> None:
    """Lengths that are not known while planning may be any."""
    if shape is None:
        return
    given = tuple(raw.shape)
    if len(given) != len(shape):
        hint = "say what the function does with axes: drop_axis=, new_axis=, chunks="
        raise refuse("number of axes", str(len(shape)), f"{len(given)}, shape {given}", hint)
    if any(n != w for n, w in zip(given, shape, strict=True) if w == w):
        hint = "say which lengths the function gives: chunks="
        raise refuse("shape", str(shape), str(given), hint)


def _in_dtype(raw: Any, wanted: Wanted, refuse: Refuse) -> Any:
    if wanted.dtype is None or raw.dtype == wanted.dtype:
        return raw
    if wanted.declares_dtype and np.can_cast(raw.dtype, wanted.dtype, "safe"):
        return raw.astype(wanted.dtype)
    hint = f"end the function with .astype({str(wanted.dtype)!r})"
    if wanted.declares_dtype:
        hint = f"{hint}, or declare dtype={str(raw.dtype)!r}"
    raise refuse("dtype", str(wanted.dtype), str(raw.dtype), hint)


def _shown(unit: Unit | None) -> str:
    if unit is None:
        return "plain numbers"
    return f"{str(unit) or '1'}   {unit.dimension}"


def _unit_hint(planned: Unit, given: Unit) -> str:
    if planned.dimension is given.dimension:
        return f"declare the unit, and results are converted: unit={str(planned)!r}"
    return "a function has to give one unit, whatever the numbers are"
