"""Axes of what functions give for blocks: Dask's own map_blocks is the truth."""

from typing import Any

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimflow.dask import DaskDimArray, map_blocks
from dimflow.errors import BlockMismatch, ShapeMismatch
from tests.dask.conftest import nothing_runs

RAW = {n: da.ones((4, 6, 3)[:n], chunks=(2, 3, 3)[:n]) for n in (1, 2, 3)}
AXES = st.lists(st.integers(-4, 4), max_size=2, unique=True)


def built_by(make: Any, array: Any, options: dict[str, Any], **rest: Any) -> Any:
    """The lengths of a result's blocks; None where they are refused."""
    try:
        return make(lambda block: block, array, **options, **rest).chunks
    except (ValueError, IndexError):  # Dask looks for lengths that are not there
        return None


@settings(max_examples=150)
@given(
    ndim=st.integers(1, 3),
    drop=st.none() | st.integers(-4, 4) | AXES,
    new=st.none() | st.integers(0, 4) | st.lists(st.integers(0, 4), max_size=2, unique=True),
    chunks=st.none() | st.lists(st.integers(1, 5) | st.just((1, 2)), max_size=4).map(tuple),
)
def test_lengths_are_those_of_dask(ndim: int, drop: Any, new: Any, chunks: Any) -> None:
    options = {"drop_axis": drop, "new_axis": new, "chunks": chunks}
    theirs = built_by(da.map_blocks, RAW[ndim], options, dtype=float, meta=np.empty((0,)))
    lazy = DaskDimArray(RAW[ndim], "m")
    with nothing_runs():
        ours = built_by(map_blocks, lazy, options, unit="m", meta=np.empty((0,)))
    # Dask counts an axis that is named twice, as -1 and 0, twice
    is_twice = isinstance(drop, list) and len({axis % ndim for axis in drop}) < len(drop)
    assert ours == theirs or (is_twice and ours is None)


@pytest.mark.parametrize(
    ("options", "expected", "actual"),
    [
        ({"drop_axis": 2}, "a drop_axis from -2 to 1", "2"),
        ({"drop_axis": [0, -3]}, "a drop_axis from -2 to 1", "-3"),
        ({"chunks": (2,)}, "chunks= for 2 axes", "1: (2,)"),
        ({"new_axis": 4}, "a new_axis of at most 2", "4"),
    ],
    ids=["too large", "too small", "too few", "too far"],
)
def test_axes_that_there_are_not(options: dict[str, Any], expected: str, actual: str) -> None:
    with pytest.raises(ShapeMismatch) as caught:
        map_blocks(lambda b: b, DaskDimArray(RAW[2], "m"), **options)
    assert str(caught.value) == (
        f"map_blocks got the wrong shape\n  expected: {expected}\n  actual:   {actual}"
    )


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (lambda b: b.sum(axis=0), {"drop_axis": 0}),
        (lambda b: b.sum(axis=-1), {"drop_axis": [-1]}),
        (lambda b: b.sum(axis=1)[..., None], {"drop_axis": 1, "new_axis": 1}),
        (lambda b: b[None] * 2, {"new_axis": [0]}),
        (lambda b: b[:1, :2], {"chunks": (1, 2)}),
        (lambda b: np.stack([b, b]), {"chunks": (2, 2, 3)}),
    ],
    ids=["first", "last", "replaced", "new", "shorter", "new by lengths"],
)
def test_numbers_are_those_of_dask(function: Any, options: dict[str, Any]) -> None:
    numbers = da.from_array(np.arange(24.0).reshape(4, 6), chunks=(2, 3))
    ours = map_blocks(function, DaskDimArray(numbers, "m"), **options)
    theirs = da.map_blocks(function, numbers, dtype=float, **options)
    assert ours.chunks == theirs.chunks
    np.testing.assert_array_equal(ours.compute().data, theirs.compute())


@pytest.mark.parametrize("place", [0, 1])
def test_a_wrong_block_names_itself_where_axes_change(place: int) -> None:
    marks = np.zeros((4, 6))
    marks[place * 2, 0] = 9

    def total(block: Any) -> Any:
        return block.sum(axis=1) ** (2 if block.max().item() > 5 else 1)

    built = map_blocks(total, DaskDimArray(marks, "m", chunks=(2, 3)), drop_axis=1)
    with pytest.raises(BlockMismatch) as caught:
        (built + built).compute()
    assert caught.value.block == (place,)
    assert caught.value.array == built.name
