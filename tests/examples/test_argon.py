"""Molecular dynamics of argon: forces from an energy, and the laws that a run has to keep."""

import numpy as np
import pytest

import dimflow
from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import DimensionError
from examples import argon

SMALL = (3, 3, 3)


def analytic_forces(x: np.ndarray) -> np.ndarray:
    """The textbook's forces in meV/Å, atom by atom."""
    depth, diameter = argon.DEPTH.to_value("meV"), argon.DIAMETER.to_value("AA")
    found = np.zeros_like(x)
    for i in range(len(x)):
        for j in range(len(x)):
            if i != j:
                apart = x[i] - x[j]
                r = np.sqrt(apart @ apart)
                size = 24 * depth * (2 * (diameter / r) ** 12 - (diameter / r) ** 6) / r
                found[i] += size * apart / r
    return found


@pytest.fixture(scope="module")
def shaken() -> argon.State:
    """A droplet that has run for a while, so that no symmetry is left."""
    return argon.run(argon.droplet(sides=SMALL), 10 * u.fs, 60)[-1]


def test_the_gradient_of_the_energy_is_the_textbooks_force(shaken: argon.State) -> None:
    force = argon.force(shaken.x)
    expected = analytic_forces(shaken.x.to_value("AA"))
    np.testing.assert_allclose(force.to_value("meV/AA"), expected, rtol=1e-10, atol=1e-10)


def test_it_is_a_force_in_newtons(shaken: argon.State) -> None:
    force = argon.force(shaken.x)
    assert force.dimension == u.N.dimension
    meV, angstrom = 1.602176634e-22, 1e-10  # the SI's own numbers
    expected = analytic_forces(shaken.x.to_value("AA")) * meV / angstrom
    np.testing.assert_allclose(force.to_value("N"), expected, rtol=1e-9, atol=1e-22)


@pytest.mark.parametrize("unit", ["nm", "pm", "m", "Bohr"])
def test_it_does_not_depend_on_the_unit_of_the_places(shaken: argon.State, unit: str) -> None:
    np.testing.assert_allclose(
        argon.force(shaken.x.to(unit)).to_value("pN"),
        argon.force(shaken.x).to_value("pN"),
        rtol=1e-9,
        atol=1e-9,
    )


def test_two_atoms_rest_at_the_bottom_of_the_well() -> None:
    r = 2 ** (1 / 6) * argon.DIAMETER
    x = dimflow.stack([dimflow.stack([0 * r, 0 * r, 0 * r]), dimflow.stack([r, 0 * r, 0 * r])])
    assert float(argon.potential(x) / argon.DEPTH) == pytest.approx(-1, rel=1e-14)
    assert np.abs(argon.force(x).to_value("pN")).max() < 1e-10


def test_two_atoms_vibrate_as_a_spring_does() -> None:
    r = 2 ** (1 / 6) * argon.DIAMETER
    x = dimflow.stack([dimflow.stack([0 * r, 0 * r, 0 * r]), dimflow.stack([r, 0 * r, 0 * r])])
    found = argon.vibrations(x).to_value("1/ps**2")
    stiffness = 72 * argon.DEPTH / (2 ** (1 / 3) * argon.DIAMETER**2)
    expected = (2 * stiffness / argon.MASS).to_value("1/ps**2")
    assert found[-1] == pytest.approx(expected, rel=1e-12)
    assert np.abs(found[:-1]).max() < 1e-12 * expected  # it may move and turn freely


def test_forces_sum_to_nothing(shaken: argon.State) -> None:
    force = argon.force(shaken.x).to_value("pN")
    assert np.abs(force.sum(axis=0)).max() < 1e-11 * np.abs(force).max() * len(force)


@pytest.fixture(scope="module")
def film(shaken: argon.State) -> list[argon.State]:
    return argon.run(shaken, 5 * u.fs, 300)


def test_energy_is_kept(film: list[argon.State]) -> None:
    swing = dimflow.stack([argon.kinetic(state.v) for state in film])
    drift = argon.drift(film)
    assert drift < 2e-3 * (dimflow.max(swing) - dimflow.min(swing))
    assert drift < 1e-4 * abs(argon.total_energy(film[0]))


def test_the_drift_falls_as_the_step_squared(shaken: argon.State) -> None:
    steps = [5.0, 10.0, 20.0] * u.fs
    drifts = argon.drifts_by_step(shaken, 0.6 * u.ps, steps).to_value("meV")
    orders = np.diff(np.log2(drifts))
    np.testing.assert_allclose(orders, 2, atol=0.3)


def test_momentum_and_angular_momentum_are_kept(film: list[argon.State]) -> None:
    speed = film[0].v.to_value("AA/ps")
    for state in film[:: len(film) // 3]:
        x, v = state.x.to_value("AA"), state.v.to_value("AA/ps")
        assert np.abs(v.sum(axis=0)).max() < 1e-10 * np.abs(speed).sum()
        turning = np.cross(x, v).sum(axis=0)
        expected = np.cross(film[0].x.to_value("AA"), speed).sum(axis=0)
        np.testing.assert_allclose(turning, expected, rtol=1e-9, atol=1e-8)


def test_a_film_can_be_run_backwards(shaken: argon.State) -> None:
    last = argon.run(shaken, 10 * u.fs, 60)[-1]
    back = argon.run(argon.State(last.x, -last.v), 10 * u.fs, 60)[-1]
    np.testing.assert_allclose(back.x.to_value("AA"), shaken.x.to_value("AA"), atol=1e-8)


def test_the_droplet_has_the_temperature_that_was_asked_for() -> None:
    found = argon.temperature(argon.droplet(40 * u.K, (6, 6, 6)).v)
    assert abs(found - 40 * u.K) < 3 * 40 * u.K * np.sqrt(2 / (3 * 216))


def test_places_that_are_no_lengths_are_an_error() -> None:
    with pytest.raises(DimensionError, match="subtract"):
        argon.total_energy(argon.State(DimArray(np.eye(3), "s"), argon.droplet().v))
