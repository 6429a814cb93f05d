"""DimExtensionArray: a column of pandas that carries a unit."""

from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any, Self

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray, no_default, take
from pandas.api.indexers import check_array_indexer

from dimflow.array import DimArray
from dimflow.array.in_place import in_unit
from dimflow.array.numpy_host.labelled import is_asked
from dimflow.errors import UnitError, UnitLossError, UnsupportedFunction
from dimflow.ops.rules.units import PURE
from dimflow.pandas.arithmetic import Arithmetic
from dimflow.pandas.dtype import DimDtype, fit_one_column
from dimflow.pandas.keys import in_keys_of
from dimflow.pandas.reading import (
    floating,
    from_texts,
    has_unit,
    is_missing,
    is_quantity,
    one_float,
    quantities,
    unboxed,
)
from dimflow.pandas.scalar import DimScalar, buckets, truth
from dimflow.pandas.summaries import Summaries
from dimflow.units import Unit
from dimflow.units.alike import is_number


class DimExtensionArray(Arithmetic, Summaries, ExtensionArray):
    """Numbers in a unit; missing values are NaN.

    An element is a DimArray of no axes, or NaN where it is missing. Plain numbers are given away
    only if that loses no unit: `series.dimflow.magnitude` has them in the column's own.
    """

    _quantities: DimArray
    _readonly = False
    __pandas_priority__ = 1500  # above other columns: Int64 * metres comes to us

    def __init__(self, values: Any, unit: Unit | str | None = None, *, copy: bool = False) -> None:
        found = quantities(values, None if unit is None else Unit(unit))
        if found.ndim != 1:
            raise UnitError(f"a column has one axis, but these values have {found.ndim}")
        self._quantities = found.copy() if copy else found

    @classmethod
    def _of(cls, found: DimArray) -> Self:
        """A column that shares an array of one axis."""
        made = cls.__new__(cls)
        made._quantities = found
        return made

    # Making

    @classmethod
    def _from_sequence(cls, scalars: Any, *, dtype: Any = None, copy: bool = False) -> Self:
        wanted = None if dtype is None else pd.api.types.pandas_dtype(dtype)
        unit = wanted.unit if isinstance(wanted, DimDtype) else None
        found = quantities(scalars, unit)
        number = wanted.number if isinstance(wanted, DimDtype) else found.dtype
        if found.dtype != number:
            return cls._of(found.astype(number))
        return cls._of(found.copy() if copy else found)

    @classmethod
    def _from_scalars(cls, scalars: Any, *, dtype: Any) -> Self:
        if not all(is_missing(value) or isinstance(value, DimArray) for value in scalars):
            raise ValueError("not all are quantities")
        return cls._from_sequence(scalars, dtype=dtype)

    @classmethod
    def _from_sequence_of_strings(cls, strings: Any, *, dtype: Any, copy: bool = False) -> Self:
        found = from_texts(strings, dtype.unit)
        return cls._of(found if dtype.number == "float64" else found.astype(dtype.number))

    @classmethod
    def _from_factorized(cls, values: Any, original: Any) -> Self:
        return cls._of(DimArray(values, original._unit))

    def _cast_pointwise_result(self, values: Any) -> Any:
        """What pandas makes of results that it computed one by one."""
        if any(isinstance(value, DimArray) for value in values):
            found = inferred(values)
            is_one = isinstance(found, DimExtensionArray) or found.dtype == bool
            return found if is_one else self._from_sequence(found)
        return super()._cast_pointwise_result(values)

    # What it is

    @property
    def _raw(self) -> Any:
        return self._quantities.data

    @property
    def _unit(self) -> Unit:
        return self._quantities.unit

    @property
    def dtype(self) -> DimDtype:
        """The unit and the kind of numbers."""
        return DimDtype(self._unit, str(self._raw.dtype))

    @property
    def nbytes(self) -> int:
        """Bytes of the numbers."""
        return int(self._raw.nbytes)

    def __len__(self) -> int:
        return len(self._raw)

    def isna(self) -> Any:
        """Where values are missing."""
        return np.isnan(self._raw)

    @property
    def quantities(self) -> DimArray:
        """The values as one array of dimflow, which shares them."""
        return self._quantities

    def to(self, unit: Unit | str, via: Any = None) -> Self:
        """The same values in another unit."""
        return self._of(self._quantities.to(unit, via))

    # Parts

    def __getitem__(self, key: Any) -> Any:
        key = check_array_indexer(self, key)
        part = self._raw[key]
        if np.ndim(part):
            result = self._of(DimArray(part, self._unit))
            result._readonly = self._readonly and part.base is not None
            return result
        return np.nan if np.isnan(part) else DimScalar(part, self._unit)

    def __iter__(self) -> Iterator[Any]:
        unit = self._unit
        return (np.nan if number != number else DimScalar(number, unit) for number in self._raw)

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._readonly:
            raise ValueError("Cannot modify read-only array")
        key = check_array_indexer(self, key)
        self._raw[key] = self._in_own_unit(value, "an assignment")

    def _in_own_unit(self, value: Any, operation: str) -> Any:
        """The numbers of values that come into this column; bare ones have no place in a unit."""
        value = unboxed(value)
        if is_missing(value):
            return np.nan
        if isinstance(value, (list, tuple, ExtensionArray)) or (
            isinstance(value, np.ndarray) and value.ndim
        ):
            value = quantities(value)
            if np.isnan(value.data).all():
                return value.data
        raw = in_unit(self._unit, value, operation)
        return floating(np.asarray(raw)) if np.ndim(raw) else one_float(raw)

    def _difference(self, value: Any, operation: str) -> DimArray:
        """A distance between values, such as a tolerance; between temperatures it is in kelvins."""
        between = (self._quantities[:0] - self._quantities[:0]).unit
        return DimArray(in_unit(between, value, operation), between)

    def take(self, indices: Any, *, allow_fill: bool = False, fill_value: Any = None) -> Self:
        """The values at places; -1 is a missing one if it may be filled."""
        fill = np.nan
        if allow_fill and fill_value is not None:
            fill = self._in_own_unit(fill_value, "a fill value")
        raw = take(self._raw, np.asarray(indices), allow_fill=allow_fill, fill_value=fill)
        return self._of(DimArray(raw.astype(self._raw.dtype, copy=False), self._unit))

    def shift(self, periods: int = 1, fill_value: Any = None) -> Self:
        """Moved by places; a fill value has a unit, as everything that comes in."""
        if fill_value is None or is_missing(fill_value):
            fill_value = None
        else:
            fill_value = self._scalar(fill_value, "shift")
        moved: Self = super().shift(periods, fill_value)
        return moved

    def insert(self, loc: int, item: Any) -> Self:
        """With another quantity at a place."""
        longer: Self = super().insert(loc, self._scalar(item, "insert"))
        return longer

    def _scalar(self, value: Any, operation: str) -> Any:
        number = self._in_own_unit(value, operation)
        return number if is_missing(number) else DimScalar(number, self._unit)

    def copy(self) -> Self:
        """A copy that shares nothing."""
        return self._of(self._quantities.copy())

    def view(self, dtype: Any = None) -> Any:
        """The same values, shared."""
        if dtype is not None:
            raise NotImplementedError(dtype)
        return self[:]

    @classmethod
    def _concat_same_type(cls, to_concat: Any) -> Self:
        unit = to_concat[0]._unit
        parts = [column._quantities.to_value(unit) for column in to_concat]
        return cls._of(DimArray(np.concatenate(parts), unit))

    # Order and groups

    def _values_for_argsort(self) -> Any:
        return self._raw

    def _values_for_factorize(self) -> tuple[Any, Any]:
        return self._raw, np.nan

    def _hash_pandas_object(self, **options: Any) -> Any:
        """Equal quantities in whatever units hash alike: Dask brings them together by it."""
        unit = self._unit.to_base()
        numbers = self._quantities.to_value(unit)
        # single precision loses digits that double keeps; what shares a hash is compared again
        coarse = {} if numbers.dtype == float else {"fineness": 10.0}
        return pd.util.hash_array(buckets(numbers, unit.dimension, **coarse) + 0.0)

    def unique(self) -> Self:
        """Every value once, in the order of appearance."""
        return self._of(DimArray(pd.unique(self._raw), self._unit))

    def value_counts(self, dropna: bool = True) -> Any:
        """How often each value appears."""
        counts = pd.Series(self._raw, copy=False).value_counts(dropna=dropna)
        index = pd.Index(self._of(DimArray(counts.index.to_numpy(), self._unit)))
        return pd.Series(counts.to_numpy(), index=index, name="count", copy=False)

    def isin(self, values: Any) -> Any:
        """Where a value is one of others, in whatever unit; those of another dimension are none."""
        values = unboxed(values)
        found = [values] if has_unit(values) else list(values)  # one array, or one by one
        self._refuse_bare(found, "isin")
        parts = [part for value in found if (part := self._as_keys(value)) is not None]
        wanted = np.concatenate([np.ravel(part) for part in parts]) if parts else np.empty(0)
        return pd.Series(self._raw, copy=False).isin(wanted).to_numpy()

    def _as_keys(self, value: Any) -> Any:
        """The numbers of a value in this column's unit; None if none can be equal to it."""
        if is_missing(value):
            return np.nan
        if not has_unit(value):
            if not is_bare(value):
                return None
            number = float(value)
            if is_number(self._unit):
                return DimArray(number).to_value(self._unit)
            is_any = np.isinf(number) or (number == 0 and self._unit.law is None)
            return number if is_any else None
        found = DimArray(value)
        is_one = fit_one_column((found.unit, self._unit))
        return in_keys_of(self._quantities, found) if is_one else None

    def _refuse_bare(self, values: Any, operation: str) -> None:
        """Raise for a bare number where values are looked up: it would not be found, unseen."""
        for value in values:
            if is_bare(value) and self._as_keys(value) is None:
                self._in_own_unit(value, operation)

    def map(self, mapper: Any, na_action: Any = None) -> Any:
        """By a function, or by a mapping whose keys are quantities."""
        if isinstance(mapper, (dict, pd.Series)):
            self._refuse_bare(mapper.keys(), "map")
        if type(mapper) is dict:
            zero = DimScalar(0.0, self._unit)
            mapper = {zero if key == 0 and is_bare(key) else key: v for key, v in mapper.items()}
        return super().map(mapper, na_action)

    def duplicated(self, keep: Any = "first") -> Any:
        """Where a value appeared before."""
        return pd.Series(self._raw, copy=False).duplicated(keep=keep).to_numpy()

    def searchsorted(self, value: Any, side: Any = "left", sorter: Any = None) -> Any:
        """Where values would be inserted to keep the order."""
        wanted = self._in_own_unit(value, "searchsorted")
        if has_unit(value := unboxed(value)):
            wanted = self._as_keys(value)
        return self._raw.searchsorted(wanted, side, sorter)

    @property
    def _mask(self) -> Any:
        """Asked of pandas' own columns only, by `pd.to_datetime` and others."""
        raise self._unsupported("this function of pandas")

    @property
    def base(self) -> Any:
        """Asked of the ends of intervals only."""
        raise self._unsupported("an interval of pandas")

    def _unsupported(self, function: str) -> UnsupportedFunction:
        return UnsupportedFunction(function, "it takes plain numbers", self._as_numbers())

    def _pad_or_backfill(
        self, *, method: Any, limit: int | None = None, limit_area: Any = None, copy: bool = True
    ) -> Self:
        fill = "ffill" if method in ("pad", "ffill") else "bfill"
        filled = getattr(pd.Series(self._raw), fill)(limit=limit, limit_area=limit_area)
        result = self._of(DimArray(filled.to_numpy().copy(), self._unit))
        if copy:
            return result
        self._raw[...] = result._raw
        return self

    def interpolate(
        self,
        *,
        method: Any,
        axis: int,
        index: Any,
        limit: Any,
        limit_direction: Any,
        limit_area: Any,
        copy: bool,
        **kwargs: Any,
    ) -> Self:
        """Missing values from their neighbours; by the index if the method says so."""
        unit = self._unit_between(method)
        filled = pd.Series(self._raw, index=index).interpolate(
            method=method,
            limit=limit,
            limit_direction=limit_direction,
            limit_area=limit_area,
            **kwargs,
        )
        return self._of(DimArray(filled.to_numpy().copy(), unit))

    # Other forms

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """Another unit or kind of number; quantities one by one as objects; texts."""
        wanted = pd.api.types.pandas_dtype(dtype)
        if isinstance(wanted, DimDtype):
            if not copy and wanted == self.dtype:
                return self
            found = self._quantities.to(wanted.unit, copy=copy)
            return self._of(found if found.dtype == wanted.number else found.astype(wanted.number))
        if isinstance(wanted, pd.StringDtype):
            return pd.array(self._texts(), dtype=wanted)
        if wanted.kind == "M":
            raise self._unsupported(f"astype({wanted})")
        if isinstance(wanted, pd.api.extensions.ExtensionDtype) and wanted.kind in "iuf":
            return pd.array(self._pure(f"astype({wanted})"), dtype=wanted)
        return super().astype(wanted, copy=copy)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """Quantities one by one; plain numbers only of a column of pure numbers.

        NumPy's functions get no quantities one by one, see `numpy_host.labelled`.
        """
        if dtype is None and is_asked():
            return np.array(self._pure("np.asarray(column)"), copy=copy)
        if dtype is None or np.dtype(dtype) == object:
            if copy is False:
                raise ValueError("Unable to avoid copy while creating an array as requested.")
            return boxed(list(self))
        if np.dtype(dtype).kind in "SUT":
            return np.array([str(value) for value in self], dtype=dtype)
        return np.array(self._pure("np.asarray(column)"), dtype=dtype, copy=copy)

    def _pure(self, operation: str) -> Any:
        if not is_number(self._unit):
            raise UnitLossError(operation, self._unit, self._as_numbers())
        return self._quantities._pure(operation)

    def to_numpy(self, dtype: Any = None, copy: bool = False, na_value: Any = no_default) -> Any:
        """As `np.asarray`, with another value for what is missing."""
        result = np.array(self, dtype=dtype)
        if na_value is not no_default and not is_missing(na_value):
            fill = np.empty((), dtype=result.dtype)
            fill[()] = na_value  # an array of objects takes a quantity as it is only so
            result[self.isna()] = fill
        return result

    def _values_for_json(self) -> Any:
        """Texts with their unit, `1.5 m/s`, which `astype` reads again."""
        return np.array(self._texts(), dtype=object)

    def _texts(self) -> list[str | None]:
        """Every value as `str` has it, all digits and the unit; None where it is missing."""
        after = f" {self._unit}".rstrip()
        numbers = self._raw.tolist()
        return [None if number != number else f"{number!r}{after}" for number in numbers]

    def __arrow_array__(self, type: Any = None) -> Any:
        """A column of Arrow, whose type carries the unit."""
        from dimflow.pandas.arrow import to_arrow

        return to_arrow(self._quantities, type)

    def _formatter(self, boxed: bool = False) -> Callable[[Any], str]:
        digits = pd.get_option("display.precision")

        def text(value: Any) -> str:
            if is_missing(value):
                return "NaN"
            number = f"{value.item():.{digits + 1}g}"
            return f"{number} {value.unit}".rstrip()

        return text


def is_bare(value: Any) -> bool:
    """Whether a value is a number without a unit, and no truth."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def boxed(values: list[Any]) -> Any:
    """An array of objects, one for each value."""
    made = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):  # NumPy takes an array without axes as it is only so
        made[place] = value
    return made


def inferred(objects: Any) -> Any:
    """Quantities one by one as the column that they make; objects as they are if they make none.

    A NaN is missing in whatever unit: where a speed is missing, so is its inverse. Truths are
    plain, so that a column of them is a mask.
    """
    if any(is_quantity(v) and np.ndim(v) for v in objects):
        return objects  # an array in every cell
    quantities = [DimArray(v) if is_quantity(v) else v for v in objects]
    plain = list(map(truth, quantities))
    if any(value is not found for value, found in zip(plain, quantities, strict=True)):
        is_mask = all(isinstance(value, (bool, np.bool_)) for value in plain)
        return np.array(plain) if is_mask else boxed(plain)
    is_there = [not is_missing(v) and not (is_quantity(v) and np.isnan(v)) for v in quantities]
    known = [v for v, there in zip(quantities, is_there, strict=True) if there]
    if not known or not all(map(is_quantity, known)):
        return objects
    unit = known[0].unit
    if not fit_one_column(v.unit for v in known):
        return objects
    numbers = np.full(len(quantities), np.nan)
    numbers[is_there] = [one_float(v.to_value(unit)) for v in known]
    return numbers if unit is PURE else DimExtensionArray(numbers, unit)
