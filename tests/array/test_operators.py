"""Python's operators: units right, literals free, errors clear."""

import operator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, Unit, ops, units
from dimflow.errors import DimensionError, NotANumber, PointError, UnitError
from tests.array.strategies import FAMILIES, arrays, si


def broadcastable(x: DimArray, y: DimArray) -> bool:
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return False
    return True


@given(st.data(), st.sampled_from(sorted(FAMILIES)))
def test_sums_are_those_of_si(data: Any, family: str) -> None:
    x, y = data.draw(arrays(family)), data.draw(arrays(family))
    if not broadcastable(x, y):
        return
    for function in (operator.add, operator.sub):
        result = function(x, y)
        assert result.unit is x.unit
        np.testing.assert_allclose(si(result), function(si(x), si(y)), rtol=1e-9, atol=1e-3)


@given(arrays(), arrays())
def test_products_are_those_of_si(x: DimArray, y: DimArray) -> None:
    if not broadcastable(x, y):
        return
    product = x * y
    assert product.dimension is x.dimension * y.dimension
    np.testing.assert_allclose(si(product), si(x) * si(y), rtol=1e-9)
    with np.errstate(all="ignore"):
        quotient = x / y
        np.testing.assert_allclose(si(quotient), si(x) / si(y), rtol=1e-9)
    assert quotient.dimension is x.dimension / y.dimension


@given(st.data(), st.sampled_from(sorted(FAMILIES)))
def test_order_is_that_of_si(data: Any, family: str) -> None:
    x, y = data.draw(arrays(family)), data.draw(arrays(family))
    if not broadcastable(x, y):
        return
    apart = np.abs(si(x) - si(y)) > 1e-6 * (1 + np.abs(si(x)))
    for function in (operator.lt, operator.le, operator.gt, operator.ge, operator.ne):
        result = function(x, y)
        assert (type(result), result.dtype) == (DimArray, bool)
        np.testing.assert_array_equal(result[apart], function(si(x), si(y))[apart])


@given(arrays(), arrays())
def test_other_dimensions_do_not_add_or_compare(x: DimArray, y: DimArray) -> None:
    if x.dimension is y.dimension or not broadcastable(x, y):
        return
    for function in (operator.add, operator.sub, operator.lt, operator.mod, operator.floordiv):
        with pytest.raises(UnitError):
            function(x, y)
    shape = np.broadcast_shapes(x.shape, y.shape)
    np.testing.assert_array_equal(x == y, np.zeros(shape, bool))
    np.testing.assert_array_equal(x != y, np.ones(shape, bool))


@pytest.mark.parametrize("literal", [0, 0.0, -0.0, np.float64(0), np.inf, -np.inf, np.nan])
def test_literals_mean_the_same_in_every_unit(literal: float) -> None:
    x = DimArray([1.0, -2.0], "km")
    np.testing.assert_array_equal((x + literal).data, x.data + literal)
    np.testing.assert_array_equal((literal - x).data, literal - x.data)
    np.testing.assert_array_equal(x > literal, x.data > literal)
    np.testing.assert_array_equal(literal < x, literal < x.data)
    assert (x + literal).unit is x.unit


@pytest.mark.parametrize("number", [1, 2.5, np.float64(3), np.int32(2), 1j, np.ones(2), [1, 2]])
def test_other_bare_numbers_need_a_pure_partner(number: Any) -> None:
    x = DimArray([1.0, 2.0], "m")
    with pytest.raises(DimensionError):
        x + number
    with pytest.raises(DimensionError):
        number - x
    share = DimArray([50.0, 25.0], "percent")
    np.testing.assert_allclose((share + number).to("").data, np.add([0.5, 0.25], number))
    np.testing.assert_allclose((number + share).to("").data, np.add([0.5, 0.25], number))


def test_sums_of_lists_begin_with_zero() -> None:
    assert sum([1 * units.m, 2 * units.m]).item() == 3
    assert max([1 * units.m, 2 * units.km, 3 * units.cm]).unit is Unit("km")
    ordered = sorted([3 * units.m, 1 * units.km, 2 * units.cm])
    assert [x.unit for x in ordered] == [Unit("cm"), Unit("m"), Unit("km")]


def test_the_message_names_both_sides() -> None:
    with pytest.raises(DimensionError) as caught:
        DimArray([1.0], "km") + DimArray([1.0], "s")
    assert str(caught.value) == (
        "add needs arguments of one dimension, but got\n"
        "  left:  km   [length]\n"
        "  right: s    [time]\n"
        "  hint:  a factor of [length time^-1] (a speed) is missing on the right"
    )


@pytest.mark.parametrize(
    "exponent", [2, -1, 0, 0.5, 3.0, Fraction(1, 3), np.int64(2), np.float64(2)]
)
def test_static_powers(exponent: Any) -> None:
    x = DimArray([1.0, 4.0], "km")
    result = x**exponent
    assert result.unit == Unit("km") ** exponent
    np.testing.assert_allclose(result.data, x.data ** float(exponent))


def test_a_quantity_may_be_the_exponent_if_it_is_one_pure_number() -> None:
    x = DimArray([1.0, 4.0], "m")
    assert (x ** DimArray(200, "percent")).unit == Unit("m**2")
    assert (2 ** DimArray([1.0, 3.0])).tolist() == [2.0, 8.0]
    np.testing.assert_allclose((DimArray([50.0], "percent") ** [2.0]).data, [0.25])
    np.testing.assert_allclose(([2.0, 3.0] ** DimArray(200, "percent")).data, [4.0, 9.0])
    np.testing.assert_allclose(((2, 3) ** DimArray([2, 1])).data, [4, 3])
    for power in (lambda x, n: x**n, np.power, np.float_power):
        np.testing.assert_allclose(power(DimArray([0.5, 2.0]), 1j).data, np.power([0.5, 2.0], 1j))
    for exponent in (np.array([1.0, 2.0]), DimArray([1.0, 2.0]), 1 * units.s):
        with pytest.raises(UnitError):
            x**exponent
    with pytest.raises(UnitError):
        2**x


def test_whole_quotients_are_covariant() -> None:
    assert (DimArray(1.0, "km") // DimArray(300.0, "m")).item() == 3
    assert (DimArray(1000.0, "m") // DimArray(0.3, "km")).item() == 3
    remainder = DimArray(1.0, "km") % DimArray(300.0, "m")
    assert remainder.to("m").item() == pytest.approx(100)
    quotient, rest = divmod(DimArray(1.0, "km"), DimArray(300.0, "m"))
    assert (quotient.item(), rest.to("m").item()) == (3, pytest.approx(100))
    with pytest.raises(UnitError, match="depends on the unit"):
        DimArray(1.0, "km") // 2
    with pytest.raises(UnitError):
        DimArray(1.0, "km") % 2


def test_an_angle_is_absorbed_where_one_dimension_is_needed() -> None:
    omega, r, v = DimArray(2.0, "rad/s"), DimArray(3.0, "m"), DimArray(1.0, "m/s")
    for total in (omega * r + v, v + omega * r):
        assert total.unit.dimension == Unit("m/s").dimension
        assert total.to("m/s").item() == 7
    assert (DimArray(2.0, "rad") + 1).item() == 3


def test_degrees_beside_a_bare_number_are_refused() -> None:
    latitude = DimArray([10.0, 50.0], "deg")
    for wrong in (
        lambda: latitude > 45,
        lambda: latitude + 1,
        lambda: np.clip(latitude, -90, 90),
        lambda: np.mod(latitude, 360),
        lambda: np.where([True, False], latitude, 1.0),
    ):
        with pytest.raises(DimensionError, match=r"with its unit: 5 \* Unit\('deg'\)"):
            wrong()
    assert (latitude > 45 * units.deg).tolist() == [False, True]
    assert (latitude > 0).all()
    assert np.sin(latitude).is_dimensionless


def test_the_reciprocal_of_integers_is_not_cut_off() -> None:
    for reciprocal in (np.reciprocal, ops.reciprocal):
        assert reciprocal(DimArray([2, 4], "m")).tolist() == [0.5, 0.25]
        assert reciprocal(DimArray([2, 4], "m")).tolist() == [0.5, 0.25]


def test_points_and_differences() -> None:
    t, d = DimArray([20.0, 30.0], "degC"), DimArray([5.0, 5.0], "delta_degC")
    assert (t - t).unit == Unit("delta_degC")
    assert (t + d).unit is Unit("degC")
    assert (t + DimArray(9.0, "delta_degF")).tolist() == [25.0, 35.0]
    assert (d + t).tolist() == [25.0, 35.0]
    assert (t - d).tolist() == [15.0, 25.0]
    assert (t + DimArray(1.0, "K")).tolist() == [21.0, 31.0]
    assert (t - DimArray(1.0, "K")).tolist() == [19.0, 29.0]
    assert (t + 0).tolist() == [20.0, 30.0]
    assert (t - DimArray(68.0, "degF")).data == pytest.approx([0.0, 10.0])
    np.testing.assert_array_equal(t > DimArray(298.15, "K"), [False, True])
    for wrong in (
        lambda: 2 * t,
        lambda: t * 2,
        lambda: t / 2,
        lambda: t + t,
        lambda: d - t,
        lambda: -t,
        lambda: abs(t),
        lambda: t**2,
        lambda: t > 0,
        lambda: t * units.m,
    ):
        with pytest.raises(PointError):
            wrong()


def test_levels() -> None:
    p, gain = DimArray(10.0, "dBm"), DimArray(3.0, "dB")
    assert (p + gain).unit is Unit("dBm")
    assert (p + gain).item() == 13
    assert (p - gain).item() == 7
    assert (gain + p).unit is Unit("dBm")
    assert (gain + p).item() == 13
    for wrong in (lambda: p + p, lambda: 2 * p, lambda: gain * p, lambda: gain - p):
        with pytest.raises(PointError):
            wrong()
    with pytest.raises(PointError) as caught:
        p + 1
    assert str(caught.value) == (
        "add has no meaning for points in dBm\n"
        "  hint:  convert it first: x.to('mW'); a level moves by a gain, such as 3 * Unit('dB')"
    )


@pytest.mark.parametrize(
    ("left", "right", "gain"),
    [
        ("dBm", "dBm", "dB"),
        ("dBm", "dBW", "dB"),
        ("dBV", "dBuV", "dB_field"),
        ("dBSPL", "dBSPL", "dB_field"),
        ("ABmag", "ABmag", "mag"),
    ],
)
def test_the_difference_of_levels_is_a_gain(left: str, right: str, gain: str) -> None:
    x, y = DimArray([20.0, 31.0], left), DimArray([12.0, 15.5], right)
    between = x - y
    assert between.unit == Unit(gain)
    ratio = (x.to(x.unit.linear) / y.to(y.unit.linear)).to_value("")
    np.testing.assert_allclose(between.to_value(""), ratio, rtol=1e-12)
    np.testing.assert_allclose((y + between).to_value(left), x.data, rtol=1e-12)


@pytest.mark.parametrize("thing", ["m", b"m", None, {}, object()])
def test_what_is_no_number_is_a_type_error(thing: Any) -> None:
    x = DimArray([1.0], "m")
    for function in (operator.add, operator.mul, operator.lt):
        with pytest.raises(TypeError):
            function(x, thing)
        with pytest.raises(TypeError):
            function(thing, x)
    assert (x == thing) is False
    assert (x != thing) is True


def test_an_array_has_no_hash() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(DimArray(1, "m"))


def test_operators_of_bits_need_pure_numbers() -> None:
    x = DimArray([6, 3])
    np.testing.assert_array_equal(x & 2, [2, 2])
    np.testing.assert_array_equal(1 | x, [7, 3])
    np.testing.assert_array_equal(~x, [-7, -4])
    with pytest.raises(UnitError):
        DimArray([1], "m") & 1


@given(arrays())
def test_unary_operators(x: DimArray) -> None:
    for function in (operator.neg, operator.pos, abs):
        result = function(x)
        assert result.unit is x.unit
        np.testing.assert_array_equal(result.data, function(x.data))


def test_scalars_of_numpy_and_python_meet_arrays_in_both_orders() -> None:
    x = DimArray(np.arange(3.0), "m")
    for two in (2, 2.0, np.float64(2), np.int8(2), np.array(2.0), True + 1):
        for result in (two * x, x * two):
            assert isinstance(result, DimArray)
            assert result.tolist() == [0.0, 2.0, 4.0]
    assert (np.arange(3.0) * x).tolist() == [0.0, 1.0, 4.0]
    assert (x[2] * x).unit == Unit("m**2")
    assert (x.sum() * x).tolist() == [0.0, 3.0, 6.0]


def test_dtype_is_what_numpy_gives() -> None:
    x = DimArray(np.ones(2, np.float32), "m")
    assert (x * 2).dtype == np.float32
    assert (2.5 * x).dtype == np.float32
    assert x.to("km").dtype == np.float32
    assert (x + DimArray(np.ones(2, np.float32), "km")).dtype == np.float32
    assert DimArray([1, 2], "m").to("km").dtype == np.float64
    assert (DimArray([1, 2], "m") + DimArray([1, 2], "m")).dtype == np.int64


@pytest.mark.parametrize(
    ("fine", "coarse", "times"),
    [("cm", "m", "100"), ("mm", "inch", "25.4"), ("km/h", "m/s", "3.6"), ("s", "h", "3600")],
)
def test_comparison_does_not_depend_on_the_order(fine: str, coarse: str, times: str) -> None:
    n = [Fraction(i, 100) for i in range(1, 1000)]
    x = DimArray([float(i * Fraction(times)) for i in n], fine)
    y = DimArray([float(i) for i in n], coarse)
    for one, other in ((operator.lt, operator.gt), (operator.le, operator.ge)):
        np.testing.assert_array_equal(one(x, y), other(y, x))
        np.testing.assert_array_equal(one(y, x), other(x, y))
    np.testing.assert_array_equal(x == y, y == x)
    np.testing.assert_array_equal((x < y) | (x == y) | (x > y), True)
    if times.isdigit():  # a quotient by a whole number is the decimal that one would write
        np.testing.assert_array_equal(x == y, True)


@pytest.mark.parametrize("function", [operator.add, operator.sub])
@pytest.mark.parametrize(
    "units_", [("m", "km"), ("km", "m"), ("rad*m/s", "m/s"), ("m/s", "rad*m/s")]
)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128"])
def test_large_arrays_are_converted_and_added_without_touching_them(
    function: Any, units_: tuple[str, str], dtype: str
) -> None:
    raw = np.arange(1, 20_001, dtype=dtype)
    x, y = DimArray(raw.copy(), units_[0]), DimArray(raw.copy(), units_[1])
    for left, right in ((x, y), (x, y[:1]), (x[:1], y), (x, y[::-1])):
        result = function(left, right)
        small = function(left[:1], right[:1])
        assert result.unit is small.unit
        assert result.dtype == small.dtype
        expected = function(si(left), si(right)) / result.unit.scale
        np.testing.assert_allclose(
            result.data, expected, rtol=1e-5, atol=1e-5 * abs(expected).max()
        )
    np.testing.assert_array_equal(x.data, raw)
    np.testing.assert_array_equal(y.data, raw)


@pytest.mark.parametrize("is_right", [True, False])
@pytest.mark.parametrize("name", ["add", "sub", "mod", "floordiv", "and_", "or_", "xor"])
@pytest.mark.parametrize("unit", ["m", "", "degC", "dB"])
def test_a_unit_beside_an_array_asks_for_a_quantity(name: str, unit: str, is_right: bool) -> None:
    """Products and quotients with units make quantities; nothing else does."""
    sides = (DimArray([1.0], unit), Unit(unit))
    with pytest.raises(NotANumber, match=rf"1 \* Unit\({unit!r}\)"):
        getattr(operator, name)(*(sides if is_right else sides[::-1]))
