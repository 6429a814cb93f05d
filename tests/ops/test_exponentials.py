"""Exponentials and logarithms: of pure numbers, against mpmath at the ends of their range."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.errors import PointError, PureNumberError
from dimflow.units import Unit

UNARY = ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sinc", "sigmoid", "softplus")
wide = st.floats(-700, 700)


@pytest.mark.parametrize("name", ["exp2", "expm1", "log", "log1p", "sinh", "cosh", "tanh", "erf"])
@pytest.mark.parametrize("unit", ["deg", "turn", "arcmin", "rpm*s"])
def test_a_function_of_pure_numbers_takes_radians_and_no_degrees(name, unit):
    """exp does, for exp(1j*x): its rule sees units and no dtypes."""
    with pytest.raises(PureNumberError):
        ops.get(name)(DimArray([30.0], unit))
    assert ops.get(name)(DimArray([0.5], "rad")) == ops.get(name)(np.array([0.5]))
    assert np.exp(1j * DimArray(90.0, "deg")).imag == pytest.approx(1)
    powers = np.power(2.0, DimArray([1.0, 2.0], "rad")), 2.0 ** DimArray([1.0, 2.0], "rad")
    assert all(np.array_equal(power, [2.0, 4.0]) for power in powers)


@pytest.mark.parametrize("name", [*UNARY, "logit", "log_sigmoid"])
def test_scaled_pure_numbers_are_rescaled(name):
    op = ops.get(name)
    for unit, scale in (("percent", 0.01), ("mm/m", 1e-3), ("km/m", 1e3)):
        x = DimArray([0.3 / scale], unit)
        assert op(x).unit == Unit("")
        np.testing.assert_allclose(op(x).data, op(np.array([0.3])), rtol=1e-13)


def test_exp_of_a_kilometre_in_metres():
    ratio = DimArray(0.5, "km") / DimArray(1.0, "m")
    assert ops.exp(ratio).item() == pytest.approx(np.exp(500.0))
    assert ops.log(DimArray(1.0, "km/m")).item() == pytest.approx(np.log(1000))
    assert ops.exp(DimArray(1.0, "m/km")).item() == pytest.approx(np.exp(0.001))


@pytest.mark.parametrize("name", [*UNARY, "logit", "log_sigmoid"])
def test_quantities_are_refused(name):
    with pytest.raises(PureNumberError, match=name):
        ops.get(name)(DimArray([1.0], "m"))
    with pytest.raises((PointError, PureNumberError)):
        ops.get(name)(DimArray([1.0], "degC"))
    with pytest.raises(PointError):
        ops.get(name)(DimArray([1.0], "dB"))


@given(wide)
def test_the_logistic_function_is_exact_in_its_tails(x):
    with mpmath.workdps(350):
        exact = 1 / (1 + mpmath.exp(-mpmath.mpf(x)))
        plus = mpmath.log(1 + mpmath.exp(mpmath.mpf(x)))
    assert ops.sigmoid(x) == pytest.approx(float(exact), rel=1e-14)
    assert ops.softplus(x) == pytest.approx(float(plus), rel=1e-14)
    assert ops.log_sigmoid(-x) == pytest.approx(-float(plus), rel=1e-14)


def test_the_ends_give_no_warnings():
    x = np.array([-np.inf, -800.0, 800.0, np.inf, np.nan])
    np.testing.assert_array_equal(ops.sigmoid(x), [0, 0, 1, 1, np.nan])
    np.testing.assert_array_equal(ops.softplus(x), [0, 0, 800, np.inf, np.nan])


@given(st.floats(1e-300, 1 - 1e-16))
def test_logit_is_exact_everywhere(p):
    with mpmath.workdps(400):
        exact = mpmath.log(mpmath.mpf(p) / (1 - mpmath.mpf(p)))
    assert ops.logit(p) == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize("name", ["sigmoid", "logit", "softplus", "log_sigmoid", "sinc"])
def test_precision_stays(name):
    for dtype in (np.float32, np.float64):
        got = ops.get(name)(np.array([0.25, 0.75], dtype))
        assert got.dtype == dtype
    assert ops.get(name)(np.zeros((0, 2))).shape == (0, 2)


def test_sigmoid_of_complex_numbers_is_the_formula():
    z = np.array([0.5 + 2j, -1 - 1j])
    np.testing.assert_allclose(ops.sigmoid(z), 1 / (1 + np.exp(-z)))


@given(st.floats(-0.2, 0.2).filter(lambda x: x == 0 or abs(x) > 1e-12))
def test_the_slope_of_sinc_is_exact_through_zero(x):
    (slope,) = ops.sinc.derivative.functions
    with mpmath.workdps(60):
        z = mpmath.pi * mpmath.mpf(x)
        exact = mpmath.mpf(0) if x == 0 else (mpmath.cos(z) - mpmath.sin(z) / z) / mpmath.mpf(x)
    x = np.float64(x)
    assert slope(ops.sinc(x), x) == pytest.approx(float(exact), rel=1e-12, abs=1e-300)


def test_logaddexp_of_infinities_and_units():
    assert ops.logaddexp(-np.inf, 1.0) == 1.0
    percent = DimArray(100.0, "percent")
    assert ops.logaddexp(percent, 1.0).item() == pytest.approx(1 + np.log(2))
    assert ops.logaddexp2(percent, 1.0).item() == pytest.approx(2.0)
