"""x.requires_grad_(), y.backward(), x.grad, no_grad: against dimflow.grad and PyTorch."""

import copy
import gc
import pickle
import threading
import weakref
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import mlx.core as mx
import numpy as np
import pytest
import torch

import dimflow
from dimflow import DimArray, Unit, enable_grad, is_grad_enabled, no_grad
from dimflow import units as u
from dimflow.errors import (
    ComputationError,
    DimensionError,
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
ours = pytest.mark.parametrize("library", [name for name in MAKERS if name != "torch"])


def make(library: str, values: Any, unit: str) -> Any:
    return DimArray(MAKERS[library](values), unit)


def same(actual: Any, numbers: Any, unit: str) -> None:
    assert isinstance(actual, DimArray), actual
    assert actual.dimension is Unit(unit).dimension, actual.unit
    np.testing.assert_allclose(actual.detach().to_numpy(unit), numbers, rtol=1e-5)


def kinetic(m: Any, v: Any) -> Any:
    return dimflow.sum(0.5 * m * v**2)


@each_library
def test_gradients_gather_in_the_leaves_with_their_units(library: str) -> None:
    m = make(library, [1.0, 2.0], "kg").requires_grad_()
    v = make(library, [3.0, 4.0], "m/s").requires_grad_()
    assert m.requires_grad
    assert m.is_leaf
    assert m.grad is None
    energy = kinetic(m, v)
    assert energy.requires_grad
    assert not energy.is_leaf
    energy.backward()
    same(m.grad, [4.5, 8.0], "J/kg")
    same(v.grad, [3.0, 8.0], "J*s/m")
    assert m.grad.backend == library
    assert not m.grad.requires_grad
    kinetic(m, v).backward()
    same(m.grad, [9.0, 16.0], "J/kg")
    m.grad = None
    assert m.grad is None
    same(v.grad, [6.0, 16.0], "J*s/m")
    del v.grad
    assert v.grad is None


@each_library
def test_backward_is_grad(library: str) -> None:
    def potential(r: Any) -> Any:
        return dimflow.sum(
            4 * u.J * ((1 * u.nm / r) ** 12 - (1 * u.nm / r) ** 6) * dimflow.exp(-r / u.nm)
        )

    r = make(library, [1.1, 1.5, 2.0], "nm")
    expected = dimflow.grad(potential)(r)
    leaf = make(library, [1.1, 1.5, 2.0], "nm").requires_grad_()
    potential(leaf).backward()
    assert leaf.grad.unit == expected.unit
    same(leaf.grad, expected.to_numpy("J/nm"), "J/nm")


@each_library
def test_gradients_of_other_units_of_the_same_dimension_add_up(library: str) -> None:
    x = make(library, [2.0], "m").requires_grad_()
    (x[0] * (3 * u.N)).to("kJ").backward()
    (x[0] * (5 * u.N)).backward()
    same(x.grad, [8.0], "N")


@each_library
def test_gradients_of_different_dimension_never_add_up(library: str) -> None:
    x = make(library, [2.0], "m").requires_grad_()
    x[0].backward()
    second = x[0] * (1 * u.s)
    with pytest.raises(DimensionError, match="the sum of two gradients"):
        second.backward()
    same(x.grad, [1.0], "")  # nothing has changed


@each_library
def test_a_gradient_for_every_element(library: str) -> None:
    x = make(library, [1.0, 2.0], "m").requires_grad_()
    y = x * x
    y.backward(make(library, [1.0, 10.0], "N/m"))
    same(x.grad, [2.0, 40.0], "N")


@ours
def test_an_output_with_axes_needs_a_gradient(library: str) -> None:
    x = make(library, [1.0, 2.0], "m").requires_grad_()
    with pytest.raises(ShapeMismatch, match="sum or average first"):
        (x * x).backward()
    with pytest.raises(ShapeMismatch):
        (x * x).backward(make(library, [1.0, 1.0, 1.0], ""))


@each_library
def test_a_second_pass_needs_the_record(library: str) -> None:
    x = make(library, [1.0, 2.0], "m").requires_grad_()
    y = dimflow.sum(x * x)
    y.backward(retain_graph=True)
    y.backward()
    same(x.grad, [4.0, 8.0], "m")
    with pytest.raises((ComputationError, RuntimeError), match=r"retain|second time"):
        y.backward()
    same(x.grad, [4.0, 8.0], "m")


def test_a_shared_part_that_was_freed_is_an_error_and_changes_nothing() -> None:
    x = DimArray(np.array([1.0, 2.0]), "m").requires_grad_()
    shared = x * x
    dimflow.sum(shared).backward()
    with pytest.raises(ComputationError, match="retain_graph=True"):
        dimflow.sum(shared * 2).backward()
    same(x.grad, [2.0, 4.0], "m")


@ours
def test_inputs_limit_where_gradients_gather(library: str) -> None:
    x = make(library, [1.0], "m").requires_grad_()
    y = make(library, [2.0], "m").requires_grad_()
    dimflow.sum(x * y).backward(inputs=[x])
    same(x.grad, [2.0], "m")
    assert y.grad is None
    with pytest.raises(UnitError, match=r"does not depend on inputs\[0\]"):
        dimflow.sum(x * x).backward(inputs=y)


@ours
def test_no_gradient_of_what_is_no_leaf_unless_it_is_retained(library: str) -> None:
    x = make(library, [1.0, 2.0], "m").requires_grad_()
    y = x * x
    with pytest.raises(UnitError, match="retain_grad"):
        _ = y.grad
    y.retain_grad()
    y.retain_grad()
    assert y.grad is None
    z = dimflow.sum(y * y)
    z.backward()
    same(y.grad, [2.0, 8.0], "m**2")
    same(x.grad, [4.0, 32.0], "m**3")
    with pytest.raises(UnitError, match="no backward"):
        make(library, [1.0], "m").retain_grad()


def test_retained_gradients_are_pytorchs() -> None:
    mine = DimArray(np.array([1.0, 2.0]), "m").requires_grad_()
    theirs = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    for x in (mine, theirs):
        y = x * x
        y.retain_grad()
        ((y * y) + y).sum().backward() if x is theirs else dimflow.sum(
            (y / u.m**2) ** 2 + y / u.m**2
        ).backward()
        found = y.grad
        assert found is not None
        np.testing.assert_allclose(np.asarray(getattr(found, "data", found)), [3.0, 9.0])


@each_library
def test_a_gradient_that_is_asked_for_after_its_use_is_that_of_all_uses(library: str) -> None:
    """Of one result among several as well; as a NumPy user moves from one library to another."""
    x = make(library, [[1.0, 2.0], [3.0, 4.0]], "m").requires_grad_()
    first, second = dimflow.unstack(x * 2.0)
    total = dimflow.sum(first * second) + dimflow.sum(second * second)
    second.retain_grad()
    total.backward()
    same(second.grad, [2.0 + 12.0, 4.0 + 16.0], "m")
    same(x.grad, [[12.0, 16.0], [28.0, 40.0]], "m")


@ours
def test_what_needs_a_leaf_says_so(library: str) -> None:
    x = make(library, [1.0, 2.0], "m")
    with pytest.raises(UnitError, match="does not depend on any that requires grad"):
        dimflow.sum(x).backward()
    with pytest.raises(UnitError, match="requires_grad_"):
        x.grad = make(library, [1.0, 2.0], "N")
    x.requires_grad_()
    with pytest.raises(UnitError, match="takes a DimArray or None"):
        x.grad = 3.0
    with pytest.raises(ShapeMismatch):
        x.grad = make(library, [1.0], "N")
    with pytest.raises(UnitError, match="create_graph"):
        dimflow.sum(x).backward(create_graph=True)
    with pytest.raises(UnitError, match="detach"):
        (x * 2).requires_grad_(False)
    x.grad = make(library, [1.0, 2.0], "N")
    dimflow.sum(x * (1 * u.N)).backward()
    same(x.grad, [2.0, 3.0], "N")
    with pytest.raises(NotANumber, match="astype"):
        DimArray(np.array([1, 2]), "m").requires_grad_()


@ours
def test_requires_grad_can_be_taken_back(library: str) -> None:
    x = make(library, [1.0, 2.0], "m")
    x.requires_grad = True
    assert x.requires_grad_() is x
    x.requires_grad_(False)
    assert not x.requires_grad
    assert x.is_leaf
    assert not (x * x).requires_grad


# Training loops


@each_library
def test_a_loop_as_pytorchs_users_write_it(library: str) -> None:
    """A spring constant fitted by gradient descent; PyTorch's raw numbers are the truth."""
    stretch, force = [0.1, 0.2, 0.3, 0.4], [2.1, 3.9, 6.2, 7.9]
    k = make(library, 1.0, "N/m").requires_grad_()
    same_object, rate = k, 1.0 * Unit("1/m**2")
    raw = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    length, pull = (
        torch.tensor(stretch, dtype=torch.float64),
        torch.tensor(force, dtype=torch.float64),
    )
    for _ in range(20):
        loss = dimflow.mean((k * make(library, stretch, "m") - make(library, force, "N")) ** 2)
        loss.backward()
        with no_grad():
            k -= rate * k.grad
        k.grad = None
        ((raw * length - pull) ** 2).mean().backward()
        with torch.no_grad():
            raw -= raw.grad
        raw.grad = None
    assert k is same_object
    assert k.is_leaf
    assert k.requires_grad
    same(k, raw.item(), "N/m")


@ours
def test_writing_into_a_leaf_within_no_grad(library: str) -> None:
    x = make(library, [1.0, 2.0], "m").requires_grad_()
    before = dimflow.sum(x**3)
    with no_grad():
        x[0] = 5 * u.m
        x *= 2.0
        x += make(library, [100.0, 100.0], "cm")
    same(x, [11.0, 5.0], "m")
    assert x.is_leaf
    assert x.requires_grad
    before.backward()  # of the values that it was computed from
    same(x.grad, [3.0, 12.0], "m**2")
    with no_grad(), pytest.raises(UnitError):
        x += make(library, [1.0, 1.0], "s")
    with no_grad(), pytest.raises(ShapeMismatch):
        x += make(library, [[1.0, 1.0], [1.0, 1.0]], "m")
    same(x, [11.0, 5.0], "m")


@ours
def test_writing_into_a_leaf_elsewhere_is_refused(library: str) -> None:
    x = make(library, [1.0, 2.0], "m").requires_grad_()
    with pytest.raises(TracedValueError, match=r"with dimflow.no_grad\(\): x -="):
        x -= 1 * u.m
    with pytest.raises(TracedValueError, match="leaf that requires grad"):
        x[0] = 1 * u.m
    with pytest.raises(TracedValueError):
        x.fill(1 * u.m)
    same(x, [1.0, 2.0], "m")


def test_the_memory_of_a_leaf_is_its_own() -> None:
    raw = np.array([1.0, 2.0])
    x = DimArray(raw, "m").requires_grad_()
    y = dimflow.sum(x * x)
    raw[:] = 100.0
    view = None
    with no_grad():
        view = x[:1]
        with pytest.raises(ValueError, match="read-only"):
            view += 1 * u.m
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 1 * u.m
    y.backward()
    same(x.grad, [2.0, 4.0], "m")


@ours
def test_gradients_are_arrays_of_their_own(library: str) -> None:
    x = make(library, [1.0, 2.0], "m").requires_grad_()
    y = make(library, [1.0, 2.0], "m").requires_grad_()
    seed = make(library, [1.0, 1.0], "N")
    (x + y).backward(seed)
    x.grad *= 5.0
    same(y.grad, [1.0, 1.0], "N")
    same(seed, [1.0, 1.0], "N")


# no_grad


@each_library
def test_nothing_is_recorded_within_no_grad(library: str) -> None:
    x = make(library, [1.0, 2.0], "m").requires_grad_()
    assert is_grad_enabled()
    with no_grad():
        assert not is_grad_enabled()
        y = dimflow.sum(x * x)
        assert not y.requires_grad
        with enable_grad():
            z = dimflow.sum(x * x)
        inner = dimflow.grad(lambda x: dimflow.sum(x * x))(x)
        with dimflow.GradientTape() as tape:
            watched = tape.watch(x)
            if library != "torch":  # autograd knows one switch for all
                again = tape.gradient(dimflow.sum(watched * watched), watched)
                same(again, [2.0, 4.0], "m")
    assert z.requires_grad
    same(inner, [2.0, 4.0], "m")
    z.backward()
    same(x.grad, [2.0, 4.0], "m")


def test_no_grad_as_a_decorator_in_threads_and_after_errors() -> None:
    x = DimArray(np.array([1.0, 2.0]), "m").requires_grad_()

    @no_grad()
    def with_parentheses(depth: int) -> Any:
        return dimflow.sum(x) if not depth else with_parentheses(depth - 1)

    @no_grad
    def without(x: Any) -> Any:
        raise KeyError

    assert not with_parentheses(3).requires_grad
    with pytest.raises(KeyError):
        without(x)
    assert is_grad_enabled()
    seen: list[Any] = []
    with no_grad():
        thread = threading.Thread(target=lambda: seen.append(dimflow.sum(x).requires_grad))
        thread.start()
        thread.join()
    assert seen == [True]  # as in PyTorch, each thread has its own
    with pytest.raises(UnitError, match="use the block inside"):

        @no_grad()
        def steps() -> Any:
            yield 1


@each_library
def test_no_grad_stops_the_derivative_around_it_or_says_that_it_cannot(library: str) -> None:
    def half(x: Any) -> Any:
        with no_grad():
            constant = x * x
        return dimflow.sum(constant * x)

    x = make(library, [2.0, 3.0], "m")
    same(dimflow.grad(half, engine="own")(x), [4.0, 9.0], "m**2")
    if library in ("jax", "mlx"):
        with pytest.raises(UnitError, match="stop_gradient"):
            dimflow.grad(half)(x)
        with no_grad():
            assert not is_grad_enabled()
    else:
        same(dimflow.grad(half)(x), [4.0, 9.0], "m**2")


# What leaves the record


@ours
def test_values_leave_the_record_by_detach_alone(library: str) -> None:
    x = make(library, [1.0, 2.0], "m").requires_grad_()
    y = x / u.m
    for leave in (
        lambda: float(y[0]),
        lambda: complex(y[0]),
        lambda: np.asarray(y),
        lambda: y.tolist(),
        lambda: y[0].item(),
        lambda: y.to_numpy(),
        lambda: pickle.dumps(x),
        lambda: pickle.dumps(y),
        lambda: np.array([y[0], y[1]]),
    ):
        with pytest.raises(TracedValueError, match="stop_gradient"):
            leave()
    assert y.detach().tolist() == [1.0, 2.0]
    assert not y.detach().requires_grad
    assert f"{x[0]:.1f}" == "1.0 m"
    assert "1." in repr(x)
    assert str(x) == str(x.detach())
    with no_grad():
        assert float(y[0]) == 1.0
    assert (x > 1.5 * u.m)[1]
    assert bool(y[0] < 2)


def test_a_detached_value_is_a_copy() -> None:
    x = DimArray(np.array([1.0, 2.0]), "m").requires_grad_()
    y = dimflow.exp(x / u.m)
    taken = y.detach()
    taken[0] = 100.0
    stopped = dimflow.stop_gradient(y)
    with pytest.raises(ValueError, match="read-only"):
        stopped[0] = 100.0
    dimflow.sum(y).backward()
    same(x.grad, np.exp([1.0, 2.0]), "1/m")


@ours
def test_copies(library: str) -> None:
    x = make(library, [1.0, 2.0], "m").requires_grad_()
    dimflow.sum(x).backward()
    recorded = x.copy()
    assert recorded.requires_grad
    assert not recorded.is_leaf
    apart = copy.deepcopy(x)
    assert apart.is_leaf
    assert apart.requires_grad
    same(apart.grad, [1.0, 1.0], "")
    dimflow.sum(apart).backward()
    same(apart.grad, [2.0, 2.0], "")
    same(x.grad, [1.0, 1.0], "")
    kept = pickle.loads(pickle.dumps(x.detach()))
    same(kept, [1.0, 2.0], "m")


def test_recorded_values_do_not_get_lost_in_plain_arrays() -> None:
    x = DimArray(np.array([1.0, 2.0]), "m").requires_grad_()
    plain, numbers = DimArray(np.zeros(2), "m"), np.zeros(2)
    other = plain[:1]  # somebody who sees the memory
    with pytest.raises(TracedValueError, match=r"x.at\[key\].set"):
        plain[0] = x[0]
    with pytest.raises(TracedValueError):
        np.add(x, x, out=plain)
    with pytest.raises(TracedValueError, match="x = x \\+ y"):
        plain += x
    with pytest.raises(TracedValueError):
        np.copyto(plain, x)
    with pytest.raises(TracedValueError):
        plain.fill(x[0])
    with pytest.raises(TracedValueError):
        np.add(x / u.m, 1.0, out=numbers)
    with pytest.raises((TracedValueError, ValueError)):
        numbers[0] = x[0] / u.m
    with pytest.raises((TracedValueError, TypeError)):
        numbers += x / u.m
    with pytest.raises(TracedValueError):
        np.add(plain, plain, out=x)
    with pytest.raises(TracedValueError):
        dimflow.sum(x, axis=0).sum(out=plain[:1].reshape(()))
    assert plain.tolist() == [0.0, 0.0]
    assert numbers.tolist() == [0.0, 0.0]
    assert other[0] == 0 * u.m


@ours
def test_a_running_sum(library: str) -> None:
    x = make(library, [1.0, 2.0, 3.0], "m").requires_grad_()
    total = 0.0 * u.m**2
    for part in x:
        total += part * part
    rows = make(library, [0.0, 0.0, 0.0], "m")
    for _ in range(4):
        rows += x
    (total * u.m + dimflow.sum(rows * rows) * u.m).backward()
    same(x.grad, [2 + 32, 4 + 64, 6 + 96], "m**2")


def test_a_function_that_writes_into_its_argument_reaches_the_caller() -> None:
    def advance(position: Any, speed: Any) -> None:
        position += speed * (2.0 * u.s)

    def energy(v: Any) -> Any:
        position = v * (1.0 * u.s)
        advance(position, v)
        return dimflow.sum(position * position)

    v = DimArray(np.array([1.0, 2.0]), "m/s")
    same(dimflow.grad(energy)(v), [18.0, 36.0], "m*s")
    same(dimflow.jvp(energy, (v,), (v,))[1], 90.0, "m**2")


def test_arguments_of_a_derivative_are_not_written_into() -> None:
    def careless(x: Any) -> Any:
        x += 1 * u.m
        return dimflow.sum(x)

    x = DimArray(np.array([1.0, 2.0]), "m")
    with pytest.raises(TracedValueError, match="others may see"):
        dimflow.grad(careless)(x)
    same(x, [1.0, 2.0], "m")


# Threads, memory and depth


def test_passes_of_several_threads_add_up() -> None:
    x = DimArray(np.zeros(1000), "m").requires_grad_()

    def work() -> None:
        for _ in range(50):
            dimflow.sum(x * 2.0).backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    same(x.grad, np.full(1000, 400.0), "")


def test_the_record_is_freed() -> None:
    x = DimArray(np.ones(1000), "m").requires_grad_()
    big = dimflow.exp(x / u.m)
    value = weakref.ref(big._raw.value)
    loss = dimflow.sum(big * big)
    del big
    gc.collect()
    assert value() is not None
    loss.backward()
    gc.collect()
    assert value() is None


def test_a_long_chain() -> None:
    x = DimArray(np.array(1.0), "m").requires_grad_()
    y = x
    for _ in range(20_000):
        y = y * 1.0001
    y.backward()
    same(x.grad, 1.0001**20_000, "")
    del y
    gc.collect()


def test_backward_within_a_derivative_is_refused() -> None:
    def inside(x: Any) -> Any:
        dimflow.sum(x).backward()
        return dimflow.sum(x)

    with pytest.raises(TracedValueError, match="outside"):
        dimflow.grad(inside)(DimArray(np.array([1.0]), "m"))
    with pytest.raises(TracedValueError, match="before"):
        dimflow.grad(lambda x: dimflow.sum(x.requires_grad_()))(DimArray(np.array([1.0]), "m"))


def test_a_derivative_of_a_leaf_is_recorded_too() -> None:
    x = DimArray(np.array([1.0, 2.0]), "m").requires_grad_()
    slope = dimflow.grad(lambda x: dimflow.sum(x**3))(x)
    dimflow.sum(slope).backward()
    same(x.grad, [6.0, 12.0], "m")


def test_complex_leaves_follow_one_convention() -> None:
    z = DimArray(np.array([1 + 2j, 3 - 1j]), "V").requires_grad_()
    dimflow.sum(abs(z) ** 2).backward()
    expected = jax.grad(lambda z: jnp.sum(jnp.abs(z) ** 2))(jnp.array([1 + 2j, 3 - 1j]))
    np.testing.assert_allclose(z.grad.to_numpy(), np.asarray(expected))
    with pytest.raises(NotANumber, match="complex"):
        dimflow.sum(z * z).backward()
