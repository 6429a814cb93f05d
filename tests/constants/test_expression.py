"""The small language of definitions."""

from fractions import Fraction

import pytest

from dimflow.constants.expression import parse


@pytest.mark.parametrize(
    ("text", "coefficient", "powers"),
    [
        ("3", Fraction(3), {}),
        ("273.15", Fraction(27315, 100), {}),
        ("1e-3", Fraction(1, 1000), {}),
        ("h", Fraction(1), {"h": 1}),
        ("h/(2*pi)", Fraction(1, 2), {"h": 1, "pi": -1}),
        ("a/b*c", Fraction(1), {"a": 1, "b": -1, "c": 1}),
        ("a/(b/c)", Fraction(1), {"a": 1, "b": -1, "c": 1}),
        ("2*a**3/(4*a)**2", Fraction(1, 8), {"a": 1}),
        ("(a*b)**-2", Fraction(1), {"a": -2, "b": -2}),
        ("a*b/a", Fraction(1), {"b": 1}),
        ("a**0", Fraction(1), {}),
        (" 2 * h ", Fraction(2), {"h": 1}),
    ],
)
def test_products(text: str, coefficient: Fraction, powers: dict[str, int]) -> None:
    product = parse(text)
    assert product.coefficient == coefficient
    assert product.powers == powers


@pytest.mark.parametrize(
    "text",
    ["", " ", "h+1", "h-1", "-h", "h*", "*h", "(h", "h)", "h h", "2h", "h**pi", "h**1.5", "h**",
     "h.real", "f(x)", "h[0]", "__import__('os')", "h//2", "a=b", "h**2**3", "()", "½"],
)  # fmt: skip
def test_anything_else_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"expression|expected|exponent|parenthesis"):
        parse(text)
