"""Clipping: against PyTorch's and plain arithmetic, over mixed units by a stated scaling."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import mlx.core as mx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray, Unit, clip_by_global_norm, clip_by_norm, clip_by_value, global_norm
from dimflow import units as u
from dimflow.errors import (
    ComputationError,
    DimensionError,
    NotANumber,
    StructureMismatch,
    UnitError,
)

MAKERS: dict[str, Callable[[Any], Any]] = {
    "numpy": lambda values: np.array(values, "float32"),
    "torch": lambda values: torch.tensor(values, dtype=torch.float32),
    "jax": lambda values: jnp.asarray(values, "float32"),
    "mlx": lambda values: mx.array(values, dtype=mx.float32),
}
each_library = pytest.mark.parametrize("library", MAKERS)


def make(library: str, values: Any, unit: str) -> Any:
    return DimArray(MAKERS[library](values), unit)


def same(actual: Any, numbers: Any, unit: str) -> None:
    assert isinstance(actual, DimArray), actual
    assert actual.dimension is Unit(unit).dimension, actual.unit
    np.testing.assert_allclose(actual.to_numpy(unit), numbers, rtol=1e-5)


@dataclasses.dataclass
class Spring:
    stiffness: Any
    length: Any


SCALES = {"spring": Spring("N/m", u.m), "mass": [1 * u.kg]}


def gradients(library: str) -> Any:
    """Of an energy; in J times the scales they are (3, 4), 12 and 84."""
    return {
        "spring": Spring(make(library, [3.0, 4.0], "J*m/N"), make(library, 12.0, "J/m")),
        "mass": [make(library, [[84.0]], "J/kg")],
    }


@each_library
def test_the_norm_of_all_by_a_stated_scaling(library: str) -> None:
    grads = gradients(library)
    same(global_norm(grads, SCALES), 85.0, "J")
    clipped, norm = clip_by_global_norm(grads, 8500 * u.mJ, SCALES)
    same(norm, 85.0, "J")
    assert type(clipped["spring"]) is Spring
    same(clipped["spring"].stiffness, [0.3, 0.4], "J*m/N")
    same(clipped["spring"].length, 1.2, "J/m")
    same(clipped["mass"][0], [[8.4]], "J/kg")
    same(global_norm(clipped, SCALES), 8.5, "J")
    assert clipped["mass"][0].dtype == grads["mass"][0].dtype
    assert clipped["mass"][0].backend == library
    loose, _ = clip_by_global_norm(grads, 1 * u.kJ, SCALES)
    same(loose["mass"][0], [[84.0]], "J/kg")


def test_a_scaling_says_what_counts() -> None:
    """A length that moves by millimetres counts a thousandth of one that moves by metres."""
    grads = [DimArray([3.0], "J/m"), DimArray([4.0], "J/m")]
    same(global_norm(grads), 5.0, "J/m")
    same(global_norm(grads, [u.m, u.mm]), np.hypot(3.0, 0.004), "J")
    same(global_norm([DimArray([3.0], "J/m"), DimArray([0.04], "J/cm")]), 5.0, "J/m")


def test_mixed_dimensions_are_refused_without_a_scaling() -> None:
    grads = {"x": DimArray([3.0], "J/m"), "m": DimArray([4.0], "J/kg")}
    with pytest.raises(DimensionError, match="scales= takes a unit or a quantity") as caught:
        global_norm(grads)
    assert caught.value.names == ("grads['x']", "grads['m']")
    with pytest.raises(DimensionError):
        clip_by_global_norm(grads, 1 * u.J)
    with pytest.raises(DimensionError):
        global_norm(grads, {"x": u.m, "m": u.m})
    with pytest.raises(DimensionError, match="max_norm"):
        clip_by_global_norm(grads, 1.0, {"x": u.m, "m": u.kg})
    with pytest.raises(StructureMismatch, match=r"\['x'\], \['m'\]"):
        global_norm(grads, {"x": u.m})
    with pytest.raises(StructureMismatch):
        clip_by_norm(grads, [1 * u.N, 1 * u.N])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=4), min_size=1, max_size=4),
    st.floats(0.01, 1e3),
)
def test_clipping_is_pytorchs(numbers: list[list[float]], bound: float) -> None:
    clipped, norm = clip_by_global_norm([np.array(n) for n in numbers], bound)
    theirs = [torch.zeros(len(n), dtype=torch.float64, requires_grad=True) for n in numbers]
    for each, n in zip(theirs, numbers, strict=True):
        each.grad = torch.tensor(n, dtype=torch.float64)
    expected = torch.nn.utils.clip_grad_norm_(theirs, bound)
    np.testing.assert_allclose(norm.item(), expected.item(), rtol=1e-12, atol=1e-100)
    for mine, each in zip(clipped, theirs, strict=True):
        assert type(mine) is np.ndarray
        assert each.grad is not None
        np.testing.assert_allclose(mine, each.grad.numpy(), rtol=2e-5 / max(bound, 1e-2), atol=1e-9)


@each_library
def test_by_value_and_by_norm(library: str) -> None:
    force = make(library, [-5.0, 0.5, 4.0], "N")
    same(clip_by_value(force, 300 * u.cN), [-3.0, 0.5, 3.0], "N")
    both = clip_by_value({"f": force, "t": make(library, [7.0], "s")}, {"f": u.N, "t": 2 * u.s})
    same(both["f"], [-1.0, 0.5, 1.0], "N")
    same(both["t"], [2.0], "s")
    long = make(library, [3.0, 4.0], "N")
    same(clip_by_norm(long, 1 * u.N), [0.6, 0.8], "N")
    same(clip_by_norm(long, 10 * u.N), [3.0, 4.0], "N")
    same(clip_by_norm([long, long * 2], [1 * u.N, 5 * u.N])[1], [3.0, 4.0], "N")
    with pytest.raises(DimensionError, match="limit"):
        clip_by_value(force, 3.0)
    with pytest.raises(DimensionError, match="max_norm"):
        clip_by_norm(force, 3 * u.m)


@pytest.mark.parametrize("bound", [0.0, 1.0])
def test_a_zero_gradient_stays_zero(bound: float) -> None:
    clipped, norm = clip_by_global_norm([np.zeros(3), np.zeros((0, 2))], bound)
    assert norm.item() == 0
    assert clipped[0].tolist() == [0.0, 0.0, 0.0]
    assert clipped[1].shape == (0, 2)
    assert clip_by_norm(np.zeros(2), bound).tolist() == [0.0, 0.0]
    assert clip_by_global_norm([np.array([3.0, 4.0])], 0.0)[0][0].tolist() == [0.0, 0.0]


def test_no_square_overflows() -> None:
    clipped, norm = clip_by_global_norm([np.array([3e300, 4e300])], 5.0)
    np.testing.assert_allclose(norm.item(), 5e300)
    np.testing.assert_allclose(clipped[0], [3.0, 4.0])
    np.testing.assert_allclose(global_norm([np.array([3e-300, 4e-300])]).item(), 5e-300)


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_gradients_that_are_not_finite(bad: float) -> None:
    grads = {"a": DimArray([1.0], "N"), "b": DimArray([1.0, bad], "N")}
    with pytest.raises(ComputationError, match=r"grads\['b'\] holds infinite values or nan"):
        clip_by_global_norm(grads, 1 * u.N)
    with pytest.raises(ComputationError, match=r"grads\['b'\]"):
        clip_by_norm(grads, 1 * u.N)
    _, norm = clip_by_global_norm(grads, 1 * u.N, nonfinite="pass")
    assert not np.isfinite(norm.item())
    assert np.isnan(global_norm([DimArray([np.nan])]).item())


def test_complex_gradients() -> None:
    clipped, norm = clip_by_global_norm([np.array([3 + 4j])], 1.0)
    assert norm.item() == 5.0
    np.testing.assert_allclose(clipped[0], [0.6 + 0.8j])


def test_misuse() -> None:
    with pytest.raises(UnitError, match=">= 0"):
        clip_by_norm(np.ones(2), -1.0)
    with pytest.raises(UnitError, match=">= 0"):
        clip_by_value(np.ones(2), np.nan)
    with pytest.raises(UnitError, match="'error', 'pass'"):
        clip_by_norm(np.ones(2), 1.0, nonfinite="skip")
    with pytest.raises(UnitError, match="one number"):
        clip_by_value(np.ones(2), np.ones(2))
    with pytest.raises(StructureMismatch):
        global_norm([])
    with pytest.raises(NotANumber):
        global_norm({"a": "steep"})
    assert clip_by_global_norm([None, np.array([2.0])], 1.0)[0][0] is None


def test_the_gradient_of_a_clipped_gradient() -> None:
    """Clipping is made of ops: a derivative goes through it."""
    x = DimArray([3.0, 4.0], "N")
    found = dimflow.grad(lambda x: dimflow.sum(clip_by_norm(x, 1 * u.N)[0] * (1 * u.m)))(x)
    same(found, [16 / 125, -12 / 125], "m")
