"""Scans: against NumPy, at zeros, ties and infinities, and with units."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.errors import PointError, PureNumberError
from dimflow.ops.families.reduce.scans import recurrence
from dimflow.units import Unit

KNOWN = {
    "cumulative_sum": np.cumsum,
    "cumulative_prod": np.cumprod,
    "cummax": np.maximum.accumulate,
    "cummin": np.minimum.accumulate,
    "logcumsumexp": np.logaddexp.accumulate,
}
NUMBERS = st.floats(-8.0, 8.0, width=32)


@st.composite
def arrays_and_axes(draw):
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=5))
    axis = draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    return draw(hnp.arrays(np.float64, shape, elements=NUMBERS)), axis


def tangent(name, t, x, axis=0, **params):
    op = ops.get(name)
    full = {"axis": axis, "dtype": None, "include_initial": False, **params}
    full = {n: v for n, v in full.items() if n in op.signature.parameters}
    return op.derivative.function((t,), op.run((x,), full), (x,), full)


@given(st.sampled_from(sorted(KNOWN)), arrays_and_axes())
def test_scans_are_those_of_numpy(name, drawn):
    x, axis = drawn
    flat, along = (x.reshape(-1), 0) if axis is None else (x, axis)
    found = ops.get(name)(DimArray(x, ""), axis=axis)
    np.testing.assert_array_equal(found.data, KNOWN[name](flat, axis=along))


@given(arrays_and_axes(), st.booleans())
def test_the_array_api_form_starts_from_nothing(drawn, starts):
    x, axis = drawn
    x, axis = (x.reshape(-1), 0) if axis is None else (x, axis)
    for name in ("cumulative_sum", "cumulative_prod"):
        found = ops.get(name)(x, axis=axis, include_initial=starts)
        known = getattr(np, name)(x, axis=axis, include_initial=starts)
        np.testing.assert_array_equal(found, known)


@given(arrays_and_axes(), st.integers(0, 3))
def test_nan_counts_as_nothing(drawn, hole):
    x, axis = drawn
    x.flat[hole % x.size] = np.nan
    for name in ("nancumsum", "nancumprod"):
        known = getattr(np, name)(x, axis=axis)
        np.testing.assert_array_equal(ops.get(name)(DimArray(x, ""), axis=axis).data, known)
        np.testing.assert_array_equal(ops.get(name).definition(x, axis=axis), known)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "complex64"])
def test_dtypes_are_those_of_numpy(dtype):
    x = np.ones(3, dtype)
    assert ops.cumulative_sum(x).dtype == np.cumsum(x).dtype
    assert ops.cumulative_prod(x).dtype == np.cumprod(x).dtype
    assert ops.cummax(x).dtype == x.dtype
    assert ops.cumulative_sum(x, dtype="complex128").dtype == np.complex128


# Units


def test_units_stay_where_that_has_a_meaning():
    x = DimArray([3.0, 1.0, 4.0], "km")
    for name in ("cumulative_sum", "cummax", "cummin", "nancumsum"):
        assert ops.get(name)(x).unit == Unit("km")
    zero_first = ops.cumulative_sum(x, include_initial=True)
    assert zero_first.data.tolist() == [0.0, 3.0, 4.0, 8.0]


@pytest.mark.parametrize("name", ["cumulative_prod", "nancumprod", "logcumsumexp"])
def test_others_need_pure_numbers(name):
    with pytest.raises(PureNumberError, match=f"^{name} needs a pure number"):
        ops.get(name)(DimArray([1.0, 2.0], "m"))
    assert ops.get(name)(DimArray([50.0, 50.0], "percent")).unit == Unit("")


def test_running_products_rescale():
    assert ops.cumulative_prod(DimArray([50.0, 50.0], "percent")).data.tolist() == [0.5, 0.25]


def test_points_are_compared_but_not_summed():
    x = DimArray([20.0, 30.0, 10.0], "degC")
    assert ops.cummax(x).data.tolist() == [20.0, 30.0, 30.0]
    assert ops.cummin(DimArray([3.0, 1.0], "dBm")).unit == Unit("dBm")
    for name in ("cumulative_sum", "nancumsum"):
        with pytest.raises(PointError):
            ops.get(name)(x)


# Derivatives


@given(hnp.arrays(np.float64, st.integers(1, 9), elements=st.sampled_from([0.0, 1.0, -2.0, 0.5])))
def test_the_derivative_of_a_running_product_holds_at_zeros(x):
    t = np.linspace(1.0, 2.0, len(x))
    known = [
        sum(t[j] * np.prod(np.delete(x[: i + 1], j)) for j in range(i + 1)) for i in range(len(x))
    ]
    np.testing.assert_allclose(tangent("cumulative_prod", t, x), known)
    longer = tangent("cumulative_prod", t, x, include_initial=True)
    np.testing.assert_allclose(longer, [0.0, *known])


@given(
    hnp.arrays(np.float64, (2, 7), elements=NUMBERS),
    hnp.arrays(np.float64, (2, 7), elements=NUMBERS),
)
def test_a_recurrence_is_the_loop(factor, term):
    known = np.empty((2, 7))
    last = np.zeros(2)
    for i in range(7):
        last = known[:, i] = factor[:, i] * last + term[:, i]
    size = np.abs(known).max(initial=1.0)
    np.testing.assert_allclose(recurrence(factor, term, 1), known, rtol=1e-9, atol=1e-9 * size)


def test_the_latest_extreme_has_the_derivative():
    x = np.array([1.0, 3.0, 2.0, 3.0, 5.0])
    t = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert tangent("cummax", t, x).tolist() == [1.0, 2.0, 2.0, 4.0, 5.0]
    assert tangent("cummin", t, -x).tolist() == [1.0, 2.0, 2.0, 4.0, 5.0]


def test_the_derivative_of_logcumsumexp_neither_overflows_nor_is_nan():
    x = np.array([-np.inf, 1.0, 1000.0, -1000.0])
    t = np.array([1.0, 2.0, 3.0, 4.0])
    assert tangent("logcumsumexp", t, x).tolist() == [0.0, 2.0, 3.0, 3.0]


@pytest.mark.parametrize("name", ["cumulative_prod", "logcumsumexp", "cummax"])
def test_nothing_to_scan(name):
    assert tangent(name, np.ones(0), np.ones(0)).shape == (0,)
