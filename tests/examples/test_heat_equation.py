"""Derivatives through many time steps, against the transposed matrix and differences."""

import tracemalloc

import numpy as np
import pytest

import dimflow
from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import DimflowError
from examples import heat_equation as rod

STEPS = 120
PLACE = 17


def matrix(diffusivity: DimArray) -> np.ndarray:
    """One step as a matrix, from the balance of heat of each cell."""
    part = float(diffusivity * rod.DT / rod.DX**2)
    found = np.eye(rod.CELLS)
    for i in range(rod.CELLS - 1):
        found[i, i + 1] += part
        found[i + 1, i] += part
        found[i, i] -= part
        found[i + 1, i + 1] -= part
    return found


def test_the_steps_are_powers_of_a_matrix() -> None:
    start = rod.heated()
    found = rod.evolve(start, rod.COPPER, STEPS)
    power = np.linalg.matrix_power(matrix(rod.COPPER), STEPS)
    assert found.unit == u.degC
    np.testing.assert_allclose(found.to_value("degC"), power @ start.to_value("degC"), rtol=1e-12)


def test_a_loop_takes_the_same_steps() -> None:
    warmth = rod.heated()
    for _ in range(STEPS):
        warmth = rod.step(warmth, rod.COPPER)
    found = rod.evolve(rod.heated(), rod.COPPER, STEPS)
    assert (found.to_value("degC") == warmth.to_value("degC")).all()


def peak(steps: int, checkpoint: bool) -> int:
    """The most bytes that a gradient through the steps held at once."""

    def reading(start: DimArray) -> DimArray:
        return rod.evolve(start, rod.COPPER, steps, checkpoint)[PLACE]

    tracemalloc.start()
    try:
        dimflow.grad(reading)(rod.heated())
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_steps_that_are_computed_again_need_no_memory() -> None:
    peak(25, True)  # what is imported and remembered at the first call is not meant
    few, many = peak(25, True), peak(225, True)
    assert many < 4.5 * few  # nine times the steps, three times the memory
    assert many < peak(225, False) / 6


def test_a_wave_decays_by_the_known_factor() -> None:
    """The cosines of an insulated rod are its modes."""
    mode, part = 3, float(rod.COPPER * rod.DT / rod.DX**2)
    wave = np.cos(mode * np.pi * (np.arange(rod.CELLS) + 0.5) / rod.CELLS)
    found = rod.evolve(DimArray(20 + 5 * wave, "degC"), rod.COPPER, STEPS)
    factor = (1 - 4 * part * np.sin(mode * np.pi / (2 * rod.CELLS)) ** 2) ** STEPS
    np.testing.assert_allclose(found.to_value("degC"), 20 + 5 * factor * wave, rtol=1e-12)


def test_the_gradient_of_a_reading_is_the_transposed_matrix() -> None:
    found = rod.influence(PLACE, rod.COPPER, STEPS)
    power = np.linalg.matrix_power(matrix(rod.COPPER).T, STEPS)
    np.testing.assert_allclose(found.to_value("1"), power[:, PLACE], rtol=1e-10, atol=1e-14)


def test_its_parts_sum_to_one_since_no_heat_is_lost() -> None:
    found = rod.influence(PLACE, rod.COPPER, STEPS)
    assert float(dimflow.sum(found)) == pytest.approx(1, rel=1e-12)


def test_two_places_hear_each_other_alike() -> None:
    one, other = (rod.influence(place, rod.COPPER, STEPS) for place in (PLACE, 40))
    assert float(one[40]) == pytest.approx(float(other[PLACE]), rel=1e-10)


@pytest.fixture(scope="module")
def measured() -> DimArray:
    return rod.evolve(rod.heated(), rod.COPPER, STEPS)


def test_the_misfits_gradient_by_the_start_is_the_adjoint(measured: DimArray) -> None:
    start = rod.heated() + 2 * u.delta_degC
    found = dimflow.grad(rod.misfit)(start, rod.COPPER, measured, STEPS)
    power = np.linalg.matrix_power(matrix(rod.COPPER), STEPS)
    rest = power @ start.to_value("degC") - measured.to_value("degC")
    expected = 2 * power.T @ rest / 0.1**2
    assert found.unit.dimension == (1 / u.K).dimension
    np.testing.assert_allclose(found.to_value("1/delta_degC"), expected, rtol=1e-9, atol=1e-9)


def test_the_misfits_gradient_by_the_diffusivity_is_its_difference(measured: DimArray) -> None:
    value, h = 1.0 * u.cm**2 / u.s, 1e-5 * u.cm**2 / u.s

    def at(d: DimArray) -> DimArray:
        return rod.misfit(rod.heated(), d, measured, STEPS)

    found = dimflow.grad(at)(value)
    difference = (at(value + h) - at(value - h)) / (2 * h)
    assert found.to_value("s/cm**2") == pytest.approx(difference.to_value("s/cm**2"), rel=1e-7)


@pytest.mark.parametrize("unit", ["K", "degF"])
def test_another_scale_of_temperature_changes_nothing(measured: DimArray, unit: str) -> None:
    arguments = rod.heated(), 1.0 * u.cm**2 / u.s, measured, STEPS
    other = rod.heated().to(unit), 1.0 * u.m**2 / u.h / 0.36 * 0.1296, measured.to(unit), STEPS
    by_start, by_diffusivity = dimflow.grad(rod.misfit, argnums=(0, 1))(*arguments)
    other_start, other_diffusivity = dimflow.grad(rod.misfit, argnums=(0, 1))(*other)
    np.testing.assert_allclose(
        other_start.to_value("1/K"), by_start.to_value("1/K"), rtol=1e-7, atol=1e-7
    )
    assert other_diffusivity.to_value("s/m**2") == pytest.approx(
        by_diffusivity.to_value("s/m**2"), rel=1e-7
    )


def test_the_diffusivity_is_found_again(measured: DimArray) -> None:
    found = rod.found_diffusivity(rod.heated(), measured, STEPS, 60.0 * u.mm**2 / u.s)
    assert found.to_value("cm**2/s") == pytest.approx(1.11, rel=1e-9)


def test_heat_that_flows_by_a_speed_is_an_error() -> None:
    with pytest.raises(DimflowError):
        rod.step(rod.heated(), 1.0 * u.m / u.s)
