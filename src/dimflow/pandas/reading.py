"""From what pandas hands over to numbers in a unit: lists with gaps, texts, columns, quantities."""

from collections.abc import Iterable
from decimal import Decimal
from numbers import Number, Rational
from typing import Any

import numpy as np
import pandas as pd

from dimflow.array import DimArray
from dimflow.array.core import Core
from dimflow.array.in_place import in_unit
from dimflow.array.peers import read as read_peer
from dimflow.constants.constant import Constant
from dimflow.errors import NotANumber, UnitError
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit


def is_missing(value: Any) -> bool:
    """Whether this is one of Python's, NumPy's and pandas' ways to say that there is no value."""
    if value is None or value is pd.NA or value is pd.NaT:
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def is_quantity(value: Any) -> bool:
    """Whether a value is dimflow's own: an array or a constant."""
    return isinstance(value, (Core, Constant))


def has_unit(value: Any) -> bool:
    """Whether a value says its unit itself."""
    return is_quantity(value) or read_peer(value) is not None


def quantities(values: Any, unit: Unit | None = None) -> DimArray:
    """A column of values as one array. Bare numbers are in the unit, quantities converted to it."""
    values = unboxed(values)
    if has_unit(values):
        found = DimArray(values)
        return DimArray(floating(found.to_numpy(unit)), unit or found.unit)
    if isinstance(values, pd.api.extensions.ExtensionArray):
        numbers = _numbers_of(values)
        if numbers is not None:
            return DimArray(numbers, unit or PURE)
    elif isinstance(values, np.ndarray) and values.dtype.kind in "biufc":
        return DimArray(floating(values), unit or PURE)
    return _one_by_one(list(values), unit)


def unboxed(values: Any) -> Any:
    """The array in a Series, an Index or a column of ours; anything else as it is."""
    if isinstance(values, (pd.Series, pd.Index)):
        values = values.array
    if isinstance(values, pd.arrays.NumpyExtensionArray):
        return values.to_numpy()
    return getattr(values, "_quantities", values)


def numbers_in(values: Any) -> Any:
    """What DimArray takes of pandas: integers with gaps are floats, and each keeps its digits."""
    values = unboxed(values)
    is_column = isinstance(values, pd.api.extensions.ExtensionArray)
    if is_column and values.dtype.kind in "iu" and values.isna().any():
        numbers = _numbers_of(values)
        return values if numbers is None else numbers
    return values


def _numbers_of(column: Any) -> Any:
    """The numbers of another numeric column, such as Float64, with NaN where one is missing."""
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return None
    if column.dtype.kind not in "iu":
        return None if column.dtype.kind == "O" else column.to_numpy(np.float64, na_value=np.nan)
    is_there = ~np.asarray(column.isna())
    numbers = np.full(len(column), np.nan)
    numbers[is_there] = floating(column[is_there].to_numpy(f"{column.dtype.kind}8"))
    return numbers


def _one_by_one(values: list[Any], unit: Unit | None) -> DimArray:
    is_asked = unit is not None  # then texts are read too: by astype and in constructors
    if unit is not None and all(isinstance(value, str) or is_missing(value) for value in values):
        return from_texts(values, unit)
    if unit is None:
        unit = next((DimArray(value).unit for value in values if has_unit(value)), PURE)
        is_bare_refused = unit is not PURE
    else:
        is_bare_refused = any(has_unit(value) for value in values)
    numbers = np.empty(len(values))
    for place, value in enumerate(values):
        if is_missing(value):
            numbers[place] = np.nan
        elif isinstance(value, str) and is_asked:
            numbers[place] = from_text(value, unit)
        elif has_unit(value) or is_bare_refused:
            numbers[place] = one_float(in_unit(unit, value, "a column of quantities"))
        else:
            numbers[place] = one_float(value)
    return DimArray(numbers, unit)


def one_float(value: Any) -> float:
    """A number as the float that holds every digit of it, or an error."""
    if isinstance(value, (str, bytes)) or np.ndim(value):
        raise NotANumber("a column", f"{type(value).__name__} {value!r:.60}")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        is_date = isinstance(value, pd.Timestamp)
        hint = "a date is moved by durations: pd.to_timedelta(series)" if is_date else None
        raise NotANumber("a column", f"{type(value).__name__} {value!r:.60}", hint) from None
    exact = value if isinstance(value, Number) else DimArray(value).to_numpy()[()]
    if not _is_exact(exact, number):
        raise _too_long(exact)
    return number


def _is_exact(value: Any, number: float) -> bool:
    """Whether a float holds every digit that was given; `0.1` holds those of Decimal("0.1")."""
    if isinstance(value, Rational) and value.denominator == 1:
        return int(number) == value.numerator
    if isinstance(value, Decimal) and value.is_finite():
        return value in (Decimal(repr(number)), Decimal(number))
    return not isinstance(value, np.longdouble) or np.longdouble(number) == value


def floating(numbers: Any) -> Any:
    """Numbers as floats, the only ones with room for a missing value, or an error."""
    if numbers.dtype in (np.float64, np.float32):
        return numbers
    if numbers.dtype.kind == "c":
        raise NotANumber("a column", "complex numbers, which pandas cannot sort or group")
    floats = numbers.astype(np.float64)
    if numbers.dtype.kind in "iu" and (np.abs(floats) >= 2.0**53).any():
        changed = floats.astype(object) != numbers.astype(object)
    else:  # of more than 64 bits
        changed = (floats.astype(numbers.dtype) != numbers) & ~np.isnan(floats)
    if changed.any():
        raise _too_long(numbers[changed][0])
    return floats


def _too_long(number: Any) -> UnitError:
    problem = f"a column holds floating-point numbers, and {number} has too many digits for one"
    return UnitError(problem, "keep such counts in a column without a unit")


def from_texts(texts: Iterable[Any], unit: Unit) -> DimArray:
    """Numbers from texts: `1.5` is in the unit, `1.5 km` is converted to it."""
    parts = [_number_and_unit(text) for text in texts]
    numbers = np.array([number for number, _ in parts], dtype=np.float64)
    spellings = np.array([spelled for _, spelled in parts], dtype=object)
    for spelled in sorted(set(spellings) - {""}):  # one conversion a unit, not one a row
        places = spellings == spelled
        numbers[places] = in_unit(unit, DimArray(numbers[places], spelled), "a column")
    return DimArray(numbers, unit)


def from_text(text: Any, unit: Unit) -> float:
    """One number from a text; nothing is a missing value."""
    return float(from_texts([text], unit).data[0])


def _number_and_unit(text: Any) -> tuple[float, str]:
    if is_missing(text) or not str(text).strip():
        return np.nan, ""
    number, _, spelled = str(text).strip().partition(" ")
    try:
        found = float(number)
    except ValueError:
        raise NotANumber("a column", f"the text {text!r:.60}") from None
    if number.lstrip("+-").isdigit() and not _is_exact(Decimal(number), found):
        raise _too_long(number)
    return found, spelled.strip()
