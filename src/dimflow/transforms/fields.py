"""divergence, curl, laplacian: what fields do in space, with units.

A field is a function of one place: an array of its n Cartesian coordinates, which are of one unit.
It gives n components as an array or a tuple, or one number. The derivative takes one place, of
shape (n,), or many, of shape (..., n), and gives a result for each.
"""

from collections.abc import Callable
from functools import wraps
from math import prod
from typing import Any

from dimflow import ops
from dimflow.array.dimarray import DimArray
from dimflow.errors import NotANumber, ShapeMismatch
from dimflow.transforms.batching import vmap
from dimflow.transforms.calls import Function, check_callable
from dimflow.transforms.jacobians import hessian, jacobian


def divergence(field: Function, *, engine: str | None = None) -> Function:
    """The function that gives the divergence of a vector field at a place, in [field]/[place].

        dimflow.divergence(wind)(r)  # wind in m/s of r in m: in 1/s

    What else the field takes is passed on to it: `divergence(wind)(r, time)`.
    """

    def spread(vectors: Function, place: Any) -> Any:
        return ops.trace(_slopes("divergence", vectors, place, engine))

    return _at_places("divergence", field, spread, engine)


def curl(field: Function, *, engine: str | None = None) -> Function:
    """The function that gives the curl of a vector field at a place, in [field]/[place].

    In three dimensions it is a vector; in two, the number that is its component out of the plane.
    """

    def turn(vectors: Function, place: Any) -> Any:
        count = place.shape[-1]
        if count not in (2, 3):
            raise ShapeMismatch("curl", "places of 2 or 3 coordinates", f"{count}")
        slopes = _slopes("curl", vectors, place, engine)

        def about(i: int, j: int) -> Any:
            return slopes[j, i] - slopes[i, j]

        return about(0, 1) if count == 2 else ops.stack([about(1, 2), about(2, 0), about(0, 1)])

    return _at_places("curl", field, turn, engine)


def laplacian(field: Function, *, engine: str | None = None) -> Function:
    """The function that gives the Laplacian of a field at a place, in [field]/[place]**2.

    Of a vector field it is the vector of the Laplacians of its components.
    """

    def bend(values: Function, place: Any) -> Any:
        return ops.trace(hessian(values, engine=engine)(place), axis1=-2, axis2=-1)

    return _at_places("laplacian", field, bend, engine)


def _at_places(
    name: str, field: Function, derivative: Callable[..., Any], engine: str | None
) -> Function:
    """A derivative at one place, as a function of one place or many."""
    check_callable(name, field)

    @wraps(field)
    def at(places: Any, *args: Any, **kwargs: Any) -> Any:
        def values(place: Any) -> Any:
            found = field(place, *args, **kwargs)
            return ops.stack(list(found)) if isinstance(found, (tuple, list)) else found

        def one(place: Any) -> Any:
            return derivative(values, place)

        *lengths, count = _shape(name, places)
        if not lengths:
            return one(places)
        rows = ops.reshape(places, shape=(prod(lengths), count))
        found = vmap(one, engine=engine)(rows)
        return ops.reshape(found, shape=(*lengths, *found.shape[1:]))

    return at


def _shape(name: str, places: Any) -> tuple[int, ...]:
    if not isinstance(places, DimArray) and not hasattr(places, "shape"):
        raise NotANumber(name, f"{type(places).__name__} {places!r:.40} for a place")
    if not len(places.shape):
        hint = "give the coordinates of a place as one array: dimflow.stack([x, y, z], axis=-1)"
        raise ShapeMismatch(name, "places of shape (..., n)", "()", hint)
    return tuple(places.shape)


def _slopes(name: str, vectors: Function, place: Any, engine: str | None) -> Any:
    """The n by n derivatives of a vector field at a place."""
    found = jacobian(vectors, mode="forward", engine=engine)(place)
    count = place.shape[-1]
    if tuple(getattr(found, "shape", ())) != (count, count):
        wanted = f"a field of {count} components, one for each coordinate"
        got = tuple(found.shape[:-1])
        raise ShapeMismatch(name, wanted, f"one of shape {got}")
    return found
