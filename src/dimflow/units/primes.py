"""Factorising integers, as far as that is quick."""

from functools import lru_cache
from math import gcd, isqrt

_TRIAL_LIMIT = 1000  # primes below it are found by division, larger ones by Pollard's rho
_RHO_STEPS = 1 << 14
_HARD = 1024  # bits beyond which a number is not worth splitting, unless it is a power


@lru_cache(maxsize=1024)
def factorised(number: int, known: tuple[int, ...] = ()) -> tuple[tuple[int, int], ...]:
    """Primes and their exponents; a part that is too hard to split counts as a prime.

    `known` are primes that are likely to divide it.
    """
    found: dict[int, int] = {}
    for prime in (*known, *range(2, _TRIAL_LIMIT)):  # composites divide nothing any more
        while number % prime == 0:
            found[prime] = found.get(prime, 0) + 1
            number //= prime
    pending = [(number, 1)] if number > 1 else []
    while pending:
        n, power = pending.pop()
        base, k = _as_power(n)
        divisor = base if base.bit_length() > _HARD or _is_prime(base) else _split(base)
        if divisor == base:
            found[base] = found.get(base, 0) + k * power
        else:
            pending += [(divisor, k * power), (base // divisor, k * power)]
    return tuple(sorted(found.items()))


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


def _split(n: int) -> int:
    """A proper divisor by Pollard's rho, or n itself when none is found in bounded time."""
    for constant in (1, 3, 5) if n.bit_length() < 160 else (1,):
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
