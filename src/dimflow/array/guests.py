"""Classes of other libraries that hold arrays: pandas' columns, xarray's labelled arrays.

Whoever knows a library enters its classes here as it arrives. Nothing in `array` names one.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

Operator = Callable[[Any, Any], Any]


class Guest(NamedTuple):
    """What dimflow asks of such a class."""

    quantities: Callable[[Any], Any]
    """From an object to the array in it, with its unit if it has one; any other object as it is."""

    operate: Callable[[Operator, Any, Any], Any]
    """An operation with such an object on either side; NotImplemented leaves it to the object."""


guests: dict[type, Guest] = {}


def guest_of(kind: type) -> Guest | None:
    """What is known of a type or its nearest base; None if it is no guest."""
    return next((guests[base] for base in kind.__mro__ if base in guests), None)
