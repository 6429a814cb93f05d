"""An orbit's state-transition matrix, against the variational equations and symplectic laws."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dimflow
from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import DimensionError
from examples import orbit

MU = 3.986004e5  # km³/s², the IAU's nominal value
TIME = 37.0 * u.min
STEPS = 120


def joined(blocks: orbit.Blocks) -> np.ndarray:
    """The matrix of 6×6 numbers in km and s."""
    rr, rv = blocks.rr.to_value("1"), blocks.rv.to_value("s")
    vr, vv = blocks.vr.to_value("1/s"), blocks.vv.to_value("1")
    return np.block([[rr, rv], [vr, vv]])


@pytest.fixture(scope="module")
def blocks() -> orbit.Blocks:
    return orbit.transition(*orbit.start(), TIME, STEPS)


@pytest.fixture(scope="module")
def exact() -> tuple[np.ndarray, np.ndarray]:
    """The state and the matrix by the variational equations, at a high order."""
    r, v = orbit.start()

    def rates(_t: float, y: np.ndarray) -> np.ndarray:
        r, v, phi = y[:3], y[3:6], y[6:].reshape(6, 6)
        d = np.sqrt(r @ r)
        tides = MU * (3 * np.outer(r, r) / d**5 - np.eye(3) / d**3)
        slope = np.block([[np.zeros((3, 3)), np.eye(3)], [tides, np.zeros((3, 3))]])
        return np.concatenate([v, -MU * r / d**3, (slope @ phi).ravel()])

    y = np.concatenate([r.to_value("km"), v.to_value("km/s"), np.eye(6).ravel()])
    span = (0, TIME.to_value("s"))
    end = solve_ivp(rates, span, y, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    return end[:6], end[6:].reshape(6, 6)


def test_each_block_has_its_own_unit(blocks: orbit.Blocks) -> None:
    dimensions = [block.dimension for block in blocks]
    pure = (u.s / u.s).dimension
    assert dimensions == [pure, u.s.dimension, (1 / u.s).dimension, pure]
    assert [block.shape for block in blocks] == [(3, 3)] * 4


def test_the_matrix_solves_the_variational_equations(
    blocks: orbit.Blocks, exact: tuple[np.ndarray, np.ndarray]
) -> None:
    scale = np.sqrt(np.diag([1e3] * 3 + [1.0] * 3))  # km beside km/s
    found, expected = (np.linalg.inv(scale) @ m @ scale for m in (joined(blocks), exact[1]))
    np.testing.assert_allclose(found, expected, atol=2e-5 * np.abs(expected).max())


def test_the_flow_ends_where_a_higher_order_ends(exact: tuple[np.ndarray, np.ndarray]) -> None:
    r, v = orbit.flow(*orbit.start(), TIME, STEPS)
    np.testing.assert_allclose(r.to_value("km"), exact[0][:3], atol=0.05)
    np.testing.assert_allclose(v.to_value("km/s"), exact[0][3:], atol=5e-5)


def test_the_matrix_is_symplectic(blocks: orbit.Blocks) -> None:
    form = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])
    phi = joined(blocks)
    np.testing.assert_allclose(phi.T @ form @ phi, form, atol=1e-8)
    assert np.linalg.det(phi) == pytest.approx(1, abs=1e-8)


def test_the_symplectic_law_holds_block_by_block_in_its_units(blocks: orbit.Blocks) -> None:
    rr, rv, vr, vv = blocks
    identity = (rr.T @ vv - vr.T @ rv).to_value("1")
    np.testing.assert_allclose(identity, np.eye(3), atol=1e-9)
    for one, other in [(rr.T @ vr, vr.T @ rr), (rv.T @ vv, vv.T @ rv)]:
        size = np.abs(one.to_value(one.unit)).max()
        np.testing.assert_allclose(
            one.to_value(one.unit), other.to_value(one.unit), atol=1e-9 * size
        )


def test_its_inverse_needs_no_solving(blocks: orbit.Blocks) -> None:
    """That of a symplectic matrix is its own blocks, turned and signed."""
    rr, rv, vr, vv = blocks
    inverse = orbit.Blocks(vv.T, -rv.T, -vr.T, rr.T)
    np.testing.assert_allclose(joined(blocks) @ joined(inverse), np.eye(6), atol=1e-7)


def test_two_legs_multiply(blocks: orbit.Blocks) -> None:
    r, v = orbit.start()
    half = TIME / 2
    first = orbit.transition(r, v, half, STEPS // 2)
    second = orbit.transition(*orbit.flow(r, v, half, STEPS // 2), half, STEPS // 2)
    product = joined(second) @ joined(first)
    np.testing.assert_allclose(product, joined(blocks), rtol=1e-8, atol=1e-9)


def test_it_agrees_with_differences(blocks: orbit.Blocks) -> None:
    r, v = orbit.start()
    move = DimArray([0.2, -0.1, 0.15], "km")
    kick = DimArray([0.1, 0.3, -0.2], "m/s")
    ahead, behind = (
        orbit.flow(r + sign * move, v + sign * kick, TIME, STEPS) for sign in (0.5, -0.5)
    )
    place, speed = (a - b for a, b in zip(ahead, behind, strict=True))
    expected_place = blocks.rr @ move + blocks.rv @ kick
    expected_speed = blocks.vr @ move + blocks.vv @ kick
    np.testing.assert_allclose(place.to_value("m"), expected_place.to_value("m"), rtol=1e-6)
    np.testing.assert_allclose(speed.to_value("m/s"), expected_speed.to_value("m/s"), rtol=1e-6)


def test_forces_are_newtons(blocks: orbit.Blocks) -> None:
    r, _ = orbit.start()
    numbers = r.to_value("km")
    expected = -MU * numbers / np.sqrt(numbers @ numbers) ** 3
    np.testing.assert_allclose(orbit.acceleration(r).to_value("km/s**2"), expected, rtol=1e-13)


def test_energy_and_area_are_kept_over_a_turn() -> None:
    r, v = orbit.start()
    turn = orbit.period(r, v)
    later_r, later_v = orbit.flow(r, v, turn)
    before, after = (
        dimflow.sum(y * y) / 2 + orbit.potential(x) for x, y in [(r, v), (later_r, later_v)]
    )
    assert after.to_value("km**2/s**2") == pytest.approx(before.to_value("km**2/s**2"), rel=1e-6)
    areas = [
        np.cross(x.to_value("km"), y.to_value("km/s")) for x, y in [(r, v), (later_r, later_v)]
    ]
    np.testing.assert_allclose(areas[1], areas[0], rtol=1e-10, atol=1e-6)
    assert dimflow.linalg.vector_norm(later_r - r) < 5 * u.km


def test_a_swarm_has_the_spread_that_the_matrix_says() -> None:
    (r, v), place, speed = orbit.start(), 0.1 * u.km, 0.1 * u.m / u.s
    swarm = orbit.cloud(r, v, TIME, place, speed).to_value("km")
    expected = orbit.covariance(orbit.transition(r, v, TIME), place, speed).to_value("km**2")
    found = np.cov(swarm.T)
    assert np.trace(found) == pytest.approx(np.trace(expected), rel=0.3)


def test_a_speed_for_a_place_is_an_error() -> None:
    _, v = orbit.start()
    with pytest.raises(DimensionError, match="add"):
        orbit.flow(v, v, TIME, 1)
