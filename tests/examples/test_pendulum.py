"""The period of a pendulum and its derivatives, against elliptic integrals and a swing in time."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipe, ellipk

from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import DimensionError, PureNumberError
from examples import pendulum

LENGTH, GRAVITY = 1.3 * u.m, 9.81 * u.m / u.s**2
AMPLITUDES = [0.5, 20.0, 90.0, 150.0, 179.0]


def exact(length: float, gravity: float, amplitude: float) -> tuple[float, float]:
    """The period in s and its derivative in s/rad, by complete elliptic integrals."""
    m = np.sin(amplitude / 2) ** 2
    K, E = ellipk(m), ellipe(m)
    by_m = (E - (1 - m) * K) / (2 * m * (1 - m))
    unit = 4 * np.sqrt(length / gravity)
    return unit * K, unit * by_m * np.sin(amplitude) / 2


@pytest.mark.parametrize("degrees", AMPLITUDES)
def test_the_period_is_an_elliptic_integral(degrees: float) -> None:
    found = pendulum.period(LENGTH, GRAVITY, degrees * u.deg)
    expected, _ = exact(1.3, 9.81, np.radians(degrees))
    assert found.to_value("s") == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("degrees", AMPLITUDES)
def test_the_derivatives_are_those_of_the_integral(degrees: float) -> None:
    slopes = pendulum.sensitivities(LENGTH, GRAVITY, degrees * u.deg)
    time, by_angle = exact(1.3, 9.81, np.radians(degrees))
    assert slopes[0].to_value("s/m") == pytest.approx(time / 2.6, rel=1e-12)
    assert slopes[1].to_value("s**3/m") == pytest.approx(-time / (2 * 9.81), rel=1e-12)
    assert slopes[2].to_value("s/rad") == pytest.approx(by_angle, rel=1e-9)


def test_each_derivative_has_its_own_unit() -> None:
    slopes = pendulum.sensitivities(LENGTH, GRAVITY, 20.0 * u.deg)
    units = u.s / u.m, u.s**3 / u.m, u.s / u.deg
    assert [slope.unit for slope in slopes] == list(units)


@pytest.mark.parametrize(("length", "gravity"), [("cm", "km/h/s"), ("ft", "Gal"), ("km", "m/s**2")])
def test_other_units_give_the_same_physics(length: str, gravity: str) -> None:
    one = pendulum.sensitivities(LENGTH, GRAVITY, 40.0 * u.deg)
    other = pendulum.sensitivities(LENGTH.to(length), GRAVITY.to(gravity), (40.0 * u.deg).to("rad"))
    for a, b in zip(one, other, strict=True):
        assert b.to_value(a.unit) == pytest.approx(a.to_value(), rel=1e-12)


def test_a_pendulum_that_swings_in_time_agrees() -> None:
    """A quarter of the period, from the equation of motion."""
    amplitude, ratio = np.radians(130.0), 9.81 / 1.3

    def lowest(_t: float, y: np.ndarray) -> float:
        return y[0]

    lowest.terminal = True
    swing = solve_ivp(
        lambda _t, y: [y[1], -ratio * np.sin(y[0])],
        (0, 10),
        [amplitude, 0.0],
        events=lowest,
        rtol=1e-11,
        atol=1e-12,
    )
    quarter = swing.t_events[0][0]
    found = pendulum.period(LENGTH, GRAVITY, 130.0 * u.deg)
    assert found.to_value("s") == pytest.approx(4 * quarter, rel=1e-8)


def test_small_swings_follow_the_known_series() -> None:
    small = pendulum.period(LENGTH, GRAVITY, 1e-9 * u.rad)
    angle = np.array([0.02, 0.05, 0.1])
    ratio = (pendulum.period(LENGTH, GRAVITY, DimArray(angle, "rad")) / small).to_value()
    series = 1 + angle**2 / 16 + 11 * angle**4 / 3072 + 173 * angle**6 / 737280
    np.testing.assert_allclose(ratio, series, rtol=1e-11)


def test_gravity_is_found_from_a_measured_period() -> None:
    time = pendulum.period(LENGTH, 9.7803 * u.m / u.s**2, 25.0 * u.deg)
    found = pendulum.measured_gravity(LENGTH, time, 25.0 * u.deg)
    assert found.to_value("m/s**2") == pytest.approx(9.7803, rel=1e-13)


def test_the_budget_of_errors_predicts_what_a_changed_value_does() -> None:
    values = 1.0 * u.m, 9.81 * u.m / u.s**2, 20.0 * u.deg
    errors = 1.0 * u.mm, 5.0 * u.mm / u.s**2, 0.5 * u.deg
    before = pendulum.period(*values)
    for place, part in enumerate(pendulum.error_budget(values, errors)):
        moved = [
            v + e if i == place else v for i, (v, e) in enumerate(zip(values, errors, strict=True))
        ]
        change = abs(pendulum.period(*moved) - before)
        assert change.to_value("ms") == pytest.approx(part.to_value("ms"), rel=0.02)


def test_swapped_arguments_are_an_error() -> None:
    with pytest.raises((PureNumberError, DimensionError)):
        pendulum.period(LENGTH, 20.0 * u.deg, GRAVITY)
