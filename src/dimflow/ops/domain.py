"""Where tests draw samples for an op: intervals for elementwise ops, calls for all others."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np


class Interval(NamedTuple):
    """Real numbers between two ends, in steps of one if `integer`."""

    low: float
    high: float
    integer: bool = False


class Sample(NamedTuple):
    """One valid call: raw arrays and static parameters.

    `units` gives units that the call is valid for, where a search among common ones would not
    find them; `smooth` says that the derivative exists at this point.
    """

    args: tuple[Any, ...]
    params: dict[str, Any] = {}
    units: tuple[str | None, ...] | None = None
    smooth: bool = True


Samples = Callable[["np.random.Generator"], Sequence[Sample]]
Domain = tuple[Interval, ...] | Samples
