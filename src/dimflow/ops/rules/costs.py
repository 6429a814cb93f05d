"""Costs: how many floating-point operations an op takes, and how many elements it moves."""

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple


class Work(NamedTuple):
    """Floating-point operations, and elements read and written."""

    flops: int
    elements: int


# From the shapes of the arguments, those of the results, and the parameters; None if some length
# is not known without data.
Cost = Callable[[tuple[Any, ...], tuple[Any, ...], dict[str, Any]], Work | None]


def where_known(cost: Cost) -> Cost:
    """A cost that is None where a length is: rules then need not ask."""

    def checked(
        shapes: tuple[Any, ...], results: tuple[Any, ...], params: dict[str, Any]
    ) -> Work | None:
        if any(None in shape for shape in (*shapes, *results) if shape is not None):
            return None
        return cost(shapes, results, params)

    return checked


def moved(shapes: tuple[Any, ...], results: tuple[Any, ...]) -> int:
    """Elements read and written once."""
    return sum(prod(s) for s in (*shapes, *results) if s is not None)


def per_output(flops: int) -> Cost:
    """So many operations for each element of the result."""

    def cost(shapes: tuple[Any, ...], results: tuple[Any, ...], params: dict[str, Any]) -> Work:
        return Work(flops * sum(map(prod, results)), moved(shapes, results))

    return cost


def per_input(flops: int) -> Cost:
    """So many operations for each element of the first argument: reductions."""

    def cost(shapes: tuple[Any, ...], results: tuple[Any, ...], params: dict[str, Any]) -> Work:
        return Work(flops * prod(shapes[0]), moved(shapes, results))

    return cost


def copying(shapes: tuple[Any, ...], results: tuple[Any, ...], params: dict[str, Any]) -> Work:
    """No arithmetic: shape and index ops."""
    return Work(0, moved(shapes, results))


def view(shapes: tuple[Any, ...], results: tuple[Any, ...], params: dict[str, Any]) -> Work:
    """Nothing moves."""
    return Work(0, 0)
