"""DaskDimArrays are collections of Dask's: whatever Dask does with those, with units."""

import copy
import operator
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import cloudpickle
import dask
import dask.array as da
import numpy as np
import pytest
from dask.base import is_dask_collection
from dask.graph_manipulation import bind, checkpoint, clone, wait_on

from dimflow import DimArray
from dimflow import units as u
from dimflow.dask import DaskDimArray
from dimflow.errors import UnitLossError
from tests.dask.conftest import Counted, nothing_runs

NUMBERS = np.arange(12.0).reshape(3, 4)


@pytest.fixture
def x() -> DaskDimArray:
    return DaskDimArray(NUMBERS, "km", chunks=(2, 3))


def same(found: Any, numbers: Any, unit: str) -> None:
    """The very class, numbers and unit of an eager result."""
    assert type(found) is DimArray
    assert str(found.unit) == unit
    np.testing.assert_array_equal(found.data, numbers)


# The protocol


def test_it_is_a_collection(x: DaskDimArray) -> None:
    assert is_dask_collection(x)
    assert x.__dask_keys__() == x.data.__dask_keys__()
    assert x.__dask_layers__() == x.data.__dask_layers__()
    assert dict(x.__dask_graph__()) == dict(x.data.__dask_graph__())
    assert x.__dask_scheduler__ is da.Array.__dask_scheduler__
    assert DaskDimArray.__dask_optimize__ is da.Array.__dask_optimize__


def test_a_configured_optimiser_is_used(x: DaskDimArray) -> None:
    seen = []

    def spy(graph: Any, keys: Any, **options: Any) -> Any:
        seen.append(keys)
        return graph

    with dask.config.set(array_optimize=spy):
        same((x + x).compute(), 2 * NUMBERS, "km")
    assert seen


def test_an_eager_array_is_none() -> None:
    assert not is_dask_collection(DimArray([1.0], "m"))


# compute


@pytest.mark.parametrize("scheduler", ["sync", "threads", "processes"])
def test_every_scheduler(x: DaskDimArray, scheduler: str) -> None:
    result = (x.to("m") + 1 * u.m).compute(scheduler=scheduler, num_workers=2)
    same(result, NUMBERS * 1000 + 1, "m")


def test_the_scheduler_of_the_configuration_is_used(x: DaskDimArray) -> None:
    seen = []

    def get(graph: Any, keys: Any, **options: Any) -> Any:
        seen.append(keys)
        return dask.get(graph, keys, **options)

    with dask.config.set(scheduler=get):
        same(x.compute(), NUMBERS, "km")
    assert len(seen) == 1


def test_mixed_collections_in_nested_containers(x: DaskDimArray) -> None:
    later = dask.delayed(operator.add)(1, 2)
    arguments = {"ours": [x, (x.data, 5)], "eager": DimArray([1.0], "s"), "text": "km"}
    found, three = dask.compute(arguments, later)
    same(found["ours"][0], NUMBERS, "km")
    assert type(found["ours"][1][0]) is np.ndarray
    assert found["ours"][1][1] == 5
    same(found["eager"], [1.0], "s")
    assert (found["text"], three) == ("km", 3)


def test_arrays_computed_together_share_what_they_have_in_common(x: DaskDimArray) -> None:
    """As many tasks as Dask runs for the bare arrays: the source and the square once."""
    raw_square, square = x.data**2, x**2
    with Counted() as bare:
        dask.compute(raw_square.sum(), raw_square.max(), raw_square)
    with Counted() as ours:
        total, largest, raw = dask.compute(square.sum(), square.max(), square.data)
    assert ours.tasks == bare.tasks
    same(total, (NUMBERS**2).sum(), "km**2")
    same(largest, 121.0, "km**2")
    assert type(raw) is np.ndarray


def test_known_dask_misplaces_results_of_collections_of_two_kinds_that_alternate() -> None:
    """Dask 2026.8 with its own arrays; here to see when arrays of two kinds may alternate."""
    later = dask.delayed(operator.add)(1, 2)
    assert dask.compute(da.zeros(1), later, da.ones(1))[2] == 3


def test_numbers_of_a_result_belong_to_the_caller() -> None:
    numbers = np.zeros(3)
    result = DaskDimArray(numbers, "m", chunks=3).compute()
    result[0] = 5 * u.m
    assert numbers[0] == 0


def test_optimize_and_persist_keep_values_and_units(x: DaskDimArray) -> None:
    y = x.to("m") + x
    for kept in (y.persist(), y.optimize(), *dask.persist(y), *dask.optimize(y)):
        assert type(kept) is DaskDimArray
        assert (kept.chunks, kept.dtype, kept.shape) == (y.chunks, y.dtype, y.shape)
        same(kept.compute(), 2 * NUMBERS * 1000, "m")


def test_persisted_blocks_are_not_computed_again(x: DaskDimArray) -> None:
    kept = (x + x).persist()
    with Counted() as counted:
        kept.compute()
    assert counted.tasks <= kept.npartitions + 1  # what puts the blocks together, and no sum


def test_optimize_graph_false(x: DaskDimArray) -> None:
    same((x + x).compute(optimize_graph=False), 2 * NUMBERS, "km")


def test_delayed_functions_get_eager_arrays(x: DaskDimArray) -> None:
    @dask.delayed
    def double(q: Any, factor: int = 2) -> Any:
        assert type(q) is DimArray
        return factor * q

    same(double(x).compute(), 2 * NUMBERS, "km")
    (both,) = dask.compute([double(x, factor=3), {"a": double([x][0])}])
    same(both[0], 3 * NUMBERS, "km")
    same(both[1]["a"], 2 * NUMBERS, "km")


# Manipulated graphs


def test_cloned_graphs_have_names_of_their_own(x: DaskDimArray) -> None:
    y = x + x
    copied = clone(y)
    assert copied.name != y.name
    same(copied.compute(), 2 * NUMBERS, "km")
    assert set(copied.dask.layers).isdisjoint(y.dask.layers)


def test_bind_wait_on_and_checkpoint(x: DaskDimArray) -> None:
    y = x.to("m")
    same(bind(y, x.sum()).compute(), NUMBERS * 1000, "m")
    same(wait_on(y).compute(), NUMBERS * 1000, "m")
    one, (other,) = wait_on(x, [y])
    same(one.compute(), NUMBERS, "km")
    same(other.compute(), NUMBERS * 1000, "m")
    assert checkpoint(y).compute() is None


def test_a_rebuilt_array_takes_the_new_name(x: DaskDimArray) -> None:
    rebuild, args = x.__dask_postpersist__()
    graph = {("other", *key[1:]): value for key, value in x.dask.items() if key[0] == x.name}
    renamed = rebuild(graph, *args, rename={x.name: "other"})
    assert renamed.name == "other"
    same(renamed.compute(), NUMBERS, "km")


# Copies


class Mine(DaskDimArray):
    """A class of a user's."""

    __slots__ = ()


@pytest.mark.parametrize("module", [pickle, cloudpickle], ids=lambda m: m.__name__)
def test_a_pickle_holds_the_graph(module: Any) -> None:
    x = DaskDimArray(da.ones((1000, 1000), chunks=100), "km").to("m") + 1 * u.m
    with nothing_runs():
        content = module.dumps(x)
        back = module.loads(content)
    assert len(content) < 200_000  # the numbers would be 8 MB
    assert type(back) is DaskDimArray
    assert (back.name, back.chunks, back.unit) == (x.name, x.chunks, x.unit)
    same(back.compute(), np.full((1000, 1000), 1001.0), "m")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, DaskDimArray.copy])
def test_copies_do_not_see_what_is_assigned(x: DaskDimArray, copied: Any) -> None:
    with nothing_runs():
        other = copied(x)
        x[0] = 7 * u.km
    assert type(other) is DaskDimArray
    same(other.compute(), NUMBERS, "km")


def test_a_users_class_stays_through_persist_and_pickle() -> None:
    mine = Mine([1.0, 2.0], "m", chunks=1)
    assert type(mine.persist()) is Mine
    assert type(cloudpickle.loads(cloudpickle.dumps(mine))) is Mine
    assert type(mine.optimize()) is Mine


def test_it_is_not_hashable(x: DaskDimArray) -> None:
    with pytest.raises(TypeError):
        hash(x)


def test_it_holds_no_numbers(x: DaskDimArray) -> None:
    huge = DaskDimArray(da.ones((100_000, 100_000)), "m")
    assert dask.sizeof.sizeof(huge) < 1000
    assert dask.sizeof.sizeof(DimArray(np.zeros(100_000), "m")) >= 800_000
    assert dask.sizeof.sizeof(DimArray(2.0, "m")) < 1000


# Nothing takes the numbers without the unit


def test_dask_takes_in_pure_numbers_alone(x: DaskDimArray) -> None:
    with pytest.raises(UnitLossError, match="km"):
        x.to_dask_array()
    assert type((x / (1 * u.m)).to_dask_array()) is da.Array
    assert float((x / (1 * u.m)).to_dask_array()[0, 1].compute()) == 1000.0


# Threads


def test_graphs_built_in_many_threads_are_right() -> None:
    """Units are interned and converters kept: threads that make them at once agree."""
    barrier = threading.Barrier(8)

    def build(number: int) -> DaskDimArray:
        barrier.wait()
        x = DaskDimArray(np.arange(6.0) + number, f"{number + 2}*km", chunks=2)
        for _ in range(5):
            x = (x.to("m") + x) / 2
        return x.to("cm").sum()

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(build, range(8)))
    for number, result in enumerate(dask.compute(*made)):
        expected = (np.arange(6.0) + number).sum() * (number + 2) * 1e5
        assert str(result.unit) == "cm"
        np.testing.assert_allclose(result.data, expected, rtol=1e-12)
