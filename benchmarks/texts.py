"""Unit texts that no library has seen before, and what they mean by a table of our own."""

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

Power = int | float | Fraction
Exponents = tuple[Power, ...]  # of m, kg, s, A, K; no mole, which unyt takes for a number
_SCALES = {"": "1", "k": "1e3", "M": "1e6", "c": "1e-2", "m": "1e-3", "u": "1e-6", "n": "1e-9"}
_KINDS: dict[str, tuple[Exponents, str]] = {
    "m": ((1, 0, 0, 0, 0), " k c m u n"),
    "s": ((0, 0, 1, 0, 0), " m u n"),
    "A": ((0, 0, 0, 1, 0), " m u n"),
    "K": ((0, 0, 0, 0, 1), ""),
    "N": ((1, 1, -2, 0, 0), " k m"),
    "J": ((2, 1, -2, 0, 0), " k M m"),
    "W": ((2, 1, -3, 0, 0), " k M m"),
    "Pa": ((-1, 1, -2, 0, 0), " k M"),
    "V": ((2, 1, -3, -1, 0), " k m"),
    "ohm": ((2, 1, -3, -2, 0), ""),
    "Hz": ((0, 0, -1, 0, 0), " k M"),
    "T": ((0, 1, -2, -1, 0), " m u"),
}
_MASSES = {"kg": "1", "g": "1e-3", "mg": "1e-6", "ug": "1e-9"}
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


class Meaning(NamedTuple):
    """How many SI base units, and which."""

    scale: Any  # a Fraction in our table, a float in a library
    exponents: Exponents


def _units() -> dict[str, Meaning]:
    units = {
        prefix + name: Meaning(Fraction(_SCALES[prefix]), exponents)
        for name, (exponents, prefixes) in _KINDS.items()
        for prefix in prefixes.split(" ")
    }
    masses = {n: Meaning(Fraction(scale), (0, 1, 0, 0, 0)) for n, scale in _MASSES.items()}
    return units | masses


UNITS = _units()
# Two of these can make a text with two readings: ms-2 (per metre?), MPa g (gauge?), N A, K J.
_DRAWN = sorted(UNITS.keys() - {"ms", "g", "A", "J"})
Terms = tuple[tuple[str, Power], ...]


def meaning(terms: Terms) -> Meaning:
    """What a product of powers of names means."""
    scale: Any = Fraction(1)
    exponents: list[Power] = [0] * 5
    for name, power in terms:
        scale *= UNITS[name].scale ** power
        for i, e in enumerate(UNITS[name].exponents):
            exponents[i] += e * power
    return Meaning(scale, tuple(exponents))


class Shape(NamedTuple):
    """A way to write three units and the sizes of two exponents."""

    example: str
    write: Callable[[str, str, str, Power, Power], str]
    exponents: Callable[[int, int], tuple[int, int, int]]


SHAPES = (
    Shape("kg*m**2/s**3", lambda a, b, c, p, q: f"{a}*{b}**{p}/{c}**{q}", lambda p, q: (1, p, -q)),
    Shape("J/(kg*K)", lambda a, b, c, p, q: f"{a}/({b}*{c})", lambda p, q: (1, -1, -1)),
    Shape("J/(kg K)", lambda a, b, c, p, q: f"{a}/({b} {c})", lambda p, q: (1, -1, -1)),
    Shape("W m-2 K-1", lambda a, b, c, p, q: f"{a} {b}-{p} {c}-{q}", lambda p, q: (1, -p, -q)),
    Shape(
        "kg·m²·s⁻³",
        lambda a, b, c, p, q: f"{a}·{b}{p}·{c}-{q}".translate(_SUPERSCRIPTS),
        lambda p, q: (1, p, -q),
    ),
)


class NewText(NamedTuple):
    """A text and what it has to mean."""

    text: str
    terms: Terms


class Drawing:
    """Draws texts; none comes twice, and no two of them are the same product in the same order."""

    def __init__(self, seed: int = 2) -> None:
        self._random = Random(seed)
        self._seen: set[Terms] = set()

    def text(self, shape: Shape) -> NewText:
        while True:
            a, b, c = self._random.sample(_DRAWN, 3)
            p, q = self._random.randint(2, 4), self._random.randint(2, 4)
            terms = tuple(zip((a, b, c), shape.exponents(p, q), strict=True))
            if terms not in self._seen:
                self._seen.add(terms)
                return NewText(shape.write(a, b, c, p, q), terms)

    def pair(self) -> tuple[NewText, NewText]:
        """Two texts of one dimension and, but for chance, of different scales."""
        shape = SHAPES[0]
        while True:
            source = self.text(shape)
            terms = tuple((self._random.choice(_alike(name)), e) for name, e in source.terms)
            (a, _), (b, p), (c, q) = terms
            if len({a, b, c}) == 3 and terms not in self._seen:
                self._seen.add(terms)
                return source, NewText(shape.write(a, b, c, p, -q), terms)


def _alike(name: str) -> list[str]:
    return [other for other, m in UNITS.items() if m.exponents == UNITS[name].exponents]
