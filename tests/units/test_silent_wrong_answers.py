"""Wrong answers that other libraries give without a word; here each is right, or an error."""

import copy
import math
import pickle
from fractions import Fraction

import pytest

from dimflow import Unit, units
from dimflow.errors import DimensionError, PointError, UnitConversionError, UnitError
from dimflow.units import convert


def test_revolutions_are_not_hertz() -> None:
    """60 rpm is 6.28 Hz to those that take radians for 1; here one says what is meant."""
    with pytest.raises(UnitConversionError) as caught:
        convert(60, "rpm", "Hz")
    assert "via='cycles'" in str(caught.value)
    assert convert(60, "rpm", "Hz", via="cycles") == 1.0
    assert convert(60, "rpm", "rad/s") == pytest.approx(2 * math.pi, rel=1e-15)
    assert Unit("rpm") != Unit("Hz")


def test_zero_celsius_is_not_zero_kelvin() -> None:
    assert convert(0, "degC", "K") == 273.15
    assert convert(0, "K", "degC") == -273.15
    assert convert(0, "degF", "degC") == pytest.approx(-17.77777777777778)
    assert Unit("degC") != Unit("K")


def test_twice_a_temperature_is_refused() -> None:
    with pytest.raises(PointError):
        Unit("degC").conversion_factor("K")
    assert Unit("W/degC") == Unit("W/K")


def test_a_newton_is_what_it_is_made_of() -> None:
    assert Unit("N") == Unit("kg*m/s**2")
    assert Unit("N") == units.kg * units.m / units.s**2
    assert len({Unit("N"), Unit("kg*m/s**2"), Unit("J/m")}) == 1


def test_symbols_do_not_grow() -> None:
    unit = Unit("m")
    for _ in range(1000):
        unit = unit / units.s * units.s
    assert unit is Unit("m")
    assert str(units.kg * units.m / units.s / units.s * units.s) == "kg*m/s"


def test_factors_are_exact() -> None:
    assert Unit("inch").conversion_factor("m") == 0.0254
    assert Unit("mile").conversion_factor("m") == 1609.344
    assert Unit("ft").conversion_factor("inch") == 12
    assert convert(0.1, "km", "m") == 100.0
    assert convert(3, "ft", "inch") == 36
    assert convert(1.1, "m", "cm") == 110.00000000000001  # 1.1 is a little above 1.1
    assert convert(Fraction(11, 10), "m", "cm") == 110
    assert convert(37, "degC", "degF") == 98.6
    chain = Unit("m")
    for _ in range(50):
        chain = chain * Unit("ft") / Unit("inch") / Unit("12")
    assert chain == Unit("m")


def test_roots_are_exact() -> None:
    assert (Unit("ft") ** 2) ** 0.5 is Unit("ft")
    assert (Unit("acre") ** 0.5) ** 2 == Unit("acre")
    assert (Unit("deg") ** Fraction(1, 3)) ** 3 == Unit("deg")
    assert Unit("m**0.1") ** 10 == Unit("m")
    assert Unit("L") ** Fraction(1, 3) == Unit("dm")


def test_angles_are_not_numbers() -> None:
    assert Unit("rad").dimension is not Unit("").dimension
    with pytest.raises(UnitConversionError):
        convert(90, "deg", "")
    assert convert(90, "deg", "", via="angle") == math.pi / 2
    assert Unit("N*m") == Unit("J")
    assert Unit("N*m/rad") != Unit("J")


def test_a_ratio_of_lengths_is_scaled() -> None:
    """exp(1 m / 1 km) is not e."""
    assert Unit("m/km").scale == 0.001
    assert convert(1, "m/km", "") == 0.001
    assert Unit("km/m") != Unit("")


def test_units_tell_themselves_apart() -> None:
    """Tokens and keys by str or pickle are those of the unit, not of the number before it."""
    some = ["m", "s", "km", "degC", "K", "dBm", "mW", "rpm", "Hz", "N*m", "J", "sr", ""]
    assert len({pickle.dumps(Unit(t)) for t in some}) == len(some)
    assert len({str(Unit(t)) for t in some}) == len(some)


def test_a_level_of_power_is_not_one_of_field() -> None:
    assert convert(20, "dBW", "W") == pytest.approx(100)
    assert convert(20, "dBV", "V") == pytest.approx(10)
    assert Unit("dB") != Unit("dB_field")
    assert convert(6.020599913279624, "dB_field", "") == pytest.approx(2)


def test_a_metre_is_not_a_milli_minute() -> None:
    assert Unit("min") == Unit("60 s")
    assert (
        Unit("mmin" if "mmin" in units.Registry() else "m*min").dimension is not Unit("m").dimension
    )
    assert Unit("Pa").dimension is Unit("N/m**2").dimension
    assert Unit("cd") != Unit("c*d")
    assert Unit("mm").scale == 0.001
    assert Unit("Mm").scale == 1e6


def test_capitals_count() -> None:
    assert Unit("mW") != Unit("MW")
    assert Unit("S").dimension is not Unit("s").dimension
    with pytest.raises(UnitError):
        Unit("KG")


def test_masses_are_not_weights() -> None:
    with pytest.raises(DimensionError):
        convert(1, "lb", "lbf")
    with pytest.raises(DimensionError):
        convert(1, "kg", "N")


def test_data() -> None:
    assert Unit("kB").scale == 1000 * Unit("B").scale
    assert Unit("KiB").scale == 1024 * Unit("B").scale
    assert Unit("MB") != Unit("Mbit")
    assert Unit("MB").conversion_factor("Mbit") == 8


def test_division_binds_from_the_left() -> None:
    assert Unit("J/kg*K") == Unit("J*K/kg")
    with pytest.raises(UnitError, match=r"write J/\(kg\*K\), or J\*K/kg"):
        Unit("J/kg K")
    assert Unit("J/kg/K") == Unit("J/(kg*K)")
    assert Unit("1/2 m") == Unit("0.5 m")


def test_a_number_is_not_lost() -> None:
    """(3 m)**2 is not 3 m**2."""
    assert Unit("3 m") ** 2 == Unit("9 m**2")
    assert Unit("(3 m)^2") == Unit("9 m^2")
    assert Unit("3 m^2") != Unit("9 m^2")
    assert (Unit("1000 m") ** -1).scale == 0.001


def test_copies_are_not_others() -> None:
    for text in ("m", "degC", "dBm", "zq"):
        unit = Unit("zq", "length", 2) if text == "zq" else Unit(text)
        assert copy.deepcopy(unit) is unit
        assert copy.deepcopy({"unit": unit})["unit"] is unit
