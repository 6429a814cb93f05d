"""DimScalar: an element of a column. pandas needs scalars that it can hash and knows as such."""

from typing import Any

import numpy as np

from dimflow.array import DimArray
from dimflow.units import Unit


class DimScalar(DimArray):
    """One quantity. It hashes by what it means, so that 1 km and 1000 m are one key."""

    __slots__ = ()

    __iter__: Any = None  # or pandas takes it for a list

    @property
    def __array__(self) -> Any:
        """Not there: an array of such elements is an array of objects, each with its unit."""
        raise AttributeError("__array__")

    def __init__(self, number: Any, unit: Unit) -> None:
        self._raw = np.float64(number)
        self._unit = unit

    def _like(self, raw: Any, unit: Unit) -> Any:
        made = object.__new__(DimArray if getattr(raw, "ndim", 0) else DimScalar)
        made._raw = raw
        made._unit = unit
        return made

    def __hash__(self) -> int:  # type: ignore[override]
        return hash((self.dimension, float(self.to_value(self.unit.to_base()))))

    def __eq__(self, other: object) -> Any:
        return DimArray.__eq__(self, other)

    def __str__(self) -> str:
        return f"{float(self._raw)!r} {self._unit}".rstrip()

    def __repr__(self) -> str:
        return f"DimScalar({self.item()!r}, {str(self.unit)!r})"
