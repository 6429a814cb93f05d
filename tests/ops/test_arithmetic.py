"""Arithmetic with units, against exact fractions, NumPy and what the words mean."""

from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import overrides

from dimflow import DimArray, ops
from dimflow.errors import DimensionError, PointError, PureNumberError, UnitError
from dimflow.units import Unit

LENGTHS = {
    "m": Fraction(1),
    "km": Fraction(1000),
    "cm": Fraction(1, 100),
    "ft": Fraction(3048, 10000),
}
lengths = st.sampled_from(sorted(LENGTHS))
counts = st.integers(-10_000, 10_000)


def metres(number, unit):
    return number * LENGTHS[unit]


@given(counts, lengths, counts, lengths)
def test_division_with_remainder_is_that_of_the_exact_lengths(a, u, b, v):
    x, y = metres(a, u), metres(b, v)
    assume(b != 0)
    quotient, rest = x // y, x % y
    if ("ft" in (u, v)) and u != v:  # neither is a whole multiple of the other: not at the edge
        assume(min(rest / y, 1 - rest / y) > 1e-6)
    p, q = DimArray(float(a), u), DimArray(float(b), v)
    got = ops.divmod(p, q)
    for times, left in ((p // q, p % q), got):
        assert times.unit == Unit("")
        assert times.item() == quotient
        assert left.to_value("m") == pytest.approx(float(rest), rel=1e-6, abs=1e-9)
        assert left.unit in (Unit(u), Unit(v))


@given(counts, lengths, counts, lengths)
def test_fmod_has_the_sign_of_the_dividend(a, u, b, v):
    assume(b != 0)
    x, y = metres(a, u), metres(b, v)
    rest = abs(x) % abs(y)
    if ("ft" in (u, v)) and u != v:
        assume(min(rest / abs(y), 1 - rest / abs(y)) > 1e-6)
    got = ops.fmod(DimArray(float(a), u), DimArray(float(b), v)).to_value("m")
    assert got == pytest.approx(float(rest if x > 0 else -rest), rel=1e-6, abs=1e-9)


def test_a_kilometre_modulo_300_metres_is_100_metres():
    km, m = DimArray(1.0, "km"), DimArray(300.0, "m")
    assert ops.remainder(km, m).to_value("m") == pytest.approx(100)
    assert ops.fmod(-km, m).to_value("m") == pytest.approx(-100)
    assert (km // m).item() == 3
    assert (DimArray(1000.0, "m") // m).item() == 3


def test_whole_multiples_of_a_number_depend_on_the_unit():
    with pytest.raises(UnitError, match=r"floor\(x / y, unit='km'\)"):
        DimArray(7.0, "km") // 2
    with pytest.raises(UnitError, match="depends on the unit"):
        ops.divmod(DimArray(7.0, "km"), 2)
    with pytest.raises(DimensionError):
        DimArray(7.0, "km") % 2
    with pytest.raises(DimensionError):
        7 // DimArray(2.0, "km")


def test_radians_divide_by_numbers_and_degrees_do_not():
    assert (DimArray(7.0, "rad") // 2).item() == 3
    assert (DimArray(400.0, "deg") % DimArray(360.0, "deg")).item() == pytest.approx(40)
    with pytest.raises(DimensionError, match="write a number with its unit"):
        DimArray(400.0, "deg") % 360
    assert (DimArray(150.0, "percent") // 1).item() == 1


@pytest.mark.parametrize("name", ["abs", "fabs", "negative", "sign", "signbit", "square", "sqrt"])
def test_points_have_no_size_sign_or_product(name):
    with pytest.raises(PointError):
        ops.get(name)(DimArray([20.0], "degC"))


def test_products_of_points_are_refused_and_extremes_are_points():
    celsius, fahrenheit = DimArray([20.0, 25.0], "degC"), DimArray([70.0, 70.0], "degF")
    with pytest.raises(PointError):
        celsius * 2
    with pytest.raises(PointError):
        ops.multiply_add(celsius, 2, celsius)
    for name in ("maximum", "fmax"):
        got = ops.get(name)(celsius, fahrenheit)
        assert got.unit == Unit("degC")
        np.testing.assert_allclose(got.data, [(70 - 32) / 1.8, 25.0])
    np.testing.assert_allclose(ops.clip(celsius, max=fahrenheit).data, [20.0, (70 - 32) / 1.8])
    with pytest.raises(PointError, match="bare 0"):
        ops.maximum(celsius, 0)


def test_lerp_is_an_average_also_of_points():
    cold, warm = DimArray(20.0, "degC"), DimArray(86.0, "degF")
    assert ops.lerp(cold, warm, 0.5).item() == pytest.approx(25.0)
    assert ops.lerp(cold, warm, 0).item() == 20.0
    assert ops.lerp(cold, warm, DimArray(100.0, "percent")).to_value("degF") == pytest.approx(86)
    with pytest.raises(PureNumberError):
        ops.lerp(DimArray(1.0, "m"), DimArray(2.0, "m"), DimArray(1.0, "s"))


def test_multiply_add_meets_in_the_unit_of_the_product():
    x, y, z = DimArray([1.0, 2.0], "m"), DimArray(2.0, "s"), DimArray(3.0, "km*s")
    np.testing.assert_allclose(ops.multiply_add(x, y, z).to_value("m*s"), [3002.0, 3004.0])
    speed = ops.multiply_add(DimArray(2.0, "rad/s"), DimArray(3.0, "m"), DimArray(1.0, "km/s"))
    assert speed.unit.dimension == Unit("m/s").dimension
    assert speed.to_value("m/s") == pytest.approx(1006)
    spin = ops.multiply_add(DimArray(180.0, "deg/s"), DimArray(2.0, "s"), DimArray(1.0, "rad"))
    assert spin.to_value("rad") == pytest.approx(2 * np.pi + 1)
    assert ops.multiply_add(x, y, 0).unit == Unit("m*s")
    with pytest.raises(DimensionError, match=r"x \* y: m\*\*2"):
        ops.multiply_add(x, x, x)


def test_bare_zero_and_infinity_fit_every_unit_and_other_numbers_do_not():
    x = DimArray([-1.0, 2.0], "m")
    assert ops.clip(x, 0, inf).tolist() == [0.0, 2.0]
    assert ops.maximum(x, 0).unit == Unit("m")
    assert np.isnan(ops.minimum(x, nan).data).all()
    assert (ops.hypot(x, 0) == ops.abs(x)).all()
    with pytest.raises(DimensionError, match="max: 1"):
        ops.clip(x, 0, 1)
    assert ops.clip(x).tolist() == x.tolist()


def test_complex_numbers_keep_their_unit_in_parts():
    z = DimArray([3 + 4j, -1j], "V")
    assert ops.abs(z).tolist() == [5.0, 1.0]
    assert (ops.real(z) + 1j * ops.imag(z) == z).all()
    assert (z * ops.conj(z)).unit == Unit("V**2")
    assert ops.angle(z).unit == Unit("rad")
    np.testing.assert_allclose(ops.angle(z, deg=True).data, [53.13010235415598, -90])
    assert ops.angle(z, deg=True).unit == Unit("deg")
    np.testing.assert_allclose(ops.sign(z).data, [0.6 + 0.8j, -1j])


def test_signs_and_steps():
    x = DimArray([-2.0, 0.0, 3.0], "m")
    assert ops.sign(x).unit == Unit("")
    assert ops.sign(x).tolist() == [-1, 0, 1]
    assert ops.copysign(x, DimArray([1.0, -1.0, -1.0], "s")).tolist() == [2.0, -0.0, -3.0]
    assert ops.signbit(DimArray([-0.0, 1.0], "m")).tolist() == [True, False]
    step = ops.heaviside(x, 0.5)
    assert step.unit == Unit("")
    assert step.tolist() == [0.0, 0.5, 1.0]
    with pytest.raises(PureNumberError):
        ops.heaviside(x, x)


def test_whole_number_ops_take_no_unit():
    assert ops.gcd(DimArray([12, 18], ""), 4).tolist() == [4, 2]
    assert ops.lcm(np.array([4, 6]), 10).tolist() == [20, 30]
    for unit in ("m", "percent", "rad"):
        with pytest.raises(PureNumberError, match="whole numbers"):
            ops.gcd(DimArray([12], unit), 4)
    with pytest.raises(PureNumberError, match="whole numbers"):
        ops.ldexp(DimArray([1.0], "m"), DimArray([2], "m"))


def _slope(name, x, y, by):
    op = ops.get(name)
    return op.derivative.functions[by](op(x, y), x, y)


@pytest.mark.parametrize(("name", "best"), [("maximum", max), ("minimum", min)])
def test_equals_share_the_derivative_of_an_extreme(name, best):
    x, y = np.array([1.0, 2.0, 3.0], np.float32), np.array([2.0, 2.0, 2.0], np.float32)
    first, second = (_slope(name, x, y, i) for i in (0, 1))
    assert (first + second == 1).all()
    assert first[1] == 0.5
    assert [f == 1 for f in first[[0, 2]]] == [best(1, 2) == 1, best(3, 2) == 3]
    assert first.dtype == np.float32


@pytest.mark.parametrize("name", ["fmax", "fmin"])
def test_the_partner_of_a_nan_has_the_whole_derivative(name):
    x, y = np.array([nan, 1.0]), np.array([1.0, nan])
    assert _slope(name, x, y, 0).tolist() == [0, 1]
    assert _slope(name, x, y, 1).tolist() == [1, 0]


def test_every_ufunc_of_numbers_is_an_op():
    numeric = {
        f.__name__
        for f in overrides.get_overridable_numpy_ufuncs()
        if any(set(loop) & set("?bBqQdD") for loop in f.types)
    }
    # loops over numbers in name only: strings, times, and what only NumPy's own code calls
    numeric -= {f for f in numeric if hasattr(np.strings, f) and not hasattr(np, f)}
    numeric -= {"isnat", "_ones_like"}
    assert len(numeric) >= 90
    missing = numeric - {op.hosts.numpy for op in ops.TABLE.values()}
    assert not {name for name in missing if not name.startswith("_")}


@pytest.mark.parametrize(
    ("whole", "part", "times"),
    [
        ("km", "m", 1000),
        ("m", "mm", 1000),
        ("h", "min", 60),
        ("week", "s", 604800),
        ("turn", "deg", 360),
        ("", "percent", 100),
        ("foot", "inch", 12),
        ("GiB", "byte", 2**30),
    ],
)
@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_whole_multiples_leave_no_rest(whole: str, part: str, times: int, dtype: str) -> None:
    n = np.arange(1, 50, dtype=dtype)
    for divisor in (d for d in (1, 2, 5, 6, 10) if times % d == 0):
        x, y = DimArray(n, whole), DimArray(np.asarray(divisor, dtype), part)
        expected = n * (times // divisor)
        np.testing.assert_array_equal(ops.floor_divide(x, y).to_value(""), expected)
        for rest in (ops.remainder(x, y), ops.fmod(x, y), ops.divmod(x, y)[1]):
            assert rest.dimension is Unit(part).dimension
            np.testing.assert_array_equal(rest.data, 0)
        np.testing.assert_array_equal(ops.divmod(x, y)[0].to_value(""), expected)
