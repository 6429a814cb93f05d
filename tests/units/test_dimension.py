"""Dimensions: a group over nine bases, one object each, readable and readable back."""

import copy
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import Dimension
from dimflow.errors import NotANumber, UndefinedUnitError, UnitError, UnitRangeError
from dimflow.units.dimension import BASES, named
from tests.units.guard import refusal
from tests.units.strategies import dimensions, fractions, nonzero_fractions

NUMBER = Dimension()
LENGTH, TIME = Dimension("length"), Dimension("time")


class TestLaws:
    @given(dimensions, dimensions, dimensions)
    def test_group(self, a: Dimension, b: Dimension, c: Dimension) -> None:
        assert (a * b) * c is a * (b * c)
        assert a * b is b * a
        assert a * NUMBER is a
        assert a / a is NUMBER
        assert a / b is a * b**-1

    @given(dimensions, dimensions, fractions, fractions)
    def test_powers(self, a: Dimension, b: Dimension, p: Fraction, q: Fraction) -> None:
        assert a**p * a**q is a ** (p + q)
        assert (a**p) ** q is a ** (p * q)
        assert (a * b) ** p is a**p * b**p
        assert a**0 is NUMBER

    @given(dimensions, nonzero_fractions)
    def test_a_root_undoes_a_power(self, a: Dimension, p: Fraction) -> None:
        assert (a**p) ** (1 / p) is a

    @given(dimensions)
    def test_exponents(self, a: Dimension) -> None:
        assert Dimension(*a.as_tuple()) is a
        assert Dimension(**a.as_dict()) is a
        assert len(a.as_tuple()) == len(BASES) == 9
        assert all(isinstance(e, Fraction) for e in a.as_tuple())


class TestText:
    @given(dimensions)
    def test_str_reads_back(self, a: Dimension) -> None:
        assert Dimension(str(a)) is a
        assert Dimension(a.formula) is a

    @given(dimensions)
    def test_repr_evaluates(self, a: Dimension) -> None:
        assert eval(repr(a), {"Dimension": Dimension}) is a

    @pytest.mark.parametrize("name", list(named()))
    def test_names_read_back(self, name: str) -> None:
        dimension = named()[name]
        assert Dimension(name) is Dimension(f"[{name}]") is dimension
        assert Dimension(str(dimension)) is dimension

    @pytest.mark.parametrize(
        ("dimension", "text", "formula"),
        [
            (Dimension(), "[dimensionless]", "[]"),
            (Dimension(mass=1, length=1, time=-2), "[force]", "[length mass time^-2]"),
            (Dimension(length=1, time=-1), "[speed]", "[length time^-1]"),
            (Dimension(length=Fraction(1, 2)), "[length^(1/2)]", "[length^(1/2)]"),
            (Dimension(angle=1, time=-1), "[angular_velocity]", "[time^-1 angle]"),
            (Dimension(information=1), "[information]", "[information]"),
        ],
    )
    def test_examples(self, dimension: Dimension, text: str, formula: str) -> None:
        assert (str(dimension), dimension.formula) == (text, formula)

    @pytest.mark.parametrize(
        ("text", "same"),
        [
            ("length/time", "[speed]"),
            ("[length]/[time]", "[speed]"),
            ("[length] [time]^-1", "[speed]"),
            ("[mass] * [acceleration]", "[force]"),
            ("energy / (temperature mass)", "[specific_heat_capacity]"),
            ("", "[dimensionless]"),
            ("[]", "1"),
            ("sqrt(area)", "length"),
        ],
    )
    def test_ways_to_write(self, text: str, same: str) -> None:
        assert Dimension(text) is Dimension(same)


class TestObjects:
    @given(dimensions, st.integers(2, 5))
    def test_copies_and_pickles_are_the_same_object(self, a: Dimension, protocol: int) -> None:
        assert pickle.loads(pickle.dumps(a, protocol)) is a
        assert copy.copy(a) is a
        assert copy.deepcopy(a) is a

    def test_angle_is_a_dimension_of_its_own(self) -> None:
        assert Dimension("angular_velocity") is not Dimension("frequency")
        assert Dimension("angular_velocity").without_angle() is Dimension("frequency")
        assert not Dimension("angle").is_dimensionless
        assert NUMBER.is_dimensionless

    def test_a_product_with_a_number_is_no_power(self) -> None:
        """One memo for powers and products answered length * 2 with an area."""
        assert LENGTH**2 is Dimension("area")
        with pytest.raises(TypeError):
            LENGTH * 2  # type: ignore[operator]
        with pytest.raises(TypeError):
            LENGTH / 2  # type: ignore[operator]
        with pytest.raises(TypeError):
            2 * LENGTH  # type: ignore[operator]

    def test_numbers_as_exponents(self) -> None:
        assert LENGTH ** np.int64(2) is Dimension("area")
        assert LENGTH**0.5 is Dimension(length="1/2")
        assert LENGTH**True is LENGTH


class TestRefused:
    @pytest.mark.parametrize(
        "text",
        ["lenght", "2 length", "length + time", "length **", "[length", "length]", "(", "m/s",
         "length**(1/9999999)", "[speed", "length^1e9"],
    )  # fmt: skip
    def test_texts(self, text: str) -> None:
        with pytest.raises(UnitError):
            Dimension(text)

    @pytest.mark.parametrize(
        "exponents", [(None,), ("length", 1), (1j,), ([],), (float("nan"),), (0.123456789,)]
    )
    def test_exponents(self, exponents: tuple[Any, ...]) -> None:
        with pytest.raises((NotANumber, UnitRangeError)):
            Dimension(*exponents)

    def test_too_many(self) -> None:
        with pytest.raises(UnitError, match="a Dimension has 9 exponents, but got 10"):
            Dimension(*[1] * 10)
        with pytest.raises(UnitError, match="no base dimension is called 'colour'"):
            Dimension(colour=1)

    def test_the_message_speaks_of_dimensions(self) -> None:
        with pytest.raises(UndefinedUnitError) as caught:
            Dimension("lenght/time")
        text = str(caught.value)
        assert text.startswith("no dimension is called 'lenght'")
        assert "length" in caught.value.suggestions
        assert caught.value.position == 0

    @given(st.text(max_size=30))
    def test_any_text_is_read_or_refused(self, text: str) -> None:
        refusal(lambda: Dimension(text))
