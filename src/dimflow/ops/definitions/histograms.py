"""Bins and the counting of integers, by sorting and searching."""

from math import ceil, inf, log2, prod
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import NotANumber, UnitError
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.values import constant, floated

# Edges


def spaced_edges(x: Any, bins: Any = 10, *, range: Any = None) -> Any:
    """From the lowest to the highest; half a unit on both sides of a single value."""
    x = floated(x)
    low, high = _ends(x, range)
    if isinstance(bins, str):
        bins = _estimated(ops.reshape(x, shape=(-1,)), bins, low, high, range)
    if bins < 1:
        raise UnitError(f"spaced_edges needs one bin or more, not {bins}")
    equal = ops.equal(low, high)
    low, high = ops.where(equal, low - 0.5, low), ops.where(equal, high + 0.5, high)
    steps = constant(np.arange(bins) / bins, low)
    inner = ops.add(low, ops.multiply(high - low, steps))
    return ops.concat([inner, ops.reshape(high, shape=(1,))], axis=0)


def _ends(x: Any, limits: Any) -> tuple[Any, Any]:
    if limits is not None:
        ends = floated(limits)
        return ends[0], ends[1]
    if not prod(shape_of(x)):
        nothing = ops.zeros_like(x, shape=())
        return nothing, nothing + 1
    return ops.min(x), ops.max(x)


def _estimated(x: Any, rule: str, low: Any, high: Any, limits: Any) -> int:
    """The number of bins that one of NumPy's rules proposes, which the data decides."""
    if rule not in _WIDTHS:
        raise UnitError(f"{rule!r} is no rule for bins", f"there are {', '.join(_WIDTHS)}")
    if limits is not None:
        inside = ops.logical_and(ops.greater_equal(x, low), ops.less_equal(x, high))
        x = ops.index(x, inside, key=("mask",))
    x, low, high = map(ops.stop_gradient, (x, low, high))  # a number of bins is a step
    reach = float(high) - float(low)
    count = shape_of(x)[0]
    width = _WIDTHS[rule](x, count, float(ops.max(x) - ops.min(x))) if count else 0.0
    return max(1, ceil(reach / width)) if width else 1


def _scott(x: Any, n: int, reach: float) -> float:
    return float((24.0 * np.pi**0.5 / n) ** (1.0 / 3.0) * ops.std(x))


def _freedman(x: Any, n: int, reach: float) -> float:
    upper, lower = ops.percentile(x, 75.0), ops.percentile(x, 25.0)
    return 2.0 * float(upper - lower) * float(n ** (-1.0 / 3.0))


def _doane(x: Any, n: int, reach: float) -> float:
    if n <= 2 or not float(ops.std(x)):
        return 0.0
    doubt = (6.0 * (n - 2) / ((n + 1.0) * (n + 3))) ** 0.5
    z = (x - ops.mean(x)) / ops.std(x)
    skew = abs(float(ops.mean(z * z * z)))
    return reach / (1.0 + log2(n) + log2(1.0 + skew / doubt))


def _sturges(x: Any, n: int, reach: float) -> float:
    return reach / (log2(n) + 1.0)


def _auto(x: Any, n: int, reach: float) -> float:
    freedman, sturges = _freedman(x, n, reach), _sturges(x, n, reach)
    root = reach / n**0.5
    return min(max(freedman, root / 2), sturges) if freedman else sturges


def _stone(x: Any, n: int, reach: float) -> float:
    """The number of bins with the least estimated error, up to 100 or the root of the count."""
    best, least = 0.0, inf
    for bins in range(1, max(100, int(n**0.5)) + 1):
        if not reach:
            return 0.0
        share = ops.bin_counts(x, spaced_edges(x, bins)) / n
        error = (2 - (n + 1) * float(ops.sum(share * share))) * bins / reach
        if error < least:
            best, least = reach / bins, error
    return best


_WIDTHS: dict[str, Any] = {
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman,
    "rice": lambda x, n, reach: reach / (2.0 * n ** (1.0 / 3)),
    "scott": _scott,
    "sqrt": lambda x, n, reach: reach / n**0.5,
    "stone": _stone,
    "sturges": _sturges,
}


# Counts


def bin_counts(x: Any, edges: Any, *, evenly: bool = False) -> Any:
    """The places of the edges among the ordered values; the last one counts from its other side."""
    ordered = ops.sort(ops.reshape(x, shape=(-1,)))
    below = ops.searchsorted(ordered, edges[:-1])
    last = ops.searchsorted(ordered, edges[-1:], side="right")
    return ops.diff(ops.concat([below, last], axis=0))


def bin_sums(x: Any, edges: Any, weights: Any, *, evenly: bool = False) -> Any:
    """The sums of segments that are bins; values in none have an id of no segment."""
    places = ops.reshape(ops.bin_index(x, edges), shape=(-1,))
    weights = ops.reshape(ops.broadcast_to(weights, shape=shape_of(x)), shape=(-1,))
    return ops.segment_sum(weights, places, num_segments=shape_of(edges)[0] - 1)


def bin_index(x: Any, edges: Any) -> Any:
    """By search; the last bin holds its upper edge."""
    if len(shape_of(edges)) != 1 or bool(ops.any(ops.less(edges[1:], edges[:-1]))):
        raise UnitError("bins need edges along one axis that rise", "sort them first: sort(edges)")
    count = shape_of(edges)[0] - 1
    found = ops.searchsorted(edges, x, side="right") - 1
    found = ops.where(ops.equal(x, edges[-1]), count - 1, found)
    outside = ops.logical_or(ops.less(found, 0), ops.greater(x, edges[-1]))
    return ops.where(ops.logical_or(outside, ops.isnan(x)), count, found)


def _length(x: Any, minlength: int) -> int:
    """How many integers there are to count, which the data decides."""
    if not prod(shape_of(x)):
        return minlength
    if bool(ops.any(ops.less(x, 0))):
        raise NotANumber("counting integers", "a number below 0")
    return max(minlength, int(ops.max(x)) + 1)


def integer_counts(x: Any, minlength: int = 0) -> Any:
    """The distances between the places of all integers among the ordered ones."""
    ends = np.arange(_length(x, minlength) + 1)
    return ops.diff(ops.searchsorted(ops.sort(x), ends))


def integer_sums(x: Any, weights: Any, minlength: int = 0) -> Any:
    """The sums of segments that are integers."""
    weights = ops.astype(weights, "float64")
    return ops.segment_sum(weights, x, num_segments=_length(x, minlength))


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """By search; among falling edges from the other end."""
    falls = ops.less(bins[-1], bins[0])
    n = shape_of(bins)[0]
    up = ops.searchsorted(bins, x, side="left" if right else "right")
    down = n - ops.searchsorted(ops.flip(bins), x, side="right" if right else "left")
    return ops.where(falls, down, up)
