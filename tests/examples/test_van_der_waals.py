"""Newton's method on van der Waals' gas, against roots of the cubic and closed forms."""

import numpy as np
import pytest
from scipy.integrate import quad

import dimflow
from dimflow import constants
from dimflow import units as u
from dimflow.errors import DimensionError
from examples import van_der_waals as gas

R = 8.31446261815324  # J/(mol K), exact since 2019
A_SI, B_SI = 0.3658, 4.29e-5  # Pa m⁶/mol², m³/mol


def roots(p: float, T: float) -> np.ndarray:
    """The real molar volumes in m³/mol, as roots of the cubic."""
    found = np.roots([p, -(p * B_SI + R * T), A_SI, -A_SI * B_SI])
    return np.sort(found[np.abs(found.imag) < 1e-12].real)


@pytest.mark.parametrize(("p", "T"), [(1.0, 273.15), (50.0, 320.0), (200.0, 350.0), (70.0, 500.0)])
def test_the_molar_volume_is_a_root_of_the_cubic(p: float, T: float) -> None:
    found = gas.molar_volume(p * u.bar, T * u.K)
    assert found.to_value("m**3/mol") == pytest.approx(roots(p * 1e5, T)[-1], rel=1e-10)


def test_a_guess_near_the_liquid_finds_the_liquid() -> None:
    found = gas.molar_volume(50 * u.bar, 280 * u.K, guess=0.07 * u.L / u.mol)
    volumes = roots(50e5, 280.0)
    assert len(volumes) == 3
    assert found.to_value("m**3/mol") == pytest.approx(volumes[0], rel=1e-10)


@pytest.mark.parametrize("liters", [0.08, 0.2, 1.0, 24.0])
def test_the_slope_is_the_one_written_by_hand(liters: float) -> None:
    V, T = liters * 1e-3, 320.0
    slope = dimflow.grad(gas.pressure)(liters * u.L / u.mol, T * u.K)
    expected = -R * T / (V - B_SI) ** 2 + 2 * A_SI / V**3
    assert slope.dimension == (u.Pa * u.mol / u.m**3).dimension
    assert slope.to_value("Pa*mol/m**3") == pytest.approx(expected, rel=1e-11)


def test_the_critical_point_is_where_algebra_has_it() -> None:
    volume, temperature, pressure = gas.critical_point()
    assert volume.to_value("m**3/mol") == pytest.approx(3 * B_SI, rel=1e-7)
    assert temperature.to_value("K") == pytest.approx(8 * A_SI / (27 * R * B_SI), rel=1e-10)
    assert pressure.to_value("Pa") == pytest.approx(A_SI / (27 * B_SI**2), rel=1e-10)
    factor = pressure * volume / (constants.R * temperature)
    assert factor.to_value("1") == pytest.approx(3 / 8, rel=1e-7)


def test_it_is_near_the_measured_one() -> None:
    """R. Span and W. Wagner, J. Phys. Chem. Ref. Data 25, 1509 (1996)."""
    _, temperature, pressure = gas.critical_point()
    assert temperature.to_value("K") == pytest.approx(304.1282, rel=0.003)
    assert pressure.to_value("MPa") == pytest.approx(7.3773, rel=0.003)


def lekner(y: float) -> tuple[float, float, float]:
    """J. Lekner, Am. J. Phys. 50, 161 (1982): reduced temperature and volumes of both phases."""
    f = (y * np.cosh(y) - np.sinh(y)) / (np.sinh(y) * np.cosh(y) - y)
    g = 1 + 2 * f * np.cosh(y) + f**2
    temperature = 27 * f * (f + np.cosh(y)) / (4 * g**2)
    liquid, vapour = ((1 + f * np.exp(s * y)) / (3 * f * np.exp(s * y)) for s in (1, -1))
    return temperature, liquid, vapour


@pytest.mark.parametrize("y", [0.3, 0.8, 1.2])
def test_liquid_and_vapour_meet_where_lekners_solution_has_them(y: float) -> None:
    reduced, liquid, vapour = lekner(y)
    temperature = reduced * 8 * A_SI / (27 * R * B_SI) * u.K
    critical = 3 * gas.B
    found = gas.coexistence(temperature, 0.98 * liquid * critical, 1.03 * vapour * critical)
    expected = liquid * critical, vapour * critical
    for a, b in zip(found, expected, strict=True):
        assert a.to_value("L/mol") == pytest.approx(b.to_value("L/mol"), rel=1e-8)


def test_maxwells_areas_are_equal() -> None:
    temperatures, liquid, vapour = gas.dome(gas.critical_point()[1], lowest=0.9, count=40)
    T = temperatures[-1].to_value("K")
    low, high = (v[-1].to_value("m**3/mol") for v in (liquid, vapour))

    def p(V: float) -> float:
        return R * T / (V - B_SI) - A_SI / V**2

    assert p(low) == pytest.approx(p(high), rel=1e-9)
    area, _ = quad(p, low, high, epsabs=1e-9)
    assert area == pytest.approx(p(low) * (high - low), rel=1e-9)


@pytest.mark.parametrize(("p", "T"), [(50.0, 320.0), (70.0, 500.0)])
def test_a_solvers_answer_has_the_derivatives_of_the_inverse_law(p: float, T: float) -> None:
    arguments = p * u.bar, T * u.K
    volume = gas.volume_at(*arguments)
    assert volume.to_value("m**3/mol") == pytest.approx(roots(p * 1e5, T)[-1], rel=1e-10)
    by_p, by_t = dimflow.grad(gas.volume_at, argnums=(0, 1))(*arguments)
    slope, climb = dimflow.grad(gas.pressure, argnums=(0, 1))(volume, T * u.K)
    assert (by_p * slope).to_value("1") == pytest.approx(1, rel=1e-10)
    assert (by_t * slope / climb).to_value("1") == pytest.approx(-1, rel=1e-10)


def test_the_expansion_is_that_of_an_ideal_gas_when_thin() -> None:
    found = gas.expansion(1e-4 * u.bar, 300.0 * u.K)
    assert found.to_value("1/K") == pytest.approx(1 / 300, rel=1e-5)


def test_an_ideal_gas_is_the_thin_limit() -> None:
    volume = gas.molar_volume(1.0 * u.mbar, 300.0 * u.K)
    found = gas.compressibility(volume, 300.0 * u.K)
    assert found.to_value("1/mbar") == pytest.approx(1.0, rel=1e-4)


def test_a_forgotten_mole_is_an_error() -> None:
    with pytest.raises(DimensionError, match="subtract"):
        gas.pressure(0.2 * u.L, 300 * u.K)
