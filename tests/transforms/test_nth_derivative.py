"""nth_derivative: any order along one number, against analysis and forward mode in itself."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dimflow
from dimflow import DimArray, Unit, grad, nth_derivative
from dimflow import units as u
from dimflow.errors import ShapeMismatch, UnitError
from tests.transforms.libraries import (
    compiled,
    each_engine,
    each_library,
    make,
    numbers_of,
    quiet_torch,
    same,
)

pytestmark = quiet_torch


@each_engine
@pytest.mark.parametrize(
    "n",
    [1, 2, pytest.param(3, marks=pytest.mark.deep), 4, pytest.param(5, marks=pytest.mark.deep), 6],
)
def test_orders_up_to_six(library: str, engine: str | None, n: int) -> None:
    x = make(library, [0.3, 1.2], "m")
    numbers = np.asarray([0.3, 1.2])

    def wave(x: Any) -> Any:
        return 5 * u.N * dimflow.sin(2 * x / (1 * u.m)) * dimflow.exp(-x / (1 * u.m))

    found = compiled(library, nth_derivative(wave, n, engine=engine))(x)
    # Im of (2i - 1)^n exp((2i - 1) x)
    wanted = 5 * ((2j - 1) ** n * np.exp((2j - 1) * numbers)).imag
    same(found, wanted, f"N/m**{n}", rtol=2e-5)
    assert found.unit == Unit(f"N/m**{n}")
    power = compiled(library, nth_derivative(lambda x: 1 / x, n, engine=engine))(x)
    same(power, math.factorial(n) * (-1) ** n / numbers ** (n + 1), f"m**-{n + 1}", rtol=1e-4)


def test_high_orders_by_series() -> None:
    """The own engine runs the function once, and twenty orders are no effort."""
    runs: list[int] = []
    x = np.asarray([0.3, 1.2])

    def wave(x: Any) -> Any:
        runs.append(1)
        phase = x / (1 * u.m)
        return dimflow.sin(2 * phase) * dimflow.exp(-phase)

    found = nth_derivative(wave, 20)(DimArray(x, "m"))
    same(found, ((2j - 1) ** 20 * np.exp((2j - 1) * x)).imag, "m**-20", rtol=1e-9)
    assert len(runs) == 1
    logarithm = nth_derivative(lambda x: dimflow.log(x / (1 * u.m)), 20)(DimArray(x, "m"))
    same(logarithm, -math.factorial(19) / x**20, "m**-20", rtol=1e-9)


CURVES = {
    "tanh": dimflow.tanh,
    "atan": dimflow.atan,
    "sqrt": lambda x: dimflow.sqrt(1 + x**2),
    "power": lambda x: x**2.5,
    "hypot": lambda x: dimflow.hypot(x, x * x),
    "where": lambda x: dimflow.where(x > 1, x**3, dimflow.exp(x)),
    "matrix": lambda x: dimflow.linalg.det(
        dimflow.stack(
            [dimflow.stack([x, x**2], axis=-1), dimflow.stack([x**3, x], axis=-1)], axis=-1
        )
    ),
    "inverse": lambda x: dimflow.linalg.inv(x[:, None, None] ** 2 + dimflow.eye(2))[:, 0, 1],
    "pieces": lambda x: dimflow.concat([x[:1] ** 4, dimflow.sin(x[1:])]),
    "sigmoid": lambda x: dimflow.sigmoid(x) * dimflow.logaddexp(x, 2 * x),
    "constant": lambda x: dimflow.ones(2),
}


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_series_are_forward_mode_within_itself(name: str, n: int) -> None:
    """Against JAX, whose forward mode is differentiated n times."""
    x = np.asarray([0.4, 1.3])
    mine = nth_derivative(CURVES[name], n)(x)
    theirs = jax.jit(nth_derivative(CURVES[name], n, engine="native"))(jnp.asarray(x))
    np.testing.assert_allclose(numbers_of(mine), numbers_of(theirs), rtol=1e-7, atol=1e-9)


def test_series_within_other_transforms() -> None:
    x = DimArray([0.5, 1.0], "m")

    def third(x: Any) -> Any:
        return nth_derivative(lambda x: x**5, 3)(x)

    same(grad(lambda x: dimflow.sum(third(x)))(x), 120 * np.asarray([0.5, 1.0]), "m")
    same(dimflow.vmap(third)(x), 60 * np.asarray([0.25, 1.0]), "m**2")
    within = nth_derivative(lambda x: grad(lambda y: dimflow.sum(y**3 * x))(x), 2)(x)
    same(within, 18 * np.asarray([0.5, 1.0]), "m")


@each_library
def test_order_zero_and_curves(library: str) -> None:
    t = make(library, 2.0, "s")

    def orbit(t: Any) -> Any:
        return dimflow.stack([t**3 * u.m / u.s**3, t**2 * u.m / u.s**2])

    same(nth_derivative(orbit, 0)(t), [8.0, 4.0], "m")
    same(nth_derivative(orbit, 1)(t), [12.0, 4.0], "m/s")
    same(nth_derivative(orbit, 2)(t), [12.0, 2.0], "m/s**2")
    same(nth_derivative(orbit, 4)(t), [0.0, 0.0], "m/s**4")
    same(nth_derivative(lambda a, t: a * t**2, 2, "t")(3 * u.m / u.s**2, t=t), 6.0, "m/s**2")
    warm = make(library, 20.0, "degC")
    same(nth_derivative(lambda t: t.to("K") ** 2, 2)(warm), 2.0, "")


@each_library
def test_nth_derivative_refuses(library: str) -> None:
    x = make(library, [1.0, 2.0], "m")
    for order in (-1, 1.5, "2", True):
        with pytest.raises(UnitError, match="an order is 0, 1, 2"):
            nth_derivative(lambda x: x, order)  # type: ignore[arg-type]
    with pytest.raises(ShapeMismatch, match="gives the derivatives of all by all"):
        nth_derivative(lambda x: dimflow.sum(x), 1)(x)
    with pytest.raises(ShapeMismatch, match="one array to differentiate by"):
        nth_derivative(lambda x: x[0], 1)((x, x))
    with pytest.raises(UnitError, match="by several arguments"):
        nth_derivative(lambda x: x, 1, (0,))  # type: ignore[arg-type]
