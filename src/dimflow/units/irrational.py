"""π, ln 2 and ln 10 between rational bounds as narrow as asked for."""

from collections.abc import Callable
from functools import lru_cache

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


@lru_cache(maxsize=32)
def bounds(name: str, bits: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Two fractions that enclose the number, at most 2**(1 - bits) apart."""
    value = IRRATIONALS[name](1 << (bits + _GUARD)) >> _GUARD
    return (value - 1, 1 << bits), (value + 2, 1 << bits)
