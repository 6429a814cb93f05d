"""Solvers of equations in one vector of numbers: Newton's method, iteration, the way to a minimum.

What decides is the step, relative to the unknowns, and never the size of residuals: so the answer
does not depend on the units in which these are written.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

from dimflow import ops
from dimflow.autodiff.forward import jvp
from dimflow.autodiff.implicit import matrix, packed, precision, repeated, solve, unpacked
from dimflow.autodiff.reverse import vjp
from dimflow.ops.rules.transposition import shape_of

Function = Callable[[Any], Any]
_HALVINGS = 2.0**-20  # the least part of a step that is tried
_STIFF = 1e12  # the damping at which a minimum is given up


class Answer(NamedTuple):
    """Where a solver ended, and whether that is a solution."""

    x: Any
    is_solution: Any
    steps: Any


class Sizes:
    """The sizes of the unknowns, array by array: what a step is small or large against."""

    def __init__(self, like: Sequence[Any]) -> None:
        self.like = like

    def of(self, *vectors: Any) -> Any:
        """The largest number in each array of some vectors, for every element of it."""
        parts = []
        for pieces in zip(*(unpacked(abs(v), self.like) for v in vectors), strict=True):
            if not prod(shape_of(pieces[0])):
                parts.append(pieces[0])
                continue
            largest = ops.max(pieces[0])
            for piece in pieces[1:]:
                largest = ops.maximum(largest, ops.max(piece))
            parts.append(ops.broadcast_to(largest, shape=shape_of(pieces[0])))
        return packed(parts)

    def relative(self, step: Any, *vectors: Any) -> Any:
        """The largest part of a step, relative to the sizes of the vectors; to nothing, inf."""
        sizes = self.of(*vectors)
        nothing = ops.where(abs(step) > 0, float("inf"), 0.0 * step)
        ratio = ops.where(sizes > 0, abs(step) / ops.where(sizes > 0, sizes, 1.0), nothing)
        return ops.max(ratio) if prod(shape_of(step)) else ops.sum(step)


def newton(
    function: Function, x: Any, like: Sequence[Any], limits: Any = None, max_steps: int = 100
) -> Answer:
    """Newton's method; a step is shortened until the next one, by the same matrix, is smaller.

    `limits` are residuals that are small enough, whatever the steps do.
    """
    sizes = Sizes(like)
    goal = precision(x) ** 0.5
    first = x

    def is_zero(rest: Any) -> Any:
        return ops.all(abs(rest) <= (0.0 if limits is None else limits))

    def goes_on(x: Any, rest: Any, step: Any, count: Any) -> tuple[Any, ...]:
        is_open = ops.logical_not(ops.logical_or(is_zero(rest), step <= goal))
        return (ops.logical_and(is_open, count < max_steps),)

    def body(x: Any, rest: Any, step: Any, count: Any) -> tuple[Any, ...]:
        slope = matrix(lambda v: jvp(lambda x: (function(x),), (x,), (v,))[1][0], x)
        way = solve(slope, -rest)
        length = sizes.relative(way, x, first, way)

        def is_too_long(part: Any, rest: Any) -> tuple[Any, ...]:
            next_one = sizes.relative(solve(slope, -rest), x, first, way)
            is_worse = ops.logical_not(next_one <= (1 - part / 4) * length)  # nan too
            return (ops.logical_and(is_worse, part > _HALVINGS),)

        def shorten(part: Any, rest: Any) -> tuple[Any, ...]:
            return part / 2, function(ops.add(x, part / 2 * way))

        whole = ops.ones_like(length)
        part, rest = repeated(is_too_long, shorten, (whole, function(ops.add(x, way))))
        # a step that had to be cut to nothing leads nowhere; one that was cut says little
        taken = ops.where(part < 1, float("inf"), length)
        return ops.add(x, part * way), rest, taken, count + 1.0

    rest = function(x)
    far = ops.sum(rest) * 0 + float("inf")
    x, rest, step, count = repeated(goes_on, body, (x, rest, far, ops.zeros_like(far)))
    return Answer(x, ops.logical_or(is_zero(rest), step <= goal), count)


def iterate(
    function: Function, x: Any, like: Sequence[Any], limits: Any = None, max_steps: int = 10_000
) -> Answer:
    """x = function(x) again and again, until it stays."""
    sizes = Sizes(like)
    goal = 1e4 * precision(x)

    def is_there(x: Any, new: Any) -> Any:
        if limits is not None:
            return ops.all(abs(new - x) <= limits)
        return sizes.relative(new - x, new) <= goal

    def goes_on(x: Any, new: Any, count: Any) -> tuple[Any, ...]:
        return (ops.logical_and(ops.logical_not(is_there(x, new)), count < max_steps),)

    def body(x: Any, new: Any, count: Any) -> tuple[Any, ...]:
        return new, function(new), count + 1.0

    new = function(x)
    x, new, count = repeated(goes_on, body, (x, new, ops.sum(new) * 0))
    return Answer(new, is_there(x, new), count)


def minimise(
    function: Function, x: Any, like: Sequence[Any], limits: Any = None, max_steps: int = 200
) -> Answer:
    """Newton's method for a minimum, damped towards the steepest way down where that is needed."""
    sizes = Sizes(like)
    goal = precision(x) ** 0.5
    first = x

    def slope(x: Any) -> Any:
        outs, pull = vjp(lambda x: (function(x),), (x,), keep=False)
        return pull((ops.ones_like(outs[0]),))[0]

    def is_flat(way: Any) -> Any:
        return ops.all(abs(way) <= (0.0 if limits is None else limits))

    def goes_on(x: Any, value: Any, way: Any, damping: Any, step: Any, count: Any) -> Any:
        is_open = ops.logical_not(ops.logical_or(is_flat(way), step <= goal))
        is_going = ops.logical_and(count < max_steps, damping < _STIFF)
        return (ops.logical_and(is_open, is_going),)

    def body(x: Any, value: Any, way: Any, damping: Any, step: Any, count: Any) -> Any:
        curvature = matrix(lambda v: jvp(lambda x: (slope(x),), (x,), (v,))[1][0], x)
        scale = abs(ops.diagonal(curvature))
        scale = ops.where(scale > 0, scale, 1.0)
        move = solve(ops.add(curvature, damping * ops.diag(scale)), -way)
        there = ops.add(x, move)
        new = function(there)
        rounding = 10 * precision(x) * abs(value)
        is_down = ops.logical_and(new <= value + rounding, ops.sum(move * way) <= 0)
        relaxed = ops.where(damping < 1e-8, 0.0 * damping, damping / 8)
        stiffer = ops.maximum(8 * damping, 1e-3 + 0.0 * damping)
        length = sizes.relative(move, x, first, move)
        x = ops.where(is_down, there, x)
        return (
            x,
            ops.where(is_down, new, value),
            slope(x),
            ops.where(is_down, relaxed, stiffer),
            # a damped step may be short far from the minimum
            ops.where(ops.logical_and(is_down, damping <= 1e-3), length, float("inf")),
            count + 1.0,
        )

    value = function(x)
    none = 0.0 * value
    start = (x, value, slope(x), none, none + float("inf"), none)
    x, _, way, _, step, count = repeated(goes_on, body, start)
    return Answer(x, ops.logical_or(is_flat(way), step <= goal), count)
