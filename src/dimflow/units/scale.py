"""Exact scale factors: a rational number times roots of primes and powers of π, ln 2 and ln 10.

The set is closed under products, quotients and rational powers, so a conversion factor is known
exactly and rounded once, correctly, when a float is asked for.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import gcd, inf
from typing import Any

from dimflow.errors import UnitRangeError
from dimflow.units.exponent import Exponent, checked, exact
from dimflow.units.irrational import IRRATIONALS, root_bounds
from dimflow.units.primes import factorised

MAX_BITS = 13_000  # of a numerator or denominator: 3,900 digits, which Python still prints
MAX_ROOT = 200  # the largest root taken of a prime or of an irrational number
MAX_POWER = 1000  # the largest power of an irrational number
_MAX_PRIME = 1 << 10  # bits of what stands under a root
_WIDEST = 5_000  # bits at which rounding gives up looking for a side: there is none

# A base of an irrational factor: a name in IRRATIONALS, or a prime under a root.
Base = str | int
Factor = tuple[Base, Exponent]


class Scale:
    """A positive real number, exact and immutable. Equal numbers compare equal."""

    __slots__ = ("_float", "_hash", "denominator", "factors", "numerator")

    numerator: int
    denominator: int
    factors: tuple[Factor, ...]  # sorted; roots of primes have exponents between 0 and 1
    _float: float | None
    _hash: int

    def __new__(cls, value: Any = 1) -> "Scale":
        if isinstance(value, Scale):
            return value
        # the shortest decimal of a float is what the user wrote
        fraction = exact(repr(float(value)) if isinstance(value, float) else value)
        if fraction <= 0:
            raise UnitRangeError(f"a scale must be positive, but got {float(fraction):.6g}")
        return _make(fraction.numerator, fraction.denominator, ())

    @property
    def is_rational(self) -> bool:
        """Whether the number is a fraction of integers."""
        return not self.factors

    @property
    def fraction(self) -> Fraction:
        """The rational part, which is all of the number if `is_rational`."""
        return Fraction(self.numerator, self.denominator)

    def __mul__(self, other: "Scale") -> "Scale":
        if self is ONE:
            return other
        if other is ONE:
            return self
        factors = self.factors
        numerator = self.numerator * other.numerator
        denominator = self.denominator * other.denominator
        if not other.factors:
            return _make(numerator, denominator, factors)
        return _merge(numerator, denominator, factors + other.factors)

    def __truediv__(self, other: "Scale") -> "Scale":
        return self if other is ONE else self * other**-1

    def __pow__(self, power: Exponent) -> "Scale":
        if self is ONE or power == 1:
            return self
        if type(power) is int:
            n = abs(power)
            if n * max(self.numerator.bit_length(), self.denominator.bit_length()) > MAX_BITS + n:
                raise _too_large()
            numerator, denominator = self.numerator**n, self.denominator**n
            if power < 0:
                numerator, denominator = denominator, numerator
            if not self.factors:
                return _make(numerator, denominator, ())
            factors: list[Factor] = []
        else:
            numerator = denominator = 1
            primes = tuple(base for base, _ in self.factors if isinstance(base, int))
            factors = [(p, e * power) for p, e in factorised(self.numerator, primes)]
            factors += [(p, -e * power) for p, e in factorised(self.denominator, primes)]
        factors += [(base, e * power) for base, e in self.factors]
        return _merge(numerator, denominator, factors)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scale):
            return NotImplemented
        return (
            self.numerator == other.numerator
            and self.denominator == other.denominator
            and self.factors == other.factors
        )

    def __hash__(self) -> int:
        return self._hash

    def __float__(self) -> float:
        """The nearest float; infinity or zero beyond the range of floats."""
        if self._float is None:
            self._float = self._rounded()
        return self._float

    def __repr__(self) -> str:
        return f"Scale({self})"

    def __str__(self) -> str:
        """As text that `read` understands: 381/1250, 1/180*pi^1, 10*2^1/2."""
        rational = str(self.numerator)
        if self.denominator != 1:
            rational += f"/{self.denominator}"
        return "*".join([rational, *(f"{base}^{e}" for base, e in self.factors)])

    def __reduce__(self) -> tuple[object, ...]:
        return read, (str(self),)

    def _rounded(self) -> float:
        if not self.factors:
            return _divide(self.numerator, self.denominator)
        bits = 128
        while True:  # widen the precision until both ends of the interval round to one float
            low, high = self._bounds(bits)
            if low == high or bits > _WIDEST:
                return low
            bits *= 2

    def _bounds(self, bits: int) -> tuple[float, float]:
        """Two floats that enclose the number."""
        low = high = self.numerator
        shift = 0  # both stand for themselves over 2**shift
        for base, e in self.factors:
            (below, above), places = root_bounds(base, e.numerator, e.denominator, bits)
            low, high, shift = low * below, high * above, shift + places
        top, bottom = max(-shift, 0), max(shift, 0)
        denominator = self.denominator << bottom
        return _divide(low << top, denominator), _divide(high << top, denominator)


def read(text: str) -> Scale:
    """The inverse of `str(scale)`; ValueError if the text is not one."""
    rational, *rest = text.split("*")
    numerator, _, denominator = rational.partition("/")
    factors: list[Factor] = []
    for part in rest:
        name, caret, power = part.partition("^")
        base: Base = name if name in IRRATIONALS else natural(name)
        if not caret or (isinstance(base, int) and factorised(base) != ((base, 1),)):
            raise ValueError(f"not a factor: {part!r:.60}")
        top, _, bottom = power.lstrip("-").partition("/")
        value = Fraction(natural(top), natural(bottom or "1"))
        factors.append((base, checked(-value if power.startswith("-") else value)))
    result = _merge(natural(numerator), natural(denominator or "1"), factors)
    if str(result) != text:
        raise ValueError(f"not a scale in its one spelling: {text!r}")
    return result


def natural(text: str) -> int:
    """A positive integer in ASCII digits, of bounded length."""
    if not (text.isascii() and text.isdigit()) or len(text) > 4000 or int(text) == 0:
        raise ValueError(f"not a positive integer: {text[:40]!r}")
    return int(text)


def irrational(name: str) -> Scale:
    """π, ln 2 or ln 10 as a scale."""
    return _make(1, 1, ((name, 1),))


def _make(numerator: int, denominator: int, factors: tuple[Factor, ...]) -> Scale:
    divisor = gcd(numerator, denominator)
    if divisor != 1:
        numerator //= divisor
        denominator //= divisor
    if numerator.bit_length() > MAX_BITS or denominator.bit_length() > MAX_BITS:
        raise _too_large()
    if numerator == denominator and not factors:
        return ONE
    return _new(numerator, denominator, factors)


def _new(numerator: int, denominator: int, factors: tuple[Factor, ...]) -> Scale:
    scale = object.__new__(Scale)
    scale.numerator = numerator
    scale.denominator = denominator
    scale.factors = factors
    scale._float = None
    scale._hash = hash((numerator, denominator, factors))
    return scale


def _merge(numerator: int, denominator: int, factors: Iterable[Factor]) -> Scale:
    """Collect equal bases; whole powers of primes go into the rational part."""
    exponents: dict[Base, Exponent] = {}
    for base, e in factors:
        exponents[base] = exponents.get(base, 0) + e
    kept: list[Factor] = []
    for base, e in exponents.items():
        if isinstance(base, int):
            whole = e.numerator // e.denominator
            if abs(whole) * base.bit_length() > MAX_BITS:
                raise _too_large()
            if whole > 0:
                numerator *= base**whole
            elif whole < 0:
                denominator *= base**-whole
            e -= whole
        if e:
            kept.append((base, checked(e)))
    for base, e in kept:
        is_large = base.bit_length() > _MAX_PRIME if isinstance(base, int) else _is_large(e)
        if is_large or e.denominator > MAX_ROOT:
            raise _too_large()
    kept.sort(key=lambda factor: (isinstance(factor[0], str), factor[0]))
    return _make(numerator, denominator, tuple(kept))


def _is_large(power: Exponent) -> bool:
    return not -MAX_POWER <= power <= MAX_POWER


def _too_large() -> UnitRangeError:
    return UnitRangeError(
        "the scale of this unit is too large or too fine to be held exactly",
        f"scales hold up to {MAX_BITS:,} bits and roots up to the {MAX_ROOT}th",
    )


def _divide(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator  # of integers: correctly rounded
    except OverflowError:
        return inf


ONE = _new(1, 1, ())
