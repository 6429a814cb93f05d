"""Units: a group by meaning, interned by spelling."""

import copy
import gc
import operator
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import Dimension, Unit, units
from dimflow.errors import (
    NotANumber,
    PointError,
    UnitDefinitionError,
    UnitError,
    UnitRangeError,
)
from tests.units.strategies import (
    AFFINE_UNITS,
    EVERY_UNIT,
    LINEAR_UNITS,
    any_units,
    dimensions,
    fractions,
    linear_atoms,
    nonzero_fractions,
    positive_fractions,
    products,
    tame_products,
    user_units,
)

ONE = Unit("")


class TestGroup:
    @given(products(), products(), products())
    def test_associative_and_commutative(self, a: Unit, b: Unit, c: Unit) -> None:
        assert (a * b) * c == a * (b * c)
        assert a * b == b * a
        assert a / b / c == a / (b * c)

    @given(products())
    def test_one_and_inverse(self, a: Unit) -> None:
        assert a * ONE is a
        assert ONE * a is a
        assert a / ONE is a
        assert a / a == ONE
        assert a * a**-1 == ONE
        assert (a**-1) ** -1 is a

    @given(products(), products())
    def test_a_quotient_undoes_a_product(self, a: Unit, b: Unit) -> None:
        assert a * b / b == a
        assert a / b == a * b**-1

    @given(tame_products(), fractions, fractions)
    def test_powers_of_powers(self, a: Unit, p: Fraction, q: Fraction) -> None:
        assert (a**p) ** q == a ** (p * q)
        assert a**p * a**q == a ** (p + q)

    @given(tame_products(), tame_products(), fractions)
    def test_powers_of_products(self, a: Unit, b: Unit, p: Fraction) -> None:
        assert (a * b) ** p == a**p * b**p

    @given(tame_products(), nonzero_fractions)
    def test_a_root_undoes_a_power(self, a: Unit, p: Fraction) -> None:
        assert (a**p) ** (1 / p) is a

    @given(products(), st.integers(-4, 4))
    def test_a_power_is_a_repeated_product(self, a: Unit, n: int) -> None:
        repeated = ONE
        for _ in range(abs(n)):
            repeated = repeated * a if n > 0 else repeated / a
        assert a**n == repeated

    @given(products(), products())
    def test_meaning_is_a_homomorphism(self, a: Unit, b: Unit) -> None:
        assert (a * b).dimension is a.dimension * b.dimension
        assert (a * b).key.scale == a.key.scale * b.key.scale
        assert (a / b).dimension is a.dimension / b.dimension

    @given(products(), products())
    def test_equality_is_that_of_meaning(self, a: Unit, b: Unit) -> None:
        same = a.dimension is b.dimension and a.key.scale == b.key.scale
        assert (a == b) is same
        assert (a != b) is not same
        assert not same or hash(a) == hash(b)

    @given(products(), products())
    def test_the_same_spelling_is_the_same_object(self, a: Unit, b: Unit) -> None:
        before = a * b
        spelled = before.factor, before.atoms
        del before
        gc.collect(0)
        again = a * b
        assert (again.factor, again.atoms) == spelled
        assert a * b is again

    @given(user_units(), user_units())
    def test_user_units_obey_as_well(self, a: Unit, b: Unit) -> None:
        assert a * b == b * a
        assert a * b / b == a
        assert (a**2) ** Fraction(1, 2) is a


class TestEquality:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("N", "kg*m/s**2"),
            ("J", "W*s"),
            ("Hz", "1/s"),
            ("Bq", "Hz"),
            ("L", "dm**3"),
            ("m**0", ""),
            ("km/m", "1000"),
            ("sqrt(m**2)", "m"),
            ("acre", "4046.8564224 m^2"),
            ("knot", "nmi/h"),
            ("turn", "2 pi rad"),
        ],
    )
    def test_equal(self, one: str, other: str) -> None:
        assert Unit(one) == Unit(other)
        assert hash(Unit(one)) == hash(Unit(other))
        assert {Unit(one): 1}[Unit(other)] == 1

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("N", "J"),
            ("rpm", "Hz"),
            ("rad", ""),
            ("sr", ""),
            ("degC", "K"),
            ("degC", "delta_degC"),
            ("dB", "dB_field"),
            ("bit", ""),
            ("percent", ""),
        ],
    )
    def test_not_equal(self, one: str, other: str) -> None:
        assert Unit(one) != Unit(other)

    def test_other_types(self) -> None:
        assert Unit("m") != "m"
        assert Unit("") != 1
        assert (Unit("m") == None) is False  # noqa: E711
        assert Unit("m") not in ["m", 1, None]


class TestPrinting:
    """What a spelling shows is what was written, and it never grows."""

    @pytest.mark.parametrize(
        ("unit", "text"),
        [
            (Unit("Hz"), "Hz"),
            (Unit("1/s"), "1/s"),
            (Unit("N") * Unit("m"), "N*m"),
            (Unit("kg") * Unit("m") / Unit("s") / Unit("s") * Unit("s"), "kg*m/s"),
            (Unit("m") / Unit("m"), ""),
            (Unit("km") / Unit("m"), "km/m"),
            (Unit("m") ** Fraction(1, 2), "m**(1/2)"),
            (ONE / (Unit("m") * Unit("s")), "1/(m*s)"),
            (Unit("degC") * Unit("m"), "delta_degC*m"),
        ],
    )
    def test_examples(self, unit: Unit, text: str) -> None:
        assert str(unit) == text
        assert unit.symbol == text
        assert repr(unit) == f"Unit({text!r})"

    @given(st.lists(st.sampled_from(["m", "s", "kg", "Hz"]), min_size=1, max_size=40), st.data())
    def test_never_grows(self, names: list[str], data: st.DataObject) -> None:
        result = ONE
        for name in names:
            unit = Unit(name)
            result = result * unit if data.draw(st.booleans()) else result / unit
            assert len(result.atoms) <= 4
        longest = len("kg**40*m**40/(Hz**40*s**40)")
        assert len(str(result)) <= longest

    def test_names(self) -> None:
        assert Unit("m/s").name == "metre/second"
        assert Unit("kg*m/s**2").name == "kilogram*metre/second**2"


class TestObjects:
    @given(any_units() | products() | user_units(), st.integers(2, 5))
    def test_copies_and_pickles_are_the_same_object(self, unit: Unit, protocol: int) -> None:
        assert pickle.loads(pickle.dumps(unit, protocol)) is unit
        assert copy.copy(unit) is unit
        assert copy.deepcopy(unit) is unit
        assert copy.deepcopy([unit, {unit: unit}])[0] is unit

    @given(any_units())
    def test_a_unit_of_a_unit_is_itself(self, unit: Unit) -> None:
        assert Unit(unit) is unit

    def test_a_unit_is_not_changed(self) -> None:
        with pytest.raises(AttributeError):
            units.m.colour = "red"  # type: ignore[attr-defined]

    def test_a_serial_is_never_used_again(self) -> None:
        """Memos are keyed on it; id() of a unit that is gone would be that of another."""
        seen = set()
        for i in range(50):
            unit = Unit(f"zq_serial_{i}", "length", 2)
            assert unit._serial not in seen
            seen.add(unit._serial)
            del unit
            gc.collect(0)


class TestExponents:
    @pytest.mark.parametrize(
        ("power", "same"),
        [
            (2.0, 2), (0.5, "1/2"), (1 / 3, "1/3"), (-1.5, "-3/2"), (True, 1), (np.int64(2), 2),
            (np.int8(-3), -3), (np.float64(0.5), "1/2"), ("1/2", "1/2"), (Fraction(4, 2), 2),
        ],
    )  # fmt: skip
    def test_what_stands_for_an_exponent(self, power: Any, same: Any) -> None:
        assert Unit("m") ** power is Unit("m") ** Fraction(same)
        assert Unit("m") ** power is Unit("m") ** power

    @pytest.mark.parametrize(
        "power",
        [None, "x", 1j, [], np.array([1, 2]), float("nan"), float("inf"), 0.123456789, object(),
         10**10, Fraction(1, 10**6), Unit("m"), 1e300, "1e999999999", Dimension("length")],
        ids=lambda v: str(v)[:20].split(" at ")[0],
    )  # fmt: skip
    def test_what_does_not(self, power: Any) -> None:
        with pytest.raises((NotANumber, UnitRangeError)):
            Unit("m") ** power

    def test_a_product_of_many(self) -> None:
        """The product over an array of n metres is in m**n."""
        assert (Unit("m") ** 10**6).dimension is Dimension(length=10**6)


class TestPoints:
    """A point on a scale is no factor; its difference is."""

    @given(st.sampled_from(AFFINE_UNITS), st.sampled_from(LINEAR_UNITS))
    def test_an_affine_unit_is_its_difference_in_products(self, point: Unit, other: Unit) -> None:
        assert point * other == point.delta * other
        assert other / point == other / point.delta
        assert point**2 == point.delta**2
        assert point.delta.law is None
        assert point.delta.key.scale == point.key.scale

    @given(st.sampled_from(EVERY_UNIT))
    def test_delta_and_linear_are_linear(self, unit: Unit) -> None:
        assert unit.linear.law is None
        assert unit.linear.dimension is unit.dimension
        try:
            delta = unit.delta
        except PointError:
            assert unit.law is not None
        else:
            assert delta.law is None
            assert delta.delta is delta

    def test_a_level_with_a_reference_has_no_products(self) -> None:
        with pytest.raises(PointError, match="dBm"):
            Unit("dBm") * Unit("m")
        with pytest.raises(PointError, match="dBV"):
            Unit("dBV") ** 2
        with pytest.raises(PointError):
            Unit("dBm/Hz")

    def test_levels_without_a_reference_are_nepers(self) -> None:
        per_metre = Unit("dB/m")
        assert per_metre.conversion_factor("Np/m") == pytest.approx(0.1151292546497023, rel=1e-15)
        assert Unit("dB").delta.dimension.is_dimensionless


class TestMaking:
    @given(dimensions, positive_fractions)
    def test_a_unit_of_ones_own(self, dimension: Dimension, scale: Fraction) -> None:
        unit = Unit("zq_own", dimension, scale)
        assert unit.dimension is dimension
        assert unit.scale == float(scale)
        assert unit.symbol == unit.name == "zq_own"
        assert Unit("zq_own", dimension, scale) is unit

    def test_a_known_symbol_is_the_known_unit(self) -> None:
        assert Unit("ft", "length", 0.3048) is Unit("ft")
        assert Unit("N", Dimension("force")) is Unit("N")
        with pytest.raises(UnitDefinitionError, match=r"'ft' is \[length\] with scale 0.3048"):
            Unit("ft", "length", 0.3)
        with pytest.raises(UnitDefinitionError):
            Unit("m", "mass", 1)

    @pytest.mark.parametrize(
        "symbol", ["per", "square", "sqrt", "squared", "m s", "2x", "a:b", "a|b", "", " ", "a-b",
                   "x" * 101, "zq-", " zq", "zq ", "\0", "zq(x)"]
    )  # fmt: skip
    def test_symbols_that_could_not_be_read(self, symbol: str) -> None:
        with pytest.raises(UnitError):
            Unit(symbol, "length", 2)

    @pytest.mark.parametrize(
        "scale", [0, -1, float("nan"), float("inf"), 1j, "x", [], "1e999999999"]
    )
    def test_scales_that_are_none(self, scale: Any) -> None:
        with pytest.raises((NotANumber, UnitRangeError)):
            Unit("zq_bad", "length", scale)

    @pytest.mark.parametrize("other", [3, None, b"m", 2.5, [], {}, object(), ("m",), True])
    def test_what_is_no_text(self, other: Any) -> None:
        with pytest.raises(UnitError, match="a unit is given by text"):
            Unit(other)
        with pytest.raises(UnitError):
            Unit(other, ucum=True)
        with pytest.raises(UnitError):
            Unit(other, style="latex")

    def test_a_unit_takes_no_more_arguments(self) -> None:
        with pytest.raises(UnitError, match="a Unit is complete"):
            Unit(units.m, "length")
        with pytest.raises(UnitError):
            Unit(units.m, style="latex")


class TestNumbers:
    """A product with numbers is an array, which the array layer makes."""

    @pytest.mark.parametrize("number", [2, 2.5, np.float64(1), np.ones(2)], ids=str)
    def test_arithmetic_with_numbers(self, number: Any) -> None:
        for result, unit, value in [
            (number * units.m, "m", number),
            (units.m * number, "m", number),
            (number / units.m, "1/m", number),
            (units.m / number, "m", 1 / number),
        ]:
            assert result.unit == Unit(unit)
            np.testing.assert_array_equal(result.data, value)

    @pytest.mark.parametrize("thing", ["x", None])
    def test_arithmetic_with_other_things(self, thing: Any) -> None:
        for operation in (operator.mul, operator.truediv):
            with pytest.raises(TypeError):
                operation(thing, units.m)
            with pytest.raises(TypeError):
                operation(units.m, thing)

    @pytest.mark.parametrize("operation", ["+", "-", "%", "//", "<", ">", "@"])
    def test_no_other_operations(self, operation: str) -> None:
        with pytest.raises(TypeError):
            eval(f"a {operation} b", {"a": units.m, "b": units.m})


class TestAsks:
    @given(linear_atoms())
    def test_to_base(self, unit: Unit) -> None:
        base = unit.to_base()
        assert base.dimension is unit.dimension
        assert base.scale == 1.0
        assert base.to_base() is base
        assert unit.conversion_factor(base) == unit.scale

    def test_compatible(self) -> None:
        assert Unit("km").is_compatible("mile")
        assert not Unit("km").is_compatible("s")
        assert Unit("nm").is_compatible("THz", via="spectral")
        assert Unit("degC").is_compatible("degF")
        assert Unit("rpm").is_compatible("Hz") is False

    @given(any_units(), any_units())
    def test_compatible_is_an_answer_never_an_error(self, a: Unit, b: Unit) -> None:
        assert a.is_compatible(b) in (True, False)
        assert a.is_compatible(b) == b.is_compatible(a)
        assert a.is_compatible(a)

    def test_in_attributes_of_the_module(self) -> None:
        assert units.km is Unit("km")
        assert units.degC is Unit("degC")
        assert units.µm is Unit("um")
        with pytest.raises(AttributeError):
            units.no_such_unit_zq  # noqa: B018
        assert not hasattr(units, "no_such_unit_zq")

    def test_names_with_which_it_is_imported(self) -> None:
        from dimflow.units import N, kg, km, s

        assert N * s / kg == Unit("m/s")
        assert km is units.km
