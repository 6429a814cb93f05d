"""Segments: against loops over the groups, with empty ones and ids of none."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.errors import PointError, PureNumberError, ShapeMismatch
from dimflow.units import Unit

REDUCED = {
    "segment_sum": (np.sum, 0.0),
    "segment_prod": (np.prod, 1.0),
    "segment_mean": (np.mean, np.nan),
    "segment_max": (np.max, -np.inf),
    "segment_min": (np.min, np.inf),
}


@st.composite
def segmented(draw):
    rows = draw(st.integers(0, 7))
    shape = (rows, *draw(st.sampled_from([(), (2,), (2, 3)])))
    x = draw(hnp.arrays(np.float64, shape, elements=st.integers(-4, 4)))
    ids = draw(hnp.arrays(np.int64, rows, elements=st.integers(-1, 4)))
    return x, ids, draw(st.integers(1, 4))


@given(st.sampled_from(sorted(REDUCED)), segmented())
def test_each_segment_is_reduced_by_itself(name, drawn):
    x, ids, count = drawn
    function, empty = REDUCED[name]
    found = ops.get(name)(x, ids, num_segments=count)
    assert found.shape == (count, *x.shape[1:])
    for i in range(count):
        group = x[ids == i]
        known = function(group, axis=0) if len(group) else np.full(x.shape[1:], empty)
        np.testing.assert_allclose(found[i], known)


@given(segmented())
def test_the_derivative_of_a_product_holds_at_zeros(drawn):
    x, ids, count = drawn
    t = np.linspace(1.0, 2.0, x.size).reshape(x.shape)
    out = ops.segment_prod(x, ids, num_segments=count)
    rule = ops.segment_prod.derivative.function
    found = rule((t, None), out, (x, ids), {"num_segments": count})
    for i in range(count):
        group, change = x[ids == i], t[ids == i]
        known = np.zeros(x.shape[1:])
        for j in range(len(group)):
            known = known + change[j] * np.prod(np.delete(group, j, axis=0), axis=0)
        rounding = 1e-12 * np.abs(known).max(initial=0.0)  # of terms that cancel
        np.testing.assert_allclose(found[i], known, atol=rounding)


def test_ties_share_the_derivative():
    x, ids = np.array([3.0, 3.0, 1.0, 2.0]), np.array([0, 0, 0, 1])
    params = {"num_segments": 2}
    out = ops.segment_max(x, ids, **params)
    t = np.array([1.0, 3.0, 9.0, 5.0])
    assert ops.segment_max.derivative.function((t, None), out, (x, ids), params).tolist() == [2, 5]


def test_units_and_points():
    ids = np.array([0, 0, 1])
    x = DimArray([1.0, 2.0, 3.0], "km")
    for name in ("segment_sum", "segment_mean", "segment_max", "segment_min"):
        assert ops.get(name)(x, ids, num_segments=2).unit == Unit("km")
    celsius = DimArray([10.0, 30.0, 5.0], "degC")
    means = ops.segment_mean(celsius, ids, num_segments=2)
    assert (means.data.tolist(), means.unit) == ([20.0, 5.0], Unit("degC"))
    assert ops.segment_max(celsius, ids, num_segments=2).unit == Unit("degC")
    with pytest.raises(PointError):
        ops.segment_sum(celsius, ids, num_segments=2)
    with pytest.raises(PureNumberError):
        ops.segment_prod(x, ids, num_segments=2)
    with pytest.raises(PureNumberError):
        ops.segment_sum(x, DimArray(ids, "m"), num_segments=2)


@pytest.mark.parametrize("ids", [np.zeros(2, int), np.zeros((3, 1), int), np.array(0)])
def test_there_is_one_id_for_each_row(ids):
    with pytest.raises(ShapeMismatch, match="one segment id for each of x's rows"):
        ops.segment_sum(np.ones(3), ids, num_segments=2)


def test_integers_keep_their_dtype():
    x, ids = np.array([1, 2, 3], "int32"), np.array([0, 0, 2])
    assert ops.segment_max(x, ids, num_segments=2).dtype == np.int32
    assert ops.segment_max(x, ids, num_segments=2)[1] == np.iinfo(np.int32).min
    assert ops.segment_mean(x, ids, num_segments=1).dtype == np.float64
    assert ops.segment_max(x > 1, ids, num_segments=2).tolist() == [True, False]
