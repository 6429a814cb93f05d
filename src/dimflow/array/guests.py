"""Classes of other libraries that hold arrays: pandas' columns, xarray's labelled arrays.

Whoever knows a library enters its classes here as it arrives. Nothing in `array` names one, but for
Python's own exact numbers.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from dimflow import ops
from dimflow.errors import UnitChoiceError

Operator = Callable[[Any, Any], Any]


class Guest(NamedTuple):
    """What dimflow asks of such a class."""

    quantities: Callable[[Any], Any]
    """From an object to the array in it, with its unit if it has one; any other object as it is."""

    operate: Callable[[Operator, Any, Any], Any]
    """An operation with such an object on either side; NotImplemented leaves it to the object."""

    counted: Callable[[Any], Any] = lambda value: value
    """With the unit that an attribute says of plain numbers; all else, and labels, as it is."""


def _by_floats(function: Operator, *sides: Any) -> Any:
    return function(*(float(x) if isinstance(x, (Fraction, Decimal)) else x for x in sides))


guests: dict[type, Guest] = {kind: Guest(float, _by_floats) for kind in (Fraction, Decimal)}


ROUNDINGS = tuple(n for n, op in ops.TABLE.items() if op.unit_dependent and "idempotent" in op.laws)
"""What rounds in a chosen unit: the accessors have methods of these names."""


@contextmanager
def rounding(name: str) -> Iterator[None]:
    """Errors of functions that round say how to round an object of this name."""
    try:
        yield
    except UnitChoiceError as error:
        if error.operation in ROUNDINGS:
            others = ops.get(error.operation).signature.parameters.keys() - {"x", "unit"}
            given = "..., " if others else ""  # the number of decimals
            call = f"{name}.dimflow.{error.operation}({given}unit={error.choice!r})"
            error.hint = f"say in which: {call}"
        raise


def guest_of(kind: type) -> Guest | None:
    """What is known of a type or its nearest base; None if it is no guest."""
    return next((guests[base] for base in kind.__mro__ if base in guests), None)
