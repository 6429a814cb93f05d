"""Answers that other libraries of units give wrongly and in silence, each with the right one.

They were reproduced with pint, astropy, unyt, unxt, saiunit and an earlier dimtensor.
"""

import math

import numpy as np
import pytest

from dimflow.array import DimArray
from dimflow.errors import (
    DimensionError,
    DimflowError,
    UnitConversionError,
    UnitLossError,
)
from dimflow.units import Unit


def q(value, unit):
    return DimArray(value, unit)


def test_one_metre_and_two_kilometres():
    total = q([1.0], "m") + q([2.0], "km")
    assert total.to_value("m") == 2001
    assert (q([2.0], "km") + q([1.0], "m")).to_value("m") == 2001


def test_mod_and_floor_divide_convert_first():
    km, m = q(1.0, "km"), q(300.0, "m")
    assert np.mod(km, m).to_value("m") == pytest.approx(100)
    assert np.fmod(km, m).to_value("m") == pytest.approx(100)
    assert (km % m).to_value("m") == pytest.approx(100)
    assert np.floor_divide(km, m) == 3
    assert km // m == 3
    quotient, remainder = np.divmod(km, m)
    assert quotient == 3
    assert remainder.to_value("m") == pytest.approx(100)
    assert q(1000.0, "m") // m == km // m


@pytest.mark.parametrize("function", [math.sin, math.exp, float, int, complex, math.floor])
def test_a_plain_number_is_not_taken_from_a_quantity(function):
    for unit in ("m", "deg"):
        with pytest.raises(DimflowError) as error:
            function(q(90.0, unit))
        assert error.value.hint


def test_the_sine_of_a_right_angle():
    assert np.sin(q(90.0, "deg")).data == pytest.approx(1)
    assert np.sin(q([90.0, 30.0], "deg")).data == pytest.approx([1, 0.5])
    assert np.cos(q(np.pi, "rad")).data == pytest.approx(-1)


def test_sixty_revolutions_a_minute_are_no_number_of_hertz():
    with pytest.raises(UnitConversionError):
        q(60.0, "rpm").to("Hz")


@pytest.mark.parametrize("function", [np.zeros_like, np.ones_like, np.empty_like])
def test_like_keeps_the_unit(function):
    assert function(q([1.0, 2.0], "m")).unit == Unit("m")


def test_full_like_takes_quantities():
    x = q([1.0, 2.0], "m")
    np.testing.assert_array_equal(np.full_like(x, q(1.0, "km")).to_value("m"), [1000, 1000])
    with pytest.raises(DimensionError):
        np.full_like(x, 5.0)


def test_scaled_ratios_are_rescaled():
    ratio = q(1.0, "km") / q(1.0, "m")
    assert np.log(ratio).data == pytest.approx(math.log(1000))
    assert np.exp(q(1.0, "m") / q(1.0, "km")).data == pytest.approx(math.exp(0.001))
    assert np.exp(q(100.0, "%")).data == pytest.approx(math.e)
    assert float(ratio) == 1000
    assert np.asarray(ratio) == 1000


def test_a_discrete_fourier_transform_is_a_sum():
    x = q([1.0, 2.0, 4.0], "m")
    assert np.fft.fft(x).unit == Unit("m")
    np.testing.assert_allclose(np.fft.ifft(np.fft.fft(x)).to_value("m"), x.data)


def test_a_difference_in_two_units_is_not_zero():
    loss = np.mean((q(1.0, "m") - q(1.0, "km")) ** 2)
    assert loss.to_value("m**2") == pytest.approx(999.0**2)


def test_standard_scores_do_not_depend_on_the_unit():
    m = q([1.0, 4.0, 9.0], "m")
    one, other = ((x - np.mean(x)) / np.std(x) for x in (m, m.to("km")))
    np.testing.assert_allclose(other.to_value(""), one.to_value(""))


def test_numbers_of_numpy_from_the_left():
    x = q([1.0, 2.0], "m")
    for two in (np.float64(2), np.float32(2), np.int64(2), np.array(2.0), np.array([2.0, 2.0])):
        for product in (two * x, x * two, np.multiply(two, x)):
            assert product.unit == Unit("m")
            np.testing.assert_array_equal(product.data, [2, 4])
    assert (np.float64(2) / x).unit == Unit("1/m")
    assert (np.ones(2) * x[0]).shape == (2,)
    assert ([2.0, 2.0] * x).unit == Unit("m")


def test_a_power_raises_the_value_too():
    square = q(3.0, "m") ** 2
    assert square.data == 9
    assert square.unit == Unit("m**2")
    assert np.square(q(3.0, "m")).to_value("m**2") == 9
    assert np.power(q(3.0, "km"), 2).to_value("m**2") == 9e6


def test_degrees_to_radians_of_degrees():
    for angle in (q(180.0, "deg"), q(np.pi, "rad"), q(0.5, "turn")):
        assert np.deg2rad(angle).to_value("rad") == pytest.approx(np.pi)
        assert np.rad2deg(angle).to_value("deg") == pytest.approx(180)


def test_where_adopts_no_unit():
    x = q([1.0, 2.0], "m")
    with pytest.raises(DimensionError):
        np.where([True, False], x, 5.0)
    with pytest.raises(DimensionError):
        np.where([True, False], x, q(5.0, "s"))
    chosen = np.where([True, False], x, q(5.0, "km"))
    np.testing.assert_array_equal(chosen.to_value("m"), [1, 5000])
    assert np.where([True, False], x, 0).unit == Unit("m")


@pytest.mark.parametrize(
    "join", [np.concatenate, np.stack, np.hstack, np.vstack, np.dstack, np.column_stack]
)
def test_lengths_and_times_do_not_merge(join):
    with pytest.raises(DimensionError):
        join([q([1.0], "m"), q([1.0], "s")])
    joined = join([q([1.0], "m"), q([1.0], "km")])
    assert sorted(joined.to_value("m").ravel()) == [1, 1000]


def test_a_plain_array_times_a_quantity():
    product = np.array([1.0, 2.0]) * q([3.0, 4.0], "m")
    assert product.unit == Unit("m")
    np.testing.assert_array_equal(product.data, [3, 8])


def test_a_plain_array_does_not_swallow_a_unit_in_place():
    plain = np.ones(2)
    with pytest.raises(UnitLossError):
        plain *= q([3.0, 4.0], "m")
    with pytest.raises(DimflowError):
        plain += q([3.0, 4.0], "m")
    with pytest.raises(UnitLossError):
        plain[:] = q([3.0, 4.0], "m")
    np.testing.assert_array_equal(plain, [1, 1])
    plain *= q([300.0, 400.0], "%")
    np.testing.assert_array_equal(plain, [3, 4])


def test_the_zero_of_celsius():
    assert q(0.0, "degC").to_value("K") == pytest.approx(273.15)
    assert (q(20.0, "degC") - q(10.0, "degC")).to_value("K") == pytest.approx(10)
    with pytest.raises(DimflowError):
        np.sum(q([10.0, 20.0], "degC"))
    assert np.mean(q([10.0, 20.0], "degC")).to_value("degC") == 15
    assert np.std(q([10.0, 20.0], "degC")).to_value("K") == 5
    assert np.ptp(q([10.0, 20.0], "degF")).to_value("K") == pytest.approx(10 / 1.8)


def test_newtons_are_what_they_are_made_of():
    assert np.array_equal(q([1.0], "N"), q([1.0], "kg*m/s**2"))
    assert np.all(q([1.0], "N") == q([1.0], "kg*m/s**2"))


def test_symbols_do_not_grow():
    x = q([1.0], "kg*m/s")
    for _ in range(5):
        x = x / q(2.0, "s") * q(2.0, "s")
    assert str(x.unit) == str(q(1.0, "kg*m/s").unit)


def test_a_scalar_stays_a_scalar():
    assert q(1.0, "m").shape == ()
    assert np.sqrt(q(4.0, "m**2")).shape == ()
    assert np.sum(q([1.0, 2.0], "m")).shape == ()
    assert np.float64(2) * q(1.0, "m") == q(2.0, "m")


def test_single_precision_holds_an_electronvolt():
    energy = q(np.array([1.0], np.float32), "eV")
    square = np.square(energy)
    assert square.dtype == np.float32
    assert square.data == 1
    assert np.sqrt(square).to_value("eV") == 1


def test_variances_are_squares():
    x = q([1.0, 2.0, 4.0], "km")
    assert np.var(x).unit.dimension == Unit("m**2").dimension
    assert np.var(x).to_value("m**2") == pytest.approx(np.var([1000, 2000, 4000]))
    assert np.linalg.det(q(np.diag([1.0, 2.0]), "km")).to_value("m**2") == pytest.approx(2e6)
    assert np.prod(x).to_value("m**3") == pytest.approx(8e9)
    assert np.cov(x).to_value("m**2") == pytest.approx(np.cov([1000, 2000, 4000]))
