"""GradientTape: what it gives is what dimflow.grad gives, and every misuse says how."""

import dataclasses
import gc
import weakref
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import mlx.core as mx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray, GradientTape, Unit
from dimflow import units as u
from dimflow.errors import (
    ComputationError,
    DimensionError,
    MissingRule,
    NotANumber,
    ShapeMismatch,
    TracedValueError,
    UnitError,
)

jax.config.update("jax_enable_x64", True)

MAKERS: dict[str, Callable[[Any], Any]] = {
    "numpy": lambda values: np.array(values, "float64"),
    "torch": lambda values: torch.tensor(values, dtype=torch.float64),
    "jax": lambda values: jnp.asarray(values, "float64"),
    "mlx": lambda values: mx.array(values, dtype=mx.float32),
}
each_library = pytest.mark.parametrize("library", MAKERS)
ENGINES = [*((name, None) for name in MAKERS), ("torch", "own")]
each_engine = pytest.mark.parametrize(("library", "engine"), ENGINES)


def make(library: str, values: Any, unit: str) -> Any:
    return DimArray(MAKERS[library](values), unit)


def same(actual: Any, numbers: Any, unit: str) -> None:
    assert isinstance(actual, DimArray), actual
    assert actual.dimension is Unit(unit).dimension, actual.unit
    np.testing.assert_allclose(actual.detach().to_numpy(unit), numbers, rtol=1e-5, atol=1e-7)


def kinetic(m: Any, v: Any) -> Any:
    return dimflow.sum(0.5 * m * v**2)


@each_engine
def test_the_gradient_has_the_unit_of_target_over_source(library: str, engine: Any) -> None:
    with GradientTape(engine=engine) as tape:
        m = tape.watch(make(library, [1.0, 2.0], "kg"))
        v = tape.watch(make(library, [3.0, 4.0], "m/s"))
        energy = kinetic(m, v)
    by_mass, by_speed = tape.gradient(energy, (m, v))
    same(by_mass, [4.5, 8.0], "J/kg")
    same(by_speed, [3.0, 8.0], "kg*m/s")
    assert by_mass.backend == library
    assert not by_mass.requires_grad


FUNCTIONS: list[Callable[[Any], Any]] = [
    lambda x: dimflow.sum(x**3),
    lambda x: dimflow.sum(dimflow.sin(x / u.m)) * u.J,
    lambda x: dimflow.mean(x * x[0] - x.to("cm") * dimflow.max(x)),
    lambda x: dimflow.sum(dimflow.exp(-x / (2 * u.m)) * x / (x + 1 * u.m)),
    lambda x: dimflow.sqrt(dimflow.sum(x * x)),
    lambda x: dimflow.sum(dimflow.where(x > 1.5 * u.m, x**2, x * (1 * u.m))),
    lambda x: dimflow.vdot(x, x[::-1]),
]


@pytest.mark.parametrize(
    ("library", "engine", "place"),
    [
        pytest.param(
            library,
            engine,
            place,
            # JAX compiles every operation for every shape
            marks=[pytest.mark.deep] if library == "jax" and place > 1 else [],
        )
        for library, engine in ENGINES
        for place in range(len(FUNCTIONS))
    ],
)
def test_tape_is_grad(library: str, engine: Any, place: int) -> None:
    function = FUNCTIONS[place]
    numbers = [0.5, 1.25, 2.0]
    expected = dimflow.grad(function)(DimArray(np.array(numbers), "m"))
    with GradientTape(engine=engine) as tape:
        x = tape.watch(make(library, numbers, "m"))
        y = function(x)
    found = tape.gradient(y, x)
    assert found.unit == expected.unit
    same(found, expected.to_numpy(), str(expected.unit))


@settings(max_examples=40, deadline=None)
@given(
    numbers=st.lists(st.floats(0.25, 4.0), min_size=1, max_size=5),
    chosen=st.lists(st.integers(0, len(FUNCTIONS) - 1), min_size=1, max_size=3),
)
def test_several_derivatives_of_one_tape(numbers: list[float], chosen: list[int]) -> None:
    start = DimArray(np.array(numbers), "m")
    with GradientTape(persistent=True) as tape:
        x = tape.watch(start)
        results = [FUNCTIONS[i](x) for i in chosen]
    for i, y in zip(chosen, results, strict=True):
        expected = dimflow.grad(FUNCTIONS[i])(start)
        same(tape.gradient(y, x), expected.to_numpy(), str(expected.unit))


@dataclasses.dataclass
class Body:
    mass: Any
    speed: Any


@each_library
def test_structures_of_values(library: str) -> None:
    body = Body(make(library, [1.0, 2.0], "kg"), make(library, [3.0, 4.0], "m/s"))
    given_body = {"body": body, "none": None}
    with GradientTape() as tape:
        state = tape.watch(given_body)
        energy = kinetic(state["body"].mass, state["body"].speed)
    found = tape.gradient(energy, state)
    assert type(found["body"]) is Body
    assert found["none"] is None
    same(found["body"].mass, [4.5, 8.0], "J/kg")
    same(found["body"].speed, [3.0, 8.0], "kg*m/s")
    assert not body.mass.requires_grad  # what was given is as it was


@each_engine
def test_by_what_was_computed_on_the_way(library: str, engine: Any) -> None:
    with GradientTape(engine=engine) as tape:
        x = tape.watch(make(library, [1.0, 2.0], "m"))
        area = x * x
        y = dimflow.sum(area * x)
    by_area, by_x = tape.gradient(y, [area, x])
    same(by_area, [1.0, 2.0], "m")
    same(by_x, [3.0, 12.0], "m**2")


@each_engine
def test_nested_tapes_give_higher_orders(library: str, engine: Any) -> None:
    start = make(library, [1.0, 2.0], "m")
    with GradientTape(engine=engine) as third:
        x = third.watch(start)
        with GradientTape(engine=engine) as outer:
            y = outer.watch(x)
            with GradientTape(engine=engine) as inner:
                z = inner.watch(y)
                volume = dimflow.sum(dimflow.sin(z / u.m) * z**3)
            slope = dimflow.sum(inner.gradient(volume, z))
        curvature = dimflow.sum(outer.gradient(slope, y))
    found = third.gradient(curvature, x)

    def jax_truth(x: Any) -> Any:
        return jnp.sum(jnp.sin(x) * x**3)

    def along(f: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x: jnp.sum(jax.grad(f)(x))

    expected = jax.grad(along(along(jax_truth)))(jnp.array([1.0, 2.0]))
    same(found, np.asarray(expected), "")


@each_engine
def test_both_tapes_may_watch_and_ask_of_their_own(library: str, engine: Any) -> None:
    with GradientTape(engine=engine) as outer:
        a = outer.watch(make(library, 2.0, "m"))
        with GradientTape(engine=engine) as inner:
            b = inner.watch(make(library, 3.0, "s"))
            y = a**2 * b**3
        slope = inner.gradient(y, b)  # 3 a² b²
        product = slope * a  # 3 a³ b²
    same(slope, 108.0, "m**2*s**2")
    same(outer.gradient(product, a), 9 * 4 * 9, "m**2*s**2")


def test_an_outer_tape_watches_first() -> None:
    with GradientTape() as outer, GradientTape() as inner:
        x = inner.watch(DimArray(np.array(2.0), "m"))
        with pytest.raises(UnitError, match="watch with the outer tape first"):
            outer.watch(x)


@each_engine
def test_jacobian(library: str, engine: Any) -> None:
    with GradientTape(persistent=True, engine=engine) as tape:
        x = tape.watch(make(library, [1.0, 2.0, 3.0], "m"))
        t = tape.watch(make(library, [[1.0, 2.0], [3.0, 4.0]], "s"))
        y = dimflow.stack([x * x[0], x * x[1]]) / dimflow.sum(t)
        element = y[1, 2]
    by_x, by_t = tape.jacobian(y, (x, t))
    assert by_x.shape == (2, 3, 3)
    assert by_t.shape == (2, 3, 2, 2)

    def truth(x: Any, t: Any) -> Any:
        return jnp.stack([x * x[0], x * x[1]]) / jnp.sum(t)

    numbers = jnp.array([1.0, 2.0, 3.0]), jnp.array([[1.0, 2.0], [3.0, 4.0]])
    expected = jax.jacobian(truth, (0, 1))(*numbers)
    same(by_x, np.asarray(expected[0]), "m/s")
    same(by_t, np.asarray(expected[1]), "m**2/s**2")
    same(tape.gradient(element, x), np.asarray(expected[0])[1, 2], "m/s")


def test_jacobian_is_dimflows() -> None:
    def function(x: Any) -> Any:
        return dimflow.cumulative_sum(x**2) * dimflow.exp(x / u.m)

    start = DimArray(np.array([0.5, 1.0, 1.5]), "m")
    with GradientTape() as tape:
        x = tape.watch(start)
        y = function(x)
    expected = dimflow.jacobian(function)(start)
    same(tape.jacobian(y, x), expected.to_numpy(), str(expected.unit))


@each_engine
def test_a_target_with_axes(library: str, engine: Any) -> None:
    with GradientTape(persistent=True, engine=engine) as tape:
        x = tape.watch(make(library, [1.0, 2.0], "m"))
        y = x * x
    with pytest.raises(ShapeMismatch, match="jacobian"):
        tape.gradient(y, x)
    found = tape.gradient(y, x, output_gradients=make(library, [1.0, 10.0], "N/m"))
    same(found, [2.0, 40.0], "N")
    with pytest.raises(ShapeMismatch):
        tape.gradient(y, x, output_gradients=make(library, [1.0], "N/m"))


@each_engine
def test_a_source_without_influence(library: str, engine: Any) -> None:
    with GradientTape(persistent=True, engine=engine) as tape:
        x = tape.watch(make(library, [1.0, 2.0], "m"))
        t = tape.watch(make(library, [5.0], "s"))
        y = dimflow.sum(x * x)
    with pytest.raises(UnitError, match=r"does not depend on sources\['t'\]"):
        tape.gradient(y, {"x": x, "t": t})
    zero = tape.gradient(y, {"x": x, "t": t}, unconnected="zero")
    same(zero["t"], [0.0], "m**2/s")
    same(zero["x"], [2.0, 4.0], "m")
    assert tape.gradient(y, {"x": x, "t": t}, unconnected="none")["t"] is None
    same(tape.jacobian(x, t, unconnected="zero"), [[0.0], [0.0]], "m/s")
    with pytest.raises(UnitError, match="'error', 'zero', 'none'"):
        tape.gradient(y, x, unconnected="zeros")


@each_engine
def test_untracked_values_are_errors_that_say_how(library: str, engine: Any) -> None:
    plain = make(library, [1.0, 2.0], "m")
    with GradientTape(persistent=True, engine=engine) as tape:
        x = tape.watch(plain)
        y = dimflow.sum(x * x)
        constant = dimflow.sum(plain)
    with pytest.raises(UnitError, match=r"x = tape.watch\(x\)"):
        tape.gradient(y, plain)
    with pytest.raises(UnitError, match=r"not tracked: sources\[1\]"):
        tape.gradient(y, [x, plain])
    with pytest.raises(UnitError, match="not computed from tracked values"):
        tape.gradient(constant, x)
    same(tape.gradient(constant, x, unconnected="zero"), [0.0, 0.0], "")


@each_engine
def test_a_tape_gives_one_derivative_unless_it_is_persistent(library: str, engine: Any) -> None:
    with GradientTape(engine=engine) as tape:
        x = tape.watch(make(library, [1.0, 2.0], "m"))
        y = dimflow.sum(x * x)
    tape.gradient(y, x)
    for again in (tape.gradient, tape.jacobian):
        with pytest.raises(ComputationError, match="persistent=True"):
            again(y, x)
    assert repr(tape) == "<GradientTape, spent>"


@each_engine
def test_recording_can_stop(library: str, engine: Any) -> None:
    with GradientTape(engine=engine) as tape:
        x = tape.watch(make(library, [1.0, 2.0], "m"))
        with tape.stop_recording():
            constant = x * x
        y = dimflow.sum(constant * x)
    same(tape.gradient(y, x), [1.0, 4.0], "m**2")


def test_stopping_one_tape_leaves_the_outer_ones_recording() -> None:
    with GradientTape() as outer:
        a = outer.watch(DimArray(np.array(2.0), "m"))
        with GradientTape() as inner:
            b = inner.watch(a)
            with inner.stop_recording():
                square = b * b
            y = square * b
        slope = inner.gradient(y, b)  # a², as the square was constant to the inner tape
    same(slope, 4.0, "m**2")
    same(outer.gradient(slope, a), 4.0, "m")


def test_reset_forgets() -> None:
    with GradientTape() as tape:
        x = tape.watch(DimArray(np.array(2.0), "m"))
        y = x * x
        tape.reset()
        with pytest.raises(UnitError, match="not computed from tracked"):
            tape.gradient(y, x)
        x = tape.watch(x)
        z = x**3
    same(tape.gradient(z, x), 12.0, "m**2")


@each_library
def test_what_happens_after_the_block_is_plain(library: str) -> None:
    with GradientTape() as tape:
        x = tape.watch(make(library, [1.0, 2.0], "m"))
        y = dimflow.sum(x * x)
    z = x * 3
    if library != "torch":  # autograd has no end
        assert not x.requires_grad
        assert z.tolist() == [3.0, 6.0]
        assert float(y / u.m**2) == 5.0
        assert f"{y:.1f}" == "5.0 m**2"
    same(tape.gradient(y, x), [2.0, 4.0], "m")


def test_misuse() -> None:
    x = DimArray(np.array([1.0]), "m")
    tape = GradientTape()
    with pytest.raises(UnitError, match="outside of its block"):
        tape.watch(x)
    with pytest.raises(UnitError, match="before its block"):
        tape.gradient(x, x)
    with tape:
        with pytest.raises(NotANumber, match="integers"):
            tape.watch(DimArray(np.array([1]), "m"))
        with pytest.raises(NotANumber, match=r"args\['name'\]"):
            tape.watch({"name": "spring"})
        watched = tape.watch(x)
        again = tape.watch(watched)
        y = dimflow.sum(watched * again)
        with pytest.raises(TracedValueError):
            float(y / u.m**2)
    same(tape.gradient(y, watched), [2.0], "m")
    with pytest.raises(UnitError, match="entered before"), tape:
        pass
    with pytest.raises(UnitError, match="outside of its block"):
        tape.watch(x)
    with pytest.raises(UnitError, match="'native' and 'own'"):
        GradientTape(engine="fast")
    with pytest.raises(MissingRule, match="numpy"), GradientTape(engine="native") as native:
        native.watch(x)
    with GradientTape() as tape:
        z = tape.watch(DimArray(np.array(1 + 2j), "V"))
        square = z * z
    with pytest.raises(NotANumber, match="complex"):
        tape.gradient(square, z)
    with pytest.raises(NotANumber, match="complex"):
        tape.jacobian(square, z)


@each_engine
def test_an_error_leaves_the_tape_as_it_was(library: str, engine: Any) -> None:
    with GradientTape(engine=engine) as tape:
        x = tape.watch(make(library, [1.0, 2.0], "m"))
        t = tape.watch(make(library, [5.0], "s"))
        y = dimflow.sum(x * x)
    with pytest.raises(UnitError, match="does not depend"):
        tape.gradient(y, (x, t))
    if library != "torch" or engine == "own":  # autograd has freed its record by then
        same(tape.gradient(y, x), [2.0, 4.0], "m")


@each_engine
def test_points_have_differences(library: str, engine: Any) -> None:
    with GradientTape(engine=engine) as tape:
        warm = tape.watch(make(library, [20.0, 30.0], "degC"))
        heat = dimflow.sum((warm - warm[0]) * (2 * u.J / u.K))
    same(tape.gradient(heat, warm), [-2.0, 2.0], "J/K")


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
def test_complex_numbers_follow_one_convention(library: str) -> None:
    numbers = [1 + 2j, 3 - 1j]
    raw = {
        "numpy": lambda: np.array(numbers),
        "torch": lambda: torch.tensor(numbers, dtype=torch.complex128),
        "jax": lambda: jnp.array(numbers),
    }[library]()
    with GradientTape() as tape:
        z = tape.watch(DimArray(raw, "V"))
        power = dimflow.sum(dimflow.real(z * z * z) / u.ohm)
    expected = jax.grad(lambda z: jnp.sum(jnp.real(z**3)))(jnp.array(numbers))
    np.testing.assert_allclose(tape.gradient(power, z).to_numpy(), np.asarray(expected))


def test_a_change_of_what_was_watched_does_not_matter() -> None:
    raw = np.array([1.0, 2.0])
    x = DimArray(raw, "m")
    with GradientTape() as tape:
        watched = tape.watch(x)
        y = dimflow.sum(watched * watched)
    raw[:] = 100.0
    same(tape.gradient(y, watched), [2.0, 4.0], "m")


def test_results_of_a_persistent_tape_cannot_be_written_into() -> None:
    with GradientTape(persistent=True) as tape:
        x = tape.watch(DimArray(np.array([1.0, 2.0]), "m"))
        y = dimflow.exp(x / u.m)
    mine = y.copy()
    mine[0] = 3.0
    numbers = y.to_numpy()
    with pytest.raises(ValueError, match="read-only"):
        numbers[0] = 3.0
    with pytest.raises(TracedValueError):
        y[0] = 3.0
    first = tape.gradient(y, x, output_gradients=np.ones(2))
    first *= 0.0
    same(tape.gradient(y, x, output_gradients=np.ones(2)), np.exp([1.0, 2.0]), "1/m")


def test_a_tape_frees_what_it_recorded() -> None:
    with GradientTape() as tape:
        x = tape.watch(DimArray(np.ones(10), "m"))
        big = dimflow.exp(x / u.m)
        kept = weakref.ref(big._raw.value)
        y = dimflow.sum(big * big)
        del big
    gc.collect()
    assert kept() is not None
    tape.gradient(y, x)
    gc.collect()
    assert kept() is None


def test_gradients_of_a_torch_tape_see_writes() -> None:
    """PyTorch counts versions: a write into what it needs is an error, never a wrong number."""
    x = make("torch", [1.0, 2.0], "m")
    with GradientTape() as tape:
        watched = tape.watch(x)
        y = dimflow.sum(watched * watched)
    x += 1 * u.m
    with pytest.raises(RuntimeError, match="inplace"):
        tape.gradient(y, watched)


def test_the_unit_of_a_cotangent_counts() -> None:
    with GradientTape(persistent=True) as tape:
        x = tape.watch(DimArray(np.array([1.0, 2.0]), "m"))
        y = x * (2 * u.N)
    same(tape.gradient(y, x, output_gradients=DimArray([1.0, 1.0], "1/J")), [2.0, 2.0], "1/m")
    with pytest.raises(DimensionError):
        tape.gradient(y, x, output_gradients=np.ones(2)) + (1 * u.m)  # it is in newtons
