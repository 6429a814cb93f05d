"""Calculus against NumPy and SciPy, with units, with points, and with bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from dimflow import DimArray, ops
from dimflow.errors import (
    DimensionError,
    PointError,
    PureNumberError,
    ShapeMismatch,
    UnitError,
)
from dimflow.units import Unit

SEEDS = st.integers(0, 2**32 - 1)


def rising(rng, n):
    return rng.uniform(0.1, 2.0, n).cumsum() - 3.0


def same(actual, expected, rtol=1e-12):
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=1e-12)


# Differences


@given(SEEDS, st.integers(0, 3), st.integers(0, 1))
def test_the_definition_of_diff_is_that_of_numpy(seed, n, axis):
    x = np.random.default_rng(seed).normal(size=(5, 6))
    same(ops.diff.definition(x, n, axis), np.diff(x, n, axis))
    same(ops.diff(x, n, axis), np.diff(x, n, axis))


def test_diff_converts_the_ends_into_the_unit_of_the_array():
    x = DimArray([1.0, 3.0], "km")
    result = ops.diff(x, prepend=DimArray(500.0, "m"), append=0)
    assert result.unit == Unit("km")
    same(result.data, [0.5, 2.0, -3.0])


def test_diff_of_points_is_a_difference_but_of_order_zero_are_the_points():
    x = DimArray([10.0, 25.0], "degC")
    assert ops.diff(x).unit == Unit("delta_degC")
    assert ops.diff(x, n=0).unit == Unit("degC")
    same(ops.diff(x, prepend=DimArray(32.0, "degF")).data, [10.0, 15.0])
    with pytest.raises(PointError, match="bare 0"):
        ops.diff(x, prepend=0)
    assert ops.diff(DimArray([1.0, 2.0], "pH")).unit == Unit("delta_pH")


def test_diff_refuses_ends_of_another_dimension_and_a_negative_order():
    x = DimArray([1.0, 2.0], "m")
    with pytest.raises(DimensionError, match="prepend"):
        ops.diff(x, prepend=DimArray(1.0, "s"))
    with pytest.raises(ValueError, match="order"):
        ops.diff(x, n=-1)
    with pytest.raises(UnitError, match="n=-1"):
        ops.diff.definition(np.ones(3), -1)
    with pytest.raises(ShapeMismatch, match="one axis or more"):
        ops.diff.definition(np.float64(1.0))


def test_ediff1d_takes_differences_at_the_ends():
    x = DimArray([[1.0, 2.0], [4.0, 7.0]], "degC")
    result = ops.ediff1d(x, to_end=DimArray([1.8], "delta_degF"), to_begin=0)
    assert result.unit == Unit("delta_degC")
    same(result.data, [0.0, 1.0, 2.0, 3.0, 1.0])
    with pytest.raises(PointError):
        ops.ediff1d(x, to_end=DimArray([1.0], "degC"))


# Derivatives


@given(SEEDS, st.sampled_from([1, 2]), st.integers(3, 9), st.integers(3, 9))
def test_the_definition_of_gradient_is_that_of_numpy(seed, edge_order, n, m):
    rng = np.random.default_rng(seed)
    f, x = rng.normal(size=(n, m)), rising(rng, n)
    for spacing in ((), (0.5,), (x, 0.25)):
        expected = np.gradient(f, *spacing, edge_order=edge_order)
        actual = ops.gradient.definition(f, *spacing, edge_order=edge_order)
        for one, other in zip(actual, expected, strict=True):
            same(one, other, 1e-9)
    same(
        ops.gradient.definition(f, x, axis=0, edge_order=edge_order),
        np.gradient(f, x, axis=0, edge_order=edge_order),
        1e-9,
    )


@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize("at", range(6))
def test_a_nan_spreads_in_a_gradient_as_in_numpy(at: int, edge_order: int) -> None:
    f, even = np.arange(6.0) ** 2, np.arange(6.0) / 4
    f[at] = np.nan
    for spacing in (even, 0.25, even**2):
        expected = np.gradient(f, spacing, edge_order=edge_order)
        actual = ops.gradient.definition(f, spacing, edge_order=edge_order)
        np.testing.assert_allclose(actual, expected, rtol=1e-12)


def test_gradient_has_the_unit_of_values_over_coordinates_for_each_axis():
    f = DimArray(np.arange(12.0).reshape(3, 4) ** 2, "J")
    by_x, by_t = ops.gradient(f, DimArray([0.0, 1.0, 3.0], "km"), DimArray(2.0, "s"))
    assert by_x.unit == Unit("J/km")
    assert by_t.unit == Unit("W")
    expected = np.gradient(f.data, [0.0, 1.0, 3.0], 2.0)
    same(by_x.data, expected[0])
    same(by_t.data, expected[1])


def test_gradient_of_temperatures_over_heights():
    t = DimArray([20.0, 18.7, 17.4], "degC")
    slope = ops.gradient(t, DimArray([0.0, 200.0, 400.0], "m"))
    assert slope.unit == Unit("delta_degC/m")
    same(slope.data, [-0.0065] * 3)
    same(ops.gradient(t.to("degF"), DimArray([0.0, 0.2, 0.4], "km")).to_value("K/m"), [-0.0065] * 3)


@pytest.mark.parametrize(
    ("args", "params", "message"),
    [
        ((np.ones(1),), {}, "at least 2"),
        ((np.ones(2),), {"edge_order": 2}, "at least 3"),
        ((np.ones(4), np.ones(3)), {}, "4 coordinates"),
        ((np.ones((4, 4)), 1.0, 1.0, 1.0), {}, "each of 2 axes"),
        ((np.ones(4),), {"edge_order": 3}, "edge_order=3"),
        ((np.float64(3.0),), {}, "at least 2"),
    ],
)
def test_gradient_says_what_it_needs(args, params, message):
    with_unit = (DimArray(args[0], "m"), *args[1:])
    with pytest.raises((ShapeMismatch, UnitError), match=message):
        ops.gradient(*with_unit, **params)


# Integrals


@given(SEEDS, st.integers(2, 12), st.integers(0, 1), st.booleans())
def test_integrals_are_those_of_scipy(seed, n, axis, has_x):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=(n, 3) if axis == 0 else (3, n))
    grid = {"x": rising(rng, n)} if has_x else {"dx": 0.3}
    total = np.trapezoid(y, **grid, axis=axis)
    same(ops.trapezoid(y, **grid, axis=axis), total)
    same(ops.trapezoid.definition(y, **grid, axis=axis), total)
    same(ops.simpson(y, **grid, axis=axis), integrate.simpson(y, **grid, axis=axis), 1e-8)
    for initial in (None, 0):
        expected = integrate.cumulative_trapezoid(y, **grid, axis=axis, initial=initial)
        same(ops.cumulative_trapezoid(y, **grid, axis=axis, initial=initial), expected)


@given(SEEDS, st.integers(3, 12))
def test_simpson_is_exact_for_parabolas(seed, n):
    rng = np.random.default_rng(seed)
    a, b, c = rng.normal(size=3)
    x = rising(rng, n)

    def primitive(t):
        return a * t**3 / 3 + b * t**2 / 2 + c * t

    np.testing.assert_allclose(
        ops.simpson(a * x**2 + b * x + c, x),
        primitive(x[-1]) - primitive(x[0]),
        rtol=1e-8,
        atol=1e-8,
    )


@pytest.mark.parametrize("op", [ops.trapezoid, ops.simpson, ops.cumulative_trapezoid])
def test_an_integral_has_the_product_of_units(op):
    power = DimArray([1.0, 2.0, 2.0, 4.0], "kW")
    time = DimArray([0.0, 1.0, 2.0, 3.0], "h")
    energy = op(power, time)
    assert energy.unit == Unit("kW*h")
    in_minutes = op(power.to("W"), time.to("min"))
    same(in_minutes.to_value("kW*h"), energy.data, 1e-9)
    same(op(power, dx=DimArray(60.0, "min")).to_value("kW*h"), energy.data, 1e-9)


@pytest.mark.parametrize("op", [ops.trapezoid, ops.simpson, ops.cumulative_trapezoid])
def test_an_integral_over_temperatures_takes_their_differences(op):
    heat = DimArray([1.0, 2.0, 4.0], "J/K")
    t = DimArray([20.0, 30.0, 45.0], "degC")
    energy = op(heat, t)
    same(op(heat, t.to("K")).to_value("J"), energy.to_value("J"))
    same(op(heat, t.to("degF")).to_value("J"), energy.to_value("J"))
    with pytest.raises(PointError):
        op(t, heat)


def test_cumulative_trapezoid_asks_for_an_initial_value_in_its_own_unit():
    y, x = DimArray([1.0, 3.0], "m/s"), DimArray([0.0, 2.0], "s")
    result = ops.cumulative_trapezoid(y, x, initial=DimArray(1.0, "km"))
    assert result.unit == Unit("m")
    same(result.data, [1000.0, 4.0])
    with pytest.raises(DimensionError, match="initial"):
        ops.cumulative_trapezoid(y, x, initial=DimArray(1.0, "s"))


def test_integrals_refuse_coordinates_of_another_length():
    for op in (ops.trapezoid, ops.simpson, ops.cumulative_trapezoid):
        with pytest.raises(ShapeMismatch, match="3 coordinates"):
            op.definition(np.ones(3), np.ones(2))
        with pytest.raises(ShapeMismatch, match="one axis or more"):
            op.definition(np.float64(1.0))


# Interpolation


@given(SEEDS, st.integers(1, 8), st.booleans(), st.sampled_from([None, 2.5]))
def test_the_definition_of_interp_is_that_of_numpy(seed, n, has_ends, period):
    rng = np.random.default_rng(seed)
    xp, fp = rising(rng, n), rng.normal(size=n)
    x = np.concatenate([rng.uniform(-5, 15, 20), xp, [np.inf, -np.inf] if period is None else []])
    ends = {"left": -7.0, "right": 9.0} if has_ends else {}
    expected = np.interp(x, xp, fp, period=period, **ends)
    with np.errstate(invalid="ignore"):
        actual = ops.interp.definition(x, xp, fp, period=period, **ends)
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-9)


def test_interp_with_repeated_coordinates_and_nan():
    xp, fp = np.array([0.0, 1.0, 1.0]), np.array([1.0, 2.0, 5.0])
    with np.errstate(invalid="ignore", divide="ignore"):
        actual = ops.interp.definition(np.array([0.5, 1.0, 2.0, np.nan]), xp, fp)
    np.testing.assert_array_equal(actual, np.interp([0.5, 1.0, 2.0, np.nan], xp, fp))


def test_interp_finds_the_place_in_any_unit_and_gives_the_unit_of_the_samples():
    xp, fp = DimArray([0.0, 1.0, 2.0], "km"), DimArray([15.0, 8.5, 2.0], "degC")
    result = ops.interp(DimArray([500.0, 5000.0, -1.0], "m"), xp, fp)
    assert result.unit == Unit("degC")
    same(result.data, [11.75, 2.0, 15.0])
    same(ops.interp(0, xp, fp).data, 15.0)
    in_fahrenheit = ops.interp(DimArray(500.0, "m"), xp, fp.to("degF"), left=DimArray(0.0, "degC"))
    same(in_fahrenheit.to_value("degC"), 11.75, 1e-9)


def test_interp_wants_the_unit_of_a_period():
    angles, fp = DimArray([0.0, 90.0, 180.0, 270.0], "deg"), DimArray([1.0, 2.0, 3.0, 4.0], "m")
    at = DimArray(405.0, "deg")
    same(ops.interp(at, angles, fp, period=DimArray(1.0, "turn")).data, 1.5, 1e-12)
    with pytest.raises(DimensionError, match="unit"):  # it would count as 360 radians
        ops.interp(at, angles, fp, period=360)


def test_interp_over_temperatures():
    t, density = DimArray([0.0, 20.0, 40.0], "degC"), DimArray([999.8, 998.2, 992.2], "kg/m**3")
    same(ops.interp(DimArray(283.15, "K"), t, density).data, 999.0, 1e-9)
    with pytest.raises(PointError, match="bare 0"):
        ops.interp(0, t, density)
    with pytest.raises(PointError, match="period"):
        ops.interp(DimArray(5.0, "degC"), t, density, period=DimArray(10.0, "delta_degC"))
    with pytest.raises(PointError):
        ops.interp(DimArray(5.0, "s"), DimArray([0.0, 9.0], "s"), DimArray([1.0, 2.0], "dBm"))


def test_interp_names_the_argument_that_does_not_fit():
    t, density = DimArray([0.0, 20.0], "degC"), DimArray([1.0, 2.0], "kg/m**3")
    with pytest.raises(DimensionError, match="left:"):
        ops.interp(DimArray(5.0, "degC"), t, density, left=DimArray(1.0, "m"))
    with pytest.raises(DimensionError, match="right:"):
        ops.interp(DimArray([1.0], "s"), DimArray([0.0, 1.0], "s"), t, right=DimArray(1.0, "m"))


def test_interp_refuses_what_does_not_fit():
    xp, fp = DimArray([0.0, 1.0], "m"), DimArray([1.0, 2.0], "kg")
    with pytest.raises(DimensionError):
        ops.interp(DimArray(1.0, "s"), xp, fp)
    with pytest.raises(DimensionError):
        ops.interp(DimArray(1.0, "m"), xp, fp, left=DimArray(1.0, "m"))
    with pytest.raises(ShapeMismatch):
        ops.interp.definition(1.0, np.ones(2), np.ones(3))
    with pytest.raises(ShapeMismatch):
        ops.interp.definition(1.0, np.ones(0), np.ones(0))


# Periodic values


@given(SEEDS, st.sampled_from([None, 4.0]), st.sampled_from([None, 3.0]))
def test_the_definition_of_unwrap_is_that_of_numpy(seed, period, discont):
    x = np.random.default_rng(seed).normal(scale=4.0, size=(3, 9)).cumsum(axis=1)
    expected = np.unwrap(x, discont, period=2 * np.pi if period is None else period)
    same(ops.unwrap.definition(x, discont, period=period), expected, 1e-9)
    same(ops.unwrap(x, discont, period=period), expected)


def test_unwrap_knows_a_turn_in_every_unit():
    degrees = DimArray([350.0, 10.0, 30.0], "deg")
    same(ops.unwrap(degrees).to_value("deg"), [350.0, 370.0, 390.0])
    same(ops.unwrap(degrees, period=DimArray(1.0, "turn")).data, [350.0, 370.0, 390.0])
    metres = ops.unwrap(DimArray([4.5, 0.5], "m"), period=DimArray(500.0, "cm"))
    same(metres.data, [4.5, 5.5])


def test_unwrap_refuses_a_period_that_could_be_read_in_two_ways():
    with pytest.raises(DimensionError, match="an angle is not a pure number"):
        ops.unwrap(DimArray([350.0, 10.0], "deg"), period=360)
    with pytest.raises(PureNumberError, match="period"):
        ops.unwrap(DimArray([1.0, 2.0], "m"))
    with pytest.raises(UnitError, match="other than 0"):
        ops.unwrap(DimArray([1.0, 2.0], "m"), period=0)


def test_single_precision_stays():
    y = np.arange(6, dtype=np.float32) ** 2
    for result in (
        ops.simpson(y),
        ops.simpson(y[:5], dx=0.5),
        ops.cumulative_trapezoid(y),
        ops.gradient.definition(y, 0.5, edge_order=2),
        ops.gradient(DimArray(y, "m")),
        ops.diff(DimArray(y, "m")),
    ):
        assert result.dtype == np.float32
