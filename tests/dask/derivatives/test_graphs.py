"""Graphs of derivatives: how many tasks they have, and what these hold."""

import dask
import numpy as np
import pytest

import dimflow
from dimflow import DimArray
from dimflow.dask import DaskDimArray
from tests.dask.conftest import Counted, nothing_runs
from tests.dask.derivatives.programs import (
    FIELD,
    METRE,
    PROGRAMS,
    RNG,
    WEIGHTS,
    assert_same,
    cubes,
    lazy_of,
    tasks,
)


@pytest.mark.parametrize("name", ["squares", "mean", "where", "exp", "diff", "roll", "positions"])
def test_the_graph_of_a_gradient_grows_as_that_of_the_program(name):
    def counts(blocks):
        x = DaskDimArray.ones((4 * blocks, 8), "m", chunks=(4, 4))
        w = lazy_of(WEIGHTS, 4)
        value, found = dimflow.value_and_grad(PROGRAMS[name], (0, 1))(x, w)
        return tasks(value), tasks(value, *found)

    (few, few_back), (many, many_back) = counts(4), counts(32)
    assert few_back <= 5 * few
    assert many_back <= 5 * many
    assert many_back / many <= 1.25 * few_back / few


def seen_once(block, calls):
    calls.append(block.shape)
    return block


def test_value_and_gradient_share_what_the_program_computes():
    calls = []
    blocks = lazy_of(FIELD, (2, 4)).data
    x = DaskDimArray(blocks.map_blocks(seen_once, calls=calls, meta=np.ones((0, 0))), "m")
    value, gradient = dimflow.value_and_grad(lambda x: (dimflow.exp(x / METRE) * x).sum())(x)
    with nothing_runs():
        assert not calls
    dask.compute(value, gradient)
    assert len(calls) == 6
    with Counted() as together:
        dask.compute(value, gradient, optimize_graph=False)
    assert 0 < together.tasks <= tasks(value, gradient)


def stored(array):
    """The bytes of memory that an array needs: those along which it repeats cost nothing."""
    steps = zip(array.shape, array.strides, strict=True)
    return array.itemsize * int(np.prod([n for n, step in steps if step]))


class LargestBlock(dask.callbacks.Callback):
    """The largest array that any task gives."""

    def __init__(self):
        super().__init__(posttask=self._seen)
        self.size = 0

    def _seen(self, key, result, graph, state, worker):
        if isinstance(result, np.ndarray):
            self.size = max(self.size, stored(result))


@pytest.mark.parametrize(
    "program",
    [
        lambda x: (x * 3.0).sum(),
        lambda x: (x / 3.0).mean(),
        lambda x: (2.0 * x).mean(axis=0).sum(),
        lambda x: (x**2).std(),
        lambda x: (2.0 * x)[:, 1:].sum(),
        lambda x: (x[1:] - x[:-1]).sum(),
        lambda x: (x.T * 2.0).sum(),
        lambda x: (x * 2.0).rechunk((20, 20)).sum() if hasattr(x, "chunks") else (x * 2.0).sum(),
    ],
    ids=["sum", "mean", "columns", "std", "slices", "differences", "transposed", "rechunked"],
)
def test_no_task_of_a_gradient_holds_more_than_a_block_or_two(program):
    x = DaskDimArray(RNG.uniform(1, 2, (100, 120)), "m", chunks=(20, 30))
    gradient = dimflow.grad(program)(x)
    with LargestBlock() as largest:
        found = dask.compute(gradient, optimize_graph=False)[0]
    np.testing.assert_allclose(found.data, dimflow.grad(program)(x.compute()).data)
    assert largest.size <= 2 * 20 * 30 * 8


def test_no_trace_is_in_the_graph():
    import cloudpickle

    x = lazy_of(FIELD, (2, 4))
    found = dimflow.grad(lambda x: (dimflow.grad(cubes)(x) ** 2).sum())(x)
    assert b"dimflow.autodiff" not in cloudpickle.dumps(dict(found.__dask_graph__()))


def test_constants_are_not_computed():
    constant = lazy_of(DimArray(RNG.uniform(size=(100, 100)), "s"), 50)
    numbers = DimArray(np.arange(10_000.0).reshape(100, 100), "s")
    x = DaskDimArray(np.ones((100, 100)), "m", chunks=50)
    with nothing_runs():
        found = dimflow.grad(lambda x: (x * constant * numbers).sum())(x)
    np.testing.assert_allclose(found.compute().data, constant.compute().data * numbers.data)
    eager = x.compute()
    with nothing_runs():  # which may meet lazy constants
        found = dimflow.grad(lambda x: (x * constant).sum())(eager)
    assert_same(found, constant.compute())
