"""Arrays, units and chunkings for what is written and read."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from dimflow import Unit
from dimflow.dask import DaskDimArray
from tests.units.strategies import any_units, products, user_units

DTYPES = ["?", "i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", ">f4", ">i2"]


def units() -> st.SearchStrategy[Unit]:
    """Units of every kind: products, points, levels, and some that no registry knows."""
    return any_units() | products() | user_units()


@st.composite
def lazy_arrays(draw: st.DrawFn, dtypes: list[str] = DTYPES) -> DaskDimArray:
    """A lazy array of any dtype, shape (empty and without axes too), cut and unit."""
    shape = tuple(draw(st.lists(st.integers(0, 5), max_size=3)))
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 20)))
    numbers = numbers_of(rng, shape, dtype)
    chunks = tuple(draw(st.integers(1, max(n, 1))) for n in shape)
    return DaskDimArray(numbers, draw(units()), chunks=chunks)


def numbers_of(rng: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Numbers of a dtype, zeros (zarr's fill value) and NaN among them."""
    raw = rng.integers(0, 100, shape).astype(dtype)
    if dtype.kind in "fc":
        raw = np.where(rng.random(shape) < 0.2, np.nan, raw / 3).astype(dtype)
    return raw


def same(found: DaskDimArray, wanted: DaskDimArray) -> None:
    """Values, dtype (the order of bytes apart), shape, and the unit as it is spelled."""
    assert found.unit is wanted.unit
    assert found.dtype.newbyteorder("=") == wanted.dtype.newbyteorder("=")
    assert found.shape == wanted.shape
    one, other = found.compute(), wanted.compute()
    assert one.data.dtype.newbyteorder("=") == found.dtype.newbyteorder("=")
    np.testing.assert_array_equal(one.data, other.data)
