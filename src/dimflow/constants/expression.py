"""Products of numbers, irrationals and constants, exact until the one rounding at the end."""

import re
from fractions import Fraction

# To 60 digits, which leaves no doubt which double is nearest to a product (the tests show it).
IRRATIONAL = {
    name: Fraction(digits)
    for name, digits in {
        "pi": "3.14159265358979323846264338327950288419716939937510582097494",
        # x = 5 (1 - exp(-x)): Planck's law in wavelength is highest at x = h c/(wavelength k T)
        "wien_wavelength_root": "4.96511423174427630369875913132289394405558498679725097281445",
        # x = 3 (1 - exp(-x)): Planck's law in frequency is highest at x = h frequency/(k T)
        "wien_frequency_root": "2.82143937212207889340319133029448519534588174407311409227986",
    }.items()
}

_NUMBER = r"[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?"
_TOKEN = re.compile(rf"\s*(?:({_NUMBER})|([A-Za-z_]\w*)|(\*\*|[*/()-]))\s*", re.ASCII)
_Tokens = list[tuple[str, str, str]]  # (number, name, sign), two of them empty; the next is last


class Product:
    """A rational number times names to integer powers."""

    __slots__ = ("coefficient", "powers")

    def __init__(self, coefficient: Fraction, powers: dict[str, int]) -> None:
        self.coefficient = coefficient
        self.powers = powers

    def __mul__(self, other: "Product") -> "Product":
        powers = dict(self.powers)
        for name, power in other.powers.items():
            powers[name] = powers.get(name, 0) + power
        kept = {name: power for name, power in powers.items() if power}
        return Product(self.coefficient * other.coefficient, kept)

    def __pow__(self, exponent: int) -> "Product":
        powers = {name: power * exponent for name, power in self.powers.items() if exponent}
        return Product(self.coefficient**exponent, powers)


def parse(text: str) -> Product:
    """Read `2*pi**5*k_B**4/(15*h**3*c**2)`: names, numbers, `* / **` and parentheses.

    Only the package's own data come here, so an error is a plain ValueError.
    """
    tokens: _Tokens = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"not an expression at {position}: {text!r}")
        number, name, sign = match.groups("")
        tokens.append((number, name, sign))
        position = match.end()
    tokens.reverse()
    product = _product(tokens)
    if tokens:
        raise ValueError(f"not an expression: {text!r}")
    return product


def _next_is(tokens: _Tokens, *signs: str) -> bool:
    return bool(tokens) and tokens[-1][2] in signs


def _product(tokens: _Tokens) -> Product:
    product = _power(tokens)
    while _next_is(tokens, "*", "/"):
        sign = tokens.pop()[2]
        product *= _power(tokens) ** (1 if sign == "*" else -1)
    return product


def _power(tokens: _Tokens) -> Product:
    product = _atom(tokens)
    if not _next_is(tokens, "**"):
        return product
    tokens.pop()
    sign = -1 if _next_is(tokens, "-") and tokens.pop() else 1
    if not tokens or not tokens[-1][0].isdigit():
        raise ValueError("an exponent is an integer")
    return product ** (sign * int(tokens.pop()[0]))


def _atom(tokens: _Tokens) -> Product:
    number, name, sign = tokens.pop() if tokens else ("", "", "the end")
    if number:
        return Product(Fraction(number), {})
    if name:
        return Product(Fraction(1), {name: 1})
    if sign != "(":
        raise ValueError(f"a number, a name or a parenthesis expected, not {sign}")
    product = _product(tokens)
    if not _next_is(tokens, ")"):
        raise ValueError("a parenthesis is not closed")
    tokens.pop()
    return product
