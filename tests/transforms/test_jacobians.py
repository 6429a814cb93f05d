"""jacobian, hessian, hvp: against differences, the raw libraries and analysis."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray, grad, hessian, hvp, jacobian
from dimflow import units as u
from dimflow.errors import DimensionError, NotANumber, ShapeMismatch, UnitError
from tests.transforms.libraries import (
    MAKERS,
    compiled,
    each_engine,
    each_library,
    make,
    quiet_torch,
    same,
)

pytestmark = quiet_torch

MODES = ("auto", "forward", "reverse")
each_way = pytest.mark.parametrize("mode", ["forward", "reverse"])


def polar(r: Any, angle: Any) -> Any:
    """Two results of two arguments, of three dimensions."""
    return dimflow.stack([r * dimflow.cos(angle), r * dimflow.sin(angle)]), r**2


def curved(x: Any, m: Any) -> Any:
    """One number that depends on every pair of its arguments' elements."""
    return dimflow.sum(m * x**2) * (1 / u.s**2) + dimflow.sum(m) * dimflow.prod(x) / u.s**2


@each_engine
@pytest.mark.parametrize("mode", MODES)
def test_shapes_structure_and_units(library: str, engine: str | None, mode: str) -> None:
    r, angle = make(library, 2.0, "m"), make(library, [0.0, 30.0, 60.0], "deg")
    slopes = jacobian(polar, argnums=(0, 1), mode=mode, engine=engine)
    found = compiled(library, slopes)(r, angle)
    (place_by_r, place_by_angle), (area_by_r, area_by_angle) = found
    c, s = np.cos(np.pi / 6 * np.arange(3)), np.sin(np.pi / 6 * np.arange(3))
    same(place_by_r, [c, s], "")
    same(place_by_angle, np.stack([np.diag(-2 * s), np.diag(2 * c)]), "m/rad")
    same(area_by_r, 4.0, "m")
    same(area_by_angle, [0.0, 0.0, 0.0], "m**2/rad")
    assert str(place_by_angle.unit) == "m/deg"
    assert place_by_angle.backend == library
    same(jacobian(polar, 1, mode=mode, engine=engine)(r, angle)[1], [0.0] * 3, "m**2/rad")
    same(jacobian(polar, "r", mode=mode, engine=engine)(r, angle=angle)[1], 4.0, "m")


@dataclasses.dataclass
class State:
    place: Any
    speed: Any


@each_engine
@each_way
def test_structures_within_structures(library: str, engine: str | None, mode: str) -> None:
    state = {
        "now": State(make(library, [1.0, 2.0], "m"), make(library, [3.0, 4.0], "m/s")),
        "a": None,
    }

    def step(state: Any, dt: Any) -> Any:
        now = state["now"]
        return [State(now.place + now.speed * dt, 2 * now.speed), None]

    found = jacobian(step, mode=mode, engine=engine)(state, 10 * u.s)
    assert type(found) is list
    assert type(found[0]) is State
    assert found[1] is None
    assert found[0].place["a"] is None
    same(found[0].place["now"].place, np.eye(2), "")
    same(found[0].place["now"].speed, 10 * np.eye(2), "s")
    same(found[0].speed["now"].place, np.zeros((2, 2)), "1/s")
    same(found[0].speed["now"].speed, 2 * np.eye(2), "")


@each_engine
@each_way
def test_points_differ_by_differences(library: str, engine: str | None, mode: str) -> None:
    warm = make(library, [20.0, 30.0], "degC")
    same(jacobian(lambda t: t.to("K"), mode=mode, engine=engine)(warm), np.eye(2), "K/delta_degC")
    mean = jacobian(lambda t: dimflow.mean(t), mode=mode, engine=engine)(warm)
    same(mean, [0.5, 0.5], "")
    same(hessian(lambda t: t[0].to("K") ** 2, engine=engine)(warm), [[2.0, 0.0], [0.0, 0.0]], "")


@each_engine
@each_way
def test_results_beside(library: str, engine: str | None, mode: str) -> None:
    x = make(library, [1.0, 2.0], "m")

    def both(x: Any) -> Any:
        return x**2, {"double": 2 * x, "long": x > 1.5 * u.m, "name": "run"}

    found, beside = jacobian(both, mode=mode, has_aux=True, engine=engine)(x)
    same(found, np.diag([2.0, 4.0]), "m")
    same(beside["double"], [2.0, 4.0], "m")
    assert np.asarray(beside["long"]).tolist() == [False, True]
    assert beside["name"] == "run"
    second, beside = hessian(
        lambda x: (dimflow.sum(x**3), {"x": 2 * x}), has_aux=True, engine=engine
    )(x)
    same(second, np.diag([6.0, 12.0]), "m")
    same(beside["x"], [2.0, 4.0], "m")


@each_engine
@pytest.mark.parametrize("mode", MODES)
def test_empty_arrays_and_single_numbers(library: str, engine: str | None, mode: str) -> None:
    def of(function: Any, x: Any) -> Any:
        return jacobian(function, mode=mode, engine=engine)(x)

    same(of(lambda x: x**2, make(library, 3.0, "m")), 6.0, "m")
    same(of(lambda x: x**2, make(library, [[3.0]], "m")), [[[[6.0]]]], "m")
    nothing = dimflow.reshape(make(library, [], "m"), shape=(0, 2))
    same(of(lambda x: x**2, nothing), np.zeros((0, 2, 0, 2)), "m")
    same(of(lambda x: dimflow.sum(x) * u.s, nothing), np.zeros((0, 2)), "s")
    same(of(lambda x: (x[:0] / u.s, x), make(library, [1.0, 2.0], "m"))[0], np.zeros((0, 2)), "1/s")
    same(of(lambda x: (x[:0] / u.s, x), make(library, [1.0, 2.0], "m"))[1], np.eye(2), "")
    same(of(lambda x: x[:0] / u.s, make(library, [1.0, 2.0], "m")), np.zeros((0, 2)), "1/s")


@each_engine
@each_way
def test_what_a_result_does_not_depend_on(library: str, engine: str | None, mode: str) -> None:
    x, y = make(library, [1.0, 2.0], "m"), make(library, [3.0], "s")
    constant = make(library, [1.0, 1.0, 1.0], "kg")
    found = jacobian(lambda x, y: (constant, 3.0, y), (0, 1), mode=mode, engine=engine)(x, y)
    same(found[0][0], np.zeros((3, 2)), "kg/m")
    same(found[1][0], np.zeros(2), "1/m")
    same(found[2][0], np.zeros((1, 2)), "s/m")
    same(found[2][1], [[1.0]], "")


def differences(function: Any, *places: Any, step: float = 1e-6) -> list[Any]:
    """The Jacobians of a function of NumPy arrays by central differences."""
    found = []
    for k, place in enumerate(places):
        columns = []
        for index in np.ndindex(place.shape):
            ends = []
            for sign in (1, -1):
                moved = place.copy()
                moved[index] += sign * step
                ends.append(function(*places[:k], moved, *places[k + 1 :]))
            columns.append((ends[0] - ends[1]) / (2 * step))
        shape = np.shape(columns[0]) + place.shape
        found.append(np.stack(columns, axis=-1).reshape(shape))
    return found


@each_engine
@each_way
def test_against_differences(library: str, engine: str | None, mode: str) -> None:
    rng = np.random.default_rng(5)
    a, x = rng.uniform(0.5, 2, (3, 2)), rng.uniform(0.5, 2, (2, 2))

    def raw(a: Any, x: Any) -> Any:
        return np.tanh(a @ x) / np.sqrt(1 + (a**2).sum())

    def quantities(a: Any, x: Any) -> Any:
        product = (a @ x) / (1 * u.N * u.m)
        return dimflow.tanh(product) / dimflow.sqrt(1 * u.N**2 + dimflow.sum(a**2))

    given_a, given_x = make(library, a.tolist(), "N"), make(library, x.tolist(), "m")
    slopes = jacobian(quantities, (0, 1), mode=mode, engine=engine)
    by_a, by_x = compiled(library, slopes)(given_a, given_x)
    expected_a, expected_x = differences(raw, a, x)
    same(by_a, expected_a, "N**-2", rtol=2e-5)
    same(by_x, expected_x, "1/(N*m)", rtol=2e-5)


def plain(raw: Any) -> Any:
    """The numbers of a raw array; PyTorch conjugates them only when somebody looks."""
    return np.asarray(raw.resolve_conj() if isinstance(raw, torch.Tensor) else raw)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda z: z**3, lambda z: np.diag(3 * z**2)),
        (lambda z: dimflow.exp(z) * dimflow.sum(z), None),
    ],
    ids=["cube", "product"],
)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("library", ["numpy", "jax", "torch"])
def test_holomorphic_functions(library: str, mode: str, function: Any, expected: Any) -> None:
    z = np.asarray([1 + 2j, 0.5 - 1j])
    given_z = {"numpy": np.asarray, "jax": jnp.asarray, "torch": torch.as_tensor}[library](z)
    found = plain(jacobian(function, mode=mode, holomorphic=True)(given_z))
    if expected is None:
        wanted = jax.jacfwd(lambda z: jnp.exp(z) * jnp.sum(z), holomorphic=True)(z)
    else:
        wanted = expected(z)
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


@pytest.mark.parametrize("library", ["numpy", "jax", "torch"])
def test_complex_numbers_by_the_convention_of_jax(library: str) -> None:
    z = np.asarray([1 + 2j, 0.5 - 1j])
    maker = {"numpy": np.asarray, "jax": jnp.asarray, "torch": torch.as_tensor}[library]
    rows = jacobian(lambda z: dimflow.abs(z) ** 2)(maker(z))
    np.testing.assert_allclose(plain(rows), jax.jacrev(lambda z: jnp.abs(z) ** 2)(z), rtol=1e-9)
    x = np.asarray([1.0, 2.0])
    columns = jacobian(lambda x: dimflow.exp(1j * x))(maker(x))
    wanted = jax.jacfwd(lambda x: jnp.exp(1j * x))(x)
    np.testing.assert_allclose(plain(columns), wanted, rtol=1e-9)
    with pytest.raises(NotANumber, match="say holomorphic=True"):
        jacobian(lambda z: z**2)(maker(z))
    with pytest.raises(NotANumber, match="forward mode needs a number, but got complex numbers"):
        jacobian(lambda z: z**2, mode="forward")(maker(z))
    with pytest.raises(
        NotANumber, match="holomorphic=True needs a number, but got a real argument"
    ):
        jacobian(lambda z: z**2, holomorphic=True)(maker(x))
    with pytest.raises(NotANumber, match="real numbers"):
        jacobian(lambda z: dimflow.abs(z), holomorphic=True, mode="reverse")(maker(z))


def test_columns_where_there_are_fewer_inputs() -> None:
    """Seen from the values that the function is given, by the own engine."""
    batches: list[str] = []

    def wide(x: Any) -> Any:
        batches.append(type(x._raw).__name__)
        return dimflow.broadcast_to(x, shape=(5, 2))

    jacobian(wide)(DimArray([1.0, 2.0], "m"))
    assert batches == ["Recorded", "Dual"]  # seen to be wide, then columns
    batches.clear()
    jacobian(lambda x: dimflow.sum(wide(x)))(DimArray([1.0, 2.0], "m"))
    assert batches == ["Recorded"]


# Hessians


@each_engine
def test_hessians_have_blocks_of_their_own_units(library: str, engine: str | None) -> None:
    x, m = make(library, [1.0, 2.0], "m"), make(library, [3.0, 4.0, 5.0][:2], "kg")
    found = compiled(library, hessian(curved, (0, 1), engine=engine))(x, m)
    same(found[0][0], [[6.0, 7.0], [7.0, 8.0]], "kg/s**2")
    same(found[0][1], [[2 + 2.0, 2.0], [1.0, 1 + 4.0]], "m/s**2")
    same(found[1][0], [[2 + 2.0, 1.0], [2.0, 1 + 4.0]], "m/s**2")
    same(found[1][1], np.zeros((2, 2)), "J/kg**2")
    by_name = hessian(lambda p: curved(p["x"], p["m"]), engine=engine)
    named = compiled(library, by_name)({"x": x, "m": m})
    assert set(named) == set(named["x"]) == {"x", "m"}
    same(named["x"]["m"], [[4.0, 2.0], [1.0, 5.0]], "J/(m*kg)")
    one = compiled(library, hessian(curved, engine=engine))(x, m)
    same(one, [[6.0, 7.0], [7.0, 8.0]], "kg/s**2")


@each_engine
def test_hessians_of_arrays(library: str, engine: str | None) -> None:
    x = make(library, [1.0, 2.0], "m")
    expected = np.zeros((2, 2, 2))
    expected[0, 0, 0], expected[1, 1, 1] = 6.0, 12.0
    same(hessian(lambda x: x**3, engine=engine)(x), expected, "m")


def energies(x: Any, sum_: Any, exp: Any, sqrt: Any) -> Any:
    return sum_(exp(-x * x)) * sqrt(1 + sum_(x * x)) + sum_(x[:1] * x[1:2] ** 3)


@pytest.mark.parametrize("library", list(MAKERS))
def test_hessians_of_raw_arrays_are_those_of_jax_and_torch(library: str) -> None:
    x = np.linspace(0.3, 1.1, 4)
    by_jax = jax.hessian(lambda x: energies(x, jnp.sum, jnp.exp, jnp.sqrt))(x)
    by_torch = torch.func.hessian(lambda x: energies(x, torch.sum, torch.exp, torch.sqrt))(
        torch.as_tensor(x)
    )
    found = hessian(lambda x: energies(x, dimflow.sum, dimflow.exp, dimflow.sqrt))(
        MAKERS[library](x.tolist())
    )
    assert type(found) is type(MAKERS[library](x.tolist()))
    rtol = 1e-4 if library == "mlx" else 1e-9
    np.testing.assert_allclose(np.asarray(found), by_jax, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(np.asarray(found), by_torch.numpy(), rtol=rtol, atol=rtol)


lengths = st.sampled_from(["m", "km", "inch", "au", "angstrom"])
masses = st.sampled_from(["kg", "g", "lb", "u", "solMass"])
pairs = st.lists(st.floats(0.5, 2.0), min_size=2, max_size=2)


@given(pairs, pairs, lengths, masses)
@settings(max_examples=15)
def test_schwarz_and_homogeneity_in_any_units(x: Any, m: Any, length: str, mass: str) -> None:
    """Second derivatives do not depend on their order, nor on the units chosen."""
    metres, kilograms = DimArray(x, "m"), DimArray(m, "kg")
    given_x, given_m = metres.to(length), kilograms.to(mass)
    found = hessian(curved, (0, 1))(given_x, given_m)
    expected = hessian(curved, (0, 1))(metres, kilograms)
    for i, row in enumerate(found):
        for j, block in enumerate(row):
            wanted = expected[i][j]
            assert block.dimension is wanted.dimension
            scale = np.max(np.abs(wanted.to_numpy(wanted.unit)), initial=1e-300)
            numbers = block.to_numpy(wanted.unit)
            np.testing.assert_allclose(numbers, wanted.to_numpy(wanted.unit), atol=1e-9 * scale)
            mirrored = found[j][i].to_numpy(block.unit).T
            np.testing.assert_allclose(block.to_numpy(block.unit), mirrored, rtol=1e-9)


@given(pairs, lengths, st.integers(1, 4))
@settings(max_examples=15)
def test_eulers_theorem_on_homogeneous_functions(x: Any, length: str, degree: int) -> None:
    """x · ∇f = k f and x · H x = k (k - 1) f, for f of degree k."""

    def potential(r: Any) -> Any:
        return 3 * u.J / u.m**degree * dimflow.sqrt(dimflow.sum(r**2)) ** degree

    r = DimArray(x, length)
    value = potential(r)
    first, second = grad(potential)(r), hessian(potential)(r)
    np.testing.assert_allclose((dimflow.sum(first * r) / value).to_value(""), degree, rtol=1e-9)
    twice = dimflow.sum(r * (second @ r)) / value
    np.testing.assert_allclose(twice.to_value(""), degree * (degree - 1), atol=1e-8)


@each_engine
def test_third_derivatives(library: str, engine: str | None) -> None:
    x = make(library, [1.0, 2.0], "m")
    second = hessian(lambda x: dimflow.prod(x) * x[0], engine=engine)
    third = compiled(library, jacobian(second, engine=engine))(x)
    expected = np.zeros((2, 2, 2))
    expected[0, 0, 1] = expected[0, 1, 0] = expected[1, 0, 0] = 2.0
    same(third, expected, "")


# hvp


@each_engine
def test_hvp_is_the_hessian_times_a_vector(library: str, engine: str | None) -> None:
    x, m = make(library, [1.0, 2.0], "m"), make(library, [3.0, 4.0], "kg")
    v, w = make(library, [100.0, -50.0], "cm"), make(library, [0.5, 2.0], "kg")
    by_x, by_m = hvp(curved, (x, m), (v, w), engine=engine)
    whole = compiled(library, hessian(curved, (0, 1), engine=engine))(x, m)
    along_x, along_m = np.asarray([1.0, -0.5]), np.asarray([0.5, 2.0])
    blocks = [
        [
            b.detach().to_numpy("kg/s**2" if i + j == 0 else "m/s**2" if i + j == 1 else "J/kg**2")
            for j, b in enumerate(row)
        ]
        for i, row in enumerate(whole)
    ]
    same(by_x, blocks[0][0] @ along_x + blocks[0][1] @ along_m, "N")
    same(by_m, blocks[1][0] @ along_x + blocks[1][1] @ along_m, "J/kg")
    (only,) = hvp(lambda p: curved(p["x"], m), ({"x": x},), ({"x": v},), engine=engine)
    same(only["x"], blocks[0][0] @ along_x, "N")


@each_library
def test_hvp_refuses_other_units_and_shapes(library: str) -> None:
    x = make(library, [1.0, 2.0], "m")
    with pytest.raises(DimensionError, match="give a tangent in m") as caught:
        hvp(lambda x: dimflow.sum(x**3), (x,), (make(library, [1.0, 1.0], "s"),))
    assert str(caught.value).startswith("hvp needs arguments of one dimension")
    with pytest.raises(ShapeMismatch, match="1 tangents, one for each argument"):
        hvp(lambda x: dimflow.sum(x**3), (x,), (x, x))
    with pytest.raises(ShapeMismatch, match="a tangent of shapes"):
        hvp(lambda x: dimflow.sum(x**3), (x,), (x[:1],))
    with pytest.raises(ShapeMismatch, match="one number"):
        hvp(lambda x: x**3, (x,), (x,))


# Bad input


@each_engine
def test_what_has_no_jacobian_is_refused(library: str, engine: str | None) -> None:
    x = make(library, [1.0, 2.0], "m")
    for mode in MODES:
        with pytest.raises(NotANumber, match=r"jacobian by args\[0\] needs a number, but got int"):
            jacobian(lambda x: x, mode=mode, engine=engine)(DimArray([1, 2], "m"))
        with pytest.raises(DimensionError, match="add needs arguments of one dimension"):
            jacobian(lambda x: x + 1 * u.s, mode=mode, engine=engine)(x)
        with pytest.raises(ShapeMismatch, match="a pair"):
            jacobian(lambda x: x, mode=mode, has_aux=True, engine=engine)(x)
        with pytest.raises(NotANumber, match="str"):
            jacobian(lambda x: "text", mode=mode, engine=engine)(x)
    with pytest.raises(UnitError, match="argument 1 of a call with 1 arguments"):
        jacobian(lambda x: x, 1, engine=engine)(x)
    with pytest.raises(UnitError, match="by 'y', which the call did not give"):
        jacobian(lambda x: x, "y", engine=engine)(x)
    with pytest.raises(NotANumber, match=r"jacobian by args\[0\] needs a number, but got no array"):
        jacobian(lambda a: x, engine=engine)({"b": "text"})


@each_engine
def test_integers_and_masks_have_no_derivative(library: str, engine: str | None) -> None:
    x = make(library, [1.0, 2.0], "m")
    for mode in MODES:
        with pytest.raises(NotANumber, match="result, needs a number, but got truth values"):
            jacobian(lambda x: x > 0 * u.m, mode=mode, engine=engine)(x)
        with pytest.raises(NotANumber, match="result, needs a number, but got integers"):
            jacobian(lambda x: dimflow.argmax(x), mode=mode, engine=engine)(x)


def test_what_is_no_function_is_refused() -> None:
    for transform in (jacobian, hessian, dimflow.vmap, dimflow.divergence, dimflow.laplacian):
        with pytest.raises(UnitError, match=r"takes a function, but got float 3.0"):
            transform(3.0)  # type: ignore[operator]


def test_checks_without_data() -> None:
    """Units and shapes of derivatives, before there are any numbers."""
    assert str(dimflow.check(jacobian(lambda x: x**2 * u.kg), "m[3]")) == "m*kg[3, 3]"
    assert str(dimflow.check(hessian(lambda x: dimflow.sum(x**3)), "m[3]")) == "m[3, 3]"
    assert str(dimflow.check(dimflow.vmap(lambda x: dimflow.sum(x**2)), "m[5, 3]")) == "m**2[5]"


def test_modes_and_engines_have_names() -> None:
    with pytest.raises(UnitError) as caught:
        jacobian(polar, mode="fwd")
    assert str(caught.value) == (
        "jacobian was given mode='fwd'\n  hint:  the modes are 'auto', 'forward', 'reverse'"
    )
    with pytest.raises(UnitError, match="the engines are 'native' and 'own'"):
        jacobian(lambda x: x, engine="jax")(DimArray([1.0], "m"))
    assert jacobian(polar).__name__ == hessian(polar).__name__ == "polar"


# Counts


def equations(jaxpr: Any) -> int:
    """How many a program has, those of programs within it counted."""
    count = 0
    for equation in jaxpr.eqns:
        inner = [p for p in equation.params.values() if hasattr(p, "jaxpr") or hasattr(p, "eqns")]
        count += sum(equations(getattr(p, "jaxpr", p)) for p in inner) if inner else 1
    return count


def test_jax_gets_no_more_equations_than_from_its_own() -> None:
    x = jnp.linspace(0.3, 1.1, 3)

    def raw(x: Any) -> Any:
        return jnp.exp(-x * x) * jnp.sum(x)

    def ours(x: Any) -> Any:
        return dimflow.exp(-x * x) * dimflow.sum(x)

    def count(function: Any, x: Any) -> int:
        return equations(jax.make_jaxpr(function)(x).jaxpr)

    pairs = [
        (jacobian(ours, mode="forward"), jax.jacfwd(raw)),
        (jacobian(ours, mode="reverse"), jax.jacrev(raw)),
        (jacobian(ours), jax.jacrev(raw)),
        (hessian(lambda x: dimflow.sum(ours(x))), jax.hessian(lambda x: jnp.sum(raw(x)))),
        (
            dimflow.vmap(grad(lambda r: dimflow.sum(ours(r)))),
            jax.vmap(jax.grad(lambda r: jnp.sum(raw(r)))),
        ),
    ]
    for mine, theirs in pairs[:-1]:
        assert count(mine, DimArray(x, "")) <= count(theirs, x)
    rows = jnp.stack([x, 2 * x])
    mine, theirs = pairs[-1]
    assert count(mine, DimArray(rows, "")) == count(theirs, rows)


def test_inside_of_jit() -> None:
    x = make("jax", [1.0, 2.0], "m")
    same(jax.jit(jacobian(lambda x: x**2))(x), np.diag([2.0, 4.0]), "m")
    same(jax.jit(hessian(lambda x: dimflow.sum(x**3)))(x), np.diag([6.0, 12.0]), "m")
