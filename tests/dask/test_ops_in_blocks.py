"""Ops on blocks: what goes to other processes, what is gathered, draws, counts, windows."""

import pickle
import warnings
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from dask.array.core import PerformanceWarning
from dask.base import tokenize
from hypothesis import given, settings
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.backends.dask_blocks.block_op import BlockOp, joined
from dimflow.backends.dask_blocks.looping import along, trailing
from dimflow.dask import DaskDimArray
from dimflow.errors import DimensionError, ShapeMismatch, UnitError
from tests.contract.samples import DEEP
from tests.dask.conftest import nothing_runs

FEW = settings(max_examples=300 if DEEP else 10)

NUMBERS = np.random.default_rng(0).normal(size=(4, 5, 6))


def cut(numbers: Any = NUMBERS, chunks: Any = (2, 2, 4)) -> Any:
    return da.from_array(np.asarray(numbers), chunks=chunks, name=False)


# Functions of blocks


def test_a_function_of_blocks_goes_to_other_processes_by_name() -> None:
    call = BlockOp(ops.softmax, (cut(),), {"axis": 1})
    data = pickle.dumps(call)
    assert len(data) < 300
    back = pickle.loads(data)
    np.testing.assert_array_equal(back(NUMBERS), call(NUMBERS))
    assert tokenize(back) == tokenize(call)
    assert tokenize(BlockOp(ops.softmax, (cut(),), {"axis": 2})) != tokenize(call)
    assert tokenize(BlockOp(ops.log_softmax, (cut(),), {"axis": 1})) != tokenize(call)
    assert call.__name__ == "softmax"


def test_names_depend_on_what_goes_in_and_on_nothing_else() -> None:
    raw = da.arange(12.0, chunks=5)
    assert ops.erf(raw).name == ops.erf(raw).name != ops.erf(raw + 1).name
    assert ops.median(raw).name == ops.median(raw).name
    assert ops.quantile(raw, 0.2).name != ops.quantile(raw, 0.3).name


def test_blocks_may_be_single_numbers_and_empty() -> None:
    call = BlockOp(ops.erf, (cut(),), {})
    assert call(np.float64(0.0)) == 0.0
    assert call(np.empty((0, 3))).shape == (0, 3)
    assert ops.erf(da.from_array(np.float64(0.5))).compute() == ops.erf(np.float64(0.5))
    assert ops.median(da.from_array(np.float64(0.5))).compute() == 0.5
    assert ops.softmax(cut(np.empty((0, 3)), chunks=(1, 2)), axis=1).compute().shape == (0, 3)


@FEW
@given(st.tuples(*[st.integers(1, 6)] * 3), st.integers(0, 2))
def test_what_is_gathered_is_the_axis_alone(chunks: Any, axis: int) -> None:
    raw = cut(chunks=chunks)
    got = along(ops.prod_of_others, (raw,), {"axis": axis}, (axis,))
    kept = [i for i in range(3) if i != axis]
    assert [got.chunks[i] for i in kept] == [raw.chunks[i] for i in kept]
    assert got.numblocks[axis] == 1
    np.testing.assert_allclose(got.compute(), ops.prod_of_others(NUMBERS, axis=axis))


def test_one_block_is_not_copied_to_be_gathered() -> None:
    block = np.ones((2, 3))
    same = BlockOp(ops.copy, (cut(),), {}, [(0, 1)])
    assert joined([[block]], (0, 1)) is block
    np.testing.assert_array_equal(same([[block, block]]), np.ones((2, 6)))


def test_several_results_come_of_one_call() -> None:
    params = {"full_matrices": False, "compute_uv": True, "hermitian": False}
    with nothing_runs():
        found = trailing(ops.svd, (cut(),), params, [2])
    wanted = np.linalg.svd(NUMBERS, full_matrices=False)
    for got, want in zip(dask.compute(*found), wanted, strict=True):
        np.testing.assert_allclose(got, want, atol=1e-12)
    assert found.S.chunks == ((2, 2), (5,))


def test_blocks_that_become_far_too_large_are_warned_of() -> None:
    raw = da.zeros((4000, 100), chunks=(100, 100))
    with dask.config.set({"array.chunk-size": "256KiB"}):
        with pytest.warns(PerformanceWarning) as caught:
            ops.median(raw, axis=0)
        (warning,) = caught
        assert str(warning.message) == (
            "median needs axis 0 in one block: blocks of 78.12 kiB become blocks of 3.05 MiB. Cut "
            "the other axes finer first: x.rechunk(...)"
        )
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ops.median(raw, axis=1)
            ops.median(raw.rechunk((-1, 10)), axis=0)


@pytest.mark.parametrize(
    ("name", "params"),
    [("sort", {"axis": 0}), ("fft", {"axis": 0}), ("pinv", {}), ("unique_index", {})],
)
def test_whatever_gathers_warns_at_the_line_of_the_user(name: str, params: Any) -> None:
    raw = da.zeros((4000, 100), chunks=(100, 50))
    with dask.config.set({"array.chunk-size": "256KiB"}):
        with pytest.warns(PerformanceWarning) as caught:
            ops.get(name)(raw, **params)
        with pytest.warns(PerformanceWarning) as of_units:
            ops.get(name)(DimArray(raw, "m"), **params)
    for (warning,) in (caught, of_units):
        assert str(warning.message).startswith(f"{name} needs axis 0")
        assert warning.filename == __file__


def test_joined_blocks_are_no_pairs_to_be_warned_of() -> None:
    images, weight = da.ones((2, 3, 12, 12), chunks=(1, 1, 3, 3)), da.ones((4, 3, 4, 4), chunks=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ops.conv(images, weight)
        ops.interp(da.ones((10, 10), chunks=2), da.arange(50.0, chunks=2), da.ones(50, chunks=2))
    assert found.numblocks == (2, 1, 1, 1)
    np.testing.assert_array_equal(found.compute(), np.full((2, 4, 9, 9), 48.0))


def test_blocks_that_meet_are_cut_alike() -> None:
    numbers = np.random.default_rng(2).uniform(1, 2, (12, 4))
    one, other = cut(numbers, (5, 4)), cut(numbers, (3, 2))
    got = ops.bin_sums(one, np.array([0.5, 1.5, 2.5]), other)
    wanted = ops.bin_sums(numbers, np.array([0.5, 1.5, 2.5]), numbers)
    np.testing.assert_allclose(got.compute(), wanted)


def test_what_the_blocks_would_refuse_is_refused_in_their_words() -> None:
    raw = cut()
    for call in (lambda x: ops.bitwise_and(x, x), lambda x: ops.gcd(x, x)):
        with pytest.raises(TypeError) as wanted:
            call(NUMBERS)
        with pytest.raises(TypeError) as got, nothing_runs():
            call(raw)
        assert str(got.value) == str(wanted.value)


def test_numbers_of_numpys_make_no_blocks() -> None:
    raw = cut()
    for number in (2.0, np.float64(2.0), np.array(2.0), DimArray(2.0)):
        got = DaskDimArray(raw, "m") * number
        assert len(got.dask.layers) == len((raw * 2.0).dask.layers)
        np.testing.assert_array_equal(got.compute().data, 2 * NUMBERS)
    assert ops.multiply(raw.astype(np.float32), np.float64(2)).dtype == np.float64
    assert ops.multiply(raw.astype(np.float32), 2.0).dtype == np.float32


# Draws


def test_a_generator_of_dasks_draws_lazily() -> None:
    with nothing_runs():
        generator = da.random.default_rng(3)
        drawn = ops.random_normal((40, 30), generator=generator)
        again = ops.random_normal((40, 30), generator=da.random.default_rng(3))
        other = ops.random_normal((40, 30), generator=generator)
    numbers = drawn.compute()
    np.testing.assert_array_equal(numbers, again.compute())
    np.testing.assert_array_equal(numbers, drawn.compute())
    assert np.abs(numbers - other.compute()).max() > 0.1
    assert abs(numbers.mean()) < 0.15
    assert abs(numbers.std() - 1) < 0.1
    by_dask = da.random.default_rng(3).standard_normal((40, 30))
    np.testing.assert_array_equal(numbers, by_dask.compute())


def test_draws_beside_a_lazy_array_come_in_its_blocks() -> None:
    with nothing_runs():
        place = DaskDimArray(np.linspace(0, 1, 600).reshape(30, 20), "km", chunks=(7, 11))
        width = DimArray(2.0, "cm")
        drawn = ops.sample_normal(place, width, generator=7)
        more = ops.sample_normal(place, width, size=(3, 30, 20), generator=np.random.default_rng(1))
        dropped = ops.dropout(place, 0.5, generator=7)
    assert drawn.unit is place.unit
    assert drawn.chunks == dropped.chunks == place.chunks
    assert more.chunks == ((3,), *place.chunks)
    spread = (drawn - place).to("cm").compute().data
    assert 1.8 < spread.std() < 2.2
    again = ops.sample_normal(place, width, generator=7)
    np.testing.assert_array_equal(again.compute().data, drawn.compute().data)
    blocks = spread[:7, :11], spread[7:14, :11]
    assert np.abs(blocks[0] - blocks[1]).max() > 0.1  # no two blocks of one seed
    kept = dropped.compute().data != 0
    assert 0.4 < kept.mean() < 0.6


def test_parameters_of_draws_are_not_looked_at() -> None:
    means = da.from_array(np.repeat([1.0, 1000.0], 300), chunks=250)
    with nothing_runs():
        counts = ops.random_poisson(means, generator=5)
        gammas = ops.random_gamma(means, size=(2, 600), dtype="float32", generator=5)
    found = counts.compute()
    assert counts.dtype == found.dtype == np.int64
    assert abs(found[:300].mean() - 1) < 0.3
    assert abs(found[300:].mean() - 1000) < 10
    assert gammas.shape == gammas.compute().shape == (2, 600)
    assert gammas.compute().dtype == np.float32
    np.testing.assert_array_equal(found, ops.random_poisson(means, generator=5).compute())


def test_a_permutation_is_one() -> None:
    with nothing_runs():
        order = ops.random_permutation(50, generator=da.random.default_rng(1))
    assert sorted(order.compute()) == list(range(50))


def test_bad_generators_and_sizes_are_refused_at_once() -> None:
    lam = da.ones(4, chunks=2)
    for bad in (da.random.RandomState(1), -3, "seed"):
        with pytest.raises(UnitError, match=r"random draw"), nothing_runs():
            ops.random_poisson(lam, generator=bad)
    with pytest.raises(ShapeMismatch), nothing_runs():
        ops.random_poisson(lam, size=(3,), generator=1)
    with pytest.raises(DimensionError), nothing_runs():
        ops.sample_normal(DaskDimArray(lam, "m"), DimArray(1.0, "s"), generator=1)


# Counts


@FEW
@given(st.integers(0, 40), st.integers(1, 40), st.integers(1, 6), st.integers(0, 9))
def test_histograms_are_numpys(size: int, chunk: int, bins: int, seed: int) -> None:
    numbers = np.random.default_rng(seed).normal(size=size)
    weights = np.random.default_rng(seed + 1).uniform(size=size)
    raw, lazy = cut(numbers, chunk), cut(weights, chunk)
    with nothing_runs():
        plain = ops.histogram(raw, bins=bins, range=(-1.0, 2.0))
        weighted = ops.histogram(raw, bins=bins, range=(-1.0, 2.0), weights=lazy)
    for got, options in ((plain, {}), (weighted, {"weights": weights})):
        counts, edges = np.histogram(numbers, bins, (-1.0, 2.0), **options)
        np.testing.assert_allclose(got.counts.compute(), counts, atol=1e-12)
        np.testing.assert_allclose(got.edges.compute(), edges)
        assert got.counts.shape == (bins,)


def test_histograms_have_units() -> None:
    numbers = np.random.default_rng(0).normal(size=200)
    eager = DimArray(numbers, "m")
    lazy = DaskDimArray(numbers, "m", chunks=60)
    mass = DimArray(np.linspace(1, 2, 200), "kg")
    for options in (
        {"bins": 5},
        {"bins": 5, "density": True},
        {"bins": 5, "weights": mass},
        {"bins": DimArray([-100.0, 0.0, 200.0], "cm")},
        {"bins": "sqrt"},
    ):
        wanted = ops.histogram(eager, **options)
        with nothing_runs():
            got = ops.histogram(lazy, **options)
        for one, other in zip(got, wanted, strict=True):
            assert getattr(one, "unit", None) == getattr(other, "unit", None)
            np.testing.assert_allclose(
                np.asarray(getattr(one, "data", one)), getattr(other, "data", other), rtol=1e-12
            )
    with pytest.raises(DimensionError), nothing_runs():
        ops.histogram(lazy, bins=DimArray([0.0, 1.0], "s"))


@FEW
@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.integers(1, 12), st.integers(0, 12))
def test_integers_are_counted_up_to_the_largest(values: Any, chunk: int, least: int) -> None:
    raw = cut(values, chunk)
    weights = np.linspace(0, 1, len(values))
    with nothing_runs():
        counts = ops.bincount(raw, minlength=least)
        sums = ops.bincount(raw, weights=cut(weights, chunk), minlength=least)
    np.testing.assert_array_equal(counts.compute(), np.bincount(values, minlength=least))
    np.testing.assert_allclose(sums.compute(), np.bincount(values, weights, minlength=least))


@FEW
@given(st.integers(1, 8), st.integers(1, 3), st.sampled_from(["sum", "max", "min", "prod", "mean"]))
def test_segments_are_those_of_all_rows(rows: int, columns: int, name: str) -> None:
    numbers = np.random.default_rng(3).normal(size=(8, 3))
    ids = np.array([0, 2, 2, -1, 0, 1, 7, 1])
    op = ops.get(f"segment_{name}")
    with nothing_runs():
        got = op(cut(numbers, (rows, columns)), cut(ids, 3), num_segments=3)
    np.testing.assert_allclose(got.compute(), op(numbers, ids, num_segments=3))
    assert got.shape == (3, 3)


# Windows


@FEW
@given(st.integers(1, 11), st.integers(1, 4), st.integers(1, 3), st.integers(1, 2))
def test_windows_reach_over_the_ends_of_blocks(
    chunk: int, window: int, stride: int, dilation: int
) -> None:
    numbers = np.arange(22.0).reshape(2, 11)
    raw = cut(numbers, (1, chunk))
    params: Any = {"window_shape": (window,), "stride": stride, "dilation": dilation}
    wanted = ops.sliding_windows(numbers, **params)
    with nothing_runs():
        got = ops.sliding_windows(raw, **params)
        back = ops.overlap_add(got, shape=(11,), stride=stride, dilation=dilation)
    np.testing.assert_array_equal(got.compute(), wanted)
    again = ops.overlap_add(wanted, shape=(11,), stride=stride, dilation=dilation)
    np.testing.assert_allclose(back.compute(), again)


# Calculus


def test_samples_to_interpolate_between_are_known_to_every_block() -> None:
    places, values = np.linspace(0, 9, 10), np.linspace(5, 50, 10) ** 2
    numbers = np.random.default_rng(0).uniform(-1, 11, (6, 8))
    samples = DimArray(places, "m"), DimArray(values, "K")
    eager = ops.interp(DimArray(numbers, "m"), *samples)
    with nothing_runs():
        got = ops.interp(DaskDimArray(numbers, "m", chunks=(2, 3)), *samples)
    assert got.unit is eager.unit
    assert got.chunks == ((2, 2, 2), (3, 3, 2))
    assert len(got.dask) <= 9 + 9 + 1 + 2 * 2  # blocks before and after, an array, the samples
    np.testing.assert_allclose(got.compute().data, eager.data)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(
    "name", ["trapezoid", "simpson", "cumulative_trapezoid", "gradient", "unwrap"]
)
def test_along_whole_rows_and_along_cut_ones(name: str, axis: int) -> None:
    numbers = np.random.default_rng(0).normal(size=(12, 9)) * 3
    op = ops.get(name)
    for chunks in ((12, 9), (5, 9), (12, 4), (5, 4), (1, 1)):
        eager = DimArray(numbers, "rad")
        with nothing_runs():
            got = op(DaskDimArray(numbers, "rad", chunks=chunks), axis=axis)
        wanted = op(eager, axis=axis)
        assert got.unit is wanted.unit
        np.testing.assert_allclose(got.compute().data, wanted.data, atol=1e-12)
        if got.shape == numbers.shape:
            assert got.chunks == da.from_array(numbers, chunks=chunks).chunks
