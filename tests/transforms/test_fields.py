"""divergence, curl, laplacian: known fields, identities of vector analysis, units, many places."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray, curl, divergence, grad, hessian, laplacian
from dimflow import units as u
from dimflow.errors import DimensionError, NotANumber, ShapeMismatch
from tests.transforms.libraries import MAKERS, compiled, each_engine, make, quiet_torch, same

pytestmark = quiet_torch

PLACES = [[0.5, 1.0, -0.3], [2.0, 0.1, 0.7]]
LENGTH = 1 * u.m


def wind(r: Any) -> Any:
    """A field without a special symmetry, in m/s."""
    x, y, z = r[0] / LENGTH, r[1] / LENGTH, r[2] / LENGTH
    speed = 2 * u.m / u.s
    return dimflow.stack([speed * x * y, speed * dimflow.sin(z) * x, speed * y**2 * z])


def wind_divergence(x: Any, y: Any, z: Any) -> Any:
    return 2 * (y + y**2)


def wind_curl(x: Any, y: Any, z: Any) -> Any:
    return 2 * np.stack([2 * y * z - x * np.cos(z), 0 * x, np.sin(z) - x], axis=-1)


@each_engine
def test_one_place_and_many(library: str, engine: str | None) -> None:
    r = np.asarray(PLACES)
    parts = r.T
    one, many = make(library, PLACES[0], "m"), make(library, PLACES, "m")
    same(compiled(library, divergence(wind, engine=engine))(one), wind_divergence(*r[0]), "1/s")
    same(compiled(library, divergence(wind, engine=engine))(many), wind_divergence(*parts), "1/s")
    same(compiled(library, curl(wind, engine=engine))(one), wind_curl(*r[0]), "1/s")
    same(compiled(library, curl(wind, engine=engine))(many), wind_curl(*parts), "1/s")
    grid = dimflow.reshape(many, shape=(2, 1, 3))
    assert compiled(library, divergence(wind, engine=engine))(grid).shape == (2, 1)
    assert compiled(library, curl(wind, engine=engine))(grid).shape == (2, 1, 3)
    assert compiled(library, divergence(wind, engine=engine))(many).backend == library


@each_engine
def test_a_rigid_rotation_turns_by_twice_its_rate(library: str, engine: str | None) -> None:
    rate = 3 / u.s
    plane = make(library, [[1.0, 2.0], [0.0, -1.0]], "km")
    spin = curl(lambda r: (-rate * r[1], rate * r[0]), engine=engine)(plane)
    same(spin, [6.0, 6.0], "1/s")
    same(divergence(lambda r: (-rate * r[1], rate * r[0]), engine=engine)(plane), [0, 0], "1/s")


@each_engine
def test_laplacians(library: str, engine: str | None) -> None:
    r = make(library, PLACES, "m")

    def heat(r: Any, scale: Any) -> Any:
        return scale * dimflow.exp(-dimflow.sum(r**2) / LENGTH**2)

    squares = (np.asarray(PLACES) ** 2).sum(axis=1)
    wanted = 5 * np.exp(-squares) * (4 * squares - 6)
    same(compiled(library, laplacian(heat, engine=engine))(r, 5 * u.K), wanted, "K/m**2")
    same(compiled(library, laplacian(heat, engine=engine))(r, scale=5 * u.K), wanted, "K/m**2")
    vectors = compiled(library, laplacian(wind, engine=engine))(r)
    x, _, z = np.asarray(PLACES).T
    same(vectors, 2 * np.stack([0 * x, -np.sin(z) * x, 2 * z], axis=1), "1/(m*s)")


def test_the_potential_of_a_charge_is_harmonic() -> None:
    charge = 1 * u.e
    k = 1 / (4 * np.pi * dimflow.constants.epsilon_0)

    def potential(r: Any) -> Any:
        return (k * charge / dimflow.sqrt(dimflow.sum(r**2))).to("V")

    r = DimArray(PLACES, "nm")
    bend = laplacian(potential)(r)
    size = dimflow.max(dimflow.abs(hessian(potential)(r[0])))
    assert bend.dimension is DimArray(1.0, "V/m**2").dimension
    assert dimflow.max(dimflow.abs(bend)) < 1e-12 * size


coordinates = st.lists(st.floats(-1.5, 1.5), min_size=3, max_size=3)
numbers = st.lists(st.floats(-2, 2), min_size=3, max_size=3)
lengths = st.sampled_from(["m", "km", "inch", "angstrom"])


@given(coordinates, numbers, lengths)
@settings(max_examples=15)
def test_identities_of_vector_analysis(place: Any, a: Any, length: str) -> None:
    """div curl F = 0, curl grad f = 0, div grad f = Δf, curl curl F = grad div F - ΔF."""
    unit = DimArray(1.0, length)

    def field(r: Any) -> Any:
        x, y, z = (r[i] / unit for i in range(3))
        return (
            a[0] * x * y * z * u.T,
            a[1] * dimflow.sin(x * z) * u.T,
            a[2] * dimflow.exp(x) * y * u.T,
        )

    def potential(r: Any) -> Any:
        x, y, z = (r[i] / unit for i in range(3))
        return (a[0] * x**2 * y + a[1] * dimflow.cos(y * z) + a[2] * x * z**3) * u.V

    def stacked(r: Any) -> Any:
        return dimflow.stack(list(field(r)))

    r = DimArray(place, length)
    per = DimArray(1.0, length)

    def near(actual: Any, expected: Any, unit: Any) -> None:
        found = (actual / unit).to_value("")
        wanted = (expected / unit).to_value("") if isinstance(expected, DimArray) else expected
        np.testing.assert_allclose(found, wanted, atol=1e-9, rtol=1e-9)

    near(divergence(curl(field))(r), 0.0, u.T / per**2)
    near(curl(grad(potential))(r), np.zeros(3), u.V / per**2)
    near(divergence(grad(potential))(r), laplacian(potential)(r), u.V / per**2)
    twice = curl(curl(field))(r)
    other = grad(divergence(field))(r) - laplacian(stacked)(r)
    near(twice, other, u.T / per**2)


def test_gauss_on_a_cube() -> None:
    """The flux through the faces of a cube is the divergence summed within."""
    n, edge = 12, 0.5
    middle = (np.arange(n) + 0.5) / n * edge
    x, y, z = np.meshgrid(middle, middle, middle, indexing="ij")
    inside = DimArray(np.stack([x, y, z], axis=-1), "m")
    cell = (edge / n * u.m) ** 3
    volume = dimflow.sum(divergence(wind)(inside)) * cell
    a, b = np.meshgrid(middle, middle, indexing="ij")
    flux = 0 * u.m**3 / u.s
    for axis in range(3):
        for end, sign in ((edge, 1), (0.0, -1)):
            places = np.insert(np.stack([a, b], axis=-1), axis, end, axis=-1)
            vectors = dimflow.vmap(dimflow.vmap(wind))(DimArray(places, "m"))
            flux = flux + sign * dimflow.sum(vectors[..., axis]) * (edge / n * u.m) ** 2
    np.testing.assert_allclose(volume.to_value("m**3/s"), flux.to_value("m**3/s"), rtol=2e-3)


@pytest.mark.parametrize("library", list(MAKERS))
def test_plain_numbers(library: str) -> None:
    raw = MAKERS[library](PLACES)
    found = divergence(lambda r: r * r)(raw)
    assert type(found) is type(raw)
    np.testing.assert_allclose(np.asarray(found), 2 * np.sum(PLACES, axis=1), rtol=1e-6)


@each_engine
def test_no_places(library: str, engine: str | None) -> None:
    nowhere = dimflow.reshape(make(library, [], "m"), shape=(0, 3))
    same(compiled(library, divergence(wind, engine=engine))(nowhere), np.zeros(0), "1/s")
    same(compiled(library, curl(wind, engine=engine))(nowhere), np.zeros((0, 3)), "1/s")


# Bad input


@each_engine
def test_what_is_no_field_is_refused(library: str, engine: str | None) -> None:
    r = make(library, PLACES[0], "m")
    with pytest.raises(ShapeMismatch) as caught:
        divergence(lambda r: r[:2], engine=engine)(r)
    assert str(caught.value) == (
        "divergence got the wrong shape\n"
        "  expected: a field of 3 components, one for each coordinate\n"
        "  actual:   one of shape (2,)"
    )
    with pytest.raises(ShapeMismatch, match="places of 2 or 3 coordinates"):
        curl(lambda r: r, engine=engine)(make(library, [1.0, 2.0, 3.0, 4.0], "m"))
    with pytest.raises(ShapeMismatch, match="coordinates of a place as one array"):
        laplacian(lambda r: r, engine=engine)(make(library, 1.0, "m"))
    with pytest.raises(NotANumber, match="for a place"):
        divergence(lambda r: r, engine=engine)([1.0, 2.0])
    with pytest.raises(DimensionError):
        divergence(lambda r: (r[0], r[1] * u.s, r[2]), engine=engine)(r)
    with pytest.raises(NotANumber, match="integers"):
        divergence(lambda r: r, engine=engine)(DimArray([1, 2, 3], "m"))


def test_names_stay() -> None:
    assert divergence(wind).__name__ == curl(wind).__name__ == laplacian(wind).__name__ == "wind"
