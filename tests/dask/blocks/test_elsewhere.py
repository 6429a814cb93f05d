"""Functions of blocks on other threads, in other processes and on a cluster."""

from typing import Any

import cloudpickle
import dask
import dask.array as da
import numpy as np
import pytest

from dimflow import DimArray, Unit
from dimflow import units as u
from dimflow.dask import DaskDimArray, coarsen, delayed, map_blocks, reduction, stencil
from dimflow.errors import BlockMismatch, NotANumber, UnitConversionError
from tests.dask.blocks.functions import kinetic, root, seconds_where_large, squares, total

NUMBERS = np.arange(12.0).reshape(3, 4)


@pytest.fixture
def x() -> DaskDimArray:
    return DaskDimArray(NUMBERS, "m", chunks=2)


def test_threads(x: DaskDimArray) -> None:
    wide = DaskDimArray(np.arange(400.0).reshape(20, 20), "m", chunks=4)
    with dask.config.set(scheduler="threads", num_workers=4):
        result = wide.map_blocks(lambda b: b**2).compute()
        with pytest.raises(BlockMismatch) as caught:
            wide.map_blocks(seconds_where_large).compute()
    np.testing.assert_array_equal(result.data, np.arange(400.0).reshape(20, 20) ** 2)
    assert isinstance(caught.value.block, tuple)


def test_processes(x: DaskDimArray) -> None:
    """All at once: a pool takes seconds to start."""
    speed = DaskDimArray(NUMBERS + 1, "m/s", chunks=2)
    mass = DaskDimArray(NUMBERS, "kg", chunks=2)
    factor = 2.0
    programs = (
        map_blocks(kinetic, mass, speed, unit="J"),
        map_blocks(lambda b: b * factor, x),
        reduction(x, squares, root, combine=total),
        coarsen(np.mean, x, {1: 2}),
        stencil(x, DimArray([[1.0, -2.0, 1.0]], "1/m**2"), "periodic"),
        x.map_overlap(np.square, depth=1, boundary=3 * u.km),
    )
    with dask.config.set(scheduler="processes", num_workers=2):
        energy, double, norm, coarse, curved, areas = dask.compute(*programs)
    assert [str(f.unit) for f in (energy, double, norm, coarse)] == ["J", "m", "m", "m"]
    np.testing.assert_allclose(energy.data, NUMBERS * (NUMBERS + 1) ** 2 / 2)
    np.testing.assert_array_equal(double.data, NUMBERS * 2)
    assert norm.item() == pytest.approx(np.sqrt((NUMBERS**2).sum()))
    np.testing.assert_array_equal(coarse.data, NUMBERS.reshape(3, 2, 2).mean(axis=-1))
    turned = np.roll(NUMBERS, 1, 1) + np.roll(NUMBERS, -1, 1) - 2 * NUMBERS
    np.testing.assert_array_equal(curved.data, turned)
    np.testing.assert_array_equal(areas.data, NUMBERS**2)


def test_a_pickle_keeps_the_plan(x: DaskDimArray) -> None:
    factor = 3.0
    built = x.map_blocks(lambda b: b * factor if b.size else b)
    again = cloudpickle.loads(cloudpickle.dumps(built))
    assert (again.unit, again.name) == (built.unit, built.name)
    np.testing.assert_array_equal(again.compute().data, NUMBERS * 3)
    wrong = cloudpickle.loads(cloudpickle.dumps(x.map_blocks(seconds_where_large)))
    with pytest.raises(BlockMismatch) as caught:
        wrong.blocks[1, 1].compute()
    assert caught.value.block == (1, 1)


def test_a_task_carries_no_list_of_all_blocks() -> None:
    size = 1 << 18
    few = DaskDimArray(da.ones(10 * size, chunks=size), "m").map_blocks(np.square)
    many = DaskDimArray(da.ones(5000 * size, chunks=size), "m").map_blocks(np.square)
    sizes = [len(cloudpickle.dumps(f.blocks[0].optimize().dask)) for f in (few, many)]
    assert sizes[1] < sizes[0] * 1.2


class TestDelayed:
    def test_a_declared_unit(self, x: DaskDimArray) -> None:
        @delayed(unit="km")
        def length(a: Any, extra: Any = 0) -> Any:
            assert isinstance(a, DimArray)
            return a.sum() + extra

        result = length(x, extra=1 * u.m).compute()
        assert result.unit is Unit("km")
        assert result.to_value("m") == pytest.approx(NUMBERS.sum() + 1)

    def test_plain_results_count_and_others_raise(self, x: DaskDimArray) -> None:
        assert delayed(lambda a: a.to_value("m").sum(), unit="m")(x).compute() == 66 * u.m
        with pytest.raises(UnitConversionError, match="cannot convert m to s") as caught:
            delayed(np.sum, unit="s")(x).compute()
        assert caught.value.__notes__ == ["in delayed sum, which gives m: unit='s' was declared"]
        with pytest.raises(NotANumber, match="the result of delayed lambda"):
            delayed(lambda a: None, unit="s")(x).compute()
        with pytest.raises(NotANumber, match="conditions"):
            delayed(lambda a: a > 1 * u.m, unit="m")(x).compute()

    def test_an_array_of_what_is_delayed(self) -> None:
        read = delayed(lambda n: np.full(3, float(n)), unit="m", pure=True)
        assert read(2).key == read(2).key
        parts = [DaskDimArray.from_delayed(read(n), "m", (3,), float) for n in range(2)]
        joined = np.concatenate(parts)
        assert joined.unit is Unit("m")
        np.testing.assert_array_equal(joined.compute().data, [0, 0, 0, 1, 1, 1])

    def test_without_a_unit_it_is_dasks(self, x: DaskDimArray) -> None:
        assert delayed(np.sum)(x).compute() == 66 * u.m
