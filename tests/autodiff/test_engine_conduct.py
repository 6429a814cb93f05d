"""How the engine behaves: closures, errors, leaks, threads, long chains, memory."""

import asyncio
import gc
import sys
import threading
import time
import tracemalloc
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import numpy as np
import pytest

import dimflow
from dimflow import DimArray, autodiff, ops
from dimflow.autodiff.carrier import Carrier
from dimflow.autodiff.tape import silence
from dimflow.errors import TracedValueError

X = np.array([1.0, 2.0, 3.0])


def gradient(function: Any, x: Any) -> Any:
    """Of a function that gives one number."""
    return autodiff.vjp(lambda y: (function(y),), (x,), keep=False)[1]((np.float64(1.0),))[0]


# Closures, errors, leaks


def test_what_a_function_closes_over_is_constant() -> None:
    weights = np.array([3.0, 2.0, 1.0])
    np.testing.assert_array_equal(gradient(lambda x: ops.sum(weights * x), X), weights)


def test_a_value_of_an_outer_trace_in_a_closure_is_followed_there() -> None:
    def outer(x: Any) -> Any:
        inner = gradient(lambda y: ops.sum(x * y * y), np.ones(3))  # 2 x y
        return ops.sum(inner * x)

    np.testing.assert_allclose(gradient(outer, X), 4 * X)


@pytest.mark.parametrize("mode", ["vjp", "jvp", "linearize", "vmap"])
def test_an_error_in_the_function_leaves_the_engine_clean(mode: str) -> None:
    kept: list[Any] = []

    def fails(x: Any) -> Any:
        kept.append(x)
        raise KeyError("mine")

    calls = {
        "vjp": lambda: autodiff.vjp(fails, (X,)),
        "jvp": lambda: autodiff.jvp(fails, (X,), (X,)),
        "linearize": lambda: autodiff.linearize(fails, (X,)),
        "vmap": lambda: autodiff.vmap(fails, (X,), (0,)),
    }
    with pytest.raises(KeyError, match="mine"):
        calls[mode]()
    assert silence.get() == -1
    leaked = kept[0]
    assert type(leaked * 2.0) is np.ndarray
    np.testing.assert_array_equal(leaked + 0.0, X)
    np.testing.assert_array_equal(gradient(lambda x: ops.sum(x * x), X), 2 * X)


@pytest.mark.parametrize("mode", ["vjp", "jvp", "vmap"])
def test_a_leaked_value_counts_as_plain_after_the_trace(mode: str) -> None:
    kept: list[Any] = []

    def keeps(x: Any) -> Any:
        kept.append(x * 2.0)
        return (x * 3.0,)

    if mode == "vjp":
        autodiff.vjp(keeps, (X,))
    elif mode == "jvp":
        autodiff.jvp(keeps, (X,), (X,))
    else:
        autodiff.vmap(keeps, (X,), (0,))
    (leaked,) = kept
    np.testing.assert_array_equal(np.asarray(leaked), 2 * X)
    np.testing.assert_array_equal(ops.sin(leaked), np.sin(2 * X))
    np.testing.assert_array_equal(X - leaked, -X)
    assert type(X @ leaked) is np.float64
    assert leaked.tolist() == [2.0, 4.0, 6.0]
    np.testing.assert_allclose(gradient(lambda x: ops.sum(x * leaked), X), 2 * X)


def test_a_leaked_array_with_a_unit_is_plain_too() -> None:
    kept: list[Any] = []

    def keeps(x: Any) -> Any:
        kept.append(x * x)
        return dimflow.sum(x)

    dimflow.grad(keeps)(DimArray(X, "m"))
    assert (kept[0] + DimArray(1.0, "m**2")).to("cm**2").tolist() == [2e4, 5e4, 1e5]


def test_a_value_beside_does_not_hold_the_trace_up() -> None:
    """Integers, masks and None beside; the gradient is by the array alone."""
    table = {"where": np.array([True, False, True]), "n": 2, "nothing": None}

    def function(x: Any) -> Any:
        assert table["nothing"] is None
        return ops.sum(ops.where(table["where"], x, 0.0) ** table["n"])

    np.testing.assert_allclose(gradient(function, X), [2.0, 0.0, 6.0])


# Results of several


def test_parts_of_a_list_some_of_them_unused() -> None:
    x = np.arange(12.0).reshape(3, 4)

    def function(x: Any) -> Any:
        first, _, last = ops.unstack(x, axis=0)
        left, _ = ops.split(x, 2, axis=1)
        return ops.sum(first * last) + ops.sum(left)

    wanted = np.zeros((3, 4))
    wanted[0], wanted[2] = x[2], x[0]
    wanted[:, :2] += 1
    np.testing.assert_allclose(gradient(function, x), wanted)


def test_results_of_several_some_of_them_unused() -> None:
    a = np.array([[2.0, 0.5], [0.5, 1.0]])
    values, vectors = np.linalg.eigh(a)
    got = gradient(lambda a: ops.sum(ops.eigh(a)[0]), a)
    np.testing.assert_allclose(got, np.eye(2), atol=1e-12)
    largest = gradient(lambda a: ops.eigh(a).eigenvalues[1], a)
    symmetric = (largest + largest.T) / 2  # it looks at one triangle alone
    np.testing.assert_allclose(symmetric, np.outer(vectors[:, 1], vectors[:, 1]), atol=1e-12)
    assert values[1] > values[0]


def test_a_generator_gives_values_of_the_trace() -> None:
    def powers(x: Any) -> Iterator[Any]:
        term = x
        while True:
            yield term
            term = term * x

    def function(x: Any) -> Any:
        terms = powers(x)
        return ops.sum(sum((next(terms) for _ in range(3)), start=0.0))

    np.testing.assert_allclose(gradient(function, X), 1 + 2 * X + 3 * X**2)


def test_a_value_used_ten_thousand_times() -> None:
    def function(x: Any) -> Any:
        total: Any = 0.0
        for k in range(10_000):
            total = total + x * float(k)
        return ops.sum(total)

    np.testing.assert_allclose(gradient(function, X), np.full(3, 10_000 * 9_999 / 2))


# Long chains


def chain(length: int) -> Any:
    def function(x: Any) -> Any:
        for _ in range(length):
            x = x * 1.0 + 0.0
        return x

    return function


@pytest.mark.parametrize(
    "steps", [100_000, pytest.param(1_000_000, marks=pytest.mark.deep)], ids=["1e5", "1e6"]
)
def test_long_chains_need_no_recursion(steps: int) -> None:
    """Neither on the way back, nor when the tape is dropped without having been used."""
    assert gradient(chain(steps // 2), np.float64(2.0)) == 1.0
    _, pull = autodiff.vjp(lambda x: (chain(steps // 2)(x),), (np.float64(2.0),))
    del pull
    gc.collect()


def test_the_way_back_is_linear_in_the_length() -> None:
    """By counting what Python calls, not seconds."""

    def calls(length: int) -> int:
        count = 0

        def note(frame: Any, event: str, argument: Any) -> None:
            nonlocal count
            count += event == "call"

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            gradient(chain(length), np.float64(2.0))
        finally:
            sys.setprofile(before)
        return count

    calls(10)
    short, long = calls(500), calls(2000)
    assert long < 4.1 * short


# Memory


def test_what_nobody_needs_dies_at_once() -> None:
    """A value that leads nowhere, and all of the tape with its last result."""
    gone: list[Any] = []

    def function(x: Any) -> Any:
        unused = ops.exp(x)
        gone.append(weakref.ref(unused.value))
        used = ops.exp(x)
        gone.append(weakref.ref(used.value))
        del unused
        assert gone[0]() is None
        return (ops.sum(used * used),)

    _, pull = autodiff.vjp(function, (X,))
    assert gone[1]() is not None
    del pull
    assert gone[1]() is None


def test_a_way_back_that_is_gone_once_frees_what_it_passes() -> None:
    alive: list[int] = []
    made: list[Any] = []

    def function(x: Any) -> Any:
        for _ in range(20):
            x = ops.exp(0.1 * x)
            made.append(weakref.ref(x.value))
        return (ops.sum(x),)

    for keep in (True, False):
        made.clear()
        _, pull = autodiff.vjp(function, (X,), keep=keep)
        pull((np.float64(1.0),))
        alive.append(sum(ref() is not None for ref in made))
    assert alive == [20, 0]


def test_a_thousand_gradients_do_not_grow() -> None:
    def one() -> None:
        gradient(lambda x: ops.sum(ops.sin(x) * ops.exp(x)), X)

    for _ in range(100):
        one()
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(1000):
            one()
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert after - before < 20_000


def test_no_cycles_are_left_behind() -> None:
    gc.collect()
    gc.disable()
    try:
        for _ in range(10):
            gradient(lambda x: ops.sum(x * x), X)
        found = gc.collect()
    finally:
        gc.enable()
    assert found < 100


# Threads and tasks


def test_eight_threads_differentiate_at_once() -> None:
    def work(seed: int) -> bool:
        x = np.random.default_rng(seed).normal(size=5)
        for _ in range(30):
            second = gradient(lambda x: ops.sum(gradient(lambda y: ops.sum(y**3), x)), x)
            if not np.allclose(second, 6 * x):
                return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_a_value_of_one_thread_is_followed_in_another() -> None:
    """A function may hand its work on: the tape belongs to the values, not to the thread."""

    def function(x: Any) -> Any:
        with ThreadPoolExecutor(2) as pool:
            parts = list(pool.map(lambda k: ops.sum(x**k), (2, 3)))
        return parts[0] + parts[1]

    np.testing.assert_allclose(gradient(function, X), 2 * X + 3 * X**2)


def test_no_grad_is_of_one_thread_and_one_task() -> None:
    inside, done = threading.Event(), threading.Event()

    def silent() -> None:
        with dimflow.no_grad():
            inside.set()
            done.wait(10)

    thread = threading.Thread(target=silent)
    thread.start()
    inside.wait(10)
    try:
        np.testing.assert_allclose(gradient(lambda x: ops.sum(x * x), X), 2 * X)
    finally:
        done.set()
        thread.join()

    async def quiet() -> int:
        with dimflow.no_grad():
            await asyncio.sleep(0.01)
            return silence.get()

    async def loud() -> Any:
        await asyncio.sleep(0.005)
        return silence.get(), gradient(lambda x: ops.sum(x * x), X)

    async def both() -> Any:
        return await asyncio.gather(quiet(), loud())

    level, (other, found) = asyncio.run(both())
    assert level > other == -1
    np.testing.assert_allclose(found, 2 * X)
    assert copy_context().run(silence.get) == -1


# What it says


def test_numbers_do_not_leave_a_derivative_unseen() -> None:
    def function(x: Any) -> Any:
        return ops.sum(x) * float(ops.sum(x))

    with pytest.raises(TracedValueError, match=r"float\(x\)") as caught:
        gradient(function, X)
    assert "stop_gradient" in str(caught.value)


def test_a_carrier_shows_its_value_and_that_it_is_followed() -> None:
    seen: list[str] = []

    def function(x: Any) -> Any:
        seen.append(repr(x))
        assert isinstance(x, Carrier)
        return ops.sum(x)

    gradient(function, X)
    assert "differentiated" in seen[0]
    assert "1., 2., 3." in seen[0]


def test_the_time_of_a_loop_of_gradients_does_not_grow() -> None:
    """Serials and levels count up for ever, and nothing is looked up in a list of them."""

    def seconds() -> float:
        start = time.perf_counter()
        for _ in range(200):
            gradient(lambda x: ops.sum(x * x), X)
        return time.perf_counter() - start

    first = min(seconds() for _ in range(5))
    for _ in range(5):
        seconds()
    assert min(seconds() for _ in range(5)) < 3 * first


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (x if x > 1.0 else -x,),
        lambda x: (x * int(x),),
        lambda x: (x * float(x),),
        lambda x: (x * np.asarray(x),),
        lambda x: (sum(x for _ in range(x)),),
        lambda x: ([x, 2 * x][x],),
        lambda x: (x * x.item(),),
    ],
    ids=["if", "int", "float", "asarray", "range", "index", "item"],
)
def test_a_batch_has_no_one_value(function: Any) -> None:
    with pytest.raises(TracedValueError, match="that is being batched") as caught:
        autodiff.vmap(function, (X,), (0,))
    assert caught.value.hint


def test_arrays_of_a_library_that_knows_no_carriers_stand_beside_them() -> None:
    """MLX's operators raise for values that they do not know; the record is of the op all the same.

    Masks, what is detached, and constants stand on the left here.
    """
    import mlx.core as mx

    c = mx.array([2.0, 3.0, 4.0])

    def function(x: Any) -> Any:
        mask = x > 1.5
        return (ops.sum(mask * x + ops.stop_gradient(x) * x + ops.multiply(c, x)),)

    _, pull = autodiff.vjp(function, (mx.array([1.0, 2.0, 3.0]),))
    (found,) = pull((mx.array(1.0),))
    assert type(found) is mx.array
    assert found.tolist() == [0 + 1 + 2, 1 + 2 + 3, 1 + 3 + 4]
