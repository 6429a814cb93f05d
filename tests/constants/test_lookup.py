"""Finding constants: attributes, names, search, completion, and names that nothing has."""

import keyword
import pickle
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import astropy.constants as astropy_constants
import pytest
import scipy.constants as scipy_constants

import dimflow
from dimflow import constants
from dimflow.constants.table import TABLE, Table
from dimflow.errors import UndefinedConstantError

BY_SCIPY = {
    "c speed_of_light h Planck hbar G gravitational_constant g e elementary_charge R gas_constant",
    "alpha fine_structure N_A Avogadro k Boltzmann sigma Stefan_Boltzmann Wien Rydberg mu_0",
    "epsilon_0 m_e electron_mass m_p proton_mass m_n neutron_mass m_u u atomic_mass au",
    "astronomical_unit light_year parsec Julian_year atm atmosphere eV electron_volt",
}


@pytest.mark.parametrize("name", " ".join(sorted(BY_SCIPY)).split())
def test_scipys_short_names_mean_the_same(name: str) -> None:
    assert constants.get(name).value == pytest.approx(getattr(scipy_constants, name), rel=4e-16)


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("c", "speed of light in vacuum"),
        ("h", "Planck constant"),
        ("hbar", "reduced Planck constant"),
        ("e", "elementary charge"),
        ("k_B", "Boltzmann constant"),
        ("N_A", "Avogadro constant"),
        ("R", "molar gas constant"),
        ("G", "Newtonian constant of gravitation"),
        ("m_e", "electron mass"),
        ("m_p", "proton mass"),
        ("m_n", "neutron mass"),
        ("alpha", "fine-structure constant"),
        ("mu_0", "vacuum mag. permeability"),
        ("epsilon_0", "vacuum electric permittivity"),
        ("sigma_sb", "Stefan-Boltzmann constant"),
        ("R_inf", "Rydberg constant"),
        ("a_0", "Bohr radius"),
        ("E_h", "Hartree energy"),
        ("u", "atomic mass constant"),
        ("F", "Faraday constant"),
        ("g_n", "standard acceleration of gravity"),
        ("atm", "standard atmosphere"),
        ("K_J", "Josephson constant"),
        ("R_K", "von Klitzing constant"),
        ("Phi_0", "mag. flux quantum"),
        ("G_0", "conductance quantum"),
        ("mu_B", "Bohr magneton"),
        ("mu_N", "nuclear magneton"),
        ("Z_0", "characteristic impedance of vacuum"),
        ("b_wien", "Wien wavelength displacement law constant"),
    ],
)
def test_symbols(symbol: str, name: str) -> None:
    constant = getattr(constants, symbol)
    assert constant.name == name
    assert constant.symbol == symbol
    assert constant is constants.get(name)


def test_from_import() -> None:
    from dimflow.constants import c, h

    assert (c.value, h.value) == (299792458.0, 6.62607015e-34)
    assert dimflow.constants.c is c


def test_an_attribute_is_kept_in_the_module() -> None:
    first = constants.Bohr_radius
    assert vars(constants)["Bohr_radius"] is first


@pytest.mark.parametrize("constant", constants.catalogue(), ids=lambda constant: constant.name)
def test_every_name_of_a_constant_leads_to_it(constant: constants.Constant) -> None:
    assert constants.get(constant.name) is constant
    assert constants.get(constant.name.upper()) is constant
    for spelling in filter(None, [constant.symbol, *constant.aliases]):
        assert spelling.isidentifier()
        assert not keyword.iskeyword(spelling)
        assert constants.get(spelling) is constant
        assert getattr(constants, spelling) is constant


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("planck_constant", "Planck constant"),
        ("Electron Mass", "electron mass"),
        ("electron-mass", "electron mass"),
        ("mag_flux_quantum", "mag. flux quantum"),
        ("magnetic_flux_quantum", "mag. flux quantum"),
        ("electron magnetic moment", "electron mag. mom."),
        ("proton gyromagnetic ratio", "proton gyromag. ratio"),
        ("Bohr_magneton_in_eV_per_T", "Bohr magneton in eV/T"),
        ("Sackur_Tetrode_constant_1_K_100_kPa", "Sackur-Tetrode constant (1 K, 100 kPa)"),
        ("hyperfine_transition_frequency_of_Cs_133", "hyperfine transition frequency of Cs-133"),
    ],
)
def test_names_in_other_spellings(spelling: str, name: str) -> None:
    assert constants.get(spelling).name == name


def test_symbols_keep_their_case() -> None:
    assert constants.g is not constants.G
    assert constants.r_e is not constants.get("R")
    assert not hasattr(constants, "H")


def test_no_two_constants_share_a_name() -> None:
    owners: dict[str, str] = {}
    for constant in constants.catalogue():
        for spelling in {constant.name, constant.symbol, *constant.aliases} - {""}:
            assert owners.setdefault(spelling, constant.name) == constant.name


def test_search_finds_words_in_any_order_and_case() -> None:
    names = [constant.name for constant in constants.find("planck")]
    assert {"Planck constant", "reduced Planck constant", "Planck length"} <= set(names)
    assert all("planck" in name.lower() for name in names)
    assert constants.find("mass ELECTRON proton") == constants.find("proton mass electron")
    assert constants.find("magnetic moment tau") == []
    assert constants.get("electron mag. mom.") in constants.find("magnetic moment electron")
    assert constants.find("no such thing") == []


@pytest.mark.parametrize("text", ["h", "Boltzmann", "electron mass", "M_sun", "planck constant"])
def test_search_puts_an_exact_name_first(text: str) -> None:
    assert constants.find(text)[0] is constants.get(text)


def test_search_for_nothing_gives_everything() -> None:
    assert constants.find("") == constants.catalogue()


def test_catalogue_by_source() -> None:
    every = constants.catalogue()
    codata, iau = constants.catalogue("CODATA"), constants.catalogue("IAU")
    assert codata + iau == every
    assert len({c.name for c in every}) == len(every) == 414
    assert constants.au in constants.catalogue("IAU 2012")
    assert constants.catalogue("none") == []


def test_dir_offers_symbols_names_and_functions() -> None:
    listed = dir(constants)
    assert {"c", "k_B", "M_sun", "Planck_constant", "find", "get", "catalogue"} <= set(listed)
    assert listed == sorted(set(listed))
    assert {n for n in dir(astropy_constants) if n in ("sigma_T", "b_wien", "L_bol0")} <= set(
        listed
    )


def test_an_unknown_name_is_an_error_with_suggestions() -> None:
    with pytest.raises(UndefinedConstantError) as caught:
        constants.get("plank constant")
    error = caught.value
    assert error.name == "plank constant"
    assert error.suggestions[0] == "Planck_constant"
    assert str(error) == (
        "no constant is called 'plank constant'\n  hint:  did you mean 'Planck_constant' or "
        "'molar_Planck_constant' or 'solar_constant'?"
    )
    assert isinstance(error, LookupError)
    again = pickle.loads(pickle.dumps(error))
    assert (again.name, again.suggestions, str(again)) == (
        error.name,
        error.suggestions,
        str(error),
    )


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"'kb'\n.*did you mean 'k_B'\?"):
        constants.kb  # noqa: B018
    assert not hasattr(constants, "nonsense")
    assert getattr(constants, "nonsense", None) is None
    with pytest.raises(ImportError):
        from dimflow.constants import nonsense  # noqa: F401


@pytest.mark.parametrize("name", ["", " ", "_", "__wrapped__", "c ", "ħ", "1", "a\nb", "x" * 10**6])
def test_bad_names(name: str) -> None:
    start = time.perf_counter()
    with pytest.raises(AttributeError):
        getattr(constants, name)
    assert time.perf_counter() - start < 1
    with pytest.raises(UndefinedConstantError) as caught:
        constants.get(name)
    assert len(str(caught.value)) < 400


def test_threads_get_one_object() -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(5):
            fresh = Table(list(TABLE.rows.values()))
            with ThreadPoolExecutor(8) as pool:
                made = list(pool.map(fresh.get, ["M_sun"] * 64))
            assert len(set(map(id, made))) == 1
    finally:
        sys.setswitchinterval(interval)
