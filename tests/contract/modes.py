"""The own engine on one call of an op: forward and back, once and twice.

The cotangents and tangents of a function of several arguments are lists, one for each. Cotangents
pair by sum(ct * x), without conjugation.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dimflow import autodiff
from dimflow.ops import Op
from tests.contract.evaluate import is_inexact, leaves, quietly, run
from tests.contract.samples import Case, generator

Parts = tuple[Any, ...]


class Program(NamedTuple):
    """A call as a function of the arguments to differentiate by, and these."""

    op: Op
    function: Callable[..., Parts]
    args: Parts
    out: Parts  # the results that have derivatives

    def moved(self, tangents: Sequence[Any], step: float) -> "Program":
        """The same function elsewhere."""
        args = tuple(a + step * t for a, t in zip(self.args, tangents, strict=True))
        return self._replace(args=args)

    def cotangents(self, seed: int = 3000) -> Parts:
        """Random numbers like the results."""
        rng = generator(self.op, seed)
        return tuple(drawn(rng, leaf) for leaf in self.out)

    def tangents(self, seed: int = 1000) -> Parts:
        """Random numbers like the arguments."""
        rng = generator(self.op, seed)
        return tuple(drawn(rng, value) for value in self.args)


def drawn(rng: Any, value: Any) -> Any:
    """Random numbers of the shape and dtype of a value."""
    found = np.asarray(value)
    numbers = rng.normal(size=found.shape)
    if found.dtype.kind == "c":
        numbers = numbers + 1j * rng.normal(size=found.shape)
    return np.asarray(numbers, found.dtype)[()]


def program(op: Op, case: Case, places: Sequence[int]) -> Program:
    """The op as a function of some arguments, less the results that are discrete."""
    values = leaves(quietly(run, op, case.args, case.params))
    smooth = [k for k, leaf in enumerate(values) if is_inexact(leaf)]

    def function(*chosen: Any) -> Parts:
        args = list(case.args)
        for i, value in zip(places, chosen, strict=True):
            args[i] = value
        found = leaves(run(op, args, case.params))
        return tuple(found[k] for k in smooth)

    args = tuple(case.args[i] for i in places)
    return Program(op, function, args, tuple(values[k] for k in smooth))


# Once


def forward(of: Program, tangents: Sequence[Any]) -> Parts:
    """How the results change."""
    return autodiff.jvp(of.function, of.args, tangents)[1]


def linearized(of: Program, tangents: Sequence[Any]) -> Parts:
    """The same by a tape that is gone forward."""
    return autodiff.linearize(of.function, of.args)[1](tangents)


def back(of: Program, cotangents: Sequence[Any]) -> Parts:
    """The cotangents of the arguments."""
    return autodiff.vjp(of.function, of.args)[1](cotangents)


# Twice: how the cotangents of the arguments change with these


def forward_over_reverse(of: Program, cotangents: Any, tangents: Any) -> Parts:
    def gradient(*args: Any) -> Parts:
        return back(of._replace(args=args), cotangents)

    return autodiff.jvp(gradient, of.args, tangents)[1]


def reverse_over_reverse(of: Program, cotangents: Any, tangents: Any) -> Parts:
    def gradient(*args: Any) -> Parts:
        return back(of._replace(args=args), cotangents)

    return autodiff.vjp(gradient, of.args)[1](tangents)


def reverse_over_forward(of: Program, cotangents: Any, tangents: Any) -> Parts:
    def change(*args: Any) -> Parts:
        return forward(of._replace(args=args), tangents)

    return autodiff.vjp(change, of.args)[1](cotangents)


TWICE = {
    "forward over reverse": forward_over_reverse,
    "reverse over reverse": reverse_over_reverse,
    "reverse over forward": reverse_over_forward,
}


def paired(ones: Sequence[Any], others: Sequence[Any]) -> Any:
    """The real part of the sum of products, in which one mode is the transpose of the other."""
    return float(sum(np.sum(a * b).real for a, b in zip(ones, others, strict=True)))
