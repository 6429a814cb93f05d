"""New lazy arrays: filled, counted, drawn, and from data that somebody else holds."""

from typing import Any, Self

import dask.array as da
import numpy as np

from dimflow.array import DimArray
from dimflow.array.conversion import as_unit
from dimflow.units import Unit


class Making(DimArray):
    """Constructors. A unit is a `Unit` or a text; without one the numbers are pure."""

    __slots__ = ()

    @classmethod
    def _made(cls, raw: Any, unit: Unit | str | None) -> Self:
        made = object.__new__(cls)
        made._raw = raw
        made._unit = as_unit("" if unit is None else unit)
        return made

    @classmethod
    def from_array(
        cls, data: Any, unit: Unit | str | None = None, chunks: Any = "auto", **kwargs: Any
    ) -> Self:
        """From anything that is sliced like an array: NumPy's, a memory map, a dataset of a file.

        All else is for `dask.array.from_array`. The numbers are not hashed to name the array,
        unless `name=None` asks for it.
        """
        if isinstance(data, (DimArray, list, tuple, da.Array)):
            return cls(data, unit, chunks, **kwargs)  # type: ignore[call-arg]
        return cls._made(da.from_array(data, chunks, **{"name": False, **kwargs}), unit)

    @classmethod
    def from_dimarray(cls, array: DimArray, chunks: Any = "auto") -> Self:
        """From an array with a unit, of any library."""
        return cls(array, None, chunks)  # type: ignore[call-arg]

    @classmethod
    def zeros(
        cls, shape: Any, unit: Unit | str | None = None, chunks: Any = "auto", dtype: Any = float
    ) -> Self:
        """Zeros."""
        return cls._made(da.zeros(shape, chunks=chunks, dtype=np.dtype(dtype)), unit)

    @classmethod
    def ones(
        cls, shape: Any, unit: Unit | str | None = None, chunks: Any = "auto", dtype: Any = float
    ) -> Self:
        """Ones."""
        return cls._made(da.ones(shape, chunks=chunks, dtype=np.dtype(dtype)), unit)
