"""The conversion factors, constants and temperature scales of scipy.constants as an oracle."""

import scipy.constants

from tests.units.oracles.reading import Reading, measured

ERASED: frozenset[str] = frozenset()
# scipy states the dimension in comments; here by the base unit.
_MEMBERS = {
    "kg": "gram metric_ton grain lb pound blob slinch slug oz ounce stone long_ton short_ton "
    "troy_ounce troy_pound carat m_e electron_mass m_p proton_mass m_n neutron_mass m_u u "
    "atomic_mass",
    "rad": "degree arcmin arcminute arcsec arcsecond",
    "s": "minute hour day week year Julian_year",
    "m": "inch foot yard mile mil pt point survey_foot survey_mile nautical_mile fermi angstrom "
    "micron au astronomical_unit light_year parsec",
    "kg m-1 s-2": "atm atmosphere bar torr mmHg psi",
    "m2": "hectare acre",
    "m3": "litre liter gallon gallon_US fluid_ounce fluid_ounce_US bbl barrel gallon_imp "
    "fluid_ounce_imp",
    "m s-1": "c speed_of_light kmh mph mach speed_of_sound knot",
    "kg m2 s-2": "eV electron_volt calorie calorie_th calorie_IT erg Btu_th Btu Btu_IT ton_TNT",
    "kg m2 s-3": "hp horsepower",
    "kg m s-2": "dyn dyne lbf pound_force kgf kilogram_force",
    "kg m s-2 A-2": "mu_0",
    "kg-1 m-3 s4 A2": "epsilon_0",
    "kg m2 s-1": "h Planck hbar",
    "kg-1 m3 s-2": "G gravitational_constant",
    "m s-2": "g",
    "s A": "e elementary_charge",
    "kg m2 s-2 K-1 mol-1": "R gas_constant",
    "": "alpha fine_structure",
    "mol-1": "N_A Avogadro",
    "kg m2 s-2 K-1": "k Boltzmann",
    "kg s-3 K-4": "sigma Stefan_Boltzmann",
    "m K": "Wien",
    "m-1": "Rydberg",
}
_BASES = {name: base for base, names in _MEMBERS.items() for name in names.split()}
_SCALES = (
    "Celsius",
    "celsius",
    "Kelvin",
    "kelvin",
    "Fahrenheit",
    "fahrenheit",
    "Rankine",
    "rankine",
)


def read(name: str) -> Reading | None:
    """What scipy.constants says of a name; None if it does not have it."""
    if name in _SCALES:
        return measured({"K": 1}, lambda x: scipy.constants.convert_temperature(x, name, "Kelvin"))
    return Reading(_BASES[name], getattr(scipy.constants, name)) if name in _BASES else None


def spellings() -> list[str]:
    return [*_BASES, *_SCALES]


def prefixes() -> dict[str, float]:
    """Its prefixes, by name."""
    names = (
        "quetta ronna yotta zetta exa peta tera giga mega kilo hecto deka deci centi milli micro "
        "nano pico femto atto zepto yocto ronto quecto kibi mebi gibi tebi pebi exbi zebi yobi"
    )
    return {name: float(getattr(scipy.constants, name)) for name in names.split()}
