"""Blocks: what can be asked of them, other cuts, and a warning where they are too small."""

import pickle
import warnings
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest

from dimflow import DimArray
from dimflow import units as u
from dimflow.dask import DaskDimArray, SmallBlocksWarning
from tests.dask.conftest import nothing_runs

NUMBERS = np.arange(48.0).reshape(6, 8)


@pytest.fixture
def x() -> DaskDimArray:
    return DaskDimArray(NUMBERS, "km", chunks=(4, 3))


@pytest.mark.parametrize(
    "name",
    [
        "shape",
        "ndim",
        "size",
        "dtype",
        "itemsize",
        "nbytes",
        "chunks",
        "chunksize",
        "numblocks",
        "npartitions",
        "name",
    ],
)
def test_what_dask_says_of_the_blocks(x: DaskDimArray, name: str) -> None:
    with nothing_runs():
        assert getattr(x, name) == getattr(x.data, name)


def test_the_graph_is_that_of_the_inner_array(x: DaskDimArray) -> None:
    assert x.dask is x.data.dask


@pytest.mark.parametrize("chunks", [2, (6, 8), -1, "auto", {0: 3}, ((1, 5), (8,))])
def test_rechunk(x: DaskDimArray, chunks: Any) -> None:
    with nothing_runs():
        cut = x.rechunk(chunks)
    assert type(cut) is DaskDimArray
    assert cut.chunks == x.data.rechunk(chunks).chunks
    assert str(cut.unit) == "km"
    np.testing.assert_array_equal(cut.compute().data, NUMBERS)


def test_rechunk_with_balance_and_a_limit(x: DaskDimArray) -> None:
    cut = x.rechunk("auto", block_size_limit=100, balance=True)
    assert cut.chunks == x.data.rechunk("auto", block_size_limit=100, balance=True).chunks


@pytest.mark.parametrize("view", ["blocks", "partitions"])
def test_blocks_by_index(x: DaskDimArray, view: str) -> None:
    blocks = getattr(x, view)
    with nothing_runs():
        corner, row = blocks[1, 2], blocks[0]
    assert (str(corner.unit), corner.shape, row.shape) == ("km", (2, 2), (4, 8))
    np.testing.assert_array_equal(corner.compute().data, NUMBERS[4:, 6:])
    assert (blocks.shape, blocks.size) == ((2, 3), 6)
    whole = [b.compute() for b in blocks.ravel()]
    assert len(whole) == 6
    assert all(type(b) is DimArray and b.unit == u.km for b in whole)


def test_vindex(x: DaskDimArray) -> None:
    with nothing_runs():
        picked = x.vindex[[0, 5, 2], [7, 0, 2]]
    assert str(picked.unit) == "km"
    np.testing.assert_array_equal(picked.compute().data, NUMBERS[[0, 5, 2], [7, 0, 2]])


def test_lengths_that_only_the_data_know(x: DaskDimArray) -> None:
    with nothing_runs():
        large = x[x > 20 * u.km]
        assert np.isnan(large.shape[0])
        assert np.isnan(large.size)
        assert "nan" in repr(large)
        with pytest.raises(ValueError, match=r"compute_chunk_sizes\(\)"):
            len(large)
    assert large.compute().shape == (27,)
    known = large.compute_chunk_sizes()
    assert known is large
    assert known.shape == (27,)
    assert known.to("m").compute().data.min() == 21000.0


# Blocks that are too small


def made(chunks: int) -> list[Any]:
    """Every way to an array of a million numbers in blocks of a length."""
    numbers = np.zeros(1_000_000)
    whole = DaskDimArray(numbers, "m")
    return [
        lambda: DaskDimArray(numbers, "m", chunks=chunks),
        lambda: DaskDimArray(da.from_array(numbers, chunks=chunks), "m"),
        lambda: DaskDimArray.from_array(numbers, "m", chunks=chunks),
        lambda: DaskDimArray.from_dimarray(DimArray(numbers, "m"), chunks=chunks),
        lambda: DaskDimArray.zeros(1_000_000, "m", chunks=chunks),
        lambda: whole.rechunk(chunks),
    ]


@pytest.mark.parametrize("way", range(6))
def test_many_small_blocks_are_warned_of(way: int) -> None:
    with nothing_runs(), pytest.warns(SmallBlocksWarning) as caught:
        made(500)[way]()
    (warning,) = [w for w in caught if w.category is SmallBlocksWarning]
    text = str(warning.message)
    assert "2,000 blocks of 3.91 kiB" in text
    assert "chunks=(1000000,)" in text
    assert warning.filename == __file__
    assert (warning.message.blocks, warning.message.size) == (2000, 4000.0)


@pytest.mark.parametrize("way", range(6))
def test_few_or_large_blocks_are_not(way: int) -> None:
    made(10_000)[way]()  # a warning is an error here


def test_small_arrays_are_never_warned_of() -> None:
    DaskDimArray(np.zeros(999), "m", chunks=1)
    DaskDimArray(da.ones((2000, 20_000), chunks=(1, 20_000)), "m")  # many, but large


def test_unknown_lengths_are_not_warned_of() -> None:
    raw = da.from_array(np.arange(2000.0), chunks=1)
    DaskDimArray(raw[raw > 5], "m")


def test_the_warning_can_be_turned_off() -> None:
    with dask.config.set({"dimflow.warn-small-blocks": False}):
        DaskDimArray(np.zeros(5000), "m", chunks=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", da.PerformanceWarning)
        DaskDimArray(np.zeros(5000), "m", chunks=1)


def test_the_chunks_that_the_warning_proposes_give_none() -> None:
    with pytest.warns(SmallBlocksWarning) as caught:
        DaskDimArray(np.zeros((2000, 2000)), "m", chunks=20)
    better = caught[0].message.better
    DaskDimArray(np.zeros((2000, 2000)), "m", chunks=better)


def test_the_warning_pickles() -> None:
    warning = SmallBlocksWarning(2000, 4000.0, (8,), (8,))
    assert str(pickle.loads(pickle.dumps(warning))) == str(warning)
