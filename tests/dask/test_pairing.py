"""Arrays of unknown lengths beside one another: the right numbers or an error, never other blocks.

Dask pairs blocks by their number where lengths are unknown, and a single block with all of them; a
block of one element is then spread over whatever it meets.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray, ops
from dimflow.backends.dask_blocks.pairing import is_open
from dimflow.dask import DaskDimArray, blockwise
from dimflow.errors import DimflowError, ShapeMismatch
from tests.contract.samples import DEEP, all_cases, cases
from tests.dask.conftest import nothing_runs
from tests.dask.test_unknown_lengths import DRAWN, assert_same, numbers, unknown

VALUES = np.array([3.0, -1.0, 4.0, -1.5, 5.0, -9.0])


def picked(chunks: int = 1) -> tuple[DaskDimArray, Any]:
    """What a mask picks, lazily and in memory: blocks of one element and of none."""
    x = DaskDimArray(VALUES, "m", chunks=chunks)
    return x[x.data > 0], DimArray(VALUES[VALUES > 0], "m")


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "sub": lambda y, z: y - z,
    "add of another unit": lambda y, z: y + z.to("km"),
    "mul": lambda y, z: y * z,
    "truediv": lambda y, z: y / z,
    "floordiv": lambda y, z: y // z,
    "mod": lambda y, z: y % z,
    "less": lambda y, z: y < z,
    "equal": lambda y, z: y == z,
    "in place": operator.iadd,
    "raw array": lambda y, z: y.data * z,
    "op": dimflow.hypot,
    "np.ufunc": np.subtract,
    "np.ufunc with dtype": lambda y, z: np.subtract(y, z, dtype=float),
    "da.ufunc": lambda y, z: da.maximum(y, z),
    "where": lambda y, z: dimflow.where(y.data > 0, y, z),
    "clip": lambda y, z: dimflow.clip(y, z, None),
    "sum": lambda y, z: dimflow.sum(y, where=z.data > 3),
    "average": lambda y, z: dimflow.average(y, weights=z),
    "vdot": dimflow.vdot,
    "blockwise": lambda y, z: blockwise(operator.mul, "i", y, "i", z, "i"),
    "einsum": lambda y, z: dimflow.einsum("i,i->i", y, z),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_block_beside_many_is_an_error_while_the_program_is_written(name: str) -> None:
    y, _ = picked()
    with pytest.raises(ShapeMismatch, match="compute_chunk_sizes"), nothing_runs():
        PROGRAMS[name](y, dimflow.sort(y))


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_right_once_the_lengths_are_known(name: str) -> None:
    y, eager = picked()
    y.compute_chunk_sizes()
    found = PROGRAMS[name](y, dimflow.sort(y))
    assert_same(numbers(found), numbers(PROGRAMS[name](eager, dimflow.sort(eager))), name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_arrays_that_one_mask_picked_meet(name: str) -> None:
    y, eager = picked(2)
    found = PROGRAMS[name](y, 2 * y)
    assert_same(numbers(found), numbers(PROGRAMS[name](eager, 2 * eager)), name)


def test_blocks_of_different_lengths_are_an_error_when_they_meet() -> None:
    # Blocks of 1 and 2 elements beside blocks of 2 and 1: three of each, and one would meet two.
    x = DaskDimArray([1.0, -1.0, 5.0, 6.0], "m", chunks=2)
    y, z = x[x.data > 0], x[x.data < 6]
    for call in (PROGRAMS[name] for name in ("sub", "less", "where", "sum", "average")):
        with pytest.raises(ShapeMismatch, match="compute_chunk_sizes"):
            numbers(call(y, z))


def test_a_mask_in_one_block_picks_from_many() -> None:
    y, eager = picked()
    mask = da.from_array(np.array([True, False, True]), chunks=-1)
    found = y[da.Array(mask.dask, mask.name, ((math.nan,),), dtype=bool)]
    assert_same([found.compute().data], [eager.data[[0, 2]]], "a mask")


def test_known_lengths_are_not_asked_for() -> None:
    x = DaskDimArray(np.ones((4, 6)), "m", chunks=(1, 3))
    y = DaskDimArray(np.ones((4, 1)), "m", chunks=(2, 1))
    assert not is_open(x.data)
    np.testing.assert_array_equal((x + y).compute().data, np.full((4, 6), 2.0))


CUTS = ((1, -1), (-1, 1), *(((1, 1), (1, 2)) if DEEP else ()))


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
@pytest.mark.parametrize("cuts", CUTS, ids=str)
def test_an_op_of_several_arrays_is_right_or_an_error(cuts: tuple[int, int]) -> None:
    right = 0
    for name, op in ops.TABLE.items():
        if op.kind == "random" or op.family == "sampling" or name in DRAWN:
            continue
        for case in all_cases(name) if DEEP else cases(name)[:1]:
            eager, lazy = _cut(case, cuts)
            if lazy is None:
                continue
            try:
                found = numbers(op.run(lazy, dict(case.params)))
            except (DimflowError, ValueError):  # NumPy's, of blocks in a product of matrices
                continue
            right += 1
            assert_same(found, numbers(op.run(eager, dict(case.params))), name)
    assert right > 20


def _cut(case: Any, cuts: tuple[int, int]) -> tuple[Any, Any]:
    """The arrays of a call in memory, and lazy ones cut in different ways."""
    units = [*(case.units or ()), *[""] * len(case.args)]
    eager = tuple(
        DimArray(a, unit or "") if isinstance(a, np.ndarray) else a
        for a, unit in zip(case.args, units, strict=False)
    )
    lazy, count = list(eager), 0
    for i, a in enumerate(eager):
        if isinstance(a, DimArray) and a.ndim:
            whole = (-1,) * (a.ndim - 1)
            lazy[i] = unknown(a.data, a.unit, (cuts[min(count, 1)], *whole))
            count += 1
    return eager, tuple(lazy) if count > 1 else None


@settings(max_examples=300 if DEEP else 20, deadline=None)
@given(
    st.lists(st.floats(-5, 5), min_size=1, max_size=12),
    st.integers(1, 5),
    st.integers(1, 5),
    st.sampled_from(["sub", "less", "where", "clip"]),
)
def test_random_masks_give_the_right_numbers_or_an_error(
    values: list[float], cut: int, other: int, name: str
) -> None:
    data = np.array(values)
    x, w = (DaskDimArray(data, "m", chunks=n) for n in (cut, other))
    y, z = x[x.data > 0], w[w.data <= 1]
    try:
        found = numbers(PROGRAMS[name](y, z))
    except (DimflowError, ValueError):  # NumPy's, of arrays in one block
        return
    with np.errstate(all="ignore"):
        eager = PROGRAMS[name](DimArray(data[data > 0], "m"), DimArray(data[data <= 1], "m"))
    assert_same(found, numbers(eager), name)
