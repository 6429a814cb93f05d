"""vmap: what it gives is what a loop gives, on every library and by both engines."""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import mlx.core as mx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray, grad, hessian, jacobian, jvp, vjp, vmap
from dimflow import units as u
from dimflow.errors import (
    DimensionError,
    MissingRule,
    NotANumber,
    ShapeMismatch,
    TracedValueError,
    UnitError,
)
from tests.transforms.libraries import MAKERS, each_engine, make, numbers_of, quiet_torch, same

pytestmark = quiet_torch

ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def energy(m: Any, v: Any) -> Any:
    return dimflow.sum(0.5 * m * v**2)


def spring(x: Any, k: Any) -> Any:
    """A composite with reductions, indexing, choice and a closure."""
    stretch = dimflow.diff(x)
    force = dimflow.where(stretch > 0 * u.m, k * stretch, 2 * k * stretch)
    return dimflow.concat([force, -force[:1]]), dimflow.max(x) - x[0]


def circulating(x: Any) -> Any:
    """Matrices, sorting and scans."""
    matrix = x[:, None] * x[None, :] + 3 * u.m**2 * dimflow.eye(2)
    solved = dimflow.linalg.solve(matrix, x)
    return solved, dimflow.cumulative_sum(dimflow.sort(x)), dimflow.linalg.det(matrix)


def by_loop(function: Any, rows: Any) -> Any:
    return [function(rows[i, ...]) for i in range(rows.shape[0])]


@each_engine
def test_a_batch_is_a_loop(library: str, engine: str | None) -> None:
    m, v = make(library, ROWS, "kg"), make(library, [3.0, 4.0], "m/s")
    same(vmap(energy, in_axes=(0, None), engine=engine)(m, v), [20.5, 45.5, 70.5], "J")
    same(vmap(energy, in_axes=(1, None), engine=engine)(m, v[0]), [40.5, 54.0], "J")
    same(vmap(energy, in_axes=(-1, 0), engine=engine)(m, v), [40.5, 96.0], "J")
    found = vmap(lambda m, v: m * v, in_axes=(0, None), out_axes=1, engine=engine)(m, v)
    same(found, np.asarray(ROWS).T * [[3.0], [4.0]], "kg*m/s")
    assert found.backend == library
    found = vmap(lambda m, v: m * v, in_axes=(0, None), out_axes=-1, engine=engine)(m, v)
    assert found.shape == (2, 3)


@each_engine
def test_composites_are_as_in_a_loop(library: str, engine: str | None) -> None:
    x = make(library, [[1.0, 3.0, 2.0], [0.5, 0.1, 0.2]], "m")
    k = make(library, [10.0, 20.0], "N/cm")
    force, reach = vmap(spring, engine=engine)(x, k)
    for i in range(2):
        one_force, one_reach = spring(x[i, ...], k[i])
        same(force[i, ...], numbers_of(one_force), str(one_force.unit))
        same(reach[i], numbers_of(one_reach), str(one_reach.unit))
    if library != "array_api_strict":
        rows = make(library, ROWS, "m")
        found = vmap(circulating, engine=engine)(rows)
        for i, one in enumerate(by_loop(circulating, rows)):
            for part, wanted in zip(found, one, strict=True):
                same(part[i, ...], numbers_of(wanted), str(wanted.unit), rtol=1e-4)


@dataclasses.dataclass
class Body:
    mass: Any
    name: str
    speed: Any = None


class Pair(NamedTuple):
    first: Any
    second: Any


@each_engine
def test_structures_in_and_out(library: str, engine: str | None) -> None:
    m, v = make(library, [1.0, 2.0], "kg"), make(library, [3.0, 4.0], "m/s")

    def step(body: Any, rest: Any, *, scale: Any) -> Any:
        assert body.name == "comet"
        out = {"p": body.mass * body.speed, "none": None}
        return Pair([out], (rest["w"] * scale, body.mass > 1.5 * u.kg, 3.0, True))

    wide = make(library, [[1.0, 2.0]], "m")
    axes = (Body(0, "", 0), {"w": 1})
    found = vmap(step, in_axes=axes, engine=engine)(
        Body(m, "comet", v), {"w": wide}, scale=make(library, [10.0, 100.0], "")
    )
    assert type(found) is Pair
    same(found.first[0]["p"], [3.0, 8.0], "kg*m/s")
    assert found.first[0]["none"] is None
    same(found.second[0], [[10.0], [200.0]], "m")
    assert np.asarray(found.second[1]).tolist() == [False, True]
    assert np.asarray(found.second[2]).tolist() == [3.0, 3.0]
    assert np.asarray(found.second[3]).tolist() == [True, True]
    out = vmap(lambda x: {"a": x, "b": (x, x)}, out_axes={"a": 0, "b": (1, -1)}, engine=engine)(
        make(library, ROWS, "m")
    )
    assert (out["a"].shape, out["b"][0].shape, out["b"][1].shape) == ((3, 2), (2, 3), (2, 3))


@each_engine
def test_what_all_calls_share(library: str, engine: str | None) -> None:
    x, k = make(library, ROWS, "m"), make(library, 2.0, "N/m")
    if library == "mlx" and engine is None:
        with pytest.raises(MissingRule, match="no out_axes=None on mlx arrays"):
            vmap(lambda x: (x, k), out_axes=(0, None))(x)
        return
    force, shared = vmap(lambda x: (k * x, 2 * k), out_axes=(0, None), engine=engine)(x)
    same(force, 2 * np.asarray(ROWS), "N")
    same(shared, 4.0, "N/m")
    with pytest.raises(ShapeMismatch, match="depends on a batched argument"):
        vmap(lambda x: (k * x, 2 * x), out_axes=(0, None), engine=engine)(x)
    same(vmap(lambda x: 2 * k, engine=engine)(x), [4.0] * 3, "N/m")
    same(vmap(lambda k: 2 * k, in_axes=None, axis_size=3, engine=engine)(k), [4.0] * 3, "N/m")


@each_engine
def test_transforms_within_and_around(library: str, engine: str | None) -> None:
    x = make(library, ROWS, "m")

    def potential(r: Any) -> Any:
        return dimflow.sum(r**3) * (1 * u.N / u.m**2)

    squares = np.asarray(ROWS) ** 2
    forces = vmap(grad(potential, engine=engine), engine=engine)(x)
    same(forces, 3 * squares, "N")
    total = grad(lambda x: dimflow.sum(vmap(potential, engine=engine)(x)), engine=engine)(x)
    same(total, 3 * squares, "N")
    nested = vmap(vmap(lambda e: e * e, engine=engine), engine=engine)(x)
    same(nested, squares, "m**2")
    bent = vmap(hessian(potential, engine=engine), engine=engine)(x)
    same(bent, [np.diag(6 * np.asarray(row)) for row in ROWS], "N/m")
    slopes = jacobian(vmap(potential, engine=engine), engine=engine)(x)
    same(slopes, np.eye(3)[:, :, None] * (3 * squares)[:, None, :].transpose(1, 0, 2), "N")
    _, change = jvp(vmap(potential, engine=engine), (x,), (x,), engine=engine)
    same(change, 3 * (squares * ROWS).sum(axis=1), "J")
    _, pull = vjp(vmap(potential, engine=engine), x, engine=engine)
    same(pull(make(library, [1.0, 2.0, 3.0], "1/J"))[0], 3 * squares * [[1.0], [2.0], [3.0]], "1/m")


@each_engine
def test_closed_over_values_are_followed(library: str, engine: str | None) -> None:
    """The gradient reaches what the batched function only closes over."""
    x, k = make(library, [1.0, 2.0, 3.0], "m"), make(library, 2.0, "N/m")

    def work(k: Any) -> Any:
        return dimflow.sum(vmap(lambda r: k * r * r, engine=engine)(x))

    same(grad(work, engine=engine)(k), 14.0, "m**2")
    outer = vmap(lambda a: vmap(lambda b: a * b, engine=engine)(x), engine=engine)(x)
    same(outer, np.outer([1, 2, 3], [1, 2, 3]), "m**2")


@each_engine
def test_points_stay_points(library: str, engine: str | None) -> None:
    warm = make(library, [[20.0, 30.0], [0.0, 10.0]], "degC")
    found = vmap(dimflow.mean, engine=engine)(warm)
    assert str(found.unit) == str(warm.unit)
    np.testing.assert_allclose(found.to_numpy("K"), [298.15, 278.15], rtol=1e-6)


@each_engine
def test_plain_arrays_stay_plain(library: str, engine: str | None) -> None:
    raw = MAKERS[library](ROWS)
    found = vmap(lambda r: dimflow.sum(r * r), engine=engine)(raw)
    assert type(found) is type(raw)
    np.testing.assert_allclose(np.asarray(found), [5.0, 25.0, 61.0])
    same(vmap(lambda r: u.m * dimflow.sum(r), engine=engine)(raw), [3.0, 7.0, 11.0], "m")


@each_engine
def test_no_calls_at_all(library: str, engine: str | None) -> None:
    nothing = dimflow.reshape(make(library, [], "m"), shape=(0, 2))
    found = vmap(lambda r: (r**2, dimflow.sum(r)), engine=engine)(nothing)
    assert [part.shape for part in found] == [(0, 2), (0,)]
    assert [str(part.unit) for part in found] == ["m**2", "m"]


@each_engine
def test_integers_and_masks(library: str, engine: str | None) -> None:
    x = make(library, ROWS, "m")
    found = vmap(lambda r: (dimflow.argmax(r), r > 2.5 * u.m), engine=engine)(x)
    assert np.asarray(found[0]).tolist() == [1, 1, 1]
    assert np.asarray(found[1]).tolist() == [[False, False], [True, True], [True, True]]


@each_engine
def test_batched_indices(library: str, engine: str | None) -> None:
    x = make(library, [10.0, 11.0, 12.0], "m")
    order = {"torch": torch.tensor, "jax": jnp.asarray, "mlx": mx.array}.get(library, np.asarray)
    if library == "array_api_strict":
        order = dimflow.backends.backend(library).asarray
    places = order([2, 0])
    picked = vmap(lambda x, i: dimflow.take(x, i, axis=0), in_axes=(None, 0), engine=engine)
    same(picked(x, places), [12.0, 10.0], "m")
    if library != "array_api_strict":
        direct = vmap(lambda x, i: x[i] ** 2, in_axes=(None, 0), engine=engine)
        same(direct(x, places), [144.0, 100.0], "m**2")


@given(
    st.integers(1, 4), st.integers(1, 3), st.integers(0, 1), st.integers(-2, 1), st.integers(0, 99)
)
@settings(max_examples=30)
def test_any_axes(n: int, m: int, first: int, out: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, m)), rng.normal(size=(n, m))

    def function(a: Any, b: Any) -> Any:
        return dimflow.cumulative_sum(a) * b[..., -1] + dimflow.max(b) * a

    moved = np.moveaxis(x, 0, first)
    found = vmap(function, in_axes=(first, 0), out_axes=out)(DimArray(moved, "m"), DimArray(y, "s"))
    rows = [np.cumsum(a) * b[-1] + b.max() * a for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(found.to_numpy("m*s"), np.stack(rows, axis=out), rtol=1e-12)


def test_jax_and_torch_batch_natively() -> None:
    """One program for the whole batch, as their own vmaps make it."""
    x = jnp.asarray(ROWS)
    ours = jax.make_jaxpr(vmap(lambda r: dimflow.sum(r * r)))(DimArray(x, ""))
    theirs = jax.make_jaxpr(jax.vmap(lambda r: jnp.sum(r * r)))(x)
    assert len(ours.eqns) == len(theirs.eqns)
    seen: list[bool] = []

    def noted(r: Any) -> Any:
        seen.append(torch._C._functorch.is_batchedtensor(r.data))
        return r * r

    vmap(noted)(make("torch", ROWS, "m"))
    assert seen == [True]


def test_what_a_library_cannot_batch_runs_in_a_loop() -> None:
    matrices = mx.array(np.asarray([[[2.0, 1.0], [1.0, 3.0]], [[1.0, 0.0], [0.5, 1.0]]], "float32"))
    with pytest.raises(ValueError, match="Not implemented"):
        mx.vmap(lambda a: mx.linalg.qr(a, stream=mx.cpu))(matrices)
    found = vmap(lambda a: dimflow.linalg.qr(a)[1] ** 2)(DimArray(matrices, "m"))
    wanted = [np.linalg.qr(np.asarray(a))[1] ** 2 for a in matrices]
    same(found, wanted, "m**2")
    rows = torch.tensor(ROWS)
    with pytest.raises(RuntimeError, match="broadcast shape"):
        torch.func.vmap(lambda r: torch.zeros(2).add_(r))(rows)
    found = vmap(lambda r: torch.zeros(2).add_(r))(rows)
    np.testing.assert_allclose(found.numpy(), ROWS)


@each_engine
def test_a_draw_is_made_once_for_all(library: str, engine: str | None) -> None:
    x = make(library, [1.0, 2.0, 4.0], "m")
    rng = dimflow.random.default_rng(7)
    found = vmap(lambda r: r * rng.standard_normal(), engine=engine)(x)
    drawn = np.random.default_rng(7).standard_normal()
    same(found, drawn * np.asarray([1.0, 2.0, 4.0]), "m")
    if library == "torch":
        shared = numbers_of(vmap(lambda r: torch.rand(()) + 0 * r / (1 * u.m), engine=engine)(x))
        assert len(set(shared.tolist())) == 1


# Bad input


@each_engine
def test_a_unit_error_is_that_of_one_call(library: str, engine: str | None) -> None:
    x = make(library, ROWS, "m")

    def wrong(r: Any) -> Any:
        return r + 1 * u.s

    with pytest.raises(DimensionError) as one:
        wrong(x[0, ...])
    with pytest.raises(DimensionError) as many:
        vmap(wrong, engine=engine)(x)
    assert str(many.value) == str(one.value)


@each_engine
def test_a_branch_on_a_value_is_refused(library: str, engine: str | None) -> None:
    x = make(library, [1.0, -2.0], "m")
    with pytest.raises(TracedValueError) as caught:
        vmap(lambda r: r if r > 0 * u.m else -r, engine=engine)(x)
    assert str(caught.value) == (
        "a branch on an array that is being batched\n"
        "  hint:  choose by dimflow.where(condition, x, y) or dimflow.cond instead of by if"
    )
    same(vmap(lambda r: dimflow.where(r > 0 * u.m, r, -r), engine=engine)(x), [1.0, 2.0], "m")


@each_engine
def test_wrong_axes_are_named(library: str, engine: str | None) -> None:
    x, y = make(library, ROWS, "m"), make(library, [1.0, 2.0], "s")

    def of(function: Any, *args: Any, **options: Any) -> Any:
        return vmap(function, engine=engine, **options)(*args)

    with pytest.raises(ShapeMismatch) as caught:
        of(lambda p, y: y, {"x": [x]}, y)
    assert caught.value.actual == "3 in args[0]['x'][0], 2 in args[1]"
    with pytest.raises(ShapeMismatch, match="3 in args\\[0\\], 4 in axis_size"):
        of(lambda x: x, x, axis_size=4)
    with pytest.raises(ShapeMismatch, match=r"args\[1\] with an axis 1 to batch along"):
        of(lambda x, y: x, x, y, in_axes=(0, 1))
    with pytest.raises(ShapeMismatch, match=r"args\[1\] with an axis 0") as caught:
        of(lambda x, y: x, x, 2.0)
    assert caught.value.hint == "in_axes=None for an argument that all calls share"
    with pytest.raises(UnitError, match="nothing is batched"):
        of(lambda x: x, x, in_axes=None)
    with pytest.raises(ShapeMismatch, match="3 axes for 2 arguments"):
        of(lambda x, y: x, x, y, in_axes=(0, 0, 0))
    with pytest.raises(UnitError, match=r"in_axes=\[0, 0\] for args\[0\], a dict"):
        of(lambda p: p, {"x": x}, in_axes=([0, 0],))
    with pytest.raises(UnitError, match="in_axes='0'"):
        of(lambda x: x, x, in_axes="0")
    with pytest.raises(UnitError, match=r"out_axes=\(0, 1\) for the result"):
        of(lambda x: x, x, out_axes=(0, 1))
    with pytest.raises(ShapeMismatch, match="enough axes for the batch to be number 2"):
        of(lambda x: x, x, out_axes=2)
    with pytest.raises(NotANumber, match="str 'text', for result"):
        of(lambda x: {"a": "text"}, x)
    with pytest.raises(UnitError, match="the engines are"):
        vmap(lambda x: x, engine="both")(x)


def test_arguments_by_name_are_named() -> None:
    x, y = DimArray(ROWS, "m"), DimArray([1.0, 2.0], "s")
    with pytest.raises(ShapeMismatch, match=r"3 in args\[0\], 2 in more\['y'\]"):
        vmap(lambda x, more: x)(x, more={"y": y})
    with pytest.raises(ShapeMismatch, match="g with an axis 0 to batch along") as caught:
        vmap(lambda x, g: x)(x, g=9.81 * u.m / u.s**2)
    assert "give what all calls share by position, or bind it" in str(caught.value)


def test_a_batch_goes_by_the_engine_that_follows_what_it_closes_over() -> None:
    x, k = make("torch", [1.0, 2.0], "m"), make("torch", 2.0, "N/m")

    def work(k: Any) -> Any:
        return dimflow.sum(vmap(lambda r: k * r * r)(x))

    assert float(grad(work, engine="own")(k).data) == 5.0


def test_names_and_docs_stay() -> None:
    assert vmap(energy).__name__ == "energy"
    assert dimflow.vmap is vmap


def test_a_batched_value_can_be_shown() -> None:
    shown: list[str] = []

    def note(x: Any) -> Any:
        shown.extend([str(x), repr(x), f"{x:.2f}"])
        return x

    vmap(note)(DimArray(np.ones((2, 3)), "m"))
    text = "<float64[3] in each of 2 calls>"
    assert shown == [f"{text} m", f"DimArray({text}, 'm')", f"{text} m"]
