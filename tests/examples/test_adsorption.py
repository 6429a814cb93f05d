"""Least squares with standard errors, against NIST's certified answers and scipy."""

import numpy as np
import pytest
from scipy.optimize import curve_fit

import dimflow
from dimflow import units as u
from dimflow.errors import DimensionError
from examples import adsorption
from examples.adsorption import GUESS, PRESSURE, VOLUME

# https://www.itl.nist.gov/div898/strd/nls/data/misra1a.shtml
CERTIFIED = {
    "capacity": (2.3894212918e02, 2.7070075241e00),
    "affinity": (5.5015643181e-04, 7.2668688436e-06),
}
SCATTER = 1.0187876330e-01


@pytest.fixture(scope="module")
def found() -> adsorption.Fit:
    return adsorption.fit(GUESS, PRESSURE, VOLUME)


@pytest.mark.parametrize("name", CERTIFIED)
def test_parameters_and_standard_errors_are_the_certified_ones(
    found: adsorption.Fit, name: str
) -> None:
    value, error = CERTIFIED[name]
    unit = GUESS[name].unit
    assert found.parameters[name].to_value(unit) == pytest.approx(value, rel=1e-9)
    assert found.error(name).to_value(unit) == pytest.approx(error, rel=1e-9)


def test_the_scatter_is_the_certified_one(found: adsorption.Fit) -> None:
    assert found.scatter.to_value("cm**3") == pytest.approx(SCATTER, rel=1e-9)


def test_scipy_finds_the_same_covariance(found: adsorption.Fit) -> None:
    x, y = PRESSURE.to_value("torr"), VOLUME.to_value("cm**3")
    start = [p.to_value() for p in GUESS.values()]
    _, expected = curve_fit(lambda x, b1, b2: b1 * (1 - np.exp(-b2 * x)), x, y, start, xtol=1e-14)
    for i, row in enumerate(GUESS):
        for j, column in enumerate(GUESS):
            unit = GUESS[row].unit * GUESS[column].unit
            assert found.covariance[row][column].to_value(unit) == pytest.approx(
                expected[i, j], rel=1e-5
            )


def test_every_covariance_has_the_unit_of_its_pair(found: adsorption.Fit) -> None:
    units = {n: {m: c.unit for m, c in row.items()} for n, row in found.covariance.items()}
    assert units == {
        "capacity": {"capacity": u.cm**6, "affinity": u.cm**3 / u.torr},
        "affinity": {"capacity": u.cm**3 / u.torr, "affinity": u.torr**-2},
    }


def test_the_slopes_are_the_derivatives_written_by_hand(found: adsorption.Fit) -> None:
    slopes = adsorption.slopes(found.parameters, PRESSURE)
    x = PRESSURE.to_value("torr")
    b1, b2 = (p.to_value(GUESS[n].unit) for n, p in found.parameters.items())
    rest = np.exp(-b2 * x)
    np.testing.assert_allclose(slopes["capacity"].to_value(), 1 - rest, rtol=1e-13)
    np.testing.assert_allclose(slopes["affinity"].to_value("cm**3*torr"), b1 * x * rest, rtol=1e-13)


def test_other_units_give_the_same_answer(found: adsorption.Fit) -> None:
    start = {"capacity": GUESS["capacity"].to("mm**3"), "affinity": GUESS["affinity"].to("1/kPa")}
    other = adsorption.fit(start, PRESSURE.to("bar"), VOLUME.to("L"))
    for name in GUESS:
        unit = GUESS[name].unit
        for a, b in [
            (found.parameters[name], other.parameters[name]),
            (found.error(name), other.error(name)),
        ]:
            assert b.to_value(unit) == pytest.approx(a.to_value(unit), rel=1e-8)


def test_the_hessian_of_the_squares_tells_nearly_the_same_errors(found: adsorption.Fit) -> None:
    """It holds the curvature of the law too, which small residuals make unimportant."""
    squares = dimflow.hessian(adsorption.sum_of_squares)(found.parameters, PRESSURE, VOLUME)
    aa, ab = (squares["capacity"][n] for n in GUESS)
    ba, bb = (squares["affinity"][n] for n in GUESS)
    assert (ab.unit, ba.unit) == (u.cm**3 * u.torr, u.cm**3 * u.torr)
    determinant = aa * bb - ab * ba
    variance = 2 * found.scatter**2 * bb / determinant
    assert dimflow.sqrt(variance).to_value("cm**3") == pytest.approx(2.707, rel=0.01)


def test_a_pressure_for_a_volume_is_an_error() -> None:
    with pytest.raises(DimensionError, match="subtract"):
        adsorption.fit(GUESS, PRESSURE, PRESSURE)
