"""Arrays in blocks, cut in every way: into one block, blocks of one element, and uneven ones."""

from typing import Any

import dask.array as da
import numpy as np
from hypothesis import strategies as st

from dimflow.array import DimArray

WAYS = ("uneven", "ones", "one")


def cut(rng: np.random.Generator, length: int, way: str) -> tuple[int, ...]:
    """The lengths of the blocks along an axis."""
    if way == "one" or not length:
        return (length,)
    if way == "ones":
        return (1,) * length
    found: list[int] = []
    while length:
        found.append(int(rng.integers(1, length + 1)))
        length -= found[-1]
    return tuple(found)


def in_blocks(rng: np.random.Generator, value: Any, way: str) -> Any:
    """An array as one of Dask's; a list of them each; anything else as it is."""
    if isinstance(value, DimArray):
        return DimArray(in_blocks(rng, value.data, way), value.unit)
    if isinstance(value, (list, tuple)):
        return type(value)(in_blocks(rng, part, way) for part in value)
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    array = np.asarray(value)
    chunks = tuple(cut(rng, length, way) for length in array.shape)
    return da.from_array(array, chunks=chunks, name=False)


def lengths(length: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Every way to cut an axis."""
    if length < 2:
        return st.just((length,))
    marks = st.sets(st.integers(1, length - 1))
    return marks.map(lambda found: tuple(np.diff([0, *sorted(found), length]).tolist()))


@st.composite
def chunkings(draw: Any, shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Every way to cut an array."""
    return tuple(draw(lengths(length)) for length in shape)


SHAPES = st.lists(st.integers(0, 4), min_size=0, max_size=3).map(tuple)
DTYPES = st.sampled_from(["float64", "float32", "int64", "int16", "complex128", "bool"])


def numbers(seed: int, shape: tuple[int, ...], dtype: str) -> Any:
    """Random numbers of a dtype, of which some are equal."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-3, 4, shape) + (0.0 if dtype[0] in "ib" else 0.25)
    if dtype[0] == "c":
        values = values + 1j * rng.integers(-2, 3, shape)
    return np.asarray(values).astype(dtype)
