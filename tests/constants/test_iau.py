"""The constants of astronomy: against astropy, and against the resolutions' own numbers."""

import math

import astropy.constants as astropy_constants
import pytest
from astropy.constants import Constant as AstropyConstant
from astropy.constants import codata2022, iau2015

from dimflow import constants

ASTROPY = {
    name: value
    for module in (codata2022, iau2015)
    for name, value in vars(module).items()
    if isinstance(value, AstropyConstant)
}
# Names of astropy that we do not follow, with the reason.
LEFT_OUT = {
    "e_esu": "a charge in statC, another quantity than the one in C: convert the array",
    "e_emu": "a charge in abC, another quantity than the one in C: convert the array",
    "e_gauss": "a charge in Fr, another quantity than the one in C: convert the array",
}


@pytest.mark.parametrize("name", sorted(set(ASTROPY) - set(LEFT_OUT)))
def test_astropy_has_the_same_value(name: str) -> None:
    ours, theirs = constants.get(name), ASTROPY[name]
    assert ours.value == pytest.approx(theirs.value, rel=4e-16, abs=0)  # theirs rounds more often
    assert ours.uncertainty == pytest.approx(theirs.uncertainty, rel=1e-12, abs=0)


@pytest.mark.parametrize("name", sorted(set(ASTROPY) - set(LEFT_OUT)))
def test_astropy_has_the_same_unit(name: str) -> None:
    ours, theirs = constants.get(name), ASTROPY[name]
    assert ours.to_value(ours.unit.to_base()) == pytest.approx(theirs.si.value, rel=1e-15, abs=0)


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_left_out_is_unknown(name: str) -> None:
    assert not hasattr(constants, name)


def test_every_public_constant_of_astropy_is_compared() -> None:
    public = {n for n, v in vars(astropy_constants).items() if isinstance(v, AstropyConstant)}
    assert public <= set(ASTROPY)


RESOLUTION_B3_2015 = {
    "R_sun": 6.957e8,
    "S_sun": 1361.0,
    "L_sun": 3.828e26,
    "Teff_sun": 5772.0,
    "GM_sun": 1.3271244e20,
    "Re_earth": 6.3781e6,
    "Rp_earth": 6.3568e6,
    "GM_earth": 3.986004e14,
    "Re_jup": 7.1492e7,
    "Rp_jup": 6.6854e7,
    "GM_jup": 1.2668653e17,
}


def test_nominal_values_are_those_of_the_resolution_and_exact() -> None:
    nominal = constants.catalogue("IAU 2015 Resolution B3")
    named = {c.symbol: c.value for c in nominal if c.exact}
    assert named == RESOLUTION_B3_2015


def test_the_nominal_sun_radiates_its_luminosity() -> None:
    sigma, radius, temperature = (constants.get(s).value for s in ("sigma_sb", "R_sun", "Teff_sun"))
    luminosity = 4 * math.pi * radius**2 * sigma * temperature**4
    assert luminosity == pytest.approx(constants.get("L_sun").value, rel=2e-4)  # 5772.0 is rounded


def test_the_solar_irradiance_is_the_luminosity_at_one_astronomical_unit() -> None:
    luminosity, au = constants.get("L_sun").value, constants.get("au").value
    irradiance = luminosity / (4 * math.pi * au**2)
    assert irradiance == pytest.approx(constants.get("S_sun").value, rel=2e-4)


def test_the_zero_point_irradiance_has_the_digits_of_the_resolution() -> None:
    assert f"{constants.get('f_bol0').value:.12e}".startswith("2.518021002")


@pytest.mark.parametrize("body", ["sun", "earth", "jup"])
def test_masses_carry_the_uncertainty_of_G(body: str) -> None:
    mass, G = constants.get(f"M_{body}"), constants.get("G")
    assert not mass.exact
    assert mass.relative_uncertainty == pytest.approx(G.relative_uncertainty, rel=1e-14)
    assert mass.value * G.value == pytest.approx(constants.get(f"GM_{body}").value, rel=1e-15)


def test_gauss_constant_gives_the_solar_mass_parameter_of_its_time() -> None:
    k = constants.get("k_gauss")
    assert k.to_value("au^(3/2) d^-1 M_sun^(-1/2)") == 0.01720209895
    parameter = k.value**2 * constants.get("au").value ** 3 / 86400**2
    assert parameter == pytest.approx(constants.get("GM_sun").value, rel=1e-7)


def test_the_mean_obliquity_is_23_degrees_and_26_minutes() -> None:
    epsilon = constants.get("obliquity")
    assert epsilon.to_value("deg") == pytest.approx(23 + 26 / 60 + 21.406 / 3600, rel=1e-15)


def test_the_earth_turns_at_the_rate_of_its_rotation_angle() -> None:
    rate, omega = constants.get("theta_dot"), constants.get("omega_earth")
    assert rate.to_value("rad/s") == pytest.approx(omega.value, rel=1e-7)


def test_relativistic_rates_combine() -> None:
    tdb, tcg, tt = (constants.get(symbol).value for symbol in ("L_B", "L_C", "L_G"))
    assert tdb == pytest.approx(tcg + tt - tcg * tt, rel=1e-9)


def test_light_takes_the_tabulated_time_over_an_astronomical_unit() -> None:
    assert f"{constants.get('tau_A').value:.8f}" == "499.00478384"  # Astronomical Almanac, K7


def test_a_value_adopted_without_uncertainty_says_so() -> None:
    kappa = constants.get("kappa")
    assert not kappa.exact
    assert math.isnan(kappa.uncertainty)
    assert math.isnan(kappa.relative_uncertainty)
    assert "(" not in str(kappa)


def test_every_entry_names_its_source() -> None:
    ours = constants.catalogue("IAU")
    assert len(ours) == 59
    assert all(constant.unit is not None and constant.source for constant in ours)
