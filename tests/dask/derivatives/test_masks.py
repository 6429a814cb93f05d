"""Gradients through x[mask], whose length only the data know: block by block, or refused."""

from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dimflow
from dimflow import autodiff, ops
from dimflow.autodiff.carrier import innermost
from dimflow.dask import DaskDimArray, map_blocks, reduction
from dimflow.errors import ComputationError, DimflowError, ShapeMismatch
from dimflow.ops.families.index.keys import split_key
from tests.contract.evaluate import is_inexact, leaves, quietly, run
from tests.contract.finite_differences import differentiable_places
from tests.contract.modes import back, drawn, program
from tests.contract.samples import cases, generator
from tests.dask.conftest import nothing_runs
from tests.dask.derivatives.programs import FIELD, METRE, assert_same, cuts, lazy_of, tasks
from tests.dask.derivatives.test_ops import DIFFERENTIABLE, in_halves

MASKED = {
    "sum": lambda x: (x[x > METRE] ** 2).sum(),
    "mean": lambda x: (x[x > METRE] ** 2).mean(),
    "std": lambda x: x[x > METRE].std(),
    "max": lambda x: x[x > METRE].max(),
    "norm": lambda x: dimflow.linalg.norm(x[x < METRE]),
    "twice": lambda x: (dimflow.exp(x[x > METRE] / METRE) * x[x > METRE]).sum(),
    "deviations": lambda x: ((x[x > METRE] - x[x > METRE].mean()) ** 2).sum(),
    "of a result": lambda x: ((2 * x).to("cm")[x > METRE] ** 2).sum(),
    "rows": lambda x: (x[x[:, 0] > METRE] ** 2).sum(),
    "means of rows": lambda x: (x[x[:, 0] > METRE] ** 2).mean(axis=0).sum(),
    "means within rows": lambda x: (x[x[:, 0] > METRE].mean(axis=1) ** 2).sum(),
    "columns": lambda x: (x[:, x[1] > METRE] ** 2 * x[:, :1]).sum(),
    "nothing": lambda x: (x[x > 9 * METRE] ** 2).sum(),
    "one after the other": lambda x: (x[:, 0][x[:, 1] > METRE] ** 3).sum() * x.sum(),
    "written back": lambda x: (x.at[x > METRE].set(x[x > METRE] ** 2 / METRE) ** 2).sum(),
}


@pytest.mark.parametrize("name", MASKED)
def test_gradients_are_those_of_eager_code(name):
    x = lazy_of(FIELD, (2, 3))
    with nothing_runs():
        found = dimflow.grad(MASKED[name])(x)
    assert_same(found, dimflow.grad(MASKED[name])(FIELD), x.chunks)


@settings(max_examples=10, deadline=None)
@given(name=st.sampled_from(sorted(MASKED)), chunks=st.tuples(cuts(6), cuts(8)))
def test_they_do_not_depend_on_blocks(name, chunks):
    x = lazy_of(FIELD, chunks)
    assert_same(dimflow.grad(MASKED[name])(x), dimflow.grad(MASKED[name])(FIELD), x.chunks)


def squares(block, axis=None, keepdims=False):
    return (block**2).sum(axis, keepdims=keepdims)


USERS = {
    "map_blocks": lambda x: map_blocks(lambda b: b**2, x[x > METRE]).sum(),
    "reduction": lambda x: reduction(x[x > METRE], squares, np.sum),
}


@pytest.mark.parametrize("name", USERS)
def test_functions_of_blocks_that_a_mask_picks_from(name):
    x = lazy_of(FIELD, (2, 3))
    with nothing_runs():
        found = dimflow.grad(USERS[name])(x)
    assert_same(found, dimflow.grad(MASKED["sum"])(FIELD), x.chunks)


@pytest.mark.parametrize("name", ["sum", "mean", "rows"])
def test_tangents_and_second_derivatives(name):
    x, t = lazy_of(FIELD, (2, 3)), FIELD**2 / METRE

    def twice(x):
        return (dimflow.grad(MASKED[name])(x) ** 2).sum()

    with nothing_runs():
        moved = dimflow.jvp(MASKED[name], (x,), (lazy_of(t, (2, 3)),))[1]
        found = dimflow.grad(twice)(x)
    assert_same(moved, dimflow.jvp(MASKED[name], (FIELD,), (t,))[1])
    assert_same(found, dimflow.grad(twice)(FIELD), x.chunks)


def test_each_block_takes_its_own_values():
    """No task holds all that a mask picks, and the graph grows as the program's."""

    def counts(blocks):
        x = DaskDimArray(np.linspace(0.1, 2.0, 10 * blocks), "m", chunks=10)
        value, found = dimflow.value_and_grad(MASKED["sum"])(x)
        return tasks(value), tasks(value, found)

    (few, few_back), (many, many_back) = counts(4), counts(32)
    assert many_back <= 3 * many
    assert many_back / many <= 1.25 * few_back / few
    x = DaskDimArray(da.linspace(0.1, 2.0, 80, chunks=10), "m")
    largest = []
    with dask.callbacks.Callback(posttask=lambda k, v, *_: largest.append(np.size(v))):
        dask.compute(dimflow.grad(MASKED["sum"])(x).sum(), optimize_graph=False)
    assert max(largest) <= 10


def test_values_of_another_length_are_an_error():
    x = DaskDimArray(np.arange(6.0), "m", chunks=3)
    other = x[x > 2 * METRE]  # none of the first block, all of the second
    with pytest.raises(ShapeMismatch, match="a mask picks in a block"):
        x.at[x < 3 * METRE].set(other).compute()


UNKNOWN = {
    "sort": lambda x: (dimflow.sort(x[x > METRE])[:2] ** 2).sum(),
    "reshape": lambda x: (x[x > METRE].reshape((-1, 1)) ** 2).sum(),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_rules_that_need_a_length_are_refused(name, lazy):
    with pytest.raises((ComputationError, ShapeMismatch)) as found:
        dimflow.grad(UNKNOWN[name])(lazy_of(FIELD, (2, 3)))
    assert "where(mask, x, 0)" in str(found.value) or "compute_chunk_sizes" in str(found.value)


# Every op of the table: the cotangent of eager code, or an error of ours, never another number

# Their own kernels leave a mistake to Dask, in one place or another.
LEFT_TO_DASK = {"layer_norm", "nanprod", "prod", "scaled_dot_product_attention", "vecdot"}
_WHOLE = split_key((da.ones(3, dtype=bool),))[0]


def of_unknown_length(x: Any) -> Any:
    """The same numbers, of which nobody knows how many rows there are."""
    if not x.ndim:
        return x
    chunks = innermost(x).chunks[:1]
    return ops.index(x, da.ones(x.shape[:1], dtype=bool, chunks=chunks), key=_WHOLE)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=() if n in ("mean", "add") else pytest.mark.deep)
        for n in DIFFERENTIABLE
        if n not in LEFT_TO_DASK
    ],
)
def test_every_op_gives_the_right_cotangent_or_refuses(name: str) -> None:
    op = ops.get(name)
    for case in cases(name):
        arrays = [i for i, a in enumerate(case.args) if isinstance(a, np.ndarray)]
        places = [i for i in differentiable_places(op, case) if case.smooth and i in arrays]
        out = leaves(quietly(run, op, case.args, case.params))
        smooth = [k for k, v in enumerate(out) if is_inexact(v)]
        if places and smooth:
            quietly(_check, op, case, places, smooth)


def _check(op: Any, case: Any, places: list[int], smooth: list[int]) -> None:
    lazy = [in_halves(value) for value in case.args]
    chosen = [lazy[i] for i in places]

    def function(*values: Any) -> tuple[Any, ...]:
        args = list(lazy)
        for i, value in zip(places, values, strict=True):
            args[i] = of_unknown_length(value)
        found = leaves(run(op, args, case.params))
        return tuple(found[k] for k in smooth)

    eager = program(op, case, places)
    rng = generator(op, 3000)
    wanted = [np.asarray(drawn(rng, leaf)) for leaf in eager.out]
    try:
        with nothing_runs():
            outs, pull = autodiff.vjp(function, chosen)
            given = list(map(in_halves, wanted))
            for k, out in enumerate(outs):
                if any(n != n for n in out.shape):  # a cotangent in its blocks: itself
                    given[k], wanted[k] = out, np.asarray(eager.out[k])
            found = pull(tuple(given))
    except DimflowError:
        return
    for got, numbers in zip(found, back(eager, tuple(wanted)), strict=True):
        np.testing.assert_allclose(got.compute(), numbers, rtol=1e-6, atol=1e-9, err_msg=case.label)
