"""Derivatives two ways: from an op's record, and by differences of its values."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.ops import Op
from dimflow.ops.rules.derivatives import (
    Jvp,
    Linear,
    Multilinear,
    Partials,
    VariadicMultilinear,
    Zero,
)
from dimflow.ops.rules.transposition import shape_of
from tests.contract.carrier import as_result
from tests.contract.deviations import REFUSED_DERIVATIVES
from tests.contract.evaluate import dtype_of, fresh, is_inexact, leaves, quietly, run
from tests.contract.samples import Case, generator

STEP = 1e-5
# f' = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h: the error falls with the fourth power of h
_STENCIL = ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0))


def tangent_of(op: Op, tangents: tuple[Any, ...], args: tuple[Any, ...], params: Any) -> Any:
    """The tangent of the result by the op's own rule; a tangent of None is zero."""
    rule = op.derivative
    out = run(op, args, params)
    if isinstance(rule, Jvp):
        return rule.function(tangents, out, args, fresh(params))
    if isinstance(rule, Partials):
        return _by_partials(rule, tangents, out, args, params)
    if isinstance(rule, Linear):
        return _of_linear(op, rule, tangents, args, params)
    if isinstance(rule, Multilinear):
        linear = [i for i, t in enumerate(rule.transposes) if t is not None]
        return _of_multilinear(op, linear, tangents, args, params)
    if isinstance(rule, VariadicMultilinear):
        return _of_multilinear(op, range(len(args)), tangents, args, params)
    assert isinstance(rule, Zero)
    return [0 * leaf if is_inexact(leaf) else None for leaf in leaves(out)]


def _by_partials(rule: Partials, tangents: Any, out: Any, args: Any, params: Any) -> Any:
    terms = []
    for function, t in zip(rule.functions, tangents, strict=True):
        if function is None or t is None:
            continue
        partial = function(out, *args, **params)
        several = isinstance(partial, tuple)
        terms.append([p * t for p in partial] if several else [partial * t])
    if not terms:
        return [None for _ in leaves(out)]
    totals = [_total(parts) for parts in zip(*terms, strict=True)]
    return [_stretched(total, o) for total, o in zip(totals, leaves(out), strict=True)]


def _stretched(tangent: Any, out: Any) -> Any:
    """A partial that does not depend on some argument lacks its axes."""
    shape = shape_of(out)
    if shape_of(tangent) == shape:
        return tangent
    return ops.broadcast_to(tangent, shape=shape)


def _total(parts: Any) -> Any:
    first, *rest = parts
    for part in rest:
        first = first + part
    return first


def _of_linear(op: Op, rule: Linear, tangents: Any, args: Any, params: Any) -> Any:
    linear = range(len(args)) if rule.arguments is None else rule.arguments
    moved = tuple(
        a if i not in linear or a is None else zero_like(a) if t is None else t
        for i, (a, t) in enumerate(zip(args, tangents, strict=True))
    )
    return run(op, moved, params)


def zero_like(value: Any) -> Any:
    """Zeros for a missing tangent; 0 * x would be nan for an infinite x."""
    return ops.zeros_like(value) if hasattr(value, "shape") else 0


def _of_multilinear(op: Op, linear: Any, tangents: Any, args: Any, params: Any) -> Any:
    terms = [
        run(op, (*args[:i], tangents[i], *args[i + 1 :]), params)
        for i in linear
        if tangents[i] is not None
    ]
    if not terms:
        return [None for _ in leaves(run(op, args, params))]
    return [_total(parts) for parts in zip(*map(leaves, terms), strict=True)]


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
