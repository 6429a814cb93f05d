"""Comparison and logic: masks are plain arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.errors import DimensionError, PointError, PureNumberError

values = st.floats(-1e3, 1e3)


@given(values, values, st.floats(0, 0.1), st.floats(0, 10))
def test_isclose_is_that_of_numpy_in_one_unit(x, y, rtol, atol):
    wanted = np.isclose(x, y, rtol=rtol, atol=atol)
    p, q = DimArray(x, "m"), DimArray(y, "m")
    size = abs(x) + abs(y) + atol + 1e-300  # conversions round, and underflow
    edge = abs(abs(x - y) - (atol + rtol * abs(y))) < 1e-9 * size
    for q_unit, a_unit in (("m", "m"), ("km", "cm"), ("ft", "mm")):
        got = ops.isclose(p, q.to(q_unit), rtol=rtol, atol=DimArray(atol, "m").to(a_unit))
        assert (type(got), got.dtype) == (DimArray, bool)
        assert edge or got == wanted


def test_the_default_tolerance_is_numpy_s_for_numbers_and_none_for_quantities():
    tiny = np.array([1e-9])
    assert ops.isclose(tiny, 2e-9).all()
    assert ops.isclose(DimArray(tiny, ""), 2e-9).all()
    assert ops.isclose(DimArray(tiny * 100, "percent"), 2e-9).all()
    assert not ops.isclose(DimArray(tiny, "m"), DimArray(2e-9, "m")).any()
    assert ops.isclose(DimArray(1.0, "m"), DimArray(1.000001, "m"))
    assert ops.isclose(DimArray(1.0, "km"), DimArray(1000.0, "m"))


def test_isclose_refuses_what_depends_on_the_unit():
    x = DimArray([1.0], "m")
    with pytest.raises(DimensionError, match="atol: 1"):
        ops.isclose(x, x, atol=1e-3)
    with pytest.raises(DimensionError):
        ops.isclose(x, DimArray([1.0], "s"))
    with pytest.raises(PureNumberError):
        ops.isclose(x, x, rtol=x)
    assert ops.isclose(x, x * 1.05, rtol=DimArray(10.0, "percent")).all()
    assert ops.isclose(x, x, rtol=0).all()


def test_points_are_close_by_a_difference():
    celsius, fahrenheit = DimArray([20.0, 20.0], "degC"), DimArray([68.1, 70.0], "degF")
    kelvin = DimArray(0.5, "delta_degC")
    assert ops.isclose(celsius, fahrenheit, rtol=0, atol=kelvin).tolist() == [True, False]
    with pytest.raises(PointError, match="rtol=0"):
        ops.isclose(celsius, fahrenheit)
    with pytest.raises(PointError):
        ops.isclose(celsius, celsius, rtol=0, atol=celsius)


def test_infinities_and_nan_in_isclose():
    x = DimArray([np.inf, np.inf, np.nan, np.nan], "m")
    y = DimArray([np.inf, -np.inf, np.nan, 1.0], "m")
    assert ops.isclose(x, y).tolist() == [True, False, False, False]
    assert ops.isclose(x, y, equal_nan=True).tolist() == [True, False, True, False]


@pytest.mark.parametrize(
    "name", ["isnan", "isinf", "isfinite", "isposinf", "isneginf", "isreal", "iscomplex"]
)
def test_kinds_of_numbers_do_not_depend_on_the_unit(name):
    raw = np.array([1.0, np.nan, np.inf, -np.inf, 0.0])
    for unit in ("m", "degC", "dBm", ""):
        got = ops.get(name)(DimArray(raw, unit))
        assert type(got) is DimArray
        np.testing.assert_array_equal(got, getattr(np, name)(raw))


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
def test_zero_is_zero_in_every_unit(name):
    x, y = np.array([0.0, 0.0, 2.0, 2.0]), np.array([0.0, 3.0, 0.0, 3.0])
    got = ops.get(name)(DimArray(x, "m"), DimArray(y, "s"))
    np.testing.assert_array_equal(got, getattr(np, name)(x, y))
    with pytest.raises(PointError):
        ops.get(name)(DimArray(x, "degC"), y)


def test_comparison_across_dimensions():
    x, y = DimArray([1.0, 2.0], "m"), DimArray([1.0, 2.0], "s")
    assert (x == y).tolist() == [False, False]
    assert (x != y).tolist() == [True, True]
    for name in ("less", "less_equal", "greater", "greater_equal"):
        with pytest.raises(DimensionError):
            ops.get(name)(x, y)
    assert (DimArray([1.0], "km") > DimArray([999.0], "m")).all()
    assert (DimArray([20.0], "degC") < DimArray([69.0], "degF")).all()


@pytest.mark.parametrize(
    "name",
    ["bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"],
)
@given(x=st.integers(0, 1000), y=st.integers(0, 20))
def test_bits_are_those_of_python(name, x, y):
    symbols = {"and": "&", "or": "|", "xor": "^", "left_shift": "<<", "right_shift": ">>"}
    wanted = eval(f"{x} {symbols[name.removeprefix('bitwise_')]} {y}")
    assert ops.get(name)(DimArray(x, ""), y) == wanted
    for unit in ("m", "percent", "rad"):
        with pytest.raises(PureNumberError):
            ops.get(name)(DimArray(x, unit), y)


@given(st.integers(-1000, 1000))
def test_counts_of_bits(x):
    assert ops.bitwise_count(DimArray(x, "")) == x.bit_count()
    assert ops.bitwise_invert(np.int64(x)) == ~x
