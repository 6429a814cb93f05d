"""DimScalar: an element of a column. pandas needs scalars that it can hash and knows as such."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow.array import DimArray
from dimflow.pandas.keys import are_near
from dimflow.pandas.reading import one_float
from dimflow.units import Dimension, Unit
from dimflow.units.alike import are_alike

_FINENESS = 2.0**28  # a bucket has a relative width of 4e-9, and conversions err by some 1e-16
_TEMPERATURE = Dimension("temperature")


def buckets(numbers: Any, dimension: Dimension, fineness: float = _FINENESS) -> Any:
    """The same whole number for all that rounding in a conversion may make of a number.

    Equal quantities in different units differ in their last digit in the base unit, so that digit
    cannot count. The buckets' edges lie beside the numbers that people write.
    """
    size = np.abs(numbers)
    if dimension is _TEMPERATURE:
        size = size + 1.0  # -273.15 degC is 0 K, and -459.67 degF not quite
    is_regular = (size > 0.0) & np.isfinite(size)
    found = np.floor(np.log(np.where(is_regular, size, 1.0)) * fineness + 0.3)
    return np.where(is_regular, found, numbers)


class DimScalar(DimArray):
    """One quantity. Those that compare equal hash alike: 70 ft and 21336 mm are one key."""

    __slots__ = ()

    __iter__: Any = None  # or pandas takes it for a list

    @property
    def __array__(self) -> Any:
        """Not there: an array of such elements is an array of objects, each with its unit."""
        raise AttributeError("__array__")

    def __init__(self, number: Any, unit: Unit) -> None:
        self._raw = number if type(number) is np.float64 else np.float64(one_float(number))
        self._unit = unit

    def _like(self, raw: Any, unit: Unit) -> Any:
        made = object.__new__(DimArray if getattr(raw, "ndim", 0) else DimScalar)
        made._raw = raw
        made._unit = unit
        return made

    def __hash__(self) -> int:  # type: ignore[override]
        number = float(self.to_value(self.unit.to_base()))
        if self.dimension.is_dimensionless:
            return hash(float(f"{number:.12g}"))  # as Python hashes 0.5, which 50 % equals
        return hash((self.dimension.without_angle(), float(buckets(number, self.dimension))))

    def __str__(self) -> str:
        return f"{float(self._raw)!r} {self._unit}".rstrip()

    def __repr__(self) -> str:
        return f"DimScalar({self.item()!r}, {str(self.unit)!r})"


def _are_one(left: DimScalar, right: DimScalar) -> bool:
    """Whether two are one key, see `dimflow.pandas.keys`."""
    if not are_alike(left._unit, right._unit):
        return False
    return bool(are_near(left, right))


def truth(result: Any) -> Any:
    """A truth without axes as a plain one, of which pandas makes a mask; anything else as it is."""
    if isinstance(result, DimArray) and isinstance(result._raw, (np.bool_, np.ndarray)):
        return bool(result._raw) if not result.ndim and result.dtype == bool else result
    return result


def _comparison(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if type(other) is DimScalar and other._unit is not self._unit and _are_one(self, other):
            return bool(compare(self, self))
        return truth(compare(self, other))

    return method


def _function(call: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **options: Any) -> Any:
        return truth(call(self, *args, **options))

    return method


for _name in ("__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__"):
    setattr(DimScalar, _name, _comparison(getattr(DimArray, _name)))
for _name in ("__array_ufunc__", "__array_function__", "any", "all"):
    setattr(DimScalar, _name, _function(getattr(DimArray, _name)))
