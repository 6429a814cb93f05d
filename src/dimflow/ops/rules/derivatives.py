"""Derivatives: written once per op, in a form from which both modes follow.

Rules are written with ops and operators, so they can be interpreted in turn: on raw values, traced
for the second order, or with units, which is how tests check that they are homogeneous.
"""

from collections.abc import Callable
from typing import Any, NamedTuple


class Partials(NamedTuple):
    """For elementwise ops: `f(out, *args, **params)` is the derivative by each argument.

    None for an argument that there is no derivative by (a mask, a static exponent).
    """

    functions: tuple[Callable[..., Any] | None, ...]


class Linear(NamedTuple):
    """For ops that are linear in some arguments taken together: add, sum, reshape, concat.

    The tangent is the op of the tangents. `transpose(ct, args, params)` gives the cotangent of
    each argument, None for those that the op is not linear in (indices, masks). Of those that it
    is linear in it sees no more than shape and dtype: a tape does not keep their values.
    """

    transpose: Callable[..., tuple[Any, ...]]
    arguments: tuple[int, ...] | None = None  # those it is linear in; None: all
    # Adds the first argument's cotangent to an array of NumPy's that nobody else has seen:
    # `into(total, ct, args, params)`. For ops that touch a part of it: a loop over x[i] is linear.
    into: Callable[..., None] | None = None


class Multilinear(NamedTuple):
    """For ops that are linear in each argument by itself: multiply, matmul, convolution.

    `transposes[i](ct, args, params)` gives the cotangent of argument i from the others; None for
    those that the op is not linear in.
    """

    transposes: tuple[Callable[..., Any] | None, ...]


class VariadicMultilinear(NamedTuple):
    """The same for any number of arguments: `transpose(i, ct, args, params)`. For einsum."""

    transpose: Callable[..., Any]


class Jvp(NamedTuple):
    """Any other op: `function(tangents, out, args, params)` is the tangent of the result.

    It is linear in the tangents; a tangent of None is zero. The other mode is its transpose.
    An op that is linear in some argument by itself, but not in all (solve(a, b) in b), gives
    `transposes` as `Multilinear` has them, so that it may stand in the jvp of another.
    """

    function: Callable[..., Any]
    transposes: tuple[Callable[..., Any] | None, ...] = ()


class Given(NamedTuple):
    """What comes with each call, as its parameters `pull` and `push`; one of them may be None.

    `pull(cts, outs, args)` gives the cotangent of each argument and is linear in the cotangents;
    `push(tangents, outs, args)` gives the tangent of each result and is linear in the tangents.
    None stands for zero everywhere. The mode that is missing is the transpose of the other.
    """


class Zero(NamedTuple):
    """No derivative: the result is discrete, or constant almost everywhere; `reason` says which."""

    reason: str


Derivative = Partials | Linear | Multilinear | VariadicMultilinear | Jvp | Given | Zero


def partials(*functions: Callable[..., Any] | None) -> Partials:
    """The derivative by each argument, as a function of the result and the arguments."""
    return Partials(functions)


STEPS = Zero("it is constant between steps")
DISCRETE = Zero("its result is not a real number")
