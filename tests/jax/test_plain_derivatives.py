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


TRANSFORMS = {
    "jacfwd": jax.jacfwd,
    "jacrev": jax.jacrev,
    "jacfwd twice": lambda f: jax.jacfwd(jax.jacfwd(f)),
    "jacrev twice": lambda f: jax.jacrev(jax.jacrev(f)),
    "hessian": jax.hessian,
}
TREE = {"a": jnp.asarray([1.0, 2.0]), "b": (3.0, [4.0])}


@pytest.mark.share(2)
@pytest.mark.parametrize(("wrap", "given"), [(lambda f: f, TREE), (jax.jit, 2.0)])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_derivatives_by_numbers_are_in_the_unit_of_the_result(
    name: str, wrap: Any, given: Any
) -> None:
    def numbers(tree: Any) -> Any:
        y = sum(jnp.sum(leaf**3) for leaf in jax.tree.leaves(tree))
        return {"y": y, "z": (2 * y,)}

    def metres(tree: Any) -> Any:
        return jax.tree.map(lambda y: DimArray(y, "m"), numbers(tree))

    expected, found = (wrap(TRANSFORMS[name](f))(given) for f in (numbers, metres))
    jax.tree.map(lambda right, quantity: same(quantity, right, "m"), expected, found)


@pytest.mark.parametrize("form", [lambda y: y, lambda y: {"y": y, "z": (2 * y, y[None])}])
def test_jacfwd_by_trees_of_quantities_and_numbers(form: Any) -> None:
    tree = {"x": X, "t": (DimArray(2.0, "s"), [jnp.asarray(3.0)])}
    found = jax.jacfwd(lambda p: form(dimflow.sum(p["x"]) * p["t"][0] * p["t"][1][0]))(tree)
    for part, factor in [(found["y"], 1), (found["z"][0], 2)] if "y" in found else [(found, 1)]:
        same(part["x"], factor * np.full(3, 6.0), "s")
        same(part["t"][0], factor * 18.0, "m")
        same(part["t"][1][0], factor * 12.0, "m*s")


def test_what_jax_cannot_put_together_is_refused_with_the_right_call() -> None:
    for transform in (jax.jacrev, jax.hessian):
        for f in (cubic_metres, cubes):
            with pytest.raises(UnitError, match=r"dimflow\.jacobian\(f\) or dimflow\.hessian\(f\)"):
                transform(f)(X)
    same(dimflow.hessian(cubes)(X), np.diag(6 * X.data), "m")
    same(dimflow.jacobian(lambda x: x * x)(X), np.diag(2 * X.data), "m")
    same(jax.jacrev(lambda x: x * x)(X / X), 2 * np.eye(3), "")  # pure numbers


def test_linear_transpose() -> None:
    transposed = jax.linear_transpose(lambda x: 2 * x.to_value("m"), X)
    same(transposed(jnp.ones(3))[0], [2.0, 2.0, 2.0], "1/m")
