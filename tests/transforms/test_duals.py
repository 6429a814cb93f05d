"""DualNumber: what it carries along is what dimflow.jvp gives."""

import math
import pickle
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
from dimflow import DimArray, DualNumber, Unit
from dimflow import units as u
from dimflow.errors import (
    DimensionError,
    NotANumber,
    ShapeMismatch,
    TracedValueError,
    UnitConversionError,
)

jax.config.update("jax_enable_x64", True)

MAKERS: dict[str, Callable[[Any], Any]] = {
    "numpy": lambda values: np.array(values, "float64"),
    "torch": lambda values: torch.tensor(values, dtype=torch.float64),
    "jax": lambda values: jnp.asarray(values, "float64"),
    "mlx": lambda values: mx.array(values, dtype=mx.float32),
}


def make(library: str, values: Any, unit: str) -> Any:
    return DimArray(MAKERS[library](values), unit)


def same(actual: Any, numbers: Any, unit: str) -> None:
    assert isinstance(actual, DimArray), actual
    assert actual.dimension is Unit(unit).dimension, actual.unit
    np.testing.assert_allclose(actual.to_numpy(unit), numbers, rtol=1e-5)


FUNCTIONS: list[Callable[[Any], Any]] = [
    lambda x: x * x + 3 * u.m * x,
    lambda x: 2.0 / x - x / (4.0 * u.m**2),
    lambda x: dimflow.sin(x / u.m) * dimflow.exp(-x / u.m),
    lambda x: np.sqrt(x) * np.cos(x / (2 * u.m)),
    lambda x: x**2.5 - (1 * u.m) ** 2.5,
    lambda x: abs(x - 1 * u.m) + -x,
    lambda x: x.to("cm").sum() * x,
    lambda x: dimflow.where(x > 1 * u.m, x**2, x * (1 * u.m)),
    lambda x: dimflow.hypot(x, 2 * u.m),
    lambda x: np.stack([x, 2 * x]).mean(axis=0),
    lambda x: dimflow.concat([x, x[::-1]]) * x[0],
    lambda x: (x / u.m) @ (x / u.m) * x,
]


@pytest.mark.parametrize(
    ("library", "place"),
    [
        # JAX compiles every operation for every shape
        pytest.param(n, i, marks=[pytest.mark.deep] if n == "jax" and i > 1 else [])
        for n in MAKERS
        for i in range(len(FUNCTIONS))
    ],
)
def test_dual_is_jvp(library: str, place: int) -> None:
    function = FUNCTIONS[place]
    x, dx = make(library, [0.5, 1.5], "m"), make(library, [1.0, -20.0], "cm")
    value, change = dimflow.jvp(function, (x,), (dx,), engine="own")
    found = function(DualNumber(x, dx))
    assert isinstance(found, DualNumber)
    assert found.unit == value.unit
    same(found.value, value.to_numpy(), str(value.unit))
    same(found.derivative, change.to_numpy(), str(change.unit))
    assert found.backend == library


def test_a_falling_stone() -> None:
    t = DualNumber.seed(2.0, "s")
    fall = 0.5 * (9.81 * u.m / u.s**2) * t**2
    same(fall.value, 19.62, "m")
    same(fall.derivative / t.derivative, 19.62, "m/s")


@settings(max_examples=60, deadline=None)
@given(st.floats(0.1, 10.0), st.floats(-3.0, 3.0), st.floats(0.1, 10.0), st.floats(-3.0, 3.0))
def test_the_rules_of_dual_arithmetic(a: float, da: float, b: float, db: float) -> None:
    """(a + ε da)(b + ε db) = ab + ε (a db + b da), and its kin."""
    x, y = DualNumber(a * u.m, da * u.m), DualNumber(b * u.s, db * u.s)
    product, quotient = x * y, x / y
    assert math.isclose(product.value.item(), a * b)
    assert math.isclose(product.derivative.item(), a * db + b * da, abs_tol=1e-12)
    assert math.isclose(quotient.derivative.item(), (da * b - a * db) / b**2, abs_tol=1e-12)
    total = x + DualNumber(100 * b * u.cm, 100 * db * u.cm)
    assert math.isclose(total.derivative.to("m").item(), da + db, abs_tol=1e-12)
    assert (total - total).derivative.item() == 0


def test_beside_all_kinds_of_numbers_in_both_orders() -> None:
    x = DualNumber(np.array([1.0, 2.0]) * u.m, np.array([1.0, 1.0]) * u.m)
    plain = DimArray([3.0, 4.0], "m")
    for made, change in (
        (x + plain, [1.0, 1.0]),
        (plain + x, [1.0, 1.0]),
        (plain - x, [-1.0, -1.0]),
        (x * 2, [2.0, 2.0]),
        (2.0 * x, [2.0, 2.0]),
        (np.float64(2.0) * x, [2.0, 2.0]),
        (np.array([1.0, 3.0]) * x, [1.0, 3.0]),
        (x * np.array([1.0, 3.0]), [1.0, 3.0]),
        (x + 0, [1.0, 1.0]),
        (np.add(plain, x), [1.0, 1.0]),
    ):
        assert isinstance(made, DualNumber)
        same(made.derivative, change, "m")
    assert type(plain * plain) is DimArray
    with pytest.raises(DimensionError):
        x + 1 * u.s


def test_comparison_goes_by_the_value() -> None:
    x = DualNumber(2.0 * u.m, 5.0 * u.m)
    assert x == 2 * u.m
    assert x < DualNumber(3.0 * u.m, 0.0 * u.m)
    assert max(x, DualNumber(1.0 * u.m, 1 * u.m)) is x
    assert (x / u.m > 1).dtype == bool
    steps = 0
    while x < 100 * u.m:  # Python's control flow
        x, steps = x * 2, steps + 1
    same(x.derivative, 5 * 2.0**steps, "m")


def test_dual_numbers_of_dual_numbers() -> None:
    x = DualNumber(DualNumber(2.0 * u.m, 1 * u.m), 1 * u.m)
    y = x**3
    same(y.value.value, 8.0, "m**3")
    same(y.value.derivative, 12.0, "m**3")
    same(y.derivative.value, 12.0, "m**3")
    same(y.derivative.derivative, 12.0, "m**3")
    deep = DualNumber(x, DualNumber(DualNumber(1.0 * u.m, 0 * u.m), 0 * u.m))
    same((deep**3).derivative.derivative.derivative, 6.0, "m**3")


def test_within_other_derivatives() -> None:
    def slope(x: Any) -> Any:
        """d(x²·x)/dx by dual numbers, whose derivative by x is 6x."""
        dual = DualNumber(x, dimflow.ones_like(x))
        return (dual * dual * dual).derivative

    same(dimflow.grad(slope)(3.0 * u.m), 18.0, "m**2")
    same(dimflow.jvp(slope, (3.0 * u.m,), (1.0 * u.m,))[1], 18.0, "m**3")

    def mixed(x: Any) -> Any:
        """x · (x · dy) with dy = 1 m: 2x, with x beside the dual number that it made."""
        y = DualNumber(x, dimflow.ones_like(x))
        return x * (x * y).derivative

    same(dimflow.grad(mixed)(3.0 * u.m), 6.0, "m**2")
    with dimflow.GradientTape() as tape:
        x = tape.watch(3.0 * u.m)
        y = slope(x)
    same(tape.gradient(y, x), 18.0, "m**2")
    leaf = (3.0 * u.m).requires_grad_()
    slope(leaf).backward()
    same(leaf.grad, 18.0, "m**2")


def test_a_derivative_of_a_function_of_dual_numbers() -> None:
    x = DualNumber(3.0 * u.m, 1.0 * u.m)
    found = dimflow.grad(lambda x: x**3)(x)
    assert isinstance(found, DualNumber)
    same(found.value, 27.0, "m**2")
    same(found.derivative, 18.0, "m**2")


def test_points_have_differences() -> None:
    warm = DualNumber(DimArray(20.0, "degC"), 1.8 * Unit("delta_degF"))
    same(warm.derivative, 1.0, "K")
    same(warm.to("K").value, 293.15, "K")
    same(warm.to("K").derivative, 1.0, "K")
    with pytest.raises(UnitConversionError):
        warm.to("m")


def test_what_a_dual_number_is_made_of() -> None:
    same(DualNumber(2.0, 3.0).derivative, 3.0, "")
    same(DualNumber(2.0, 3 * u.km, "km").derivative, 3000.0, "m")
    assert DualNumber([1, 2] * u.m).dtype == np.float64
    same(DualNumber([1.0, 2.0] * u.m).derivative, [0.0, 0.0], "m")
    assert DualNumber(np.float32(2) * u.m, 1 * u.m).derivative.dtype == np.float32
    same(DualNumber(1 * u.km, 1 * u.km, "m").value, 1000.0, "m")
    with pytest.raises(DimensionError, match="a derivative"):
        DualNumber(2.0 * u.m, 1.0 * u.s)
    with pytest.raises(DimensionError):
        DualNumber(2.0 * u.m, 1.0)
    with pytest.raises(ShapeMismatch, match="the value's shape"):
        DualNumber([1.0, 2.0] * u.m, [1.0] * u.m)
    with pytest.raises(NotANumber):
        DualNumber("fast")
    with pytest.raises(NotANumber):
        DualNumber(np.array([True]))
    with pytest.raises(DimensionError):
        DualNumber(2.0 * u.m, 0, "s")


def test_how_it_reads_and_leaves() -> None:
    x = DualNumber(2.0 * u.m, 0.5 * u.m)
    assert repr(x) == "DualNumber(DimArray(2.0, 'm'), DimArray(0.5, 'm'))"
    assert str(x) == "2.0 m + ε 0.5 m"
    assert f"{x:.2f}" == "2.00 m + ε 0.50 m"
    assert type(x.value) is DimArray
    assert type(x.detach()) is DimArray
    assert type(dimflow.stop_gradient(x)) is DimArray
    assert x.copy().derivative == 0.5 * u.m
    with pytest.raises(TracedValueError, match=r"x\.value or x\.derivative"):
        float(x / u.m)
    with pytest.raises(TracedValueError, match=r"x\.value or x\.derivative"):
        np.asarray(x / u.m)
    with pytest.raises(TracedValueError):
        pickle.dumps(x)
    assert x[()].derivative == 0.5 * u.m
    parts = list(DualNumber([1.0, 2.0] * u.m, [3.0, 4.0] * u.m))
    assert [p.derivative.item() for p in parts] == [3.0, 4.0]


def test_complex_numbers() -> None:
    z = DualNumber((1 + 2j) * u.V, 1j * u.V)
    same((z * z).derivative, 2j * (1 + 2j), "V**2")
    same(abs(z).derivative, (2 / math.sqrt(5)), "V")
