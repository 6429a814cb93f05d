"""What a tape held is freed when nobody needs it: at once, without the garbage collector."""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dimflow
from dimflow import DimArray
from dimflow.array.leaves import AMBIENT
from dimflow.autodiff import constants
from dimflow.backends import pins

X = DimArray(np.linspace(1.0, 2.0, 5), "m")


def energy(x: Any) -> Any:
    return dimflow.sum(dimflow.sqrt(x * x + x[0] * x) * x)


def stepped(x: Any) -> Any:
    for _ in range(50):
        x = x - 0.01 * x
    return dimflow.sum(x)


WORKS: dict[str, Callable[[], Any]] = {
    "grad": lambda: dimflow.grad(energy)(X),
    "a loop": lambda: dimflow.grad(stepped)(X),
    "vjp": lambda: dimflow.vjp(energy, X)[1](1.0),
    "jvp": lambda: dimflow.jvp(energy, (X,), (X,)),
    "grad of grad": lambda: dimflow.grad(lambda x: dimflow.sum(dimflow.grad(energy)(x)))(X),
    "hvp": lambda: dimflow.hvp(energy, (X,), (X,)),
    "jacobian": lambda: dimflow.jacobian(lambda x: x * x)(X),
}


@pytest.mark.parametrize("name", WORKS)
def test_a_derivative_leaves_nothing_for_the_garbage_collector(name: str) -> None:
    WORKS[name]()
    while gc.collect():  # what others left may leave more when it goes
        continue
    gc.disable()
    try:
        WORKS[name]()
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_what_lies_between_is_gone_when_the_gradient_is_there() -> None:
    seen: list[weakref.ref[Any]] = []

    def watched(x: Any) -> Any:
        y = x * x
        seen.append(weakref.ref(y))
        return dimflow.sum(y * y)

    dimflow.grad(watched)(X)
    assert [ref() for ref in seen] == [None]


def test_the_way_back_frees_what_it_passes() -> None:
    """The peak of a long chain is that of its record, not of its cotangents besides."""
    import tracemalloc

    def chain(x: Any) -> Any:
        for _ in range(40):
            x = dimflow.sin(x)
        return dimflow.sum(x)

    x = np.linspace(0.0, 1.0, 20_000)
    slope = dimflow.grad(chain)
    slope(x)
    tracemalloc.start()
    try:
        slope(x)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 48 * x.nbytes


def test_the_tape_that_never_ends_remembers_nothing_of_what_is_gone() -> None:
    """Views, values that left it, and large constants: each is noted while somebody holds it."""
    gc.collect()
    notes = AMBIENT.views, constants.held, pins._pins
    before = [set(each) for each in notes]  # arrays of other tests that live as long as their file
    weights = DimArray(np.arange(1.0, 7.0).reshape(2, 3), "m").requires_grad_()
    field, large = weights * 2.0, DimArray(np.ones(constants.COPIED), "s")
    for _ in range(5):
        loss = dimflow.sum(field[1:] * field.T[0, 0]) + dimflow.sum(field[0]) * field[0, 0]
        loss = loss * dimflow.mean(large * loss) / dimflow.stop_gradient(loss) / large[0]
        loss.backward(retain_graph=True)
        weights.grad = None
    del field, large, loss
    gc.collect()
    assert [set(each) - known for each, known in zip(notes, before, strict=True)] == [set()] * 3
