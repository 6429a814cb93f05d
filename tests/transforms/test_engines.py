"""Which engine runs: that of the arrays' library, ours elsewhere and on request; they agree."""

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
from dimflow import DimArray, autodiff, grad, hessian, jacobian, jvp, linearize, vjp, vmap
from dimflow import units as u
from dimflow.errors import MissingRule, UnitError
from tests.transforms.libraries import MAKERS, NATIVE, make, numbers_of, quiet_torch

pytestmark = quiet_torch


def lennard_jones(r: Any) -> Any:
    """The energy of three atoms, in J."""
    apart = r[:, None, :] - r[None, :, :] + 9 * u.nm * dimflow.eye(3)[:, :, None]
    ratio = 1 * u.nm**2 / dimflow.sum(apart**2, axis=-1)
    return dimflow.sum(2 * u.J * (ratio**6 - ratio**3))


def mixture(x: Any, y: Any) -> Any:
    """A chain of many kinds of ops, of pure numbers."""
    z = dimflow.tanh(x @ y) + dimflow.logsumexp(x, axis=0)
    return dimflow.cumulative_sum(dimflow.sort(z)) * dimflow.max(y), dimflow.linalg.norm(z)


def seen_by(library: str, transform: Any, **options: Any) -> str:
    """The type of the raw value that a function is given within a transform."""
    seen = []

    def noted(x: Any) -> Any:
        seen.append(type(x._raw).__name__)
        return dimflow.sum(x * x)

    transform(noted, **options)(make(library, [1.0, 2.0], "m"))
    return seen[-1]


@pytest.mark.parametrize("library", list(MAKERS))
@pytest.mark.parametrize(
    ("transform", "carrier"),
    [(grad, "Recorded"), (jacobian, "Recorded"), (hessian, "Recorded"), (vmap, "Batched")],
    ids=["grad", "jacobian", "hessian", "vmap"],
)
def test_native_where_there_is_one_and_own_on_request(
    library: str, transform: Any, carrier: str
) -> None:
    assert seen_by(library, transform, engine="own") == carrier
    if library in NATIVE:
        assert seen_by(library, transform) != carrier
        assert seen_by(library, transform, engine="native") != carrier
    else:
        assert seen_by(library, transform) == carrier
        with pytest.raises(MissingRule, match="leave engine= out"):
            seen_by(library, transform, engine="native")


RNG = np.random.default_rng(11)
X, Y = RNG.normal(size=(3, 2)), RNG.normal(size=(2, 2))


def every_result(library: str, engine: str | None) -> list[Any]:
    """What all transforms give for one function, as numbers; on JAX as one compiled program."""
    make_raw = MAKERS[library]
    given = [make_raw(part.tolist()) for part in (X, Y, np.cos(X), np.cos(Y))]
    results = jax.jit(transformed, static_argnums=4) if library == "jax" else transformed
    return [numbers_of(part) for part in results(*given, engine)]


def transformed(x: Any, y: Any, dx: Any, dy: Any, engine: str | None) -> list[Any]:
    ends, pull = vjp(mixture, x, y, engine=engine)
    _, push = linearize(mixture, x, y, engine=engine)
    rows = jacobian(mixture, (0, 1), mode="reverse", engine=engine)(x, y)
    columns = jacobian(mixture, (0, 1), mode="forward", engine=engine)(x, y)
    curved = hessian(lambda x, y: mixture(x, y)[1], (0, 1), engine=engine)(x, y)
    return [
        *ends,
        *pull((dimflow.sin(ends[0]), ends[1])),
        *jvp(mixture, (x, y), (dx, dy), engine=engine)[1],
        *push(dx, dy),
        *(block for row in (*rows, *columns, *curved) for block in row),
        *vmap(lambda row: mixture(row[None, :], y), engine=engine)(x),
    ]


@pytest.fixture(scope="module")
def reference() -> list[Any]:
    return every_result("numpy", None)


@pytest.mark.parametrize(
    ("library", "engine"),
    [("jax", None), ("torch", None), ("mlx", None), ("jax", "own"), ("torch", "own")],
    ids=["jax", "torch", "mlx", "jax-own", "torch-own"],
)
def test_all_engines_agree(library: str, engine: str | None, reference: list[Any]) -> None:
    found = every_result(library, engine)
    assert len(found) == len(reference) == 22
    rtol = 2e-4 if library == "mlx" else 1e-9
    for mine, wanted in zip(found, reference, strict=True):
        assert mine.shape == wanted.shape
        scale = max(1.0, np.abs(wanted).max(initial=0.0))
        np.testing.assert_allclose(mine, wanted, rtol=rtol, atol=rtol * scale)


@given(st.integers(0, 10**6))
@settings(max_examples=10)
def test_forces_add_up_to_nothing(seed: int) -> None:
    """Newton's third law, and a Hessian that a shift of all atoms does not feel."""
    places = np.random.default_rng(seed).uniform(0, 1, (3, 3)) + np.diag([1.2, 1.2, 1.2])
    forces = -grad(lennard_jones)(DimArray(places, "nm"))
    assert forces.dimension is (1 * u.N).dimension
    size = np.abs(forces.to_numpy("nN")).max()
    np.testing.assert_allclose(forces.to_numpy("nN").sum(axis=0), 0, atol=1e-9 * size)
    springs = hessian(lennard_jones)(DimArray(places, "nm")).to_numpy("N/m")
    scale = np.abs(springs).max()
    np.testing.assert_allclose(springs.sum(axis=2), 0, atol=1e-9 * scale)
    np.testing.assert_allclose(springs, springs.transpose(2, 3, 0, 1), atol=1e-9 * scale)


# Which arrays decide


@pytest.mark.parametrize("library", NATIVE)
def test_numpy_follows_other_libraries(library: str) -> None:
    other = make(library, [1.0, 2.0], "m")
    found = grad(lambda a, b: dimflow.sum(a * b))(DimArray(np.ones(2, "float32"), "kg"), other)
    assert found.backend == library
    rows = vmap(lambda a, b: a * b)(DimArray(np.ones(2, "float32"), "kg"), other)
    assert rows.backend == library
    slopes = jacobian(lambda a, b: a * b)(DimArray(np.ones(2, "float32"), "kg"), other)
    assert slopes.backend == library


def test_engines_have_two_names() -> None:
    x = DimArray([1.0], "m")
    for transform in (grad, jacobian, hessian, vmap):
        with pytest.raises(UnitError) as caught:
            transform(lambda x: dimflow.sum(x), engine="jax")(x)
        assert "the engines are 'native' and 'own'" in str(caught.value)


# The hooks of the libraries


@pytest.mark.parametrize(
    ("name", "raw"),
    [("jax", jnp.asarray), ("torch", torch.tensor), ("mlx", mx.array)],
    ids=["jax", "torch", "mlx"],
)
def test_hooks_take_and_give_raw_arrays(name: str, raw: Any) -> None:
    from dimflow.backends import backend

    library = backend(name)
    x, k = raw([[1.0, 2.0], [3.0, 4.0]]), raw(2.0)

    def both(row: Any, k: Any) -> Any:
        return (row * k, row.sum()), ()

    each, shared = library.vmap(both, (x, k), (1, None), 2)
    assert shared == ()
    np.testing.assert_allclose(np.asarray(each[0]), [[2.0, 6.0], [4.0, 8.0]])
    np.testing.assert_allclose(np.asarray(each[1]), [4.0, 6.0])
    values, push = library.linearize(lambda x, k: (x * k, k * k), (x, k))
    np.testing.assert_allclose(np.asarray(values[1]), 4.0)
    for scale in (1.0, 3.0):
        changed = push((x, raw(scale)))
        np.testing.assert_allclose(np.asarray(changed[0]), np.asarray(x) * (2.0 + scale))
        np.testing.assert_allclose(np.asarray(changed[1]), 4.0 * scale)
    rows = library.basis(3, x)
    assert rows.dtype == x.dtype
    np.testing.assert_allclose(np.asarray(rows), np.eye(3))
    shapes = library.outline(lambda x, k: (x * k, k), (x, k))
    assert shapes in (None, [(2, 2), ()])
    assert (shapes is None) == (name != "jax")


def test_the_own_engine_on_raw_arrays() -> None:
    x = np.asarray([1.0, 2.0])

    def function(x: Any) -> Any:
        return (dimflow.ops.sin(x) * x,)

    (value,), pull = autodiff.vjp(function, [x])
    np.testing.assert_allclose(value, np.sin(x) * x)
    slope = np.cos(x) * x + np.sin(x)
    np.testing.assert_allclose(pull([np.ones(2)])[0], slope)
    _, (change,) = autodiff.jvp(function, [x], [np.ones(2)])
    np.testing.assert_allclose(change, slope)
    (rows,) = autodiff.vmap(function, [np.stack([x, 2 * x])], [0])
    np.testing.assert_allclose(rows, np.stack([np.sin(x) * x, np.sin(2 * x) * 2 * x]))


@pytest.mark.parametrize("library", ["torch", "jax", "mlx"])
def test_a_native_transform_gives_way_to_ours_where_the_function_uses_what_it_follows(
    library: str,
) -> None:
    """The inner one sees its own arguments alone; what it closes over decides."""
    x = DimArray([1.0, 2.0], "m").to_backend(library)
    w = DimArray(3.0, "s").to_backend(library)
    inner = {
        "grad": lambda w: dimflow.grad(lambda x: dimflow.sum(x**2 * w))(x),
        "jvp": lambda w: dimflow.jvp(lambda x: x * x * w, (x,), (x,))[1],
        "linearize": lambda w: dimflow.linearize(lambda x: x * x * w, x)[1](x),
        "jacobian": lambda w: dimflow.jacobian(lambda x: x * x * w)(x),
        "forward": lambda w: dimflow.jacobian(lambda x: x * x * w, mode="forward")(x),
        "nth": lambda w: dimflow.nth_derivative(lambda x: x**3 * w, 2)(x),
        "vmap": lambda w: dimflow.vmap(lambda x: x * w)(x),
    }
    expected = {"grad": 6, "jvp": 10, "linearize": 10, "jacobian": 6, "forward": 6, "nth": 18}
    for name, function in inner.items():
        found = dimflow.grad(lambda w, f=function: dimflow.sum(f(w)), engine="own")(w)
        assert float(found.data) == pytest.approx(expected.get(name, 3)), name


def test_an_engine_that_was_asked_for_does_not_give_way() -> None:
    x, w = DimArray([1.0], "m").to_backend("torch"), DimArray(3.0, "s").to_backend("torch")

    def outer(w: Any) -> Any:
        return dimflow.sum(dimflow.grad(lambda x: dimflow.sum(x * w), engine="native")(x))

    with pytest.raises(UnitError, match="grad by torch, of a function that uses what ours follows"):
        dimflow.grad(outer, engine="own")(w)
