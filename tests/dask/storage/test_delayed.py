"""Blocks that are Delayed: to them and from them, and what comes is what was declared."""

from typing import Any

import dask
import numpy as np
import pytest
from hypothesis import given, settings

from dimflow import DimArray, units
from dimflow.dask import DaskDimArray, from_delayed
from dimflow.errors import BlockMismatch, NotANumber, ShapeMismatch, UnitError
from tests.dask.conftest import nothing_runs
from tests.dask.storage.arrays import lazy_arrays, same


@dask.delayed
def made(value: Any) -> Any:
    return value


@given(x=lazy_arrays())
@settings(max_examples=settings.default.max_examples // 4)
def test_to_delayed_and_back(x: DaskDimArray) -> None:
    with nothing_runs():
        blocks = x.to_delayed()
        found = from_delayed(blocks, x.unit, x.shape, x.dtype, chunks=x.chunks)
    assert blocks.shape == x.numblocks
    same(found, x)
    assert found.chunks == x.chunks


def test_a_block_has_its_unit() -> None:
    x = DaskDimArray(np.arange(4.0), "m", chunks=2)
    block = x.to_delayed()[1].compute()
    assert isinstance(block, DimArray)
    assert block.unit is units.m
    assert block.tolist() == [2, 3]


def test_as_the_document_has_it() -> None:
    delayed_arrays = [made(np.full((2, 3), float(i))) for i in range(4)]
    found = DaskDimArray.from_delayed(delayed_arrays, units.m / units.s, (8, 3), float)
    assert found.chunks == ((2, 2, 2, 2), (3,))
    np.testing.assert_array_equal(found.compute().data[:, 0], [0, 0, 1, 1, 2, 2, 3, 3])
    assert found.unit is units.m / units.s


def test_one_block_and_nested_lists() -> None:
    one = DaskDimArray.from_delayed(made(np.ones(3)), "m", 3)
    assert one.compute().tolist() == [1, 1, 1]
    assert DaskDimArray.from_delayed(made(2.5), "m").compute() == DimArray(2.5, "m")
    parts = [[made(np.full((1, 2), 10.0 * i + j)) for j in range(3)] for i in range(2)]
    found = DaskDimArray.from_delayed(parts, "m", (2, 6))
    wanted = np.block([[np.full((1, 2), 10.0 * i + j) for j in range(3)] for i in range(2)])
    np.testing.assert_array_equal(found.compute().data, wanted)


def test_blocks_are_converted() -> None:
    parts = [made(DimArray([1.0], "km")), made([2.0 * units.m]), made(np.array([3.0]))]
    found = DaskDimArray.from_delayed(parts, "m", 3)
    assert found.compute().tolist() == [1000, 2, 3]


def test_numbers_are_cast_where_nothing_is_lost() -> None:
    parts = [made(np.array([1, 2])), made(np.array([3.5, 4.0], "f4"))]
    found = DaskDimArray.from_delayed(parts, "m", 4)
    assert found.compute().data.dtype == np.float64
    assert found.compute().tolist() == [1, 2, 3.5, 4]


@pytest.mark.parametrize(
    ("block", "what", "expected", "actual"),
    [
        (np.zeros(3, "f4"), "shape", "(2,)", "(3,)"),
        (np.zeros((2, 1), "f4"), "number of axes", "1", "2, shape (2, 1)"),
        (np.zeros(2, "f8"), "dtype", "float32", "float64"),
        (DimArray([1.0, 2.0], "s"), "unit", "m   [length]", "s   [time]"),
        (np.array(["a", "b"]), "result", "numbers in m", "an array of <U1"),
        (None, "result", "an array", "None"),
    ],
    ids=["shape", "axes", "dtype", "dimension", "text", "nothing"],
)
def test_a_block_that_differs_is_named(block: Any, what: str, expected: str, actual: str) -> None:
    with nothing_runs():
        found = DaskDimArray.from_delayed([made(np.zeros(2, "f4")), made(block)], "m", 4, "f4")
    assert found[:2].compute().tolist() == [0, 0]
    with pytest.raises(BlockMismatch) as caught:
        found.sum().compute()
    error = caught.value
    assert (error.what, error.expected, error.actual) == (what, expected, actual)
    assert (error.operation, error.function, error.block) == ("from_delayed", "made", (1,))


def test_what_cannot_be_planned() -> None:
    with nothing_runs():
        three = [made(np.zeros(n)) for n in (4, 4, 2)]
        with pytest.raises(UnitError, match="3 blocks of one length do not fill an axis of 10"):
            DaskDimArray.from_delayed(three, "m", 10)
        found = DaskDimArray.from_delayed(three, "m", 10, chunks=((4, 4, 2),))
        with pytest.raises(ShapeMismatch):
            DaskDimArray.from_delayed(three, "m", 10, chunks=((5, 5),))
        with pytest.raises(NotANumber, match="not Delayed"):
            DaskDimArray.from_delayed([np.zeros(3)], "m", 3)
        with pytest.raises(UnitError, match="as many blocks"):
            DaskDimArray.from_delayed([[made(1), made(2)], [made(3)]], "m", (2, 2))
        with pytest.raises(UnitError, match="no block"):
            DaskDimArray.from_delayed([], "m", (0,))
        with pytest.raises(ShapeMismatch, match="lists for 1 axes"):
            DaskDimArray.from_delayed([[made(1)]], "m", 1)
    assert found.compute().shape == (10,)
