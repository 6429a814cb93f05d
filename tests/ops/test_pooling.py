"""Windows and pooling against plain loops, with units, with points and with bad input."""

import itertools
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import sliding_window_view

from dimflow import DimArray, ops
from dimflow.errors import PointError, ShapeMismatch, UnitError
from dimflow.units import Unit


def bounds(n, k, s, p, d, is_ceil):
    """Where windows begin along an axis, by the rule that torch documents."""
    room = n + 2 * p - d * (k - 1) - 1
    count = (ceil(room / s) if is_ceil else room // s) + 1
    if is_ceil and (count - 1) * s >= n + p:
        count -= 1
    return [i * s - p for i in range(count)]


def pooled(x, k, s, p, d, is_ceil, of_window):
    """Two axes, one window at a time; the window is a list of (value or None for padding)."""
    rows, columns = (bounds(n, k, s, p, d, is_ceil) for n in x.shape)
    result = np.empty((len(rows), len(columns)))
    for (i, a), (j, b) in itertools.product(enumerate(rows), enumerate(columns)):
        window = []
        for r, c in itertools.product(range(k), repeat=2):
            at = a + r * d, b + c * d
            if all(0 <= q < n for q, n in zip(at, x.shape, strict=True)):
                window.append(x[at])
            elif all(-p <= q < n + p for q, n in zip(at, x.shape, strict=True)):
                window.append(None)
        result[i, j] = of_window(window)
    return result


@st.composite
def pools(draw):
    k, s = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    p = draw(st.integers(0, k // 2))
    shape = tuple(k + draw(st.integers(0, 6)) for _ in range(2))
    x = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).normal(size=shape)
    return x, k, s, p, draw(st.booleans())


@given(pools(), st.integers(1, 2))
def test_a_maximum_never_comes_from_the_padding(case, d):
    x, k, s, p, is_ceil = case
    x = np.pad(x, k) - 5.0
    expected = pooled(x, k, s, p, d, is_ceil, lambda w: max(v for v in w if v is not None))
    for function in (ops.max_pool, ops.max_pool.definition):
        np.testing.assert_array_equal(function(x, (k, k), s, p, d, is_ceil), expected)


@given(pools(), st.booleans())
def test_an_average_counts_the_padding_if_asked_but_never_what_lies_beyond(case, include):
    x, k, s, p, is_ceil = case

    def mean(window):
        values = [v for v in window if v is not None]
        return sum(values) / (len(window) if include else len(values))

    expected = pooled(x, k, s, p, 1, is_ceil, mean)
    for function in (ops.avg_pool, ops.avg_pool.definition):
        actual = function(x, (k, k), s, p, is_ceil, include)
        np.testing.assert_allclose(actual, expected, atol=1e-12)


def test_a_number_counts_for_all_axes_of_space_after_images_and_channels():
    x = np.arange(64.0).reshape(1, 1, 4, 4, 4)
    assert ops.max_pool(x, 2).shape == (1, 1, 2, 2, 2)
    np.testing.assert_array_equal(ops.max_pool(x, 2), ops.max_pool(x, (2, 2, 2)))
    np.testing.assert_array_equal(ops.max_pool(x[0, 0], (2,))[..., 0], x[0, 0, :, :, 1])


def test_a_divisor_of_its_own():
    x = np.ones((1, 1, 4))
    np.testing.assert_array_equal(ops.avg_pool(x, 2, divisor_override=4), np.full((1, 1, 2), 0.5))
    with pytest.raises(UnitError, match="divisor_override=0"):
        ops.avg_pool(x, 2, divisor_override=0)


@pytest.mark.parametrize("dtype", ["float32", "int16", "bool"])
def test_the_maximum_keeps_its_dtype(dtype):
    x = np.array([[[1, 0, 1, 0]]], dtype)
    result = ops.max_pool(x, 3, 2, 1)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, np.array([[[1, 1]]], dtype))


@pytest.mark.parametrize("function", [ops.avg_pool, ops.avg_pool.definition])
def test_the_average_keeps_single_precision(function):
    x = np.ones((1, 1, 5), "float32")
    assert function(x, 3, 2, 1, True, False).dtype == "float32"


def test_negative_numbers_are_not_beaten_by_padding_in_any_dtype():
    x = np.array([[[-5, -7, -9]]], "int8")
    np.testing.assert_array_equal(ops.max_pool(x, 2, 1, 1), [[[-5, -5, -7, -9]]])


# Units and points


@pytest.mark.parametrize(
    "op", [ops.max_pool, ops.avg_pool, ops.adaptive_avg_pool, ops.adaptive_max_pool]
)
def test_pooling_keeps_the_unit_and_points(op):
    x = np.arange(6.0).reshape(1, 1, 6)
    result = op(DimArray(x, "km"), 2)
    assert result.unit == Unit("km")
    np.testing.assert_allclose(op(DimArray(x, "km").to("m"), 2).to_value("km"), result.data)
    warm = op(DimArray(x, "degC"), 2)
    assert warm.unit == Unit("degC")
    in_fahrenheit = op(DimArray(x, "degC").to("degF"), 2)
    np.testing.assert_allclose(in_fahrenheit.to_value("degC"), warm.data, atol=1e-12)


def test_zeros_of_the_padding_are_no_temperatures():
    x = DimArray(np.ones((1, 1, 4)), "degC")
    with pytest.raises(PointError, match="count_include_pad=False"):
        ops.avg_pool(x, 2, padding=1)
    with pytest.raises(PointError, match="divisor_override"):
        ops.avg_pool(x, 2, divisor_override=3)
    result = ops.avg_pool(x, 2, padding=1, count_include_pad=False)
    np.testing.assert_array_equal(result.data, np.ones((1, 1, 3)))
    np.testing.assert_array_equal(ops.max_pool(-x.to("K"), 2, padding=1).data, -274.15)


# Pooling to a size


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_adaptive_bins_are_those_that_torch_documents(n, size, seed):
    x = np.random.default_rng(seed).normal(size=(2, n))
    bins = [(i * n // size, -(-(i + 1) * n // size)) for i in range(size)]
    for op, reduce in ((ops.adaptive_avg_pool, np.mean), (ops.adaptive_max_pool, np.max)):
        expected = np.stack([reduce(x[:, a:b], axis=1) for a, b in bins], axis=1)
        np.testing.assert_allclose(op(x, (size,)), expected, atol=1e-12)


def test_adaptive_pooling_of_two_axes_is_over_rectangles():
    x = np.random.default_rng(1).normal(size=(5, 7))
    result = ops.adaptive_avg_pool(x, (2, 3))
    np.testing.assert_allclose(result[0, 1], x[0:3, 2:5].mean())
    assert ops.adaptive_avg_pool(x, (None, 3)).shape == (5, 3)


# Windows


@given(st.integers(0, 5), st.integers(0, 5), st.integers(1, 3), st.integers(1, 3))
def test_windows_are_those_of_numpy(extra, more, k, s):
    x = np.random.default_rng(3).normal(size=(2, k + extra, k + more))
    expected = sliding_window_view(x, (k, k), axis=(1, 2))[:, ::s, ::s]
    result = ops.sliding_windows(x, (k, k), s)
    np.testing.assert_array_equal(result, expected)
    assert np.shares_memory(result, x)
    assert not result.flags.writeable
    y = np.cos(np.arange(result.size)).reshape(result.shape)
    back = ops.overlap_add(y, x.shape[1:], s)
    np.testing.assert_allclose(np.sum(back * x), np.sum(y * result), atol=1e-9)


def test_windows_over_ones_count_how_often_each_element_is_seen():
    counts = ops.overlap_add(np.ones((3, 3)), (7,), 2)
    np.testing.assert_array_equal(counts, [1, 1, 2, 1, 2, 1, 1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: ops.max_pool(x, 2, padding=2), "half of"),
        (lambda x: ops.max_pool(x, 9), "at least 9"),
        (lambda x: ops.max_pool(x, 0), "kernel_size: an integer from 1"),
        (lambda x: ops.max_pool(x, 2, 0), "stride: an integer from 1"),
        (lambda x: ops.max_pool(x, (2, 2, 2, 2)), "one axis or more"),
        (lambda x: ops.max_pool(x[0, 0], 2), "one axis or more"),
        (lambda x: ops.avg_pool(x, (2, 2.0)), "kernel_size"),
        (lambda x: ops.adaptive_max_pool(x, 0), "integers from 1"),
        (lambda x: ops.sliding_windows(x, (5,)), "at least 5"),
        (lambda x: ops.overlap_add(x, (9,)), "windows"),
        (lambda x: ops.overlap_add(x, (9, 9)), "4 axes"),
    ],
)
def test_bad_sizes_are_named(call, message):
    with pytest.raises(ShapeMismatch, match=message):
        call(np.ones((1, 1, 4)))
