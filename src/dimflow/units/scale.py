"""Exact scale factors: a rational number times roots of primes and powers of π, ln 2 and ln 10.

The set is closed under products, quotients and rational powers, so a conversion factor is known
exactly and rounded once, correctly, when a float is asked for.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import gcd, inf, isqrt, lcm
from typing import Any

from dimflow.errors import UnitRangeError
from dimflow.units.exponent import Exponent, checked
from dimflow.units.irrational import IRRATIONALS, bounds

MAX_BITS = 1 << 16  # of a numerator or denominator: some 20,000 digits
MAX_ROOT = 5040  # the common denominator of the exponents in one scale
_TRIAL_LIMIT = 1000  # primes below it are found by division, larger ones by Pollard's rho
_RHO_STEPS = 1 << 15

# A base of an irrational factor: a name in IRRATIONALS, or a prime under a root.
Base = str | int
Factor = tuple[Base, Exponent]


class Scale:
    """A positive real number, exact. Immutable; equal numbers are equal objects' values."""

    __slots__ = ("_float", "denominator", "factors", "numerator")

    numerator: int
    denominator: int
    factors: tuple[Factor, ...]  # sorted; roots of primes have exponents between 0 and 1
    _float: float | None

    def __new__(cls, value: "int | float | str | Fraction | Scale" = 1) -> "Scale":
        if isinstance(value, Scale):
            return value
        if type(value) is int and value > 0:
            return _make(value, 1, ())
        if isinstance(value, float):
            value = repr(value)  # the shortest decimal is what the user wrote
        try:
            fraction = Fraction(value)
        except TypeError:
            return Scale(_as_float(value))
        except (ValueError, OverflowError, ZeroDivisionError):
            fraction = Fraction(0)
        if fraction <= 0:
            raise UnitRangeError(f"a scale must be a positive finite number, but got {value!r}")
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
            factors = [(p, e * power) for p, e in _factorised(self.numerator)]
            factors += [(p, -e * power) for p, e in _factorised(self.denominator)]
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
        return hash((self.numerator, self.denominator, self.factors))

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
        root = lcm(*(Fraction(e).denominator for _, e in self.factors))
        bits = 160
        while True:  # widen the interval's precision until both of its ends round to one float
            low, high = _power_bounds(self, root, bits)
            ends = [_root_float(n, d, root, up) for (n, d), up in ((low, 0), (high, 1))]
            if ends[0] == ends[1]:
                return ends[0]
            bits *= 2


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UnitRangeError(f"a scale must be a positive number, but got {value!r:.60}") from None


def read(text: str) -> Scale:
    """The inverse of `str(scale)`; ValueError if the text is not one."""
    rational, *rest = text.split("*")
    numerator, _, denominator = rational.partition("/")
    factors: list[Factor] = []
    for part in rest:
        name, caret, power = part.partition("^")
        base: Base = name if name in IRRATIONALS else natural(name)
        if not caret or base in (0, 1):
            raise ValueError(f"not a factor: {part!r}")
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
    if numerator == denominator and not factors and "ONE" in globals():
        return ONE
    scale = object.__new__(Scale)
    scale.numerator = numerator
    scale.denominator = denominator
    scale.factors = factors
    scale._float = None
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
    if lcm(*(Fraction(e).denominator for _, e in kept)) > MAX_ROOT:
        raise _too_large()
    kept.sort(key=lambda factor: (isinstance(factor[0], str), factor[0]))
    return _make(numerator, denominator, tuple(kept))


def _too_large() -> UnitRangeError:
    return UnitRangeError(
        "the scale of this unit is too large or too fine to be held exactly",
        f"scales hold up to {MAX_BITS} bits and roots up to the {MAX_ROOT}th",
    )


# Rounding


def _divide(numerator: int, denominator: int) -> float:
    try:
        return numerator / denominator  # of integers: correctly rounded
    except OverflowError:
        return inf


def _power_bounds(scale: Scale, root: int, bits: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Two fractions below and above `scale**root`, all of whose exponents are whole."""
    numerator, denominator = scale.numerator**root, scale.denominator**root
    low = high = (numerator, denominator)
    for base, e in scale.factors:
        power = int(e * root)
        if isinstance(base, int):
            below = above = (base**power, 1)
        else:
            fraction_below, fraction_above = bounds(base, bits)
            if power < 0:
                fraction_below, fraction_above = fraction_above, fraction_below
            below, above = (_int_power(f, power) for f in (fraction_below, fraction_above))
        low = low[0] * below[0], low[1] * below[1]
        high = high[0] * above[0], high[1] * above[1]
    return low, high


def _int_power(fraction: tuple[int, int], power: int) -> tuple[int, int]:
    numerator, denominator = fraction if power > 0 else fraction[::-1]
    return numerator ** abs(power), denominator ** abs(power)


def _root_float(numerator: int, denominator: int, root: int, up: int) -> float:
    """The root of a fraction, rounded down to 160 bits (plus one in the last if `up`), as float."""
    size = (numerator.bit_length() - denominator.bit_length()) // root
    shift = 160 - size
    scaled = (
        (numerator << shift * root) // denominator
        if shift >= 0
        else numerator // (denominator << -shift * root)
    )
    value = integer_root(scaled, root) + up
    return _divide(value << max(-shift, 0), 1 << max(shift, 0))


def integer_root(number: int, root: int) -> int:
    """The largest integer whose power does not exceed the number."""
    if root == 1 or number < 2:
        return number
    if root == 2:
        return isqrt(number)
    guess = 1 << -(-number.bit_length() // root)
    while True:
        better = ((root - 1) * guess + number // guess ** (root - 1)) // root
        if better >= guess:
            return guess
        guess = better


# Factorising


@lru_cache(maxsize=1024)
def _factorised(number: int) -> tuple[tuple[int, int], ...]:
    """Primes and their exponents; a part too hard to split counts as a prime."""
    found: dict[int, int] = {}
    for prime in range(2, _TRIAL_LIMIT):  # composites divide nothing any more
        while number % prime == 0:
            found[prime] = found.get(prime, 0) + 1
            number //= prime
    pending = [number] if number > 1 else []
    while pending:
        n = pending.pop()
        divisor = n if _is_prime(n) else _split(n)
        if divisor == n:
            found[n] = found.get(n, 0) + 1
        else:
            pending += [divisor, n // divisor]
    return tuple(found.items())


def _is_prime(n: int) -> bool:
    """Miller and Rabin's test; the bases decide every number below 3.3e24."""
    if n < _TRIAL_LIMIT**2:
        return True
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd //= 2
        twos += 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41):
        x = pow(base, odd, n)
        if x in (1, n - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def _split(n: int) -> int:
    """A proper divisor by Pollard's rho, or n itself when none is found in bounded time."""
    root = isqrt(n)
    if root * root == n:
        return root
    if n.bit_length() > 256:
        return n
    for constant in (1, 3, 5):
        slow = fast = 2
        for _ in range(_RHO_STEPS):
            slow = (slow * slow + constant) % n
            fast = (fast * fast + constant) % n
            fast = (fast * fast + constant) % n
            divisor = gcd(abs(slow - fast), n)
            if divisor == n:
                break
            if divisor > 1:
                return divisor
    return n


ONE = Scale(1)
