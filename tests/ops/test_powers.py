"""Powers and roots: the unit follows the exponent, which must be known."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray, ops
from dimflow.errors import PureNumberError, UnitError, UnitRangeError
from dimflow.units import Unit

simple = st.fractions(-4, 4, max_denominator=6)


@given(simple, st.floats(0.1, 10))
def test_the_unit_and_the_value_are_raised_together(exponent, value):
    x = DimArray(np.array([value]), "km")
    got = ops.static_power(x, exponent=exponent)
    assert got.unit == Unit("km") ** exponent
    in_metres = ops.static_power(x.to("m"), exponent=exponent)
    assert got.to_value(in_metres.unit) == pytest.approx(in_metres.data, rel=1e-12)
    assert got.data == pytest.approx(value ** float(exponent), rel=1e-12)
    assert ((x**exponent).data == got.data).all()


@given(simple, simple)
def test_exponents_add(a, b):
    x = DimArray(np.array([1.5, 2.5]), "m/s")
    got = x**a * x**b
    assert got.unit == x.unit ** (a + b)
    np.testing.assert_allclose(got.data, (x ** (a + b)).data, rtol=1e-12)


@pytest.mark.parametrize(
    ("root", "power"), [(ops.sqrt, 2), (ops.cbrt, 3), (ops.reciprocal, -1)], ids=str
)
def test_roots_undo_powers(root, power):
    x = DimArray([1.5, 2.5], "ft")
    back = root(x**power)
    assert back.unit == x.unit
    np.testing.assert_allclose(back.data, x.data)


def test_one_number_of_any_kind_is_an_exponent():
    x = DimArray([2.0, 3.0], "m")
    for two in (2, 2.0, np.int64(2), np.float64(2), np.array(2), DimArray(200.0, "percent")):
        got = ops.pow(x, two)
        assert got.unit == Unit("m**2")
        assert got.tolist() == [4.0, 9.0]
    assert (x**True).unit == Unit("m")
    assert ops.float_power(DimArray([2], "m"), -1).tolist() == [0.5]


@pytest.mark.parametrize("exponent", [2, 2.0, np.int64(2), np.array(2), DimArray(200, "percent")])
def test_the_functions_of_users_take_one_exponent_under_every_name(exponent):
    x = DimArray([1.0, 3.0], "m")
    for name in ("power", "pow", "float_power"):
        found = getattr(dimflow, name)(x, exponent)
        assert found.unit == Unit("m**2")
        np.testing.assert_allclose(found.data, [1.0, 9.0])


def test_dtypes_are_those_of_numpy():
    x = np.array([1, 2, 3], np.int32)
    assert ops.pow(x, 2).dtype == np.int32
    assert ops.pow(DimArray(x, "m"), 2).dtype == np.int32
    assert ops.pow(x.astype(np.float32), Fraction(1, 2).__float__()).dtype == np.float32
    assert ops.float_power(x.astype(np.float32), 2).dtype == np.float64


@pytest.mark.parametrize("library", ["numpy", "torch", "jax", "mlx", "dask", "array_api_strict"])
@pytest.mark.parametrize("exponent", [-1, -2])
def test_integers_to_a_negative_power_are_fractions(library: str, exponent: int):
    x = DimArray(np.array([1, 2, 4], np.int32), "m", backend=library)
    ways = [x**exponent, ops.pow(x, exponent), ops.static_power(x, exponent=exponent)]
    ways += [x**exponent, x.astype(np.float32) ** exponent, x**exponent]  # the short way
    if library == "numpy":
        ways += [np.power(x, exponent), np.power(x, np.int64(exponent)), x ** np.array(exponent)]
    for got in ways:
        assert got.unit == Unit("m") ** exponent
        np.testing.assert_allclose(got.to_numpy(), np.array([1.0, 2, 4]) ** exponent, rtol=1e-6)


def test_one_integer_to_a_negative_power():
    assert ((5 * Unit("s")) ** -1).to_value("Hz") == 0.2
    assert (DimArray(2, "") ** -1).to_value("") == 0.5


def test_pure_numbers_go_to_any_power():
    x = DimArray([50.0, 200.0], "percent")
    for exponent in (0.123456789, np.pi):
        for got in (x**exponent, ops.pow(x, exponent), x.to("") ** exponent):
            np.testing.assert_allclose(got.to_value(""), np.array([0.5, 2.0]) ** exponent)
    np.testing.assert_allclose((2.0**x).data, 2.0 ** np.array([0.5, 2.0]))
    np.testing.assert_allclose(ops.pow(x, np.array([1.0, 2.0])).data, [0.5, 4.0])
    np.testing.assert_allclose(ops.pow(x.to(""), 1j).data, np.array([0.5, 2.0]) ** 1j)


@pytest.mark.parametrize("exponent", [float("nan"), float("inf"), -float("inf"), 0.123456789])
def test_units_go_to_simple_powers_only(exponent):
    for raised in (
        lambda: DimArray([2.0], "m") ** exponent,
        lambda: ops.pow(DimArray([2.0], "m"), exponent),
    ):
        with pytest.raises(UnitRangeError):
            raised()


def test_arrays_of_exponents_are_for_pure_numbers():
    with pytest.raises(UnitError, match="known without data"):
        DimArray([2.0, 3.0], "m") ** np.array([1, 2])
    with pytest.raises(UnitError, match="known without data"):
        ops.pow(DimArray([2.0], "m"), 2j)
    with pytest.raises(PureNumberError):
        ops.pow(2.0, DimArray([2.0], "m"))


def test_derivatives_at_zero_are_numbers():
    zero = np.zeros(2)
    (slope,) = ops.static_power.derivative.functions
    assert slope(np.ones(2), zero, exponent=0).tolist() == [0, 0]
    assert slope(zero, zero, exponent=1).tolist() == [1, 1]
    with_unit = slope(DimArray([1.0], ""), DimArray([0.0], "m"), exponent=0)
    assert with_unit.unit == Unit("1/m")
    by_base, by_exponent = ops.array_power.derivative.functions
    y = np.array([0.0, 2.0])
    assert by_base(zero**y, zero, y).tolist() == [0, 0]
    assert by_exponent(zero**y, zero, y).tolist() == [0, 0]
