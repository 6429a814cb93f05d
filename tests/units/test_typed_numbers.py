"""Numbers as text."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow.units import typed_numbers as number
from dimflow.units.typed_numbers import NUMBER

fractions = st.fractions(max_denominator=10**12)
doubles = st.floats(allow_nan=False, allow_infinity=False)


@given(value=doubles)
def test_a_double_is_told_from_its_neighbours(value: float) -> None:
    assert float(number.shown(value)) == value


@given(value=fractions)
def test_a_fraction_is_shown_as_the_nearest_double_or_better(value: Fraction) -> None:
    text = number.shown(value)
    assert float(text) == float(value)
    assert number.is_exact(value, text) == (Fraction(text) == value)


@given(value=fractions, digits=st.integers(1, number.MAX_PRECISION))
def test_precision_is_significant_digits_rounded_once(value: Fraction, digits: int) -> None:
    text = number.shown(value, digits)
    mantissa = text.partition("e")[0].lstrip("-0.").replace(".", "")
    assert len(mantissa.rstrip("0")) <= digits
    assert abs(Fraction(text) - value) * 2 * 10 ** (digits - 1) <= abs(value)


@given(value=doubles)
def test_what_is_shown_can_be_read(value: float) -> None:
    text = number.shown(value)
    assert NUMBER.fullmatch(text)
    assert float(number.read(text)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (-0.0, "0"),
        (Fraction(5200000), "5200000"),
        (Fraction(10) ** 15, "1000000000000000"),
        (Fraction(10) ** 16, "1e16"),
        (Fraction(1, 10000), "0.0001"),
        (Fraction(1, 100000), "1e-5"),
        (Fraction("-1.5e-9"), "-1.5e-9"),
        (Fraction(1, 3), "0.3333333333333333"),
        (Fraction(10) ** 5000 / 3, "3.3333333333333333e4999"),
        (0.1 + 0.2, "0.30000000000000004"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
    ],
)
def test_examples(value: number.Number, text: str) -> None:
    assert number.shown(value) == text


@pytest.mark.parametrize("text", ["", "e5", "1e", "--1", "1e99999", "9" * 401, "infinite", "nano"])
def test_what_is_no_number(text: str) -> None:
    assert NUMBER.fullmatch(text) is None


@given(value=fractions)
def test_json_numbers_are_whole_or_nearest(value: Fraction) -> None:
    told = number.as_json(value)
    assert isinstance(told, int) == (value.denominator == 1 and abs(value) < 1 << 53)
    assert told == (value if isinstance(told, int) else float(value))
