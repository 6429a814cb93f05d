"""Conversions: exact, rounded once, transitive to one unit in the last place; points as points."""

import math
from decimal import Decimal, getcontext
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pint
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dimflow import DimArray, Unit, constants, units
from dimflow.errors import (
    ComputationError,
    DimflowError,
    PointError,
    UnitConversionError,
    UnitError,
    UnitRangeError,
)
from dimflow.units import Logarithmic, convert, find_conversion
from dimflow.units.scale import Scale
from tests.units.guard import refusal, within
from tests.units.strategies import (
    EVERY_UNIT,
    LINEAR_UNITS,
    LOGARITHMIC_UNITS,
    any_units,
    linear_atoms,
    plain_floats,
    products,
)

BY_DIMENSION: dict[Any, list[Unit]] = {}
for _unit in LINEAR_UNITS:
    BY_DIMENSION.setdefault(_unit.dimension, []).append(_unit)
FAMILIES = [family for family in BY_DIMENSION.values() if len(family) > 1]
same_dimension = st.sampled_from(FAMILIES).flatmap(
    lambda family: st.tuples(*[st.sampled_from(family)] * 3)
)


def ulps(a: float, b: float) -> float:
    return abs(a - b) / math.ulp(max(abs(a), abs(b))) if a != b else 0


def true_value(scale: Scale) -> Fraction:
    """By mpmath, which shares nothing with our arithmetic."""
    names = {"pi": mpmath.mp.pi, "ln2": mpmath.mp.ln2, "ln10": mpmath.mp.ln10}
    with mpmath.workprec(2000):
        value = mpmath.mpf(1)
        for base, e in scale.factors:
            number = +names[base] if isinstance(base, str) else mpmath.mpf(base)
            value *= mpmath.power(number, mpmath.mpf(e.numerator) / e.denominator)
        return scale.fraction * int(value.man) * Fraction(2) ** int(value.exp)


class TestFactors:
    @given(same_dimension)
    def test_correctly_rounded(self, units: tuple[Unit, Unit, Unit]) -> None:
        a, b, _ = units
        true = true_value(a.key.scale) / true_value(b.key.scale)
        assert a.conversion_factor(b) == true.numerator / true.denominator

    @pytest.mark.deep
    def test_every_scale_is_correctly_rounded(self) -> None:
        for unit in EVERY_UNIT:
            true = true_value(unit.key.scale)
            assert unit.scale == true.numerator / true.denominator, unit

    @given(same_dimension)
    def test_inverse(self, units: tuple[Unit, Unit, Unit]) -> None:
        a, b, _ = units
        assert ulps(a.conversion_factor(b) * b.conversion_factor(a), 1.0) <= 2

    @given(products())
    def test_of_a_unit_to_itself(self, unit: Unit) -> None:
        assert unit.conversion_factor(unit) == 1.0
        assert unit.conversion_factor(str(unit)) == 1.0

    def test_equal_units(self) -> None:
        assert Unit("N").conversion_factor("kg*m/s**2") == 1.0
        assert isinstance(Unit("N").conversion_factor("kg*m/s**2"), float)

    @pytest.mark.parametrize(
        ("source", "target", "factor"),
        [
            ("mile", "km", 1.609344),
            ("inch", "mm", 25.4),
            ("lb", "kg", 0.45359237),
            ("psi", "Pa", 6894.757293168362),
            ("deg", "rad", math.pi / 180),
            ("eV", "J", 1.602176634e-19),
            ("ly", "m", 9460730472580800.0),
            ("nat", "bit", 1.4426950408889634),
            ("rpm", "rad/s", 0.10471975511965978),
            ("delta_degF", "K", 5 / 9),
        ],
    )
    def test_known(self, source: str, target: str, factor: float) -> None:
        assert Unit(source).conversion_factor(target) == factor

    @pytest.mark.parametrize(
        ("source", "target"), [("degC", "K"), ("K", "degC"), ("dBm", "W"), ("degC", "degC")]
    )
    def test_points_have_none(self, source: str, target: str) -> None:
        with pytest.raises(PointError, match="a conversion factor has no meaning"):
            Unit(source).conversion_factor(target)

    def test_beyond_floats(self) -> None:
        with pytest.raises(UnitRangeError):
            (Unit("Qm") ** 20).conversion_factor(Unit("qm") ** 20)


class TestLinear:
    @given(same_dimension, plain_floats)
    def test_transitive_to_one_ulp(self, units: tuple[Unit, Unit, Unit], x: float) -> None:
        a, b, c = units
        middle, direct = convert(x, a, b), convert(x, a, c)
        assume(1e-290 < abs(middle) < 1e290)
        assume(1e-290 < abs(direct) < 1e290)
        assert ulps(convert(middle, b, c), direct) <= 1

    @given(same_dimension, plain_floats)
    def test_back_and_forth_to_one_ulp(self, units: tuple[Unit, Unit, Unit], x: float) -> None:
        a, b, _ = units
        there = convert(x, a, b)
        assume(1e-290 < abs(there) < 1e290)
        assert ulps(convert(there, b, a), x) <= 1

    @given(same_dimension, plain_floats)
    def test_correctly_rounded(self, units: tuple[Unit, Unit, Unit], x: float) -> None:
        a, b, _ = units
        true = Fraction(x) * true_value(a.key.scale) / true_value(b.key.scale)
        assume(Fraction(1, 10**300) < abs(true) < 10**300)
        assert convert(x, a, b) == true.numerator / true.denominator

    @given(same_dimension, st.fractions(-(10**9), 10**9))
    def test_fractions_stay_exact(self, units: tuple[Unit, Unit, Unit], x: Fraction) -> None:
        a, b, c = units
        assume(not any(u.key.scale.factors for u in units))
        there = convert(x, a, b)
        assert isinstance(there, Fraction)
        assert convert(there, b, c) == convert(x, a, c)
        assert convert(there, b, a) == x
        assert convert(2 * x, a, b) == 2 * there

    @given(any_units(), st.one_of(st.integers(), st.floats(), st.fractions()))
    def test_identity_returns_the_value(self, unit: Unit, x: Any) -> None:
        assert convert(x, unit, unit) is x

    @given(linear_atoms(), plain_floats)
    def test_odd_and_monotonic(self, unit: Unit, x: float) -> None:
        base = unit.to_base()
        assert convert(-x, unit, base) == -convert(x, unit, base)
        assert convert(0.0, unit, base) == 0.0

    @given(products(), plain_floats)
    def test_the_spelling_does_not_matter(self, unit: Unit, x: float) -> None:
        base = unit.to_base()
        assert convert(x, str(unit), str(base)) == convert(x, unit, base)


class TestAffine:
    TEMPERATURES = ["K", "degC", "degF", "degR", "degRe", "degRo", "mK", "kK"]

    @pytest.mark.parametrize(
        ("value", "source", "target", "result"),
        [
            (0, "degC", "K", 273.15),
            (0, "K", "degC", -273.15),
            (100, "degC", "degF", 212.0),
            (-40, "degF", "degC", -40.0),
            (32, "degF", "degC", 0.0),
            (98.6, "degF", "degC", 37.0),
            (0, "K", "degF", -459.67),
            (Fraction(49167, 100), "degR", "degC", 0),
            (80, "degRe", "degC", 100.0),
            (60, "degRo", "degC", 100.0),
            (20, "degC", "degC", 20),
            (1, "delta_degC", "delta_degF", 1.8),
            (1, "delta_degC", "K", 1.0),
            (1000, "mdegC", "degC", 1.0),
        ],
    )
    def test_points(self, value: float, source: str, target: str, result: float) -> None:
        assert convert(value, source, target) == result

    @given(st.sampled_from(TEMPERATURES), st.sampled_from(TEMPERATURES),
           st.fractions(-(10**6), 10**6))  # fmt: skip
    def test_exact_in_fractions(self, a: str, b: str, x: Fraction) -> None:
        assert convert(convert(x, a, b), b, a) == x

    @given(st.sampled_from(TEMPERATURES), st.sampled_from(TEMPERATURES),
           st.sampled_from(TEMPERATURES), st.floats(1e-100, 1e6))  # fmt: skip
    def test_transitive(self, a: str, b: str, c: str, x: float) -> None:
        """A zero that moves makes small numbers of large ones: errors count at the largest."""
        middle, direct = convert(x, a, b), convert(x, a, c)
        slope = float(Unit(b).key.scale / Unit(c).key.scale)
        allowed = math.ulp(middle) * slope + math.ulp(direct)
        assert abs(convert(middle, b, c) - direct) <= allowed

    @given(st.sampled_from(TEMPERATURES), st.floats(-1e6, 1e6))
    def test_into_an_irrational_multiple(self, unit: str, x: float) -> None:
        expected = convert(x, unit, "K") / math.pi
        assert convert(x, unit, "pi K") == pytest.approx(expected, rel=1e-14, abs=1e-9)
        assert convert(expected, "pi K", unit) == pytest.approx(x, rel=1e-12, abs=1e-9)

    @given(st.sampled_from(TEMPERATURES), st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
    def test_differences_are_in_delta(self, unit: str, x: float, y: float) -> None:
        exact = [convert(Fraction(v), unit, "K") for v in (x, y)]
        difference = convert(Fraction(x) - Fraction(y), Unit(unit).delta, "K")
        assert exact[0] - exact[1] == difference


class TestLogarithmic:
    @pytest.mark.parametrize(
        ("value", "source", "target", "result"),
        [
            (0, "dBm", "mW", 1.0),
            (30, "dBm", "W", 1.0),
            (30, "dBm", "dBW", 0.0),
            (1, "W", "dBm", 30.0),
            (20, "dBV", "V", 10.0),
            (10, "V", "dBV", 20.0),
            (0, "dBV", "dBuV", 120.0),
            (94, "dB_SPL", "Pa", 1.0023744672545447),
            (7, "pH", "mol/L", 1e-7),
            (1e-7, "mol/L", "pH", 7.0),
            (5, "mag", "", 0.01),
            (100, "", "dB", 20.0),
            (20, "dB", "", 100.0),
            (20, "dB_field", "", 10.0),
            (1, "oct", "", 2.0),
            (12, "semitone", "", 2.0),
            (1, "Np", "", math.e),
            (1, "Bel", "dB", 10.0),
            (100, "cBel", "dB", 10.0),
            (10, "dNp", "Np", 1.0),
            (1000, "mmag", "", 0.3981071705534972),
            (1, "kdex", "dex", 1000.0),
            (1, "Np", "dB_field", 8.685889638065037),
            (1, "dB", "Np", 0.1151292546497023),
            (3, "dex", "", 1000.0),
            (0, "ABmag", "Jy", 3630.780547701014),
        ],
    )
    def test_points(self, value: float, source: str, target: str, result: float) -> None:
        assert convert(value, source, target) == pytest.approx(result, rel=1e-14, abs=1e-12)

    @given(st.sampled_from(LOGARITHMIC_UNITS), st.floats(-50, 50))
    def test_to_the_linear_unit_and_back(self, unit: Unit, x: float) -> None:
        assert isinstance(unit.law, Logarithmic)
        level = x * abs(float(unit.law.factor)) / 10
        linear = convert(level, unit, unit.linear)
        assert linear > 0
        assert convert(linear, unit.linear, unit) == pytest.approx(level, rel=1e-12, abs=1e-9)

    @given(st.sampled_from(LOGARITHMIC_UNITS), st.floats(-3, 3))
    def test_by_the_definition(self, unit: Unit, x: float) -> None:
        """linear = reference * base**(x / factor), by mpmath."""
        law = unit.law
        assert isinstance(law, Logarithmic)
        base = mpmath.e if law.base == 0 else law.base
        with mpmath.workdps(40):
            ratio = mpmath.power(
                base, mpmath.mpf(x) * law.factor.denominator / law.factor.numerator
            )
            true = float(ratio * mpmath.mpf(unit.scale))
        assert convert(x, unit, unit.to_base()) == pytest.approx(true, rel=1e-13)

    @pytest.mark.parametrize("target", ["m", "km", "", "s", "dBm"])
    def test_a_quantity_is_no_number(self, target: str) -> None:
        """Its own unit would be lost, whatever kind it is of."""
        quantities = [DimArray(5.0, "km"), DimArray([1, 2], ""), constants.c, units.km]
        for quantity in [*quantities, pint.Quantity(5, "km"), SimpleNamespace(unit="km")]:
            with pytest.raises(UnitError, match="convert takes numbers, but got a quantity"):
                convert(quantity, "m", target)

    @pytest.mark.parametrize("target", ["m", "km", "s", "Hz"])
    def test_a_wrong_name_of_an_equivalency_is_an_error_where_none_is_needed(
        self, target: str
    ) -> None:
        for via in ("nonsense", ["spectral", "nonsense"]):
            with pytest.raises(UnitError, match="no equivalency is called 'nonsense'"):
                convert(5, "m", target, via)

    @given(st.data())
    def test_between_levels_as_through_the_linear_unit(self, data: st.DataObject) -> None:
        """Of one kind (field or power); levels of ratios of either kind are the same levels."""
        a = data.draw(st.sampled_from(LOGARITHMIC_UNITS))
        others = [u for u in LOGARITHMIC_UNITS
                  if u.dimension is a.dimension and u.law.field == a.law.field
                  and u.law.kind == a.law.kind]  # fmt: skip
        b = data.draw(st.sampled_from(others))
        x = data.draw(st.floats(-20, 20))
        direct = convert(x, a, b)
        through = convert(convert(x, a, a.to_base()), a.to_base(), b)
        assert direct == pytest.approx(through, rel=1e-9, abs=1e-8)

    @pytest.mark.parametrize(
        ("value", "source", "target", "result"),
        [
            (33, "dBm", "dBW", 3.0),
            (4000, "dBm", "dBW", 3970.0),
            (-4000, "dBW", "dBm", -3970.0),
            (-1000, "mag", "dB", 4000.0),
            (7000, "dBV", "dBuV", 7120.0),
            (1e6, "octave", "decade", 301029.9956639812),
        ],
    )
    def test_levels_stay_levels(
        self, value: float, source: str, target: str, result: float
    ) -> None:
        """No way through 10**x, which loses digits and overflows."""
        assert convert(value, source, target) == pytest.approx(result, rel=1e-15)

    def test_edges(self) -> None:
        assert convert(0, "W", "dBm") == -math.inf
        assert convert(-math.inf, "dBm", "W") == 0.0
        assert convert(math.inf, "dBm", "W") == math.inf
        assert convert(1e6, "dBm", "W") == math.inf
        assert convert(-1e6, "dBm", "W") == 0.0
        assert math.isnan(convert(math.nan, "dBm", "W"))
        assert math.isnan(convert(math.nan, "W", "dBm"))
        with pytest.raises(ComputationError, match="negative"):
            convert(-1, "W", "dBm")

    def test_a_level_is_one_level_whatever_it_is_of(self) -> None:
        """10 dB more power is 10 dB more amplitude: ten times the one, the root of it the other."""
        assert convert(10, "dB", "dB_field") == pytest.approx(10)
        assert convert(10, "dB", "") == pytest.approx(10)
        assert convert(10, "dB_field", "") == pytest.approx(10**0.5)

    @given(st.data(), st.floats(-20, 20))
    def test_transitive(self, data: st.DataObject, x: float) -> None:
        """Whatever way a level takes, it arrives as the same level, or not at all."""
        a = data.draw(st.sampled_from(LOGARITHMIC_UNITS))
        others = [u for u in LOGARITHMIC_UNITS if u.dimension is a.dimension]
        b, c = data.draw(st.sampled_from(others)), data.draw(st.sampled_from(others))
        try:
            direct = convert(x, a, c)
            through = convert(convert(x, a, b), b, c)
        except UnitConversionError:
            return
        assert through == pytest.approx(direct, rel=1e-9, abs=1e-8)


class TestValues:
    """What comes for what goes in."""

    @pytest.mark.parametrize(
        ("value", "result", "kind"),
        [
            (3, 0.003, float),
            (3.0, 0.003, float),
            (Fraction(3), Fraction(3, 1000), Fraction),
            (Decimal(3), Decimal("0.003"), Decimal),
            (3 + 4j, (3 + 4j) * 0.001, complex),
            (np.float64(3), 0.003, float),
            (np.float32(3), np.float32(0.003), np.float32),
            (np.int64(3), 0.003, float),
            (math.inf, math.inf, float),
            (-math.inf, -math.inf, float),
            (10**400, math.inf, float),
            (-(10**400), -math.inf, float),
            (Decimal("Infinity"), math.inf, float),
            (5e-324, 0.0, float),
        ],
        ids=lambda v: repr(v)[:30],
    )
    def test_numbers(self, value: Any, result: Any, kind: type) -> None:
        answer = convert(value, "m", "km")
        assert answer == result
        assert isinstance(answer, kind)

    def test_not_a_number(self) -> None:
        for value in (math.nan, Decimal("NaN"), np.nan, np.float32("nan")):
            assert math.isnan(convert(value, "m", "km"))
            assert math.isnan(convert(value, "degC", "K"))

    def test_the_sign_of_zero(self) -> None:
        assert math.copysign(1, convert(-0.0, "m", "km")) == -1
        assert math.copysign(1, convert(0.0, "m", "km")) == 1
        assert convert(-0.0, "degC", "K") == 273.15

    def test_arrays_of_others(self) -> None:
        """Linear steps are arithmetic, so what knows it passes through; dimflow has its own."""
        there = convert(np.arange(3.0), "km", "m")
        assert there.tolist() == [0.0, 1000.0, 2000.0]
        assert convert(np.arange(3.0), "degC", "K").tolist() == [273.15, 274.15, 275.15]

    @pytest.mark.parametrize("value", ["5", b"5", None, [], [1.0], (1,), {}, "", {1}])
    @pytest.mark.parametrize(
        ("source", "target"), [("m", "km"), ("m", "m"), ("degC", "K"), ("W", "dBm"), ("dBm", "W")]
    )
    def test_no_numbers(self, value: Any, source: str, target: str) -> None:
        with pytest.raises((UnitError, ComputationError, TypeError)) as caught:
            convert(value, source, target)
        assert isinstance(caught.value, DimflowError)

    @pytest.mark.parametrize("value", [1j, np.arange(3.0)])
    def test_levels_of_what_has_no_order(self, value: Any) -> None:
        with pytest.raises(DimflowError):
            convert(value, "W", "dBm")

    @given(st.decimals("-1e50", "1e50", places=20))
    def test_decimals_are_exact_to_their_context(self, x: Decimal) -> None:
        expected = Fraction(x) * Fraction(3048, 10000)
        got = convert(x, "ft", "m")
        assert abs(Fraction(got) - expected) <= abs(expected) / 10 ** (getcontext().prec - 1)

    @pytest.mark.parametrize(
        "value", [Decimal("1e-999999999"), Decimal("1e999999999"), Decimal("sNaN")]
    )
    def test_extreme_decimals(self, value: Decimal) -> None:
        with within(2):
            if refusal(lambda: convert(value, "m", "km")) is None:
                answer = convert(value, "m", "km")
                assert answer == 0 or not math.isfinite(answer)


class TestErrors:
    def test_dimensions(self) -> None:
        with pytest.raises(UnitConversionError) as caught:
            convert(1, "km", "s")
        assert str(caught.value) == (
            "cannot convert km to s\n"
            "  from: km   [length]\n"
            "  to:   s    [time]"
        )  # fmt: skip
        assert (caught.value.source, caught.value.target) == (Unit("km"), Unit("s"))

    def test_pure_numbers(self) -> None:
        with pytest.raises(UnitConversionError) as caught:
            convert(1, "", "m")
        assert str(caught.value).startswith("cannot convert a pure number to m\n  from: 1 ")

    def test_a_hint_names_the_equivalency(self) -> None:
        with pytest.raises(UnitConversionError) as caught:
            convert(500, "nm", "THz")
        assert caught.value.hint == "via='spectral' connects them"

    @given(any_units(), any_units())
    def test_every_pair_converts_or_says_why(self, a: Unit, b: Unit) -> None:
        error = refusal(lambda: find_conversion(a, b))
        assert a.is_compatible(b) is (error is None)
        if error is None:
            assert a.dimension.without_angle() is b.dimension.without_angle()
        else:
            assert isinstance(error, UnitConversionError)
            assert str(error).startswith("cannot convert ")

    @pytest.mark.parametrize("bad", [None, 3, b"m", [], "xyzzy", "m +"])
    def test_no_units(self, bad: Any) -> None:
        with pytest.raises(UnitError):
            convert(1, bad, "m")
        with pytest.raises(UnitError):
            convert(1, "m", bad)
        with pytest.raises(UnitError):
            Unit("m").conversion_factor(bad)
