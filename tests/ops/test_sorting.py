"""Sorting and sets, against NumPy and by what order means."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.errors import DimensionError, MissingRule, ShapeMismatch

whole = hnp.arrays(
    float, hnp.array_shapes(max_dims=3, max_side=5), elements=st.integers(-3, 3).map(float)
)
lists = st.lists(st.integers(0, 6) | st.just(np.nan), min_size=1, max_size=8)


@given(whole, st.integers(0, 2), st.booleans())
def test_argsort_sorts_and_equal_elements_keep_their_order(raw, axis, descending):
    axis %= raw.ndim
    x = DimArray(raw, "m")
    order = ops.argsort(x, axis=axis, descending=descending)
    assert isinstance(order, np.ndarray)
    ordered = ops.sort(x, axis=axis, descending=descending)
    assert str(ordered.unit) == "m"
    np.testing.assert_array_equal(np.take_along_axis(raw, order, axis), ordered.data)
    upwards = -ordered.data if descending else ordered.data
    steps, places = np.diff(upwards, axis=axis), np.diff(order, axis=axis)
    assert (steps >= 0).all()
    assert (places[steps == 0] > 0).all()


def test_nan_counts_as_the_largest():
    x = np.array([2.0, np.nan, 1.0])
    np.testing.assert_array_equal(ops.sort(x), [1.0, 2.0, np.nan])
    np.testing.assert_array_equal(ops.sort(x, descending=True), [np.nan, 2.0, 1.0])


@given(whole, st.data())
def test_topk_is_the_head_of_the_sorted_array(raw, data):
    axis = data.draw(st.integers(-raw.ndim, raw.ndim - 1))
    k = data.draw(st.integers(0, raw.shape[axis]))
    largest = data.draw(st.booleans())
    found = ops.topk(DimArray(raw, "s"), k, axis, largest=largest)
    expected = np.sort(raw, axis=axis)
    expected = np.flip(expected, axis) if largest else expected
    np.testing.assert_array_equal(found.values.data, np.take(expected, range(k), axis))
    np.testing.assert_array_equal(np.take_along_axis(raw, found.indices, axis), found.values.data)
    assert str(found.values.unit) == "s"
    assert isinstance(found.indices, np.ndarray)


@pytest.mark.parametrize("k", [-1, 4])
def test_topk_of_more_than_there_are_is_refused(k):
    with pytest.raises(ShapeMismatch, match="k from 0 to 3"):
        ops.topk(np.arange(3.0), k)


@given(whole.filter(lambda x: x.shape[-1] > 0), st.data())
def test_a_partition_has_smaller_ones_before_and_larger_ones_after(raw, data):
    k = data.draw(st.integers(0, raw.shape[-1] - 1))
    parted = ops.partition(DimArray(raw, "km"), k).data
    chosen = parted[..., k : k + 1]
    np.testing.assert_array_equal(chosen, np.sort(raw)[..., k : k + 1])
    assert (parted[..., :k] <= chosen).all()
    assert (parted[..., k:] >= chosen).all()
    np.testing.assert_array_equal(np.sort(parted), np.sort(raw))
    by_index = np.take_along_axis(raw, ops.argpartition(DimArray(raw, "km"), k), -1)
    np.testing.assert_array_equal(by_index[..., k : k + 1], chosen)


def test_keys_of_several_units_sort_together():
    lengths, times = DimArray([2.0, 1.0, 1.0], "m"), DimArray([1.0, 3.0, 2.0], "s")
    assert ops.lexsort([times, lengths]).tolist() == [2, 1, 0]


@given(lists)
def test_unique_is_numpy_s_with_a_unit(values):
    raw = np.array(values, float)
    x = DimArray(raw, "m")
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        found, expected = ops.get(name)(x), getattr(np, name)(raw)
        assert found._fields == expected._fields
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(getattr(ours, "data", ours), theirs)
        assert str(found.values.unit) == "m"
    np.testing.assert_array_equal(ops.unique_values(x).data, np.unique(raw, equal_nan=False))
    np.testing.assert_array_equal(ops.unique_values(raw), np.unique(raw, equal_nan=False))
    found = ops.unique(x, return_index=True, return_counts=True)
    for ours, theirs in zip(found, np.unique(raw, True, False, True), strict=True):
        np.testing.assert_array_equal(getattr(ours, "data", ours), theirs)


def test_unique_rows():
    raw = np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0]])
    values, inverse = ops.unique(DimArray(raw, "m"), return_inverse=True, axis=0)
    np.testing.assert_array_equal(values.data, [[0.0, 1.0], [1.0, 2.0]])
    assert inverse.tolist() == [1, 0, 1]


def test_every_nan_is_one_of_its_own_but_for_numpy_s_unique():
    x = DimArray([np.nan, np.nan, 1.0], "m")
    assert ops.unique_values(x).shape == (3,)
    assert ops.unique(x).shape == (2,)


@given(lists, lists)
def test_sets_compare_quantities_not_numbers(left, right):
    """The right array is written in other units; a thousand metres are a kilometre."""
    x, y = np.array(left, float), np.array(right, float)
    km, m = DimArray(x, "km"), DimArray(y * 1000, "m")
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
        result = ops.get(name)(km, m)
        np.testing.assert_array_equal(result.data, getattr(np, name)(x, y))
        assert str(result.unit) == "km"
    mask = ops.isin(km, m)
    assert type(mask) is DimArray
    np.testing.assert_array_equal(mask, np.isin(x, y))
    np.testing.assert_array_equal(ops.isin(km, m, invert=True), ~np.isin(x, y))


@pytest.mark.parametrize("name", ["union1d", "intersect1d", "setdiff1d", "setxor1d", "isin"])
def test_sets_of_two_dimensions_are_refused(name):
    with pytest.raises(DimensionError):
        ops.get(name)(DimArray([1.0], "m"), DimArray([1.0], "s"))


def test_points_have_an_order_and_can_be_told_apart():
    warm = DimArray([20.0, 10.0, 20.0], "degC")
    assert ops.sort(warm).data.tolist() == [10.0, 20.0, 20.0]
    assert ops.unique_values(warm).data.tolist() == [10.0, 20.0]
    assert ops.isin(warm, DimArray([50.0], "degF")).tolist() == [False, True, False]
    assert str(ops.topk(warm, 1).values.unit) == str(warm.unit)


def test_how_many_differ_cannot_be_known_for_a_batch():
    for name in ("unique_index", "argwhere"):
        op = ops.get(name)
        with pytest.raises(MissingRule, match="depends on the values"):
            op.batching(op, (np.ones((2, 3)),), (0,), {})


@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_an_axis_that_is_not_there_has_no_shape(name):
    with pytest.raises(ShapeMismatch, match="an axis from -2 to 1"):
        ops.get(name).shape(((2, 3),), {"axis": 2})
