"""Control flow over raw arrays: derivatives, batches, memory and time, in our engine."""

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import approx_fprime

from dimflow import autodiff, ops
from dimflow.autodiff import control
from dimflow.autodiff.control import CONDITIONAL, FORI_LOOP, SCAN, SWITCH, WHILE_LOOP
from dimflow.backends.abstract import Abstract
from dimflow.errors import NoDataError

jax.config.update("jax_enable_x64", True)


def scan(body: Any, carry: Any, xs: Any = (), **params: Any) -> tuple[Any, ...]:
    length = params.pop("length", None) or len(xs[0])
    given = {"reverse": False, "unroll": 1, "checkpoint": 0, "progress": None, **params}
    return control.run(SCAN, (*carry, *xs), body=body, carries=len(carry), length=length, **given)


def smooth_scan(x: Any, **params: Any) -> Any:
    """A loop over the elements of x with two carries and a row each."""

    def body(a: Any, b: Any, y: Any) -> Any:
        return ops.sin(a) + y * b, b * 0.9 + a * y, a * b

    a, b, rows = scan(body, (ops.sum(x), x[0] * x[1]), (x,), **params)
    return a * b + ops.sum(rows * x)


def loop(x: Any) -> Any:
    def body(i: Any, total: Any, y: Any) -> Any:
        return total + ops.sum(y) * i, ops.sin(y) * x

    total, y = control.run(FORI_LOOP, (1, 6, ops.sum(x), x), body=body)
    return total * ops.sum(y)


def open_loop(x: Any) -> Any:
    (y,) = control.run(
        WHILE_LOOP,
        (x,),
        condition=lambda y: (ops.sum(y * y) < 50.0,),
        body=lambda y: (y * 1.3 + ops.sin(x),),
    )
    return ops.sum(y * y)


def choices(x: Any) -> Any:
    (a,) = control.run(
        CONDITIONAL,
        (ops.sum(x) > 0, x),
        branches=(lambda y: (y**2,), lambda y: (y**3,)),
    )
    (b,) = control.run(
        SWITCH,
        (2, x, a),
        branches=tuple(lambda y, z, n=n: (y * z**n,) for n in range(3)),
    )
    return ops.sum(b)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "scan": smooth_scan,
    "reversed": lambda x: smooth_scan(x, reverse=True),
    "in segments": lambda x: smooth_scan(x, checkpoint=2),
    "reversed in segments": lambda x: smooth_scan(x, reverse=True, checkpoint=3),
    "one segment": lambda x: smooth_scan(x, checkpoint=5),
    "fori_loop": loop,
    "while_loop": open_loop,
    "choices": choices,
}
each = pytest.mark.parametrize("name", FUNCTIONS)
POINT = np.array([0.3, -0.8, 0.5, 1.1, 0.9])


def gradient(function: Any, x: Any) -> Any:
    _, pull = autodiff.vjp(lambda y: (function(y),), (x,))
    return pull((np.ones(()),))[0]


@each
def test_both_modes_are_finite_differences(name: str) -> None:
    function = FUNCTIONS[name]
    slope = approx_fprime(POINT, lambda x: float(function(x)), 1e-7)
    np.testing.assert_allclose(gradient(function, POINT), slope, rtol=2e-5, atol=2e-5)
    direction = np.linspace(-1.0, 1.0, 5)
    _, (change,) = autodiff.jvp(lambda y: (function(y),), (POINT,), (direction,))
    np.testing.assert_allclose(change, gradient(function, POINT) @ direction, rtol=1e-10)


@each
def test_second_derivatives_are_differences_of_first_ones(name: str) -> None:
    function = FUNCTIONS[name]
    direction = np.linspace(-1.0, 1.0, 5)
    forward = autodiff.jvp(lambda y: (gradient(function, y),), (POINT,), (direction,))[1][0]
    twice = gradient(lambda y: ops.sum(gradient(function, y) * direction), POINT)
    step = 1e-6 * direction
    ends = gradient(function, POINT + step) - gradient(function, POINT - step)
    np.testing.assert_allclose(forward, ends / 2e-6, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(twice, forward, rtol=1e-9, atol=1e-9)


@each
def test_a_batch_is_many_calls(name: str) -> None:
    """Also of gradients, and gradients of a batch; calls choose and end each for itself."""
    function = FUNCTIONS[name]
    batch = np.stack([POINT, -POINT, 2 * POINT])
    (found,) = autodiff.vmap(lambda y: (function(y),), (batch,), (0,))
    np.testing.assert_allclose(found, [function(x) for x in batch], rtol=1e-12)
    wanted = np.stack([gradient(function, x) for x in batch])
    (inside,) = autodiff.vmap(lambda y: (gradient(function, y),), (batch,), (0,))
    np.testing.assert_allclose(inside, wanted, rtol=1e-10, atol=1e-12)
    outside = gradient(
        lambda y: ops.sum(autodiff.vmap(lambda z: (function(z),), (y,), (0,))[0]), batch
    )
    np.testing.assert_allclose(outside, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.deep] * (name in ("reversed", "one segment", "scan")))
        for name in FUNCTIONS
    ],
)
def test_jax_natively_is_our_engine(name: str) -> None:
    function = FUNCTIONS[name]
    x = jnp.asarray(POINT)
    np.testing.assert_allclose(jax.jit(function)(x), function(POINT), rtol=1e-12)
    _, tangent = jax.jvp(function, (x,), (x,))
    np.testing.assert_allclose(tangent, gradient(function, POINT) @ POINT, rtol=1e-10)
    if name != "while_loop":
        np.testing.assert_allclose(jax.grad(function)(x), gradient(function, POINT), rtol=1e-10)
    ours = gradient(function, x)  # on JAX's arrays, step by step
    assert isinstance(ours, jax.Array)
    np.testing.assert_allclose(ours, gradient(function, POINT), rtol=1e-10)


def test_what_jax_traces_may_close_over_what_we_follow() -> None:
    """The arguments are JAX's own, so its loop is asked first, and leaves the work to ours."""
    start = jnp.asarray(1.0)

    def grown(rate: Any) -> Any:
        (end,) = scan(lambda y: (y * rate,), (start,), length=4)
        (either,) = control.run(
            CONDITIONAL, (True, start), branches=(lambda y: (y * rate,), lambda y: (y,))
        )
        (last,) = control.run(FORI_LOOP, (0, 2, start), body=lambda i, y: (y * rate,))
        return end + either + last

    np.testing.assert_allclose(gradient(grown, jnp.asarray(2.0)), 4 * 8 + 1 + 4)
    (found,) = autodiff.vmap(lambda rate: (grown(rate),), (jnp.asarray([1.0, 2.0]),), (0,))
    np.testing.assert_allclose(found, [3.0, 22.0])


def test_in_a_batch_nobody_waits_for_values_that_jax_only_traces() -> None:
    def run(x: Any) -> Any:
        return autodiff.vmap(lambda y: (open_loop(y),), (x,), (0,))[0]

    with pytest.raises(NoDataError, match='engine="own"'):
        jax.jit(run)(jnp.stack([POINT, POINT]))


def test_choices_by_traced_values_in_our_engine_go_both_ways() -> None:
    found = jax.jit(lambda x: gradient(choices, x))(jnp.asarray(-POINT))
    np.testing.assert_allclose(found, gradient(choices, -POINT), rtol=1e-10)


def test_without_data_one_step_tells_the_shapes_of_all() -> None:
    steps = 0

    def body(a: Any, x: Any) -> Any:
        nonlocal steps
        steps += 1
        return a + x, ops.stack([x, a])

    last, rows = scan(body, (Abstract(()),), (Abstract((10**12,), "float32"),), length=10**12)
    assert steps == 1
    assert (last.shape, rows.shape, str(rows.dtype)) == ((), (10**12, 2), "float64")
    (end,) = control.run(FORI_LOOP, (0, 10**12, Abstract((3,))), body=lambda i, y: (y * 2,))
    assert end.shape == (3,)
    (either,) = control.run(
        CONDITIONAL, (Abstract((), "bool"), 1.0), branches=(lambda y: (y,), lambda y: (-y,))
    )
    assert isinstance(either, Abstract)


# What it costs


def _peak(length: int, checkpoint: int) -> float:
    """The most memory of a gradient through a scan, in states of its carry."""
    state = np.ones(2000)

    def function(x: Any) -> Any:
        (last,) = scan(lambda y: (ops.sin(y) * 1.1,), (x,), length=length, checkpoint=checkpoint)
        return ops.sum(last)

    gradient(function, state)
    tracemalloc.start()
    gradient(function, state)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / state.nbytes


def _growth(peaks: list[float]) -> float:
    """The exponent by which memory grows, over lengths that quadruple."""
    return float(np.log(peaks[-1] / peaks[0]) / np.log(4.0 ** (len(peaks) - 1)))


def test_memory_of_a_checkpointed_scan_grows_as_the_root_of_its_length() -> None:
    lengths = [64, 256, 1024]
    all_kept = [_peak(n, 0) for n in lengths]
    segments = [_peak(n, int(n**0.5)) for n in lengths]
    assert 0.85 < _growth(all_kept) < 1.1
    assert 0.3 < _growth(segments) < 0.6
    assert segments[-1] < all_kept[-1] / 8


def test_slices_and_rows_cost_memory_by_their_number() -> None:
    """Not by its square, as if each slice came back as an array of all."""
    peaks = []
    for n in (200, 400):
        _, pull = autodiff.vjp(
            lambda x: scan(lambda a, y: (a + y, a * y), (0.0 * x[0],), (x,)), (np.ones(n),)
        )
        tracemalloc.start()
        pull((np.ones(()), np.ones(n)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 3 * peaks[0]


@pytest.mark.deep
@pytest.mark.parametrize("name", ["scan", "in segments", "second order"])
def test_time_is_linear_in_the_number_of_steps(name: str) -> None:
    def body(a: Any, x: Any) -> Any:
        return a * 0.999 + x, a

    def function(x: Any) -> Any:
        size = int(len(x) ** 0.5) if name == "in segments" else 0
        a, rows = scan(body, (x[0],), (x,), checkpoint=size)
        return a * a + ops.sum(rows * rows)

    def seconds(n: int) -> float:
        x = np.ones(n)
        times = []
        for _ in range(3):
            begin = time.process_time()
            if name == "second order":
                gradient(lambda y: ops.sum(gradient(function, y)), x)
            else:
                gradient(function, x)
            times.append(time.process_time() - begin)
        return min(times)

    assert seconds(48_000) < 20 * seconds(6_000)
