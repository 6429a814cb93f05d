"""Derivatives two ways: from an op's record, and by differences of its values."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from dimflow import autodiff, ops
from dimflow.array import DimArray
from dimflow.autodiff.carrier import CARRIERS
from dimflow.autodiff.rules import as_result
from dimflow.ops import Op
from dimflow.ops.rules.derivatives import (
    Linear,
    Multilinear,
    Partials,
    VariadicMultilinear,
    Zero,
)
from tests.contract.deviations import REFUSED_DERIVATIVES
from tests.contract.evaluate import dtype_of, is_inexact, leaves, quietly, run
from tests.contract.samples import Case, generator

STEP = 1e-5
# f' = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h: the error falls with the fourth power of h
_STENCIL = ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0))


def tangent_of(op: Op, tangents: tuple[Any, ...], args: tuple[Any, ...], params: Any) -> Any:
    """The tangents of the results by the op's own rule; a tangent of None is zero."""

    def function(*values: Any) -> list[Any]:
        return leaves(run(op, values, params))

    has_units = any(isinstance(value, DimArray) for value in args)
    with above_units() if has_units else nullcontext():
        return autodiff.jvp(function, args, tangents)[1]


@contextmanager
def above_units() -> Iterator[None]:
    """The engine on arrays with units, which are values to it like others.

    Units stand above it, else; here rules and definitions are run on them, to see what unit a
    tangent or cotangent comes in.
    """
    CARRIERS.rank = 20
    try:
        yield
    finally:
        del CARRIERS.rank


def differentiable_places(op: Op, case: Case) -> list[int]:
    """The arguments that the op has a derivative by: inexact ones that the rule does not leave out.

    A Zero rule has all.
    """
    rule = op.derivative
    refused = REFUSED_DERIVATIVES.get(op.name, ())
    inexact = [i for i, a in enumerate(case.args) if is_inexact(a) and i not in refused]
    if isinstance(rule, Partials):
        return [i for i in inexact if rule.functions[i] is not None]
    if isinstance(rule, Linear) and rule.arguments is not None:
        return [i for i in inexact if i in rule.arguments]
    if isinstance(rule, Multilinear):
        return [i for i in inexact if rule.transposes[i] is not None]
    return inexact


def random_tangents(op: Op, case: Case, places: list[int], seed: int = 0) -> tuple[Any, ...]:
    """A direction: random numbers for these arguments, None for the others."""
    rng = generator(op, seed + 1000)
    return tuple(like(rng, a) if i in places else None for i, a in enumerate(case.args))


def like(rng: Any, value: Any) -> Any:
    """Random numbers of the shape and kind of a value."""
    shape = np.shape(value)
    drawn = rng.normal(size=shape)
    if np.asarray(value).dtype.kind == "c":
        return drawn + 1j * rng.normal(size=shape)
    return drawn


def cotangent(op: Op, out: Any, seed: int = 0) -> Any:
    """Random numbers like the result, one or several."""
    rng = generator(op, seed + 2000)
    return as_result(op, out, [like(rng, leaf) for leaf in leaves(out)])


def is_single(values: Any) -> bool:
    """Whether some results are in single precision, where differences are coarse."""
    return any(dtype_of(v) in (np.float32, np.complex64) for v in leaves(values))


def difference(op: Op, case: Case, tangents: tuple[Any, ...]) -> list[Any]:
    """The derivative in a direction by central differences; None for results that are discrete."""
    step = 1e-2 if is_single(quietly(run, op, case.args, case.params)) else STEP
    total: list[Any] = []
    for k, weight in _STENCIL:
        moved = tuple(
            a if t is None else a + k * step * t for a, t in zip(case.args, tangents, strict=True)
        )
        values = leaves(quietly(run, op, moved, case.params))
        weighted = [weight * v if is_inexact(v) else None for v in values]
        total = (
            weighted
            if not total
            else [a if a is None else a + b for a, b in zip(total, weighted, strict=True)]
        )
    return [a if a is None else a / (12 * step) for a in total]


def differentiable() -> list[str]:
    """The ops with a derivative rule that is not Zero."""
    return [
        name
        for name, op in ops.TABLE.items()
        if op.derivative is not None and not isinstance(op.derivative, Zero)
    ]


def linear() -> list[str]:
    """The ops that are linear in arguments together, or in each by itself."""
    kinds = (Linear, Multilinear, VariadicMultilinear)
    return [name for name, op in ops.TABLE.items() if isinstance(op.derivative, kinds)]
