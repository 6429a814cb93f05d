"""cond, switch, scan, map, while_loop, fori_loop: the same as plain Python, in every mode.

The truth is the loop that one would write, on NumPy in double precision, and what our engine makes
of that; derivatives of it are held to finite differences elsewhere.
"""

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import mlx.core as mx
import numpy as np
import pytest
import torch

import dimflow
from dimflow import DimArray, Unit, grad, jvp, vmap
from dimflow import units as u

jax.config.update("jax_enable_x64", True)

# PyTorch's forward mode compiles some of itself by what it calls deprecated
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")

MAKERS: dict[str, Callable[[Any], Any]] = {
    "numpy": lambda values: np.asarray(values, "float64"),
    "jax": lambda values: jnp.asarray(values, "float64"),
    "torch": lambda values: torch.tensor(values, dtype=torch.float64),
    "mlx": lambda values: mx.array(values, dtype=mx.float64),
}
ENGINES = [(library, "own") for library in MAKERS] + [
    (library, "native") for library in MAKERS if library != "numpy"
]
each_engine = pytest.mark.parametrize(("library", "engine"), ENGINES)
COMPILED = (
    "nested",
    "checkpointed",
)  # what is tried on JAX, which compiles every loop, in plain runs
each_library = pytest.mark.parametrize("library", MAKERS)


# The loops and branches that one would write


def _plain_scan(f: Any, init: Any, xs: Any = None, length: Any = None, reverse: bool = False,
                **_: Any) -> Any:  # fmt: skip
    n = len(xs) if length is None else length
    carry, rows = init, [None] * n
    for i in reversed(range(n)) if reverse else range(n):
        carry, rows[i] = f(carry, None if xs is None else xs[i])
    return carry, None if rows[0] is None else dimflow.stack(rows)


def _plain_while(test: Any, body: Any, value: Any) -> Any:
    while test(value):
        value = body(value)
    return value


def _plain_fori(lower: int, upper: int, body: Any, value: Any) -> Any:
    for i in range(lower, upper):
        value = body(i, value)
    return value


PLAIN = SimpleNamespace(
    cond=lambda pred, yes, no, *operands: (yes if pred else no)(*operands),
    switch=lambda i, branches, *operands: branches[min(max(int(i), 0), len(branches) - 1)](
        *operands
    ),
    scan=_plain_scan,
    map=lambda f, xs: dimflow.stack([f(x) for x in xs]),
    while_loop=_plain_while,
    fori_loop=_plain_fori,
)


# Programs: from a length x and a time t to one quantity


def oscillator(flow: Any, x: Any, t: Any, **options: Any) -> Any:
    def step(state: Any, k: Any) -> Any:
        speed = state["v"] - k * state["x"] * t
        position = (state["x"] + speed * t).to("cm")
        return {"x": position, "v": speed}, position**2

    strengths = np.linspace(1.0, 2.0, 7) / u.s**2
    last, squares = flow.scan(step, {"x": x, "v": 0 * x / t}, strengths, **options)
    return last["x"] * last["v"] * u.s + dimflow.sum(squares)


def backwards(flow: Any, x: Any, t: Any) -> Any:
    return oscillator(flow, x, t, reverse=True)


def checkpointed(flow: Any, x: Any, t: Any) -> Any:
    return oscillator(flow, x, t, checkpoint=True)


def backwards_in_segments(flow: Any, x: Any, t: Any) -> Any:
    return oscillator(flow, x, t, reverse=True, checkpoint=3)


def doubled(flow: Any, x: Any, t: Any) -> Any:
    grown = flow.while_loop(lambda y: y < 10 * u.m, lambda y: (y * y / u.m + x).to("mm"), x)
    return grown * t


def counted(flow: Any, x: Any, t: Any) -> Any:
    return flow.fori_loop(1, 5, lambda i, y: y + i * x * dimflow.sin(y / u.m), x) / t


def chosen(flow: Any, x: Any, t: Any) -> Any:
    return flow.cond(x > 2 * u.m, lambda a, b: a**3 / b, lambda a, b: a * u.km**2 / b, x, t)


def switched(flow: Any, x: Any, t: Any) -> Any:
    branches = [lambda a: a * t, lambda a: a**2 * t / u.m, lambda a: a**3 / u.m**2 * t]
    return flow.switch(1, branches, x) + flow.switch(7, branches, x) + flow.switch(-3, branches, x)


def mapped(flow: Any, x: Any, t: Any) -> Any:
    waves = np.array([0.5, 1.0, 2.0]) / u.s
    return dimflow.sum(flow.map(lambda w: x * dimflow.cos(w * t * x / u.m), waves))


def nested(flow: Any, x: Any, t: Any) -> Any:
    def outer(carry: Any, w: Any) -> Any:
        def inner(i: Any, y: Any) -> Any:
            return flow.cond(y > 2 * u.m, lambda z: z / 2, lambda z: z + w * t * u.m, y)

        found = flow.fori_loop(0, 3, inner, carry)
        return found, found * t

    last, rows = flow.scan(outer, x, np.array([0.5, 1.0, 2.0]) / u.s)
    return dimflow.sum(rows) + last * t


PROGRAMS = {
    f.__name__: f
    for f in (
        oscillator,
        backwards,
        checkpointed,
        backwards_in_segments,
        doubled,
        counted,
        chosen,
        switched,
        mapped,
        nested,
    )
}
each_program = pytest.mark.parametrize("name", PROGRAMS)


def each_program_with(*engines: tuple[str, str]) -> Any:
    """Every program with every engine; most of those on JAX are left to the long run."""
    cases = [
        pytest.param(
            *(library, engine, name),
            id=f"{library}-{engine}-{name}",
            marks=[pytest.mark.deep] * (library == "jax" and name not in COMPILED),
        )
        for library, engine in engines
        for name in PROGRAMS
    ]
    return pytest.mark.parametrize(("library", "engine", "name"), cases)


X, T = 1.3, 0.7


def make(library: str, values: Any, unit: str) -> Any:
    return DimArray(MAKERS[library](values), unit)


def alike(actual: Any, wanted: Any, library: str) -> None:
    """The same quantity, to the precision of the library."""
    assert actual.dimension is wanted.dimension
    found = actual.to(wanted.unit)
    rtol = 1e-5 if library == "mlx" else 1e-10  # its own functions are of single precision
    np.testing.assert_allclose(
        np.asarray(found.data), np.asarray(wanted.data), rtol=rtol, atol=rtol
    )


def runs(library: str, engine: str, name: str) -> bool:
    """JAX's own engine has no way back through a while loop: see below."""
    return not (library == "jax" and engine == "native" and name == "doubled")


def truth(name: str) -> Callable[..., Any]:
    return lambda x, t: PROGRAMS[name](PLAIN, x, t)


def flowing(name: str) -> Callable[..., Any]:
    return lambda x, t: PROGRAMS[name](dimflow, x, t)


@each_program
@each_library
def test_values_and_units_are_those_of_plain_python(library: str, name: str) -> None:
    found = flowing(name)(make(library, X, "m"), make(library, T, "s"))
    alike(found, truth(name)(X * u.m, T * u.s), library)
    assert found.backend == library


@each_program_with(*ENGINES)
def test_gradients_are_those_of_plain_python(library: str, engine: str, name: str) -> None:
    wanted = grad(truth(name), argnums=(0, 1))(X * u.m, T * u.s)
    own = engine if runs(library, engine, name) else "own"
    found = grad(flowing(name), argnums=(0, 1), engine=own)(
        make(library, X, "m"), make(library, T, "s")
    )
    for one, other in zip(found, wanted, strict=True):
        alike(one, other, library)


@each_program_with(*ENGINES)
def test_tangents_are_those_of_plain_python(library: str, engine: str, name: str) -> None:
    x, t = make(library, X, "m"), make(library, T, "s")
    _, found = jvp(flowing(name), (x, t), (0.5 * x, 2.0 * t), engine=engine)
    _, wanted = jvp(truth(name), (X * u.m, T * u.s), (0.5 * X * u.m, 2.0 * T * u.s))
    alike(found, wanted, library)


@each_program_with(("numpy", "own"), ("jax", "native"), ("torch", "native"))
def test_second_derivatives_are_those_of_plain_python(library: str, engine: str, name: str) -> None:
    own = engine if runs(library, engine, name) else "own"
    t = make(library, T, "s")
    found = grad(lambda x: grad(flowing(name), engine=own)(x, t), engine=own)(make(library, X, "m"))
    wanted = grad(lambda x: grad(truth(name))(x, T * u.s))(X * u.m)
    alike(found, wanted, library)


@each_program_with(*ENGINES)
def test_a_batch_is_a_stack_of_calls(library: str, engine: str, name: str) -> None:
    if library == "mlx" and engine == "native" and name == "doubled":
        engine = "own"  # MLX cannot tell when all are done
    xs = [0.9, 1.3, 2.5, 3.0]  # on both sides of every choice
    wanted = dimflow.stack([truth(name)(x * u.m, T * u.s) for x in xs])
    found = vmap(flowing(name), in_axes=(0, None), engine=engine)(
        make(library, xs, "m"), make(library, T, "s")
    )
    alike(found, wanted, library)


@each_program
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_gradients_in_a_batch(library: str, name: str) -> None:
    xs = [0.9, 1.3, 2.5, 3.0]
    wanted = dimflow.stack([grad(truth(name))(x * u.m, T * u.s) for x in xs])
    found = vmap(grad(flowing(name)), in_axes=(0, None))(
        make(library, xs, "m"), make(library, T, "s")
    )
    alike(found, wanted, library)
    together = grad(lambda x, t: dimflow.sum(vmap(flowing(name), in_axes=(0, None))(x, t)))
    alike(together(make(library, xs, "m"), make(library, T, "s")), wanted, library)


# Batches


@each_engine
def test_a_batch_of_choices(library: str, engine: str) -> None:
    where = MAKERS[library]([0.0, 2.0, 1.0, 9.0])
    branches = [lambda a: a, lambda a: 10 * a, lambda a: 100 * a]

    def choose(i: Any, a: Any) -> Any:
        return dimflow.switch(dimflow.astype(i, "int32"), branches, a)

    found = vmap(choose, in_axes=(0, None), engine=engine)(where, make(library, 1.5, "kg"))
    alike(found, np.array([1.5, 150.0, 15.0, 150.0]) * u.kg, library)


@pytest.mark.parametrize("engine", ["own", "native"])
@pytest.mark.parametrize("library", ["torch", "jax"])
def test_a_batch_of_bounds(library: str, engine: str) -> None:
    ends = {"torch": torch.tensor, "jax": jnp.asarray}[library]([0, 1, 4])

    def doubled_often(n: Any, a: Any) -> Any:
        return dimflow.fori_loop(0, n, lambda _, y: 2 * y, a)

    power = vmap(doubled_often, in_axes=(0, None), engine=engine)
    alike(power(ends, make(library, 3.0, "kg")), np.array([3.0, 6.0, 48.0]) * u.kg, library)


def test_a_carry_becomes_a_batch_on_the_way() -> None:
    """Neither the beginning nor the slices are a batch: what the step closes over is."""

    def total(rate: Any) -> Any:
        last, rows = dimflow.scan(
            lambda c, t: (c + rate * t, c), 0.0 * u.m, np.array([1.0, 2.0]) * u.s
        )
        return last + dimflow.sum(rows)

    found = vmap(total)(np.array([1.0, 10.0]) * (u.m / u.s))
    alike(found, np.array([4.0, 40.0]) * u.m, "numpy")


# What functions close over


@each_engine
def test_values_that_a_step_closes_over_are_differentiated(library: str, engine: str) -> None:
    def distance(speed: Any) -> Any:
        times = make(library, [1.0, 2.0, 4.0], "s")
        start = make(library, 0.0, "m")
        plain, _ = dimflow.scan(lambda c, t: (c + speed * t, None), start, times)
        kept, _ = dimflow.scan(lambda c, t: (c + speed * t, None), start, times, checkpoint=2)
        fixed = dimflow.fori_loop(0, 3, lambda i, c: c + i * speed * u.s, start)
        either = dimflow.cond(True, lambda: speed * u.s, lambda: 2 * speed * u.s)
        return plain + kept + fixed + either

    found = grad(distance, engine=engine)(make(library, 3.0, "m/s"))
    alike(found, DimArray(7.0 + 7 + 3 + 1, "s"), library)


def test_numbers_follow_the_library_of_what_a_step_closes_over() -> None:
    """A loop that begins with 0.0 is JAX's own as soon as its step has JAX's arrays in it."""

    def sums(x: Any) -> Any:
        return dimflow.fori_loop(0, 1000, lambda _, c: c + x, 0.0)

    text = str(jax.make_jaxpr(sums)(1.0))
    assert "length=1000" in text
    assert text.count("scan[") == 1
    assert float(sums(jnp.asarray(0.5))) == 500.0


# Structures


@dataclasses.dataclass(frozen=True)
class Ball:
    position: Any
    speed: Any
    name: str = "ball"
    trail: Any = None


@each_library
def test_structures_go_in_and_come_out(library: str) -> None:
    def step(state: Any, x: Any) -> Any:
        ball, [count, (flag,)] = state["ball"], state["rest"]
        moved = dataclasses.replace(ball, position=ball.position + ball.speed * x["dt"])
        return {"ball": moved, "rest": [count + 1, (flag,)]}, (moved.position, None, {"n": count})

    speed = make(library, [1.0, 2.0], "m/s")
    state = {"ball": Ball(make(library, [0.0, 0.0], "m"), speed), "rest": [0, (True,)]}
    xs = {"dt": make(library, [1.0, 2.0, 3.0], "s"), "unused": None}
    last, (path, nothing, counts) = dimflow.scan(step, state, xs)
    assert type(last["ball"]) is Ball
    assert last["ball"].name == "ball"
    assert last["ball"].trail is None
    assert nothing is None
    alike(last["ball"].position, np.array([6.0, 12.0]) * u.m, library)
    assert path.shape == (3, 2)
    assert path.unit is Unit("m")
    assert int(last["rest"][0]) == 3
    assert bool(last["rest"][1][0])
    assert [int(n) for n in counts["n"]] == [0, 1, 2]


@each_library
def test_raw_arrays_stay_raw(library: str) -> None:
    x = MAKERS[library]([1.0, 2.0])
    last, rows = dimflow.scan(lambda c, y: (c + y, 2 * c), x, dimflow.stack([x, x]))
    assert type(last) is type(rows) is type(x)
    assert type(dimflow.while_loop(lambda c: c[0] < 5, lambda c: 2 * c, x)) is type(x)
    assert type(dimflow.cond(True, lambda c: c, lambda c: -c, x)) is type(x)


@each_library
def test_no_step(library: str) -> None:
    x = make(library, [1.0, 2.0], "m")
    last, rows = dimflow.scan(lambda c, _: (c, c * c), x, length=0)
    alike(last, np.array([1.0, 2.0]) * u.m, library)
    assert rows.shape == (0, 2)
    assert rows.unit == Unit("m**2")
    assert rows.backend == library
    alike(dimflow.fori_loop(3, 3, lambda i, c: c, x), last, library)
    alike(dimflow.while_loop(lambda c: c[0] > 9 * u.m, lambda c: c, x), last, library)


def test_points_keep_their_scale() -> None:
    warm = DimArray(20.0, "degC")
    last, path = dimflow.scan(
        lambda t, dt: ((t + dt).to("K"), t), warm, DimArray([1.0, 2.0], "delta_degC")
    )
    assert last.unit is Unit("degC")
    assert path.unit is Unit("degC")
    np.testing.assert_allclose(last.data, 23.0)
    np.testing.assert_allclose(path.data, [20.0, 21.0])


def test_a_first_number_takes_the_dtype_of_what_follows() -> None:
    last, rows = dimflow.scan(lambda c, x: (c + x, c), 0, np.array([0.5, 0.25]))
    assert last.dtype == np.float64
    assert float(last) == 0.75
    np.testing.assert_array_equal(rows, [0.0, 0.5])
    traced = jax.jit(lambda xs: dimflow.scan(lambda c, x: (c + x, c), 0, xs)[0])(jnp.ones(3) / 2)
    assert traced.dtype == "float64"
    assert float(traced) == 1.5
