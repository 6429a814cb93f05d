"""Programs of random ops, each of which uses what others made: all modes agree on them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import autodiff, ops

SIZE = 3
STEP = 1e-5

# Smooth ops of values of shape (3, 3), whose results stay of a size that differences can see.
UNARY: dict[str, Callable[[Any], Any]] = {
    "sin": ops.sin,
    "tanh": ops.tanh,
    "logistic": lambda x: 1.0 / (1.0 + ops.exp(-x)),
    "root": lambda x: ops.sqrt(1.0 + x * x),
    "transposed": lambda x: x.T,
    "mean": lambda x: ops.mean(x, axis=0, keepdims=True) + ops.zeros_like(x),
    "softmax": lambda x: ops.softmax(x, axis=1),
    "norm": lambda x: x / ops.vector_norm(x + 2.0),
    "row": lambda x: x[1] * x,
    "column": lambda x: ops.sin(x[:, 2:]) * x[:, :1] + x,
    "shuffled": lambda x: x[np.array([2, 0, 2])],
    "written": lambda x: ops.stack([x[0], x[0] * x[1], x[2]], axis=0),
    "parts": lambda x: ops.concat(list(reversed(ops.unstack(x[:, None], axis=0))), axis=0),
    "cumulated": lambda x: ops.cumulative_sum(x, axis=1) / 3.0,
    "inverse": lambda x: ops.inv(4.0 * np.eye(SIZE) + ops.tanh(x)),
    "branch": lambda x: x * 2.0 if x[0, 0] > 0 else x * 0.5,
    "stopped": lambda x: x * ops.stop_gradient(ops.sin(x)) + 0.1 * x,
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda x, y: x + y,
    "difference": lambda x, y: x - 0.5 * y,
    "product": lambda x, y: ops.tanh(x) * y,
    "quotient": lambda x, y: x / (1.5 + ops.tanh(y)),
    "matmul": lambda x, y: (x @ y) / 3.0,
    "einsum": lambda x, y: ops.einsum("ij,kj->ik", x, ops.sin(y)) / 3.0,
    "where": lambda x, y: ops.where(np.eye(SIZE) > 0, x, y),
    "outer": lambda x, y: ops.outer(x[0], y[:, 1]),
    "hypot": lambda x, y: ops.hypot(1.0 + ops.tanh(x) / 2, y),
}


class Step(NamedTuple):
    """An op, and which of the values so far it takes."""

    name: str
    places: tuple[int, ...]


@st.composite
def programs(draw: Any) -> list[Step]:
    """Straight-line programs: values may be used again, or never."""
    steps: list[Step] = []
    for k in range(draw(st.integers(1, 8))):
        known = st.integers(0, k + 1)  # two arguments, then the result of every step
        if draw(st.booleans()):
            steps.append(Step(draw(st.sampled_from(sorted(UNARY))), (draw(known),)))
        else:
            steps.append(Step(draw(st.sampled_from(sorted(BINARY))), (draw(known), draw(known))))
    return steps


def program(steps: list[Step]) -> Callable[..., tuple[Any, ...]]:
    """The function of two matrices that gives the last value and one before."""

    def run(x: Any, y: Any) -> tuple[Any, ...]:
        values = [x, y]
        for name, places in steps:
            op: Any = UNARY.get(name) or BINARY[name]
            values.append(op(*[values[i] for i in places]))
        return values[-1], ops.sum(values[-2])

    return run


seeds = st.integers(0, 2**32 - 1)


def drawn(seed: int) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
    """Arguments, tangents, cotangents."""
    rng = np.random.default_rng(seed)
    args = tuple(rng.uniform(0.1, 1.0, (SIZE, SIZE)) for _ in range(2))
    tangents = tuple(rng.normal(size=(SIZE, SIZE)) for _ in range(2))
    return args, tangents, (rng.normal(size=(SIZE, SIZE)), np.float64(rng.normal()))


def stops(steps: list[Step]) -> bool:
    """Differences do not know of stop_gradient."""
    return any(name == "stopped" for name, _ in steps)


@pytest.mark.parametrize("second", [None, "product", "sum"])
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_every_step_by_itself_and_used_twice(name: str, second: str | None) -> None:
    """What chance would seldom choose."""
    steps = [Step(name, (0,) if name in UNARY else (0, 1))]
    if second is not None:
        steps += [Step(second, (2, 2)), Step(name, (3,) if name in UNARY else (3, 2))]
    for law in (check_first_order, check_second_order, check_batch):
        law(steps, 3)


@given(programs(), seeds)
def test_both_modes_and_differences_agree(steps: list[Step], seed: int) -> None:
    check_first_order(steps, seed)


def check_first_order(steps: list[Step], seed: int) -> None:
    run = program(steps)
    args, tangents, cts = drawn(seed)
    values, changes = autodiff.jvp(run, args, tangents)
    for value, known in zip(values, run(*args), strict=True):
        np.testing.assert_allclose(value, known, rtol=1e-13)
    backs = autodiff.vjp(run, args)[1](cts)
    got = sum(np.sum(b * t) for b, t in zip(backs, tangents, strict=True))
    wanted = sum(np.sum(c * m) for c, m in zip(cts, changes, strict=True))
    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9)
    again = autodiff.linearize(run, args)[1](tangents)
    for one, other in zip(again, changes, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)
    once = autodiff.vjp(run, args, keep=False)[1](cts)
    for one, other in zip(once, backs, strict=True):
        np.testing.assert_array_equal(one, other)
    if not stops(steps):
        after, before = (
            run(*[a + s * STEP * t for a, t in zip(args, tangents, strict=True)]) for s in (1, -1)
        )
        for change, a, b in zip(changes, after, before, strict=True):
            np.testing.assert_allclose(change, (a - b) / (2 * STEP), rtol=1e-5, atol=1e-6)


@given(programs(), seeds)
def test_all_second_orders_agree(steps: list[Step], seed: int) -> None:
    check_second_order(steps, seed)


def check_second_order(steps: list[Step], seed: int) -> None:
    run = program(steps)
    args, tangents, cts = drawn(seed)

    def gradient(*given: Any) -> Any:
        return autodiff.vjp(run, given)[1](cts)

    def change(*given: Any) -> Any:
        return autodiff.jvp(run, given, tangents)[1]

    first = autodiff.jvp(gradient, args, tangents)[1]
    if stops(steps):
        return  # what is stopped has no symmetric second derivative
    others = autodiff.vjp(gradient, args)[1](tangents), autodiff.vjp(change, args)[1](cts)
    for other in others:
        for a, b in zip(other, first, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-8)


@given(programs(), seeds)
def test_a_batch_of_gradients_is_a_loop(steps: list[Step], seed: int) -> None:
    check_batch(steps, seed)


def check_batch(steps: list[Step], seed: int) -> None:
    if any(name == "branch" for name, _ in steps):
        return  # each of the batch would take its own
    run = program(steps)
    many = [drawn(seed + k) for k in range(3)]
    stacked = [np.stack(parts) for parts in zip(*[m[0] for m in many], strict=True)]
    weights = many[0][2]

    def gradient(*given: Any) -> Any:
        return autodiff.vjp(run, given)[1](weights)

    got = autodiff.vmap(gradient, stacked, (0, 0))
    for k, (args, *_) in enumerate(many):
        for one, other in zip(got, gradient(*args), strict=True):
            np.testing.assert_allclose(one[k], other, rtol=1e-9, atol=1e-10)
