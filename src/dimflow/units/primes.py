"""Factorising integers, as far as that is quick."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from math import gcd, isqrt
from threading import local

from dimflow.errors import UnitRangeError

_TRIAL_LIMIT = 1000  # primes below it are found by division, larger ones by Pollard's rho
_RHO_STEPS = 1 << 14
_PRIMALITY = 100  # steps that a test of primality costs
_PERFECT = 10  # steps that a test for powers costs, for 64 bits
_BATCH = 32  # steps between two greatest common divisors
_HARD = 1024  # bits beyond which a number is not worth splitting, unless it is a power
_ALLOWED = 30_000  # steps that the roots of one string may take, in numbers of 64 bits


@contextmanager
def bounded() -> Iterator[None]:
    """Bound what the roots inside may cost together; the cost does not depend on what is cached."""
    outer, _work.left = _work.left, _ALLOWED
    try:
        yield
    finally:
        _work.left = outer


class _Work(local):
    """The steps that are left to the string this thread reads; None where nothing is counted."""

    left: int | None = None


_work = _Work()


def factorised(number: int, known: tuple[int, ...] = ()) -> tuple[tuple[int, int], ...]:
    """Primes and their exponents; a part that is too hard to split counts as a prime.

    `known` are primes that are likely to divide it.
    """
    factors, cost = _factorised(number, known)
    if _work.left is not None:
        _work.left -= cost
        if _work.left < 0:
            raise _too_long()
    return factors


def _too_long() -> UnitRangeError:
    return UnitRangeError(
        "the roots in this unit take too long to reduce",
        "write a number under a root as a product of small primes, or its root as a decimal",
    )


@lru_cache(maxsize=1024)
def _factorised(number: int, known: tuple[int, ...]) -> tuple[tuple[tuple[int, int], ...], int]:
    """The factors, and what it costs to find them."""
    found: dict[int, int] = {}
    cost = 0
    for prime in (*known, *range(2, _TRIAL_LIMIT)):  # composites divide nothing any more
        while number % prime == 0:
            found[prime] = found.get(prime, 0) + 1
            number //= prime
    pending = [(number, 1)] if number > 1 else []
    while pending:
        n, power = pending.pop()
        cost += (n.bit_length() // 64) ** 2 * _PERFECT
        if _work.left is not None and cost > _work.left:
            raise _too_long()
        base, k = _as_power(n)
        divisor = base
        if base.bit_length() <= _HARD:
            weight = 1 + base.bit_length() // 64
            cost += _PRIMALITY * weight**2
            if not _is_prime(base):
                allowed = None if _work.left is None else (_work.left - cost) // weight
                divisor, steps = _split(base, allowed)
                cost += steps * weight
        if divisor == base:
            found[base] = found.get(base, 0) + k * power
        else:
            pending += [(divisor, k * power), (base // divisor, k * power)]
    return tuple(sorted(found.items())), cost


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


def _as_power(n: int) -> tuple[int, int]:
    """The base and the exponent of a perfect power; n itself and 1 if it is none."""
    base, exponent = n, 1
    k = 2
    while k * (_TRIAL_LIMIT.bit_length() - 1) <= base.bit_length():  # no factor is smaller
        root = integer_root(base, k)
        if root**k == base:
            base, exponent = root, exponent * k
        else:
            k += 1
    return base, exponent


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


def _split(n: int, allowed: int | None) -> tuple[int, int]:
    """A proper divisor by Pollard's rho, or n itself if none is found soon; the steps taken.

    Raises if these are more than allowed.
    """
    steps = 0
    for constant in (1, 3, 5) if n.bit_length() < 160 else (1,):
        slow = fast = 2
        for _ in range(0, _RHO_STEPS, _BATCH):
            if allowed is not None and steps > allowed:
                raise _too_long()
            steps += _BATCH
            start, product = (slow, fast), 1
            for _ in range(_BATCH):
                slow = (slow * slow + constant) % n
                fast = (fast * fast + constant) % n
                fast = (fast * fast + constant) % n
                product = product * (slow - fast) % n
            divisor = gcd(product, n)
            if divisor == n:  # all divisors in one batch: find the first step by step
                divisor = _first_divisor(n, *start, constant)
            if divisor == n:
                break
            if divisor > 1:
                return divisor, steps
    return n, steps


def _first_divisor(n: int, slow: int, fast: int, constant: int) -> int:
    divisor = 1
    while divisor == 1:
        slow = (slow * slow + constant) % n
        fast = (fast * fast + constant) % n
        fast = (fast * fast + constant) % n
        divisor = gcd(slow - fast, n)
    return divisor
