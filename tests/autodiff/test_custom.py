"""custom_call and checkpoint: every way to differentiate, on every engine, against plain calls."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dimflow import autodiff, ops
from dimflow.backends import backend
from dimflow.errors import ComputationError
from dimflow.transforms.engines import Engine, Native, Own
from tests.autodiff.chosen_engines import engines
from tests.transforms.libraries import ENGINES, MAKERS, each_engine, quiet_torch

pytestmark = quiet_torch

Function = Callable[..., Any]


def wave(x: Any, w: Any) -> tuple[Any, ...]:
    return (ops.sin(x) * w * w,)


def wave_pull(cts: Any, outs: Any, args: Any) -> list[Any]:
    (ct,), (x, w) = cts, args
    return [ct * ops.cos(x) * w * w, 2 * ct * ops.sin(x) * w]


def wave_push(tangents: Any, outs: Any, args: Any) -> list[Any]:
    x, w = args
    parts = [ops.cos(x) * w * w, 2 * ops.sin(x) * w]
    terms = [p * t for p, t in zip(parts, tangents, strict=True) if t is not None]
    return [sum(terms[1:], terms[0])] if terms else [None]


def doubled(rule: Function) -> Function:
    return lambda given, outs, args: [
        None if part is None else 2 * part for part in rule(given, outs, args)
    ]


RULES = {
    "pull": (doubled(wave_pull), None),
    "push": (None, doubled(wave_push)),
    "both": (doubled(wave_pull), doubled(wave_push)),
}
POINT = ([0.3, 0.5], [1.2, 0.7])


QUICK = {"pull": "mlx-usual numpy-usual torch-usual", "push": "numpy-usual torch-usual"}
CASES = [
    pytest.param(
        *(library, engine, rule),
        id=f"{library}-{engine or 'usual'}-{rule}",
        marks=()
        if f"{library}-{engine or 'usual'}" in QUICK.get(rule, "").split()
        else pytest.mark.deep,
    )
    for library, engine in ENGINES
    for rule in RULES
]
each_rule = pytest.mark.parametrize(("library", "engine", "rule"), CASES)


def engine_of(library: str, engine: str | None) -> Engine:
    found = backend(library)
    return Native(found) if found.differentiates and engine is None else Own(found)


def gradient(engine: Engine, function: Function) -> Function:
    def found(*args: Any) -> tuple[Any, ...]:
        outs, pull = engine.vjp(function, args, keep=True)
        return tuple(pull(tuple(map(ops.ones_like, outs))))

    return found


def summed(function: Function) -> Function:
    return lambda *args: (ops.sum(function(*args)[0]),)


def ways(engine: Engine, function: Function, x: Any, w: Any) -> dict[str, Any]:
    """Derivatives of a function of two vectors that gives one, by all ways through an engine."""
    total = summed(function)
    first = gradient(engine, total)
    many = ops.stack([x, x + 1.0])

    def batch(f: Function) -> Function:
        return lambda x, w: engine.vmap(f, (x, w), (0, None))

    return {
        "reverse": first(x, w),
        "forward": engine.jvp(function, (x, w), (w, x))[1],
        "linear": engine.linearize(function, (x, w))[1]((w, x)),
        "reverse of reverse": gradient(engine, lambda x, w: (ops.sum(first(x, w)[0]),))(x, w),
        "forward of reverse": engine.jvp(first, (x, w), (w, x))[1],
        "reverse of forward": gradient(
            engine, summed(lambda x, w: engine.jvp(function, (x, w), (w, x))[1])
        )(x, w),
        "forward of forward": engine.jvp(
            lambda x, w: engine.jvp(function, (x, w), (w, x))[1], (x, w), (w, x)
        )[1],
        "batch of reverse": batch(first)(many, w),
        "batch of forward": batch(lambda x, w: engine.jvp(function, (x, w), (w, x))[1])(many, w),
        "reverse of batch": gradient(engine, summed(batch(function)))(many, w),
        "forward of batch": engine.jvp(batch(function), (many, w), (many, x))[1],
    }


def numbers(values: Any) -> Any:
    return [np.asarray(backend_of(v).to_numpy(v), "float64") for v in values]


def backend_of(value: Any) -> Any:
    from dimflow.backends import backend_of as found

    return found(value)


def compare(actual: dict[str, Any], expected: dict[str, Any], factor: float = 1.0) -> None:
    for way, values in expected.items():
        for found, known in zip(numbers(actual[way]), numbers(values), strict=True):
            np.testing.assert_allclose(found, factor * known, rtol=2e-5, atol=1e-6, err_msg=way)


def plain_ways() -> dict[str, Any]:
    numpy = backend("numpy")
    x, w = map(np.asarray, POINT)
    return ways(Own(numpy), wave, x, w)


@each_rule
def test_the_derivative_is_the_one_that_comes_with_the_call(
    library: str, engine: str | None, rule: str
) -> None:
    def custom(x: Any, w: Any) -> tuple[Any, ...]:
        return autodiff.custom_call(wave, (x, w), *RULES[rule])

    x, w = (MAKERS[library](part) for part in POINT)
    (value,) = numbers(custom(x, w))
    np.testing.assert_allclose(value, numbers(wave(x, w))[0], rtol=1e-6)
    compare(ways(engine_of(library, engine), custom, x, w), plain_ways(), factor=2.0)


@each_engine
def test_a_rule_may_use_the_results_at_every_order(library: str, engine: str | None) -> None:
    def exp(x: Any) -> Any:
        pull = lambda cts, outs, args: [cts[0] * outs[0]]  # noqa: E731
        return autodiff.custom_call(lambda x: (ops.exp(x),), (x,), pull)

    chosen = engine_of(library, engine)
    slope = exp
    for _ in range(3):
        slope = gradient(chosen, summed(slope))
        (found,) = numbers(slope(MAKERS[library]([0.1, 0.7])))
        np.testing.assert_allclose(found, np.exp([0.1, 0.7]), rtol=1e-5)


@each_engine
def test_several_results_and_none_for_zero(library: str, engine: str | None) -> None:
    def both(x: Any, k: Any) -> tuple[Any, ...]:
        def function(x: Any, k: Any) -> tuple[Any, ...]:
            return ops.sin(x), ops.astype(k, x.dtype) * x

        def pull(cts: Any, outs: Any, args: Any) -> list[Any]:
            x, k = args
            terms = [ct * s for ct, s in zip(cts, (ops.cos(x), k), strict=True) if ct is not None]
            return [sum(terms[1:], terms[0]), None]

        return autodiff.custom_call(function, (x, k), pull)

    make = MAKERS[library]
    k = ops.astype(make([2.0, 3.0]), "int32")
    chosen = engine_of(library, engine)
    outs, back = chosen.vjp(lambda x: both(x, k), (make([0.3, 0.5]),), keep=True)
    assert len(outs) == 2
    (found,) = numbers(back((None, make([1.0, 1.0]))))
    np.testing.assert_allclose(found, [2.0, 3.0], rtol=1e-6)
    (found,) = numbers(back((make([1.0, 1.0]), None)))
    np.testing.assert_allclose(found, np.cos([0.3, 0.5]), rtol=1e-6)


@pytest.mark.parametrize("rule", RULES)
def test_complex_numbers_pair_without_conjugation_on_every_engine(rule: str) -> None:
    def square(cts: Any, outs: Any, args: Any) -> list[Any]:
        return [None if cts[0] is None else 2 * cts[0] * args[0]]

    pull, push = (None if part is None else square for part in RULES[rule])
    z = np.asarray([1.0 + 2.0j, -0.5j])
    ct = np.asarray([0.3 - 1.0j, 2.0 + 0.1j])
    for library in ("numpy", "jax", "torch"):
        found = backend(library)
        for engine in (Own(found), *([Native(found)] if found.differentiates else [])):
            arg, given = found.asarray(z), found.asarray(ct)

            def custom(z: Any) -> tuple[Any, ...]:
                return autodiff.custom_call(lambda z: (z * z,), (z,), pull, push)

            _, back = engine.vjp(custom, (arg,), keep=True)
            np.testing.assert_allclose(numpy_of(back((given,))[0]), 2 * ct * z)
            np.testing.assert_allclose(
                numpy_of(engine.jvp(custom, (arg,), (given,))[1][0]), 2 * ct * z
            )


def numpy_of(value: Any) -> Any:
    return backend_of(value).to_numpy(value)


CLOSING = [("numpy", None), ("torch", None), ("torch", "own"), ("jax", "own"), ("mlx", "own")]


@pytest.mark.parametrize(("library", "engine"), CLOSING, ids=lambda part: part or "usual")
def test_what_is_differentiated_must_be_an_argument(library: str, engine: str | None) -> None:
    make = MAKERS[library]

    def closing(x: Any) -> tuple[Any, ...]:
        pull = lambda cts, outs, args: [cts[0] * x]  # noqa: E731
        return autodiff.custom_call(lambda y: (x * y,), (make([1.0, 2.0]),), pull)

    chosen = engine_of(library, engine)
    with pytest.raises(ComputationError, match=r"(?s)not among its arguments.*stop_gradient"):
        chosen.vjp(closing, (make([3.0, 4.0]),), keep=True)
    if chosen.is_own:
        with pytest.raises(ComputationError, match="pass it as an argument"):
            chosen.jvp(closing, (make([3.0, 4.0]),), (make([1.0, 1.0]),))


@pytest.mark.parametrize(("library", "engine"), CLOSING, ids=lambda part: part or "usual")
def test_a_shape_may_be_asked_of_what_is_differentiated(library: str, engine: str | None) -> None:
    make = MAKERS[library]

    def asking(x: Any) -> tuple[Any, ...]:
        def tripled(y: Any) -> tuple[Any, ...]:
            return (y * (x.ndim + x.shape[0] + 0 * len(str(x.dtype))),)

        return autodiff.custom_call(tripled, (x * 1.0,), lambda cts, outs, args: [cts[0] * 3.0])

    _, pull = engine_of(library, engine).vjp(asking, (make([3.0, 4.0]),), keep=True)
    np.testing.assert_allclose(numpy_of(pull((make([1.0, 1.0]),))[0]), [3.0, 3.0])


def test_jax_refuses_what_a_custom_function_closes_over() -> None:
    make = MAKERS["jax"]

    def closing(x: Any) -> tuple[Any, ...]:
        pull = lambda cts, outs, args: [cts[0] * 2.0]  # noqa: E731
        return autodiff.custom_call(lambda y: (x * y,), (make([1.0, 2.0]),), pull)

    with pytest.raises(ComputationError, match="not among its arguments"):
        gradient(engine_of("jax", None), summed(closing))(make([3.0, 4.0]))


def test_values_of_a_batch_may_be_closed_over() -> None:
    def scaled(x: Any) -> Any:
        pull = lambda cts, outs, args: [cts[0] * x]  # noqa: E731
        return autodiff.custom_call(lambda y: (x * y,), (np.asarray([1.0, 2.0]),), pull)

    (found,) = autodiff.vmap(scaled, (np.asarray([3.0, 5.0]),), (0,))
    np.testing.assert_allclose(found, [[3.0, 6.0], [5.0, 10.0]])


# Checkpoints


def chained(x: Any, w: Any, *, policy: Any = None, plain: bool = False) -> tuple[Any, ...]:
    """Checkpoints that close over values, one within another, and one on the result of one."""

    def run(function: Function, *args: Any) -> Any:
        return function(*args) if plain else autodiff.checkpoint(function, args, policy)

    def inner(y: Any) -> tuple[Any, ...]:
        return (ops.multiply(ops.exp(y * 0.3), w),)

    def outer(y: Any) -> tuple[Any, ...]:
        (z,) = run(inner, ops.sin(ops.multiply(y, w)))
        return z * y, ops.sum(z)

    product, total = run(outer, x)
    return (product * total + run(lambda y: (y,), w)[0],)


@engines("numpy-usual", "torch-own", "mlx-usual")
@pytest.mark.parametrize("policy", [None, "dots", "everything"])
def test_a_checkpoint_changes_no_derivative(library: str, engine: str | None, policy: Any) -> None:
    x, w = (MAKERS[library](part) for part in POINT)
    chosen = engine_of(library, engine)
    numpy = Own(backend("numpy"))

    def plain(x: Any, w: Any) -> tuple[Any, ...]:
        return chained(x, w, plain=True)

    actual = ways(chosen, lambda x, w: chained(x, w, policy=policy), x, w)
    compare(actual, ways(numpy, plain, *map(np.asarray, POINT)))


@engines("numpy-usual", "torch-usual")
def test_a_checkpoint_that_closes_over_nothing(library: str, engine: str | None) -> None:
    x, w = (MAKERS[library](part) for part in POINT)

    def saved(x: Any, w: Any) -> tuple[Any, ...]:
        return autodiff.checkpoint(wave, (x, w))

    compare(ways(engine_of(library, engine), saved, x, w), plain_ways())


def test_other_results_of_a_call_are_closed_over_too() -> None:
    a = np.asarray([[2.0, 0.3], [0.1, 1.0]])

    def function(a: Any, *, checkpoint: bool) -> tuple[Any, ...]:
        u, s, v = ops.svd(a, full_matrices=False)

        def rest(x: Any) -> tuple[Any, ...]:
            return (ops.sum(u @ (s * x) @ v),)

        return autodiff.checkpoint(rest, (s,)) if checkpoint else rest(s)

    found, known = (
        autodiff.vjp(lambda a, c=c: function(a, checkpoint=c), (a,))[1]([1.0])
        for c in (True, False)
    )
    np.testing.assert_allclose(found[0], known[0], rtol=1e-10)


def counting(function: Function) -> tuple[Function, list[int]]:
    runs: list[int] = []

    def counted(*args: Any) -> Any:
        runs.append(1)
        return function(*args)

    return counted, runs


def test_the_function_runs_again_on_the_way_back_and_not_for_tangents() -> None:
    counted, runs = counting(lambda x: (ops.sin(x) * x,))
    x = np.asarray([0.3])
    _, pull = autodiff.vjp(lambda x: autodiff.checkpoint(counted, (x,)), (x,))
    assert len(runs) == 1
    pull([x])
    pull([x])
    assert len(runs) == 3
    runs.clear()
    autodiff.jvp(lambda x: autodiff.checkpoint(counted, (x,)), (x,), (x,))
    assert len(runs) == 1


def products_of(policy: Any) -> int:
    """How often matmul runs for a value and a gradient."""
    ran: list[str] = []
    numpy = backend("numpy")
    kernel = numpy.run

    def noting(op: Any, args: Any, params: Any) -> Any:
        ran.append(op.name)
        return kernel(op, args, params)

    w = np.asarray([[0.3, 0.5], [0.1, 0.2]])
    layer = lambda x: (ops.tanh(ops.matmul(ops.tanh(ops.matmul(x, w)), w)),)  # noqa: E731
    numpy.run = noting  # type: ignore[method-assign]
    try:
        _, pull = autodiff.vjp(lambda x: autodiff.checkpoint(layer, (x,), policy), (w,))
        pull([np.ones((2, 2))])
    finally:
        del numpy.run  # type: ignore[attr-defined]
    return ran.count("matmul")


def test_a_policy_says_what_is_kept() -> None:
    kept, again = products_of("everything"), products_of(None)
    assert again == kept + 2  # both products ran twice
    assert products_of("dots") == kept
    assert products_of(lambda op: op.name == "matmul") == kept
    assert products_of(lambda op: op.name == "tanh") == again


def test_a_policy_holds_in_a_batch() -> None:
    x, w = map(np.asarray, POINT)
    layer = lambda x, w: (ops.sum(ops.matmul(ops.sin(x), w) * x) * x,)  # noqa: E731
    numpy = Own(backend("numpy"))
    kept = ways(numpy, lambda x, w: autodiff.checkpoint(layer, (x, w), "dots"), x, w)
    compare(kept, ways(numpy, layer, x, w))


def peak(function: Function, x: Any) -> int:
    tracemalloc.start()
    try:
        _, pull = autodiff.vjp(function, (x,), keep=False)
        pull([np.ones_like(x)])
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_chain_of_checkpoints_takes_the_memory_of_one() -> None:
    x = np.linspace(0.1, 0.9, 50_000)

    def block(y: Any) -> tuple[Any, ...]:
        for _ in range(10):
            y = ops.sin(y) * y
        return (y,)

    def chain(x: Any, run: Function) -> tuple[Any, ...]:
        for _ in range(10):
            (x,) = run(block, (x,))
        return (x,)

    plain = peak(lambda x: chain(x, lambda f, args: f(*args)), x)
    saved = peak(lambda x: chain(x, autodiff.checkpoint), x)
    assert saved < plain / 4  # 10 arguments and 20 results of one block, instead of 200
