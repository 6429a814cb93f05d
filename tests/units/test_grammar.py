"""The grammar of unit texts: what is read, how it binds, where an error points."""

import sys
from collections.abc import Callable
from fractions import Fraction
from types import FrameType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dimflow import Unit, units
from dimflow.errors import UndefinedUnitError, UnitParseError
from dimflow.units.grammar import MAX_DEPTH, MAX_LENGTH, Product, Term, _Reader, _simple, parse
from dimflow.units.scale import Scale
from tests.units.guard import refusal

TOKENS = ["m", "kg", "K", "µm", "Ω", "per", "square", "sqrt", "squared", "pi", "ln2", "m2", "s1",
          "a_b", "°C", "%", "*", "/", "·", " ", "  ", ".", "-", "^", "**", "^2", "**2", "^-1",
          "^12345", "^1.5", "^2e3", "^(1/2)", "²", "⁻¹", "(", ")", "2", "10", "1e3", "1e", ".5",
          "e", "E3", "0", "+", "−", "\t", "٣", "×", "÷", "\u200b"]  # fmt: skip
texts = st.lists(st.sampled_from(TOKENS), max_size=9).map("".join)


class TestTwoReaders:
    """The commonest texts take a short way; it must lead to the same place."""

    @given(texts | st.text("mskK*/^ ·23-()", max_size=12) | st.text(max_size=8))
    @example("a·a")
    @example("m^2s")
    @example("m^2^3 s")
    @example("m**2**3")
    @example("m^12345")
    @example("m^0")
    @example(" m")
    @example("m ")
    @example("m^2.5")
    @example("m^1e3")
    @example("m^1E3")
    @example("per")
    @example("m per")
    @example("m^-2/s^-2")
    @example("·m")
    def test_the_short_way_gives_what_the_long_way_gives(self, text: str) -> None:
        short = _simple(text)
        if short is not None:
            assert short == _Reader(text).read()

    @pytest.mark.parametrize("text", ["m", "kg*m/s**2", "kg m^2 s^-3", "J/kg/K", "kg·m"])
    def test_the_commonest_texts_take_it(self, text: str) -> None:
        assert _simple(text) is not None


class TestBinding:
    @pytest.mark.parametrize(
        ("text", "same"),
        [
            ("kg*m**2/s**3", "W"),
            ("kg m^2 s^-3", "W"),
            ("kg·m²·s⁻³", "W"),
            ("kg⋅m²⋅s⁻³", "W"),
            ("kg.m2.s-3", "W"),
            ("kg-m2-s-3", "W"),
            ("kg m2 s-3", "W"),
            ("kg×m²/s³", "W"),
            ("m/s²", "m*s**-2"),
            ("mile per hour", "mph"),
            ("metres per second squared", "m/s**2"),
            ("square metre", "m**2"),
            ("cubic feet per minute", "ft**3/min"),
            ("sq ft", "ft**2"),
            ("square nautical mile", "nmi**2"),
            ("kg per cubic nautical mile", "kg/nmi**3"),
            ("J/(kg K)", "J*kg**-1*K**-1"),
            ("J/kg*K", "J*K/kg"),
            ("J/kg × K", "J*K/kg"),
            ("J/(kg m)*(K s)", "J*K*s/(kg*m)"),
            ("J/kg/K", "J/(kg*K)"),
            ("1/s", "Hz"),
            ("/s", "Hz"),
            ("10^3 m", "km"),
            ("10**3 m", "km"),
            ("1e3m", "km"),
            ("1000 m", "km"),
            ("0.001 m", "mm"),
            (".001 m", "mm"),
            ("1.e3 m", "km"),
            ("m^(1/2)", "m**0.5"),
            ("m^{1/2}", "m**0.5"),
            ("m^0.5", "m**(1/2)"),
            ("m¹ᐟ²", "m**(1/2)"),
            ("m¹⁄²", "m**(1/2)"),
            ("sqrt(m)", "m**(1/2)"),
            ("1/sqrt(Hz)", "Hz**(-1/2)"),
            ("nV/√Hz", "nV*Hz^(-1/2)"),
            ("(m/s)^2", "m**2/s**2"),
            ("((m))", "m"),
            ("(m/(s (kg/K)))", "m*K/(s*kg)"),
            ("square (m/s)", "m**2/s**2"),
            ("2 pi rad", "turn"),
            ("2 π rad", "turn"),
            ("m**+2", "m**2"),
            ("m ** 2", "m**2"),
            ("m ^ 2", "m**2"),
            ("m**−2", "m**-2"),
            (" m  s ", "m*s"),
            ("m\u00a0s", "m*s"),
            ("m\u202fs", "m*s"),
            ("m\ts", "m*s"),
            ("", "1"),
            ("   ", "1"),
            ("m^0", "1"),
            ("m/m", "1"),
        ],
    )
    def test_texts(self, text: str, same: str | None) -> None:
        if same is None:
            with pytest.raises(UnitParseError):
                Unit(text)
        else:
            assert Unit(text) == Unit(same)

    @given(st.lists(st.tuples(st.sampled_from(["*", "/"]), st.sampled_from("mskA")), max_size=12))
    def test_products_and_quotients_bind_from_the_left(self, parts: list[tuple[str, str]]) -> None:
        text, expected = "K", Unit("K")
        for operator, name in parts:
            name = {"k": "kg"}.get(name, name)
            text += operator + name
            expected = expected * Unit(name) if operator == "*" else expected / Unit(name)
        assert Unit(text) == expected

    def test_a_product_of_names(self) -> None:
        assert parse("12 ab/cd^(2/3)") == Product(
            Scale(12), (Term("ab", 1, 3), Term("cd", Fraction(-2, 3), 6))
        )

    @given(st.integers(-999, 999).filter(bool), st.integers(1, 99))
    def test_every_way_to_write_an_exponent(self, top: int, bottom: int) -> None:
        power = Fraction(top, bottom)
        texts = [f"m**({top}/{bottom})", f"m^({top}/{bottom})", f"m^{{{top}/{bottom}}}"]
        if power.denominator == 1:
            digits = str(power.numerator)
            superscript = digits.translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
            texts += [f"m**{digits}", f"m^{digits}", f"m{superscript}", f"m^({digits})"]
            texts += [f"m{digits}"] if power < 0 or power < 999 else []
        expected = Unit("m") ** power
        assert [Unit(text) for text in texts] == [expected] * len(texts)

    @given(st.integers(1, 10**40), st.integers(-300, 300))
    def test_numbers_are_exact(self, digits: int, magnitude: int) -> None:
        text = f"{digits}e{magnitude}"
        assert Unit(f"{text} m").key.scale == Scale(Fraction(digits) * Fraction(10) ** magnitude)


class TestErrors:
    @pytest.mark.parametrize(
        ("text", "position", "problem"),
        [
            ("m + s", 2, "units are multiplied and divided, not added or subtracted"),
            ("m - 2", 2, "units are multiplied and divided, not added or subtracted"),
            ("m//s", 2, "two operators stand side by side"),
            ("m*/s", 2, "two operators stand side by side"),
            ("*m", 0, "a unit cannot begin with an operator"),
            ("m*", 1, "a unit is missing after this"),
            ("m per", 2, "a unit is missing after this"),
            ("square", 0, "a unit is missing after this"),
            ("(m", 0, "this parenthesis is never closed"),
            ("m)", 1, "this parenthesis was never opened"),
            ("m ()", 2, "these parentheses are empty"),
            ("m**", 1, "an exponent must be a number or a fraction like (1/2)"),
            ("m**x", 1, "an exponent must be a number or a fraction like (1/2)"),
            ("m^x", 1, "an exponent must be a number or a fraction like (1/2)"),
            ("^2", 0, "this exponent has nothing to raise"),
            ("²", 0, "this exponent has nothing to raise"),
            ("m^2^3", 3, "this exponent has nothing to raise"),
            ("0 m", 0, "a unit cannot be zero"),
            ("m^(1/0)", 1, "this exponent divides by zero"),
            ("sqrt m", 5, "sqrt needs a parenthesis"),
            ("m[H2O]", 1, "'[' has no meaning here"),
            ("m;s", 1, "the character ';' has no meaning in a unit"),
            ("m\ns", 1, "the character '\\n' has no meaning in a unit"),
            ("m\0", 1, "the character '\\x00' has no meaning in a unit"),
            ("٣ m", 0, "the character '٣' has no meaning in a unit"),
            ("m\u200fs", 1, "the character '\\u200f' has no meaning in a unit"),
        ],
    )
    def test_the_place_and_the_reason(self, text: str, position: int, problem: str) -> None:
        with pytest.raises(UnitParseError) as caught:
            Unit(text)
        error = caught.value
        assert (error.position, error.problem) == (position, problem)
        assert error.text == text

    @pytest.mark.parametrize(
        ("text", "position", "name"),
        [
            ("xyzzy", 0, "xyzzy"),
            ("m/xyzzy", 2, "xyzzy"),
            ("  m/xyzzy", 4, "xyzzy"),
            ("kg*(m/xyzzy)^2", 6, "xyzzy"),
            ("m mm xm xmm/s", 5, "xm"),
            ("kg٣", 0, "kg٣"),
        ],
    )
    def test_the_place_of_an_unknown_name(self, text: str, position: int, name: str) -> None:
        with pytest.raises(UndefinedUnitError) as caught:
            Unit(text)
        assert (caught.value.name, caught.value.position) == (name, position)
        assert caught.value.text[position:].startswith(name)

    @given(st.text(max_size=40) | texts)
    def test_any_text_is_read_or_refused(self, text: str) -> None:
        error = refusal(lambda: Unit(text))
        if error is None:
            assert Unit(str(Unit(text))) == Unit(text)
        elif isinstance(error, UnitParseError):
            assert 0 <= error.position <= len(error.text)

    @given(st.text("()", max_size=80))
    def test_parentheses_alone(self, text: str) -> None:
        if text:
            with pytest.raises(UnitParseError):
                Unit(text)

    def test_limits(self) -> None:
        deep = "(" * MAX_DEPTH + "m" + ")" * MAX_DEPTH
        assert Unit(deep) is Unit("m")
        with pytest.raises(UnitParseError, match=f"nested more than {MAX_DEPTH} deep"):
            Unit(f"({deep})")
        long = "m" + "*m" * ((MAX_LENGTH - 1) // 2)
        assert Unit(long) is Unit("m") ** (1 + (MAX_LENGTH - 1) // 2)
        with pytest.raises(UnitParseError, match="a unit text of 2,050 characters is too long"):
            Unit("m" * 2050)


def calls(function: Callable[[], object]) -> int:
    """How many Python and C functions are called: a measure of work that no machine changes."""
    number = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal number
        number += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return number


@pytest.mark.parametrize(
    "piece", ["m*", "m^2 ", "m/", "2 ", "(m)", "m²·", "sqrt(m) ", "square m ", "m per ", "pi "]
)
def test_time_is_linear_in_the_length(piece: str) -> None:
    def work(times: int) -> int:
        text = piece * times + "m"
        return calls(lambda: parse(text))

    once, fourfold = work(50), work(200)
    assert fourfold <= 4.2 * once + 50


@pytest.mark.parametrize("text", ["L/100km", "L/100 km", "m/2 s", "J/(kg K)/2 m"])
def test_a_name_after_a_divisor_is_ambiguous(text: str) -> None:
    with pytest.raises(UnitParseError, match="could be meant in two ways"):
        Unit(text)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("L/(100 km)", "0.01 L/km"),
        ("(L/100) km", "0.01 L km"),
        ("m/2*s", "0.5 m s"),
        ("1/2 m", "0.5 m"),
        ("5/9 kelvin", "0.2 K/0.36"),
    ],
)
def test_other_divisors_are_not(text: str, same: str) -> None:
    assert Unit(text) == Unit(same)


@pytest.mark.parametrize("word", ["dimensionless", "unitless"])
def test_the_unit_of_pure_numbers_in_words(word: str) -> None:
    assert Unit(word) is Unit("")
    assert Unit(f"m {word}/s") is Unit("m/s")
    assert getattr(units, word) is Unit("")
