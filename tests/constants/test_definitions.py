"""The exact expressions give NIST's digits, and the double nearest to the true value."""

import ast
import math
from collections.abc import Callable
from decimal import ROUND_DOWN, Context, Decimal, localcontext
from fractions import Fraction

import pytest
from scipy.constants import _codata

from dimflow import constants
from dimflow.constants.table import WIEN_ROOTS

DIGITS = 80
TRUNCATED = {
    line[:60].rstrip(): line[60:85].replace(" ", "")
    for line in _codata.txt2022.splitlines()
    if "..." in line
}
DEFINED = [constant.name for constant in constants.catalogue() if constant.definition]


def decimal_value(text: str) -> Decimal:
    """The expression in decimal arithmetic, by Python's own grammar instead of ours."""
    return decimal_node(ast.parse(text, mode="eval").body, text)


def decimal_node(node: ast.expr, text: str) -> Decimal:
    match node:
        case ast.BinOp(left, ast.Mult(), right):
            return decimal_node(left, text) * decimal_node(right, text)
        case ast.BinOp(left, ast.Div(), right):
            return decimal_node(left, text) / decimal_node(right, text)
        case ast.BinOp(left, ast.Pow(), right):
            return decimal_node(left, text) ** decimal_node(right, text)
        case ast.Name(name) if name == "pi" or name in WIEN_ROOTS:
            return irrational(name)
        case ast.Name(name):
            constant = constants.get(name)
            return decimal_value(constant.definition or constant._digits[0])
        case ast.Constant():
            return Decimal(ast.get_source_segment(text, node) or "")
    raise AssertionError(f"not in the language of definitions: {text}")


def irrational(name: str) -> Decimal:
    if name == "pi":
        return pi()
    return wien_root(5 if name == "wien_wavelength_root" else 3)


def pi() -> Decimal:
    """By Gauss and Legendre's iteration."""
    a, b, t, p = Decimal(1), 1 / Decimal(2).sqrt(), Decimal("0.25"), Decimal(1)
    for _ in range(8):
        mean = (a + b) / 2
        b, t, p, a = (a * b).sqrt(), t - p * (a - mean) ** 2, 2 * p, mean
    return (a + b) ** 2 / (4 * t)


def wien_root(n: int) -> Decimal:
    """Where x = n (1 - exp(-x)), by Newton's iteration."""
    x = Decimal(n)
    for _ in range(10):
        x -= (x - n + n * (-x).exp()) / (1 - n * (-x).exp())
    return x


@pytest.fixture(autouse=True)
def _many_digits() -> object:
    with localcontext(Context(prec=DIGITS)):
        yield


@pytest.mark.parametrize("name", WIEN_ROOTS)
def test_irrational_numbers_hold_their_sixty_digits(name: str) -> None:
    number = Fraction(WIEN_ROOTS[name])
    error = abs(Decimal(number.numerator) / number.denominator - irrational(name))
    assert error < Decimal("1e-59")


def test_what_nist_cut_off_has_a_definition_and_nothing_else_of_codata_has() -> None:
    defined = {c.name for c in constants.catalogue("CODATA") if c.definition}
    assert defined == set(TRUNCATED)
    assert len(TRUNCATED) == 62


@pytest.mark.parametrize("name", TRUNCATED)
def test_the_definition_gives_the_digits_that_nist_prints(name: str) -> None:
    mantissa, _, exponent = TRUNCATED[name].partition("...")
    printed = Decimal(mantissa + exponent)
    exact = decimal_value(constants.get(name).definition)
    assert exact.quantize(printed, rounding=ROUND_DOWN) == printed


@pytest.mark.parametrize("name", DEFINED)
def test_the_value_is_the_nearest_double(name: str) -> None:
    constant = constants.get(name)
    exact = decimal_value(constant.definition)
    error = abs(Decimal(constant.value) - exact)
    for direction in (-math.inf, math.inf):
        assert error < abs(Decimal(math.nextafter(constant.value, direction)) - exact)


@pytest.mark.parametrize("name", DEFINED)
def test_the_exact_value_is_rational_and_right(name: str) -> None:
    constant = constants.get(name)
    needs_irrational = "pi" in constant.definition or "root" in constant.definition
    if constant.exact_value is None:
        assert needs_irrational or not constant.exact or "pc" in constant.definition
    else:
        assert not needs_irrational
        exact = constant.exact_value
        ratio = Decimal(exact.numerator) / exact.denominator / decimal_value(constant.definition)
        assert abs(ratio - 1) < Decimal("1e-70")


KNOWN: list[tuple[str, Callable[[], Fraction]]] = [
    ("c", lambda: Fraction(299792458)),
    ("h", lambda: Fraction("6.62607015e-34")),
    ("R", lambda: Fraction("8.31446261815324")),
    ("F", lambda: Fraction("96485.3321233100184")),
    ("ly", lambda: Fraction(9460730472580800)),
]


@pytest.mark.parametrize(("symbol", "value"), KNOWN)
def test_exact_values_known_from_the_literature(symbol: str, value: Callable[[], Fraction]) -> None:
    assert constants.get(symbol).exact_value == value()


def measured(node: ast.expr, power: int = 1) -> dict[str, int]:
    """Which measured constants a definition is made of, and to which powers."""
    match node:
        case ast.BinOp(left, ast.Mult() | ast.Div() as sign, right):
            found = measured(left, power)
            for name, n in measured(right, power if isinstance(sign, ast.Mult) else -power).items():
                found[name] = found.get(name, 0) + n
            return found
        case ast.BinOp(left, ast.Pow(), right):
            return measured(left, power * int(ast.literal_eval(right)))
        case ast.Name(name) if name != "pi" and name not in WIEN_ROOTS:
            constant = constants.get(name)
            if constant.definition:
                return measured(ast.parse(constant.definition, mode="eval").body, power)
            return {} if constant.exact else {constant.name: power}
    return {}


@pytest.mark.parametrize("name", DEFINED)
def test_the_uncertainty_is_that_of_what_was_measured(name: str) -> None:
    constant = constants.get(name)
    parts = measured(ast.parse(constant.definition, mode="eval").body)
    relative = math.hypot(
        *(power * constants.get(other).relative_uncertainty for other, power in parts.items())
    )
    assert constant.exact is (relative == 0)
    assert constant.uncertainty == pytest.approx(relative * abs(constant.value), rel=1e-12)
