"""Exact scales: closed under rational powers, one form for one number, rounded once and rightly."""

import pickle
from fractions import Fraction

import mpmath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dimflow.errors import NotANumber, UnitRangeError
from dimflow.units.irrational import root_bounds
from dimflow.units.primes import integer_root
from dimflow.units.scale import ONE, Scale, irrational, read
from tests.units.guard import within
from tests.units.strategies import EVERY_UNIT, fractions, nonzero_fractions

PRIMES = (2, 3, 5, 7, 11, 127, 997, 1009, 999983, 2**31 - 1)
TRUE = {
    "pi": lambda: mpmath.mp.pi,
    "ln2": lambda: mpmath.mp.ln2,
    "ln10": lambda: mpmath.mp.ln10,
}

rationals = st.fractions(Fraction(1, 10**30), 10**30).filter(lambda f: f > 0)
roots = st.tuples(st.sampled_from(PRIMES), fractions)
powers = st.tuples(st.sampled_from(sorted(TRUE)), fractions)


def product(rational: Fraction, bases: list[tuple[int | str, Fraction]]) -> Scale:
    result = Scale(rational)
    for base, power in bases:
        number = irrational(base) if isinstance(base, str) else Scale(base)
        result = result * number**power
    return result


recipes = st.tuples(rationals, st.lists(roots | powers, max_size=4))
scales = recipes.map(lambda recipe: product(*recipe))
smooth = st.tuples(
    st.sampled_from([Fraction(1), Fraction(12), Fraction(254, 100), Fraction(1, 1000)]),
    st.lists(roots | powers, max_size=3),
).map(lambda recipe: product(*recipe))


def true_value(rational: Fraction, bases: list[tuple[int | str, Fraction]]) -> Fraction:
    """The number to 3,000 bits by mpmath, as a fraction."""
    with mpmath.workprec(3000):
        value = mpmath.mpf(1)
        for base, power in bases:
            number = TRUE[base]() if isinstance(base, str) else mpmath.mpf(base)
            value *= mpmath.power(number, mpmath.mpf(power.numerator) / power.denominator)
        mantissa, exponent = int(value.man), int(value.exp)
    return rational * mantissa * Fraction(2) ** exponent


class TestLaws:
    @given(scales, scales, scales)
    def test_products_are_associative_and_commutative(self, a: Scale, b: Scale, c: Scale) -> None:
        assert (a * b) * c == a * (b * c)
        assert a * b == b * a

    @given(scales)
    def test_one_and_inverses(self, a: Scale) -> None:
        assert a * ONE == a
        assert a / a is ONE
        assert a * a**-1 is ONE
        assert a**0 is ONE

    @given(smooth, fractions, fractions)
    def test_powers_of_powers(self, a: Scale, p: Fraction, q: Fraction) -> None:
        assert (a**p) ** q == a ** (p * q)
        assert a**p * a**q == a ** (p + q)

    @given(smooth, smooth, fractions)
    def test_powers_of_products(self, a: Scale, b: Scale, p: Fraction) -> None:
        assert (a * b) ** p == a**p * b**p

    @given(scales, scales)
    def test_equal_numbers_hash_alike(self, a: Scale, b: Scale) -> None:
        assert hash(a * b / b) == hash(a)
        assert a * b / b == a

    @given(smooth, nonzero_fractions)
    def test_a_root_undoes_a_power(self, a: Scale, p: Fraction) -> None:
        assert (a**p) ** (1 / p) == a

    @pytest.mark.parametrize("n", [2, 3, 5, 6])
    def test_a_root_undoes_a_power_of_every_unit(self, n: int) -> None:
        for unit in EVERY_UNIT:
            scale = unit.key.scale
            assert (scale**n) ** Fraction(1, n) == scale, unit

    @pytest.mark.parametrize("n", [2, 3, 5, 7])
    @pytest.mark.parametrize("prime", [1000003, 2**31 - 1, 9007199254740997, 2**61 - 1, 2**89 - 1])
    def test_powers_of_large_primes_are_seen(self, prime: int, n: int) -> None:
        with within(5):
            assert Scale(prime**n) ** Fraction(1, n) == Scale(prime)
            assert (Scale(6) * Scale(prime) ** n) ** Fraction(1, n) == (
                Scale(6) ** Fraction(1, n) * Scale(prime)
            )

    @given(st.integers(2, 10**6), st.integers(2, 7))
    def test_whole_roots_are_whole(self, n: int, k: int) -> None:
        root = Scale(n**k) ** Fraction(1, k)
        assert root == Scale(n)
        assert root.is_rational


class TestRounding:
    @given(recipes)
    @example((Fraction(1), [(2, Fraction(1, 2))]))
    @example((Fraction(1, 180), [("pi", Fraction(1))]))
    @example((Fraction(1, 10**30), [("ln10", Fraction(-4)), ("pi", Fraction(4))]))
    def test_to_the_nearest_float(
        self, recipe: tuple[Fraction, list[tuple[int | str, Fraction]]]
    ) -> None:
        true = true_value(*recipe)
        assert float(product(*recipe)) == true.numerator / true.denominator

    @given(st.integers(-1130, 1100), st.sampled_from([2, 3]), st.integers(1, 9))
    def test_near_the_ends_of_the_range(self, magnitude: int, root: int, n: int) -> None:
        """Subnormal numbers are rounded once as well."""
        scale = Scale(2) ** magnitude * Scale(n) ** Fraction(1, root) * irrational("pi")
        with mpmath.workprec(3000):
            value = mpmath.power(n, mpmath.mpf(1) / root) * mpmath.mp.pi
            true = Fraction(int(value.man)) * Fraction(2) ** (int(value.exp) + magnitude)
        try:
            expected = true.numerator / true.denominator
        except OverflowError:
            expected = float("inf")
        assert float(scale) == expected

    @pytest.mark.parametrize("bits", [60, 120, 300, 1200])
    @pytest.mark.parametrize("name", ["2", "pi", "ln10"])
    @given(st.integers(2**52, 2**53 - 1), st.integers(-600, 500))
    def test_just_beside_a_tie(self, name: str, bits: int, odd: int, shift: int) -> None:
        """A number a hair below and above the middle of two floats goes to either side."""
        irrational_ = Scale(2) ** Fraction(1, 2) if name == "2" else irrational(name)
        true = (
            true_value(Fraction(1), [(2, Fraction(1, 2))])
            if name == "2"
            else true_value(Fraction(1), [(name, Fraction(1))])
        )
        middle = Fraction(2 * odd + 1) * Fraction(2) ** shift
        below = Fraction(int(middle / true * Fraction(2) ** (bits - shift))) / Fraction(2) ** (
            bits - shift
        )
        above = below + Fraction(2) ** (shift - bits)
        step = Fraction(2) ** shift
        assert float(Scale(below) * irrational_) == float(middle - step)
        assert float(Scale(above) * irrational_) == float(middle + step)

    def test_beyond_the_range(self) -> None:
        assert float(Scale(10) ** 400) == float("inf")
        assert float(Scale(10) ** -400) == 0.0
        assert float(Scale(10) ** 400 * irrational("pi")) == float("inf")

    @given(st.fractions(Fraction(1, 10**20), 10**20).filter(bool))
    def test_rational_numbers(self, fraction: Fraction) -> None:
        assert float(Scale(fraction)) == float(fraction)

    @given(st.floats(1e-300, 1e300))
    def test_a_float_stands_for_its_shortest_decimal(self, number: float) -> None:
        assert float(Scale(number)) == number
        assert Scale(number) == Scale(repr(number))

    @pytest.mark.parametrize("base", [*sorted(TRUE), 2, 999983])
    @pytest.mark.parametrize("power", [1, -1, 7, -40])
    @pytest.mark.parametrize("root", [1, 2, 7])
    @pytest.mark.parametrize("bits", [8, 53, 160, 2560])
    def test_bounds_enclose(self, base: str | int, power: int, root: int, bits: int) -> None:
        (low, high), places = root_bounds(base, power, root, bits)
        true = true_value(Fraction(1), [(base, Fraction(power, root))]) * Fraction(2) ** places
        assert low <= true <= high
        assert high - low <= low / Fraction(2) ** (bits - 4)

    @given(st.integers(0, 10**60), st.integers(1, 12))
    def test_integer_roots(self, number: int, root: int) -> None:
        found = integer_root(number, root)
        assert found**root <= number < (found + 1) ** root


class TestText:
    @given(scales)
    def test_read_is_the_inverse_of_str(self, a: Scale) -> None:
        assert read(str(a)) == a

    @given(scales, st.integers(2, 5))
    def test_pickles(self, a: Scale, protocol: int) -> None:
        assert pickle.loads(pickle.dumps(a, protocol)) == a

    @pytest.mark.parametrize(
        ("scale", "text"),
        [
            (Scale(1), "1"),
            (Scale("0.3048"), "381/1250"),
            (irrational("pi") / Scale(180), "1/180*pi^1"),
            (Scale(200) ** Fraction(1, 2), "10*2^1/2"),
            (irrational("ln2") ** Fraction(-1, 2), "1*ln2^-1/2"),
        ],
    )
    def test_examples(self, scale: Scale, text: str) -> None:
        assert str(scale) == text
        assert read(text) == scale

    @pytest.mark.parametrize(
        "text",
        ["", "0", "-1", "1/0", "2/4", "1.5", "1*", "1*2", "1*2^", "1*2^1", "1*2^0", "1*2^3/2",
         "1*4^1/2", "1*6^1/2", "1*1^1/2", "1*e^1", "1*pi^0", "1*pi^2/2", "1*pi^1*2^1/2",
         "1*2^1/2*2^1/2", "1*2^1/0", "٣", "1_0", " 1", "1 ", "+1", "1*pi^1e9",
         f"1*{2**61 - 3}^1/2", f"1*{1009 * 1013}^1/2"],
    )  # fmt: skip
    def test_only_the_one_spelling_is_read(self, text: str) -> None:
        with within(5), pytest.raises(ValueError):  # noqa: PT011  (wire.py makes it its error)
            read(text)


class TestNotScales:
    @pytest.mark.parametrize(
        "value",
        [0, -1, 0.0, -2.5, float("nan"), float("inf"), "abc", "", "1/0", Fraction(-1, 3), 1j, None,
         [], object()],
        ids=lambda v: repr(v)[:20].split(" at ")[0],
    )  # fmt: skip
    def test_refused(self, value: object) -> None:
        with pytest.raises((NotANumber, UnitRangeError)):
            Scale(value)  # type: ignore[arg-type]

    def test_too_large(self) -> None:
        with within(2), pytest.raises(UnitRangeError, match="too large or too fine"):
            Scale(10) ** 10**9
