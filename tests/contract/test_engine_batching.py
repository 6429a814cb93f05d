"""Batches by the engine: of an op, of its derivatives, of batches. Each is what a loop gives."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow import autodiff, ops
from dimflow.errors import MissingRule
from dimflow.ops import Op
from dimflow.ops.rules.derivatives import Zero
from tests.contract.batches import SIZE, batch_of, mixtures
from tests.contract.deviations import REFUSED_DERIVATIVES
from tests.contract.evaluate import assert_same, is_inexact, leaves, names, quietly, run
from tests.contract.finite_differences import differentiable_places
from tests.contract.modes import drawn
from tests.contract.samples import DEEP, SEEDS, Case, cases, generator, parametrized

ALL = [n for n in names() if ops.get(n).kind != "random"]
BOTH_MODES = [
    n for n in ALL if not isinstance(ops.get(n).derivative, Zero) and n not in REFUSED_DERIVATIVES
]
EACH = None if DEEP else 2  # samples of an op, and mixtures of axes

Function = Callable[..., tuple[Any, ...]]


def looped(function: Function, args: list[Any], axes: list[int]) -> list[Any]:
    """The results of one call after the other, along a first axis."""
    moved = [np.moveaxis(a, axis, 0) for a, axis in zip(args, axes, strict=True)]
    results = [function(*[a[k] for a in moved]) for k in range(len(moved[0]))]
    return [np.stack(parts) for parts in zip(*results, strict=True)]


def agrees(function: Function, args: list[Any], axes: list[int], what: str, rtol: float) -> None:
    """All at once is what one after the other is; or the op says why it cannot be batched."""
    refusal: MissingRule | None = None
    try:
        got = quietly(autodiff.vmap, function, args, axes)
    except MissingRule as error:
        refusal = error
    if refusal is not None:
        assert refusal.hint, f"{what}: it does not say why it cannot be batched"
        return
    assert_same(list(got), quietly(looped, function, args, axes), rtol=rtol, what=what)


def of_arguments(op: Op, case: Case, places: list[int]) -> Function:
    """The op as a function of some arguments, giving a tuple."""

    def function(*values: Any) -> tuple[Any, ...]:
        args = list(case.args)
        for i, value in zip(places, values, strict=True):
            args[i] = value
        return tuple(leaves(run(op, args, case.params)))

    return function


@parametrized("engine batching", ALL)
def test_a_batch_by_the_engine_is_a_loop(name: str) -> None:
    """By the batching rule, or through the definition: along any axes, of any arguments."""
    op = ops.get(name)
    for seed in SEEDS:
        for index in range(len(cases(name, seed)))[:EACH]:
            batch = batch_of(name, index, seed)
            for dims in mixtures(batch)[:EACH]:
                places = [i for i, d in enumerate(dims) if d is not None]
                axes = [d for d in dims if d is not None]
                args = [
                    np.stack([np.asarray(c.args[i]) for c in batch], axis=d)
                    for i, d in zip(places, axes, strict=True)
                ]
                what = f"{batch[0].label} batched along {dims}"
                agrees(of_arguments(op, batch[0], places), args, axes, what, 1e-10)


def differentiated(name: str) -> list[tuple[Function, list[Any], list[Any], str]]:
    """Functions with a batch of arguments, and one of tangents: for the first smooth samples."""
    op, found = ops.get(name), []
    for index in range(len(cases(name))):
        batch = batch_of(name, index, 0)
        case = batch[0]
        places = [
            i for i in differentiable_places(op, case) if isinstance(case.args[i], np.ndarray)
        ]
        values = leaves(quietly(run, op, case.args, case.params))
        if not case.smooth or not places or not all(map(is_inexact, values)):
            continue
        args = [np.stack([c.args[i] for c in batch]) for i in places]
        rng = generator(op, 6000)
        tangents = [drawn(rng, a) for a in args]
        found.append((of_arguments(op, case, places), args, tangents, case.label))
    return found[: 1 if not DEEP else None]


@parametrized("batched vjp", BOTH_MODES)
def test_a_batch_of_gradients_is_a_loop(name: str) -> None:
    op = ops.get(name)
    for function, args, _, label in differentiated(name):
        count = len(args)

        def back(*given: Any, function: Function = function, count: int = count) -> Any:
            return autodiff.vjp(function, given[:count])[1](given[count:])

        outs = quietly(function, *[a[0] for a in args])
        rng = generator(op, 7000)
        cts = [drawn(rng, np.stack([out] * SIZE)) for out in outs]
        agrees(back, [*args, *cts], [0] * (count + len(cts)), f"{label}, back", 1e-8)


@parametrized("batched jvp", BOTH_MODES)
def test_a_batch_of_tangents_is_a_loop(name: str) -> None:
    for function, args, tangents, label in differentiated(name):
        count = len(args)

        def forward(*given: Any, function: Function = function, count: int = count) -> Any:
            return autodiff.jvp(function, given[:count], given[count:])[1]

        agrees(forward, [*args, *tangents], [0] * (2 * count), f"{label}, forward", 1e-8)


@parametrized("gradient of a batch", BOTH_MODES)
def test_the_gradient_of_a_batch_is_a_batch_of_gradients(name: str) -> None:
    op = ops.get(name)
    for function, args, _, label in differentiated(name):
        axes = [0] * len(args)
        try:
            outs = quietly(autodiff.vmap, function, args, axes)
        except MissingRule:
            continue  # a law of its own asks why
        rng = generator(op, 8000)
        cts = [drawn(rng, out) for out in outs]

        def whole(*given: Any, function: Function = function, axes: Any = axes) -> Any:
            return autodiff.vmap(function, given, axes)

        got = quietly(lambda f=whole, a=args, c=cts: autodiff.vjp(f, a)[1](c))

        def one(k: int, function: Function = function, args: Any = args, cts: Any = cts) -> Any:
            return autodiff.vjp(function, [a[k] for a in args])[1]([ct[k] for ct in cts])

        wanted = [quietly(one, k) for k in range(SIZE)]
        stacked = [np.stack(parts) for parts in zip(*wanted, strict=True)]
        assert_same(list(got), stacked, rtol=1e-8, what=label)


@parametrized("batch of batches", BOTH_MODES)
def test_a_batch_of_batches_is_a_loop_of_loops(name: str) -> None:
    for function, args, _, label in differentiated(name):
        twice = [np.stack([a, a[::-1]], axis=-1) for a in args]
        axes = [a.ndim - 1 for a in twice]

        def inner(*given: Any, function: Function = function) -> Any:
            return autodiff.vmap(function, given, [0] * len(given))

        agrees(inner, twice, axes, f"{label}, twice", 1e-10)
