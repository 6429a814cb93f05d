"""check_grads: it finds every planted mistake, and no mistake where there is none."""

import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import mlx.core as mx
import numpy as np
import pytest
import torch

import dimflow
from dimflow import DimArray, check_grads
from dimflow import units as u
from dimflow.errors import DerivativeMismatch, NotANumber, UnitError

jax.config.update("jax_enable_x64", True)
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")

MAKERS: dict[str, Callable[[Any], Any]] = {
    "numpy": lambda values: np.array(values, "float64"),
    "torch": lambda values: torch.tensor(values, dtype=torch.float64),
    "jax": lambda values: jnp.asarray(values, "float64"),
    "mlx": lambda values: mx.array(values, dtype=mx.float32),
}


def make(library: str, values: Any, unit: str) -> Any:
    return DimArray(MAKERS[library](values), unit)


@dataclasses.dataclass
class State:
    position: Any
    mass: Any
    name: str = "stone"


def action(state: State, times: list[Any], count: int) -> dict[str, Any]:
    speed = state.position / times[0]
    energy = 0.5 * state.mass * speed**2
    return {
        "action": dimflow.sum(energy * times[0]) * count,
        "turns": dimflow.sin(speed / (u.m / u.s)),
    }


@pytest.mark.parametrize("library", MAKERS)
@pytest.mark.parametrize("engine", [None, "own"])
def test_right_derivatives_pass(library: str, engine: Any) -> None:
    state = State(make(library, [1.0, 2.0, 0.5], "m"), make(library, 2.0, "kg"))
    times = [make(library, [1.0, 3.0, 2.0], "s")]
    check_grads(action, (state, times, 3), order=1 if library == "jax" else 2, engine=engine)


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
def test_complex_numbers(library: str) -> None:
    numbers = [1 + 2j, 0.5 - 1j]
    makers: dict[str, Callable[[], Any]] = {
        "numpy": lambda: np.array(numbers),
        "torch": lambda: torch.tensor(numbers, dtype=torch.complex128),
        "jax": lambda: jnp.array(numbers),
    }
    z = DimArray(makers[library](), "V")
    check_grads(lambda z: abs(z) ** 2 * z, (z,), order=1)
    check_grads(lambda z: dimflow.real(z * z) + dimflow.imag(z) * u.V, (z,), order=1)
    if library == "numpy":
        with pytest.raises(DerivativeMismatch):
            check_grads(lambda z: z * dimflow.conj(dimflow.stop_gradient(z)), (z,))


def test_points_bare_numbers_and_empty_arrays() -> None:
    check_grads(lambda t: (t - t[0]) * (2 * u.J / u.K), (DimArray([20.0, 30.0], "degC"),))
    check_grads(lambda x: x**3, 2.0)
    check_grads(lambda x: dimflow.exp(x), (np.array([0.0, 1.0]),))
    check_grads(lambda x: x * 2, (DimArray(np.zeros((0, 3)), "m"),))
    check_grads(lambda x: x * x, (DimArray(np.array([1e-30, 3e-30]), "m"),))
    check_grads(lambda x: x * x, (DimArray(np.array([1.5, 2.0], "float32"), "m"),))
    check_grads(lambda x: x + 1e6 * u.m, (DimArray(np.linspace(1, 2, 200), "m"),))


def wrong_in_value(x: Any) -> Any:
    """As if the second factor had been forgotten."""
    return dimflow.sum(x * dimflow.stop_gradient(x))


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_wrong_derivative_is_named(mode: str) -> None:
    x = DimArray([1.0, -4.0, 2.0], "m")
    with pytest.raises(DerivativeMismatch) as caught:
        check_grads(lambda p: wrong_in_value(p["x"]), ({"x": x},), modes=(mode,))
    error = caught.value
    assert isinstance(error, AssertionError)
    assert (error.argument, error.mode, error.order) == ("args[0]['x']", mode, 1)
    assert error.expected.endswith("m**2" if mode == "forward" else "1/m")
    got, wanted = (float(text.split()[0]) for text in (error.actual, error.expected))
    np.testing.assert_allclose(got, wanted / 2, rtol=1e-5)
    if mode == "reverse":
        assert error.index == (1,)  # the largest
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert "(finite differences)" in str(error)


def test_a_mistake_in_the_second_derivative_alone() -> None:
    x = np.array([1.0, 2.0])

    def sly(x: Any) -> Any:
        """The value and slope of x³, with a slope that is constant to those who ask again."""
        frozen = dimflow.stop_gradient(x)
        return frozen**3 + 3 * frozen**2 * (x - frozen)

    check_grads(sly, (x,), order=1)
    with pytest.raises(DerivativeMismatch) as caught:
        check_grads(sly, (x,), order=2)
    assert caught.value.order == 2
    assert caught.value.mode in ("forward of forward", "reverse of forward")


def test_nan_is_never_right() -> None:
    with np.errstate(all="ignore"), pytest.raises(DerivativeMismatch) as caught:
        check_grads(lambda x: dimflow.sqrt(x * 0), (np.array([1.0, 2.0]),), order=1)
    assert caught.value.actual == "nan"


def test_options() -> None:
    x = np.array([1.0, 2.0])
    off = 1e-3

    def nearly(x: Any) -> Any:
        return x * x + off * (x - dimflow.stop_gradient(x))

    with pytest.raises(DerivativeMismatch):
        check_grads(nearly, (x,), order=1)
    check_grads(nearly, (x,), order=1, rtol=1e-2)
    with pytest.raises(UnitError, match="order"):
        check_grads(nearly, (x,), order=0)
    with pytest.raises(UnitError, match="'forward', 'reverse'"):
        check_grads(nearly, (x,), modes=("fwd",))
    with pytest.raises(UnitError, match="'forward', 'reverse'"):
        check_grads(nearly, (x,), modes="forward")
    with pytest.raises(NotANumber, match="no array of floating point"):
        check_grads(nearly, (np.array([1, 2]),))
    with pytest.raises(NotANumber, match="gives no floating point"):
        check_grads(lambda x: x > 1, (x,))


def test_every_function_of_one_sample() -> None:
    """The finite differences themselves, against derivatives that are known."""
    x = DimArray(np.array([0.3, 0.6]), "rad")
    for function in (dimflow.sin, dimflow.tan, dimflow.exp, dimflow.tanh, dimflow.special.erf):
        check_grads(function, (x,))
    check_grads(lambda a, b: dimflow.matmul(a, b), (np.ones((2, 3)), np.arange(6.0).reshape(3, 2)))
    assert dimflow.testing.check_grads is check_grads


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_a_function_sees_numbers_of_the_dtype_it_was_given(dtype: str) -> None:
    seen = set()

    def function(x: Any) -> Any:
        seen.add(str(x.dtype))
        return (x * x).sum()

    check_grads(function, (DimArray(np.ones(3, dtype), "m"),), order=1, rtol=1e-2)
    assert seen == {dtype}
