"""What plain jax.grad and its kin do with units: right, or refused."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dimflow
from dimflow import DimArray, Unit
from dimflow.errors import UnitError

X = DimArray(jnp.asarray([1.0, 2.0, 3.0]), "m")


def cubes(x: Any) -> Any:
    return dimflow.sum(x**3)


def cubic_metres(x: Any) -> Any:
    return cubes(x).to_value("m**3")


def same(actual: Any, numbers: Any, unit: str) -> None:
    assert actual.unit is Unit(unit), actual.unit
    np.testing.assert_allclose(actual.data, numbers, rtol=1e-12)


def test_the_gradient_of_a_plain_number_is_one_over_the_unit() -> None:
    same(jax.grad(cubic_metres)(X), 3 * X.data**2, "1/m")
    value, found = jax.value_and_grad(cubic_metres)(X)
    assert value == 36.0
    same(found, 3 * X.data**2, "1/m")


@pytest.mark.parametrize("wrap", [jax.jit, jax.checkpoint])
def test_inside_and_outside_of_other_transformations(wrap: Any) -> None:
    same(wrap(jax.grad(cubic_metres))(X), 3 * X.data**2, "1/m")
    same(jax.grad(wrap(cubic_metres))(X), 3 * X.data**2, "1/m")


def test_under_vmap_and_in_trees() -> None:
    rows = DimArray(jnp.arange(6.0).reshape(2, 3), "m")
    same(jax.vmap(jax.grad(cubic_metres))(rows), 3 * rows.data**2, "1/m")

    def loss(tree: Any) -> Any:
        return cubic_metres(tree["x"]) + (tree["t"] / DimArray(1.0, "s")).to_value("").sum()

    found = jax.grad(loss)({"x": X, "t": DimArray(X.data, "s")})
    same(found["x"], 3 * X.data**2, "1/m")
    same(found["t"], [1.0, 1.0, 1.0], "1/s")


def test_of_points_by_their_differences() -> None:
    warm = DimArray(jnp.asarray([20.0, 30.0]), "degC")
    found = jax.grad(lambda t: dimflow.sum(t.to_value("K")))(warm)
    assert found.unit == Unit("1/K")
    np.testing.assert_allclose(found.data, 1.0)


def test_the_gradient_of_a_quantity_is_refused_with_the_right_call() -> None:
    with pytest.raises(UnitError, match=r"dimflow\.grad\(f\)"):
        jax.grad(cubes)(X)
    same(dimflow.grad(cubes)(X), 3 * X.data**2, "m**2")


def test_vjp_of_a_quantity_is_refused_with_the_right_call() -> None:
    _, pull = jax.vjp(lambda x: x * x, X)
    with pytest.raises(UnitError, match=r"dimflow\.vjp"):
        pull(X * X)
    with pytest.raises(UnitError, match=r"dimflow\.vjp"):
        jax.jacrev(lambda x: x * x)(X)


def test_vjp_of_plain_numbers() -> None:
    _, pull = jax.vjp(lambda x: x.to_value("m") ** 2, X)
    same(pull(jnp.ones(3))[0], 2 * X.data, "1/m")


def test_jvp_has_the_units_of_changes() -> None:
    value, change = jax.jvp(lambda x: x * x, (X,), (X,))
    same(value, X.data**2, "m**2")
    same(change, 2 * X.data**2, "m**2")


def test_jacfwd_is_the_quotient_of_units() -> None:
    seconds = DimArray(jnp.asarray([1.0, 2.0]), "s")
    found = jax.jacfwd(lambda t: dimflow.sum(t) * t)(seconds)
    same(found, [[4.0, 1.0], [2.0, 5.0]], "s")
    speed = jax.jacfwd(lambda t: t * DimArray(3.0, "m/s"))(seconds)
    same(speed, 3 * np.eye(2), "m/s")
    twice = jax.jacfwd(jax.grad(cubic_metres))(X)
    same(twice, np.diag(6 * X.data), "1/m**2")


def test_what_jax_cannot_put_together_is_an_error() -> None:
    for transform in (jax.jacrev, jax.hessian):
        with pytest.raises(ValueError, match="metadata"):
            transform(cubic_metres)(X)


def test_linear_transpose() -> None:
    transposed = jax.linear_transpose(lambda x: 2 * x.to_value("m"), X)
    same(transposed(jnp.ones(3))[0], [2.0, 2.0, 2.0], "1/m")
