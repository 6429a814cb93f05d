"""nan_watch: it names the operation, the ranges and the line, and costs nothing when it is off."""

import inspect
import threading
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import mlx.core as mx
import numpy as np
import pytest
import torch

import dimflow
from dimflow import DimArray, nan_watch
from dimflow import units as u
from dimflow.array.interpreter import UnitInterpreter
from dimflow.array.operators import Operators
from dimflow.array.protocols import Protocols
from dimflow.autodiff import reverse
from dimflow.backends import Backend
from dimflow.errors import ComputationError, UnitError
from dimflow.torch import DimTensor

jax.config.update("jax_enable_x64", True)

MAKERS: dict[str, Callable[[Any], Any]] = {
    "numpy": lambda values: np.array(values, "float64"),
    "torch": lambda values: torch.tensor(values, dtype=torch.float64),
    "jax": lambda values: jnp.asarray(values, "float64"),
    "mlx": lambda values: mx.array(values, dtype=mx.float32),
}
each_library = pytest.mark.parametrize("library", MAKERS)
ours = pytest.mark.parametrize("library", ["numpy", "jax", "mlx"])


def make(library: str, values: Any, unit: str = "") -> Any:
    return DimArray(MAKERS[library](values), unit)


def line() -> int:
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno


def blamed(error: ComputationError, operation: str, at: int) -> None:
    assert error.operation == operation
    assert error.location.line == at  # type: ignore[attr-defined]
    assert error.location.file == __file__  # type: ignore[attr-defined]
    assert f"line {at}" in str(error)


FAULTS: dict[str, tuple[str, str, Callable[[Any, Any], Any]]] = {
    "operator": ("divide", "infinity", lambda x, t: t / x),
    "reflected": ("divide", "infinity", lambda x, t: 1.0 / x),
    "function": ("log", "infinity", lambda x, t: dimflow.log(x / u.m)),
    "numpy": ("log", "infinity", lambda x, t: np.log(x / u.m)),
    "nan": ("divide", "nan", lambda x, t: x / x),
    "power": ("pow", "infinity", lambda x, t: x**-1),
    "root": ("sqrt", "nan", lambda x, t: dimflow.sqrt(x - 1 * u.m)),
    "overflow": ("multiply", "infinity", lambda x, t: (x + 1 * u.m).astype("float32") * 1e38 * 9.0),
    "raw": ("divide", "infinity", lambda x, t: dimflow.divide(t.data, x.data)),
}


@pytest.mark.parametrize(
    ("library", "fault"),
    [
        # JAX compiles every operation for every shape
        pytest.param(
            n, f, marks=[pytest.mark.deep] if n == "jax" and f not in ("nan", "raw") else []
        )
        for n in MAKERS
        for f in FAULTS
    ],
)
def test_the_first_operation_is_named(library: str, fault: str) -> None:
    operation, what, function = FAULTS[fault]
    x, t = make(library, [0.0, 1.0, 2.0], "m"), make(library, [3.0, 4.0, 5.0], "s")
    with nan_watch(), pytest.raises(ComputationError) as caught:
        function(x, t)
    assert caught.value.operation == operation
    assert f"it gave {what} at" in caught.value.reason
    assert caught.value.location.file == __file__  # type: ignore[attr-defined]
    with np.errstate(all="ignore"):
        function(x, t)  # nobody watches any more


@each_library
def test_ranges_with_units_and_the_line(library: str) -> None:
    x, t = make(library, [0.0, 1.0, 2.0], "m"), make(library, [3.0, 4.0, 5.0], "s")
    with nan_watch():
        assert (t * x).shape == (3,)
        at = line() + 2
        with pytest.raises(ComputationError) as caught:
            t / x
    blamed(caught.value, "divide", at)
    text = str(caught.value)
    assert "infinity at 1 of 3 elements, from finite arguments" in text
    assert "3 to 5 s, of shape (3,)" in text
    assert "0 to 2 m, of shape (3,)" in text
    assert text.endswith("    t / x")


def helper(x: Any) -> Any:
    return dimflow.sum(dimflow.log(x / u.m))


@each_library
def test_the_line_is_that_of_the_innermost_own_code(library: str) -> None:
    with nan_watch(), pytest.raises(ComputationError) as caught:
        helper(make(library, [0.0, 1.0], "m"))
    blamed(caught.value, "log", inspect.getsourcelines(helper)[1] + 1)


@each_library
def test_the_way_back_names_the_forward_pass(library: str) -> None:
    def root(x: Any) -> Any:
        return dimflow.sum(dimflow.sqrt(x))

    x = make(library, [0.0, 1.0], "m")
    with nan_watch():
        assert root(x).shape == ()
        with pytest.raises(ComputationError) as caught:
            dimflow.grad(root)(x)
    blamed(caught.value, "the way back of sqrt", inspect.getsourcelines(root)[1] + 1)
    assert "0 to 1 m, of shape (2,)" in str(caught.value)
    assert "infinity at 1 of 2 elements" in str(caught.value)


@ours
def test_backward_too(library: str) -> None:
    x = make(library, [0.0, 1.0], "m").requires_grad_()
    with nan_watch():
        at = line() + 1
        y = dimflow.sqrt(x)
        z = dimflow.sum(y * 0)
        with pytest.raises(ComputationError) as caught:
            z.backward()
    blamed(caught.value, "the way back of sqrt", at)
    assert "is nan at 1 of 2 elements" in str(caught.value)
    assert x.grad is None


def test_backward_of_pytorchs_own() -> None:
    x = make("torch", [0.0, 1.0], "m").requires_grad_()
    with (
        pytest.warns(UserWarning, match="Error detected in SqrtBackward0"),
        pytest.raises(ComputationError, match="the way back of SqrtBackward0 failed: it gave nan"),
        nan_watch(),
    ):
        dimflow.sum(dimflow.sqrt(x) * 0).backward()


@each_library
def test_nan_that_was_there_is_not_blamed(library: str) -> None:
    spoilt = make(library, [float("nan"), 1.0, float("inf")], "m")
    with nan_watch():
        assert np.isnan((spoilt * 2).to_numpy()[0])
        dimflow.sum(spoilt)
        dimflow.where(
            make(library, [1.0, 0.0, 1.0]) > 0, spoilt, make(library, [1.0, 1.0, 1.0], "m")
        )
        dimflow.exp(spoilt / u.m)
        with pytest.raises(ComputationError) as caught:  # the second element is new
            spoilt / make(library, [1.0, 0.0, 1.0], "s")
    assert "at 1 of 3 elements" in str(caught.value)


def test_writes_are_watched() -> None:
    x = DimArray(np.array([1.0, 2.0]), "m")
    with nan_watch(), pytest.raises(ComputationError) as caught:
        x /= np.array([0.0, 1.0])
    assert caught.value.operation == "divide"
    assert "1 to 2 m" in str(caught.value)


def test_functions_of_numpy_and_pytorch() -> None:
    zeros = DimArray(np.zeros(2), "m")
    with nan_watch():
        for function in (
            lambda: np.divide(1.0, zeros),
            lambda: np.exp(DimArray(np.array([1.0, 1e4]))),
            lambda: np.linalg.norm(DimArray(np.array([1e300, 1e300]), "m")),
            lambda: torch.log(make("torch", [0.0])),
            lambda: torch.reciprocal(make("torch", [0.0], "s")),
        ):
            with pytest.raises(ComputationError):
                function()


def test_only_nan() -> None:
    x = DimArray(np.array([0.0, 1.0]), "m")
    with nan_watch(infinity=False):
        assert np.isinf((1.0 / x).to_numpy()[0])
        with pytest.raises(ComputationError, match="nan"):
            x / x


def test_warning_instead() -> None:
    x = DimArray(np.array([0.0, 1.0]), "m")
    with nan_watch("warn"), pytest.warns(RuntimeWarning, match=r"divide failed: it gave infinity"):
        assert np.isinf((1.0 / x).to_numpy()[0])
    with pytest.raises(UnitError, match="'raise', 'warn'"):
        nan_watch("ignore")


def test_as_a_decorator_nested_and_after_errors() -> None:
    x = DimArray(np.array([0.0, 1.0]), "m")

    @nan_watch()
    def careful(x: Any) -> Any:
        return 1.0 / x

    with pytest.raises(ComputationError):
        careful(x)
    with nan_watch():
        with nan_watch("warn"), pytest.warns(RuntimeWarning):
            assert (1.0 / x).shape == (2,)
        with pytest.raises(ComputationError):
            1.0 / x
    with np.errstate(all="ignore"):
        assert (1.0 / x).shape == (2,)


def test_other_threads_are_left_alone() -> None:
    x = DimArray(np.array([0.0, 1.0]), "m")
    found: list[Any] = []

    def elsewhere() -> None:
        with np.errstate(all="ignore"):
            found.append((1.0 / x).shape)

    with nan_watch():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert found == [(2,)]


def test_traced_functions_pass_by() -> None:
    with nan_watch():
        found = jax.jit(lambda x: 1.0 / x)(make("jax", [0.0, 1.0], "m"))
        assert np.isinf(found.to_numpy()[0])
        assert dimflow.check(lambda x: 1.0 / x, DimArray(np.zeros(2), "m")).unit == dimflow.Unit(
            "1/m"
        )


def test_it_costs_nothing_when_nobody_watches() -> None:
    """What stands on the fast path is, before and after, the very same function."""
    owners = (Operators, UnitInterpreter, Protocols, Backend, DimTensor, *DimTensor.__mro__[1:3])
    with nan_watch():  # NumPy's protocols arrive with their first use
        pass
    before = [(dict(vars(owner)), owner) for owner in owners]
    pulled = reverse.pulled
    with nan_watch():
        assert Operators.__add__ is not before[0][0]["__add__"]
        with nan_watch():
            pass
        assert reverse.pulled is not pulled
    for attributes, owner in before:
        for name, value in attributes.items():
            assert vars(owner)[name] is value, (owner, name)
    assert reverse.pulled is pulled
