"""New lazy arrays: filled, counted, drawn, and from data that somebody else holds."""

from typing import Any, Self

import dask.array as da
import numpy as np

from dimflow.array import DimArray
from dimflow.array.conversion import as_unit
from dimflow.array.factories import in_one_unit
from dimflow.dask.random import default_rng
from dimflow.dask.small_blocks import warn_of_small_blocks
from dimflow.dask.storage.sources import Held, lazily, opened_array, with_its_unit
from dimflow.dask.storage.zarr import Opened, read_zarr
from dimflow.errors import PointError
from dimflow.ops.rules.dtypes import named
from dimflow.ops.rules.units import PURE
from dimflow.ops.rules.values import refuse_cast
from dimflow.units import Unit
from dimflow.units.meaning import Logarithmic

Like = Unit | str | None


class Making(DimArray):
    """Constructors. A unit is a `Unit` or a text; without one the numbers are pure.

    `chunks` is what Dask takes. Nothing is computed, and no numbers are hashed.
    """

    __slots__ = ()

    @classmethod
    def _made(cls, raw: Any, unit: Like) -> Self:
        warn_of_small_blocks(raw)
        made = object.__new__(cls)
        made._raw = raw
        made._unit = as_unit("" if unit is None else unit)
        return made

    @classmethod
    def from_array(cls, data: Any, unit: Like = None, chunks: Any = "auto", **kwargs: Any) -> Self:
        """From anything that is sliced like an array: NumPy's, a memory map, a dataset of a file.

        A unit that comes with the data (of a quantity, or in the attributes of a dataset) is
        converted to the one that is asked for. A memory map and a dataset are read block by block.
        All else is for `dask.array.from_array`. The numbers are not hashed to name the array,
        unless `name=None` asks for it.
        """
        kind = opened_array(data)
        if kind == "zarr":
            found: Self = read_zarr(cls, _opened(data), unit, chunks, default=PURE)
            return found
        if kind is not None:
            raw = da.from_array(data, chunks, **{"name": False, **kwargs})
            made: Self = with_its_unit(cls, raw, data.attrs, unit, repr(data), default=PURE)
            return made
        if isinstance(data, np.memmap):
            return cls._made(lazily(Held(data), chunks, "from-memmap", **kwargs), unit)
        if kwargs and type(data) is np.ndarray:
            return cls._made(da.from_array(data, chunks, **{"name": False, **kwargs}), unit)
        return cls(data, unit, chunks, **kwargs)  # type: ignore[call-arg]

    @classmethod
    def from_dimarray(cls, array: DimArray, chunks: Any = "auto") -> Self:
        """From an array with a unit, of any library."""
        return cls(array, None, chunks)  # type: ignore[call-arg]

    @classmethod
    def zeros(cls, shape: Any, unit: Like = None, chunks: Any = "auto", dtype: Any = float) -> Self:
        """Zeros."""
        return cls._made(da.zeros(shape, chunks=chunks, dtype=_dtype(dtype)), unit)

    @classmethod
    def ones(cls, shape: Any, unit: Like = None, chunks: Any = "auto", dtype: Any = float) -> Self:
        """Ones."""
        return cls._made(da.ones(shape, chunks=chunks, dtype=_dtype(dtype)), unit)

    @classmethod
    def empty(cls, shape: Any, unit: Like = None, chunks: Any = "auto", dtype: Any = float) -> Self:
        """Whatever the memory holds."""
        return cls._made(da.empty(shape, chunks=chunks, dtype=_dtype(dtype)), unit)

    @classmethod
    def full(
        cls,
        shape: Any,
        fill_value: Any,
        unit: Like = None,
        chunks: Any = "auto",
        dtype: Any = None,
    ) -> Self:
        """One value, which may carry a unit itself."""
        (value,), found = in_one_unit("full", unit, fill_value)
        refuse_cast("full", dtype, (value,), found)
        value = _scalar(value)
        kind = np.asarray(value).dtype if dtype is None else _dtype(dtype)
        return cls._made(da.full(shape, value, chunks=chunks, dtype=kind), found)

    @classmethod
    def eye(
        cls,
        N: int,
        M: int | None = None,
        k: int = 0,
        unit: Like = None,
        chunks: Any = "auto",
        dtype: Any = float,
    ) -> Self:
        """Ones on a diagonal, zeros elsewhere."""
        return cls._made(da.eye(N, chunks=chunks, M=M, k=k, dtype=_dtype(dtype)), unit)

    @classmethod
    def arange(
        cls,
        start: Any,
        stop: Any = None,
        step: Any = None,
        unit: Like = None,
        chunks: Any = "auto",
        dtype: Any = None,
    ) -> Self:
        """Equally spaced values: `arange(0, 10, 0.5, "s")`, `arange(0 * u.m, 1 * u.km, 5 * u.m)`.

        The ends and the step are in the first unit among them, or in `unit`; a bare number counts
        in `unit` where that is given.
        """
        given = [start, stop, step]
        values, found = in_one_unit("arange", unit, *(v for v in given if v is not None))
        refuse_cast("arange", dtype, values, found)
        following = iter(values)
        first, last, width = (None if v is None else _scalar(next(following)) for v in given)
        if last is None:
            first, last = 0, first
        width = 1 if width is None else width
        kind = {} if dtype is None else {"dtype": _dtype(dtype)}
        return cls._made(da.arange(first, last, width, chunks=chunks, **kind), found)

    @classmethod
    def linspace(
        cls,
        start: Any,
        stop: Any,
        num: int = 50,
        unit: Like = None,
        chunks: Any = "auto",
        endpoint: bool = True,
        dtype: Any = None,
    ) -> Self:
        """`num` values from start to stop, equally spaced."""
        (first, last), found = in_one_unit("linspace", unit, start, stop)
        refuse_cast("linspace", dtype, (0.5,), found)  # whatever the ends are
        if isinstance(found.law, Logarithmic):
            raise PointError("linspace", found, "convert the ends to the .linear unit first")
        kind = None if dtype is None else _dtype(dtype)
        ends = _scalar(first), _scalar(last)
        raw = da.linspace(*ends, num=num, endpoint=endpoint, chunks=chunks, dtype=kind)
        return cls._made(raw, found)

    @classmethod
    def random(
        cls,
        size: Any = None,
        unit: Like = None,
        chunks: Any = "auto",
        seed: Any = None,
        dtype: Any = float,
    ) -> Self:
        """Between 0 (included) and 1 (not), in a unit; `dimflow.dask.random` has all else."""
        draw = default_rng(seed).random(size, _dtype(dtype), chunks=chunks, unit=unit)
        return cls._made(draw.data, draw.unit)


def _opened(array: Any) -> Opened:
    return Opened(array, str(array.store_path))


def _dtype(dtype: Any) -> Any:
    return np.dtype(named(dtype))


def _scalar(value: Any) -> Any:
    """A number of Python's, which Dask puts into its graph as it is."""
    return value.item() if hasattr(value, "item") else value
