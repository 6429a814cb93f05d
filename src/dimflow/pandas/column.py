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
from dimflow.errors import UnitError, UnitLossError
from dimflow.pandas.arithmetic import Arithmetic
from dimflow.pandas.dtype import DimDtype
from dimflow.pandas.reading import from_texts, has_unit, is_missing, quantities, unboxed
from dimflow.pandas.scalar import DimScalar
from dimflow.pandas.summaries import Summaries
from dimflow.units import Unit


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
            return type(self)._from_sequence(values)
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
        return np.asarray(raw) if np.ndim(raw) else float(raw)

    def take(self, indices: Any, *, allow_fill: bool = False, fill_value: Any = None) -> Self:
        """The values at places; -1 is a missing one if it may be filled."""
        fill = np.nan
        if allow_fill and fill_value is not None:
            fill = self._in_own_unit(fill_value, "a fill value")
        raw = take(self._raw, np.asarray(indices), allow_fill=allow_fill, fill_value=fill)
        return self._of(DimArray(raw.astype(self._raw.dtype, copy=False), self._unit))

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
        parts = [part for value in found if (part := self._comparable(value)) is not None]
        wanted = np.concatenate([np.ravel(part) for part in parts]) if parts else np.empty(0)
        return pd.Series(self._raw, copy=False).isin(wanted).to_numpy()

    def _comparable(self, value: Any) -> Any:
        """The numbers of a value in this column's unit; None if it is of another dimension."""
        if is_missing(value):
            return np.nan
        if not has_unit(value):
            is_number = isinstance(value, Real) and self._unit.is_dimensionless
            return DimArray(float(value)).to_value(self._unit) if is_number else None
        found = DimArray(value)
        is_alike = found.dimension is self._unit.dimension
        return found.to_numpy(self._unit) if is_alike else None

    def duplicated(self, keep: Any = "first") -> Any:
        """Where a value appeared before."""
        return pd.Series(self._raw, copy=False).duplicated(keep=keep).to_numpy()

    def searchsorted(self, value: Any, side: Any = "left", sorter: Any = None) -> Any:
        """Where values would be inserted to keep the order."""
        return self._raw.searchsorted(self._in_own_unit(value, "searchsorted"), side, sorter)

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
        if isinstance(wanted, pd.api.extensions.ExtensionDtype) and wanted.kind in "iuf":
            return pd.array(self._pure(f"astype({wanted})"), dtype=wanted)
        return super().astype(wanted, copy=copy)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """Quantities one by one; plain numbers only of a column of pure numbers."""
        if dtype is None or np.dtype(dtype) == object:
            if copy is False:
                raise ValueError("Unable to avoid copy while creating an array as requested.")
            boxed = np.empty(len(self), dtype=object)
            for place, value in enumerate(self):
                boxed[place] = value
            return boxed
        if np.dtype(dtype).kind in "SUT":
            return np.array([str(value) for value in self], dtype=dtype)
        return np.array(self._pure("np.asarray(column)"), dtype=dtype, copy=copy)

    def _pure(self, operation: str) -> Any:
        if not self._unit.dimension.is_dimensionless:
            hint = f"take the numbers first: series.dimflow.to_value({str(self._unit)!r})"
            raise UnitLossError(operation, self._unit, hint)
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
