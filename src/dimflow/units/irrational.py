"""π, ln 2, ln 10 and roots of integers between bounds as narrow as asked for."""

from collections.abc import Callable
from functools import lru_cache

from dimflow.units.primes import integer_root

_GUARD = 32  # bits beyond those asked for, against the truncation of the series


def _arctan_inverse(n: int, one: int) -> int:
    """`one` times arctan(1/n), by Gregory's series."""
    return _odd_powers(n, one, -1)


def _artanh_inverse(n: int, one: int) -> int:
    """`one` times artanh(1/n)."""
    return _odd_powers(n, one, 1)


def _odd_powers(n: int, one: int, sign: int) -> int:
    power = total = one // n
    k = 1
    while power:
        power //= n * n * sign
        k += 2
        total += power // k
    return total


def _pi(one: int) -> int:  # Machin 1706
    return 16 * _arctan_inverse(5, one) - 4 * _arctan_inverse(239, one)


def _ln2(one: int) -> int:
    return (
        18 * _artanh_inverse(26, one)
        - 2 * _artanh_inverse(4801, one)
        + 8 * _artanh_inverse(8749, one)
    )


def _ln10(one: int) -> int:
    return (
        46 * _artanh_inverse(31, one)
        + 34 * _artanh_inverse(49, one)
        + 20 * _artanh_inverse(161, one)
    )


IRRATIONALS: dict[str, Callable[[int], int]] = {"pi": _pi, "ln2": _ln2, "ln10": _ln10}


@lru_cache(maxsize=256)
def root_bounds(base: str | int, power: int, root: int, bits: int) -> tuple[tuple[int, int], int]:
    """Integers below and above 2**places times the root of a power, and the places.

    The base is an integer or the name of an irrational number; the bounds have about as many
    bits as asked for, and differ in the last few alone.
    """
    guard = bits + 16 + abs(power).bit_length()
    if isinstance(base, int):
        low = high = base
        exponent = 0
    else:
        value = IRRATIONALS[base](1 << (guard + _GUARD)) >> _GUARD
        low, high, exponent = value - 1, value + 2, guard  # value / 2**guard
    low, high, exponent = low ** abs(power), high ** abs(power), exponent * abs(power)
    if power < 0:  # 2**exponent / high, in fixed point
        more = high.bit_length() + guard
        low, high = (1 << (exponent + more)) // high, (1 << (exponent + more)) // low + 1
        exponent = more
    # shift so that the root is whole and has `guard` bits
    places = guard - (low.bit_length() - exponent) // root
    shift = places * root - exponent
    low = low << shift if shift >= 0 else low >> -shift
    high = high << shift if shift >= 0 else (high >> -shift) + 1
    return (integer_root(low, root), integer_root(high, root) + 1), places
