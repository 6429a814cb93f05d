"""One constant: what it shows, that it never changes, and how it computes and travels."""

import copy
import math
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

from dimflow import DimArray, Unit, constants
from dimflow.constants import Constant
from dimflow.constants.constant import concise
from dimflow.errors import UnitConversionError

REPRS = {
    "h": "<Constant Planck constant h = 6.62607015e-34 J/Hz (exact), CODATA 2022>",
    "c": "<Constant speed of light in vacuum c = 299792458 m/s (exact), CODATA 2022>",
    "hbar": (
        "<Constant reduced Planck constant hbar = 1.0545718176461565e-34 J*s (exact), CODATA 2022>"
    ),
    "G": (
        "<Constant Newtonian constant of gravitation G = 6.67430(15)e-11 m**3/(kg*s**2), "
        "CODATA 2022>"
    ),
    "alpha": "<Constant fine-structure constant alpha = 7.2973525643(11)e-3, CODATA 2022>",
    "triton g factor": "<Constant triton g factor = 5.957924930(12), CODATA 2022>",
    "M_sun": (
        "<Constant solar mass M_sun = 1.988410(45)e30 kg, IAU 2015 Resolution B3 and CODATA 2022>"
    ),
    "kappa": (
        "<Constant constant of aberration at J2000 kappa = 20.49552 arcsec, "
        "IAU 1976 System of Astronomical Constants>"
    ),
}


@pytest.mark.parametrize(("name", "text"), REPRS.items())
def test_repr(name: str, text: str) -> None:
    assert repr(constants.get(name)) == text


def test_str_is_the_quantity_alone() -> None:
    assert str(constants.get("G")) == "6.67430(15)e-11 m**3/(kg*s**2)"
    assert str(constants.get("c")) == "299792458 m/s"


@pytest.mark.parametrize(
    ("value", "uncertainty", "text"),
    [
        ("6.67430e-11", "0.00015e-11", "6.67430(15)e-11"),
        ("-2.00231930436092", "0.00000000000036", "-2.00231930436092(36)"),
        ("3477.23", "0.23", "3477.23(23)"),
        ("16.8170", "0.0011", "16.8170(11)"),
        ("1776.86", "1.20", "1776.86(1.20)"),  # across the decimal point it is written
        ("6.0236e6", "3e2", "6.0236(3)e6"),
        ("1.32712442099e20", "1e10", "1.32712442099(10)e20"),
        ("299792458", "", "299792458"),
    ],
)
def test_concise_notation(value: str, uncertainty: str, text: str) -> None:
    assert concise(value, uncertainty) == text


@pytest.mark.parametrize("constant", constants.catalogue(), ids=lambda constant: constant.name)
def test_the_text_reads_back_as_value_and_uncertainty(constant: Constant) -> None:
    text = concise(*constant._digits)
    if "(" not in text:
        assert float(text) == constant.value
        return
    mantissa, _, rest = text.partition("(")
    digits, _, power = rest.partition(")")
    last_place = 10.0 ** -len(mantissa.partition(".")[2]) if "." not in digits else 1.0
    sigma = float(digits) * last_place * float("1" + power)
    assert sigma == pytest.approx(constant.uncertainty, rel=0.05)
    assert float(mantissa + power) == pytest.approx(constant.value, abs=sigma / 10, rel=0)


def test_a_constant_does_not_change() -> None:
    c = constants.get("c")
    with pytest.raises(AttributeError, match="a constant does not change: speed of light"):
        c.value = 3e8
    with pytest.raises(AttributeError, match="a constant does not change"):
        del c.value
    with pytest.raises(AttributeError, match="a constant does not change"):
        c.colour = "red"  # type: ignore[attr-defined]
    assert not hasattr(c, "__dict__")
    assert c.value == 299792458.0


def test_fields() -> None:
    h = constants.get("h")
    assert (h.name, h.symbol, h.value) == ("Planck constant", "h", 6.62607015e-34)
    assert (h.exact, h.uncertainty, h.relative_uncertainty) == (True, 0.0, 0.0)
    assert (h.source, h.definition) == ("CODATA 2022", "")
    assert {"Planck", "Planck_constant"} <= set(h.aliases)
    assert h.unit == Unit("J/Hz")
    G = constants.get("G")
    assert (G.uncertainty, G.exact) == (0.00015e-11, False)
    assert G.relative_uncertainty == 0.00015e-11 / 6.67430e-11
    assert constants.get("hbar").definition == "h/(2*pi)"


def test_equality_is_that_of_quantities() -> None:
    c = constants.get("c")
    assert c == constants.get("speed of light in vacuum")
    assert c == 299792.458 * Unit("km/s")
    assert c != constants.get("h")
    assert len({c, constants.get("c"), constants.get("h")}) == 2


def test_equal_constants_hash_alike() -> None:
    found = constants.catalogue()
    for one in found:
        for other in found:
            if one.unit.dimension is other.unit.dimension and one == other:
                assert hash(one) == hash(other)


@pytest.mark.parametrize(
    ("name", "unit", "value"),
    [
        ("c", "km/s", 299792.458),
        ("c", Unit("m/s"), 299792458.0),
        ("m_e", "g", 9.1093837139e-28),
        ("electron g factor", "", -2.00231930436092),
        ("au", "km", 149597870.7),
        ("Julian_year", "d", 365.25),
    ],
)
def test_to(name: str, unit: Any, value: float) -> None:
    converted = constants.get(name).to(unit)
    assert isinstance(converted, DimArray)
    assert converted.unit is Unit(unit)
    assert converted.item() == value  # to the last bit: from all digits
    assert constants.get(name).to_value(unit) == value


def test_to_by_way_of_an_equivalency() -> None:
    line = constants.get("hyperfine transition frequency of Cs-133")
    assert line.to_value("cm", via="spectral") == pytest.approx(3.261225571749406, rel=1e-15)


def test_to_another_dimension_is_an_error() -> None:
    with pytest.raises(UnitConversionError):
        constants.get("c").to("kg")


def test_units_inside_codata_agree_with_the_constants() -> None:
    assert constants.get("Hartree energy").to_value("eV") == pytest.approx(
        27.211386245981, rel=1e-12
    )
    assert constants.get("electron mass in u").to_value("kg") == pytest.approx(
        9.1093837139e-31, rel=1e-9
    )
    assert constants.get("hbar").to_value("eV s") == pytest.approx(6.582119569e-16, rel=1e-9)


def test_units_of_the_users_own_change_nothing() -> None:
    code = """
from dimflow import constants
from dimflow.units import Registry
with Registry() as mine:
    mine.define("u = 3 kg", replace=True)
    print(constants.get("electron mass in u").to_value("kg"))
"""
    printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert float(printed) == pytest.approx(9.1093837139e-31, rel=1e-9)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_comes_back_as_the_same_object(protocol: int) -> None:
    for constant in constants.catalogue():
        assert pickle.loads(pickle.dumps(constant, protocol)) is constant


def test_copies_are_the_same_object() -> None:
    c = constants.get("c")
    assert copy.copy(c) is c
    assert copy.deepcopy([c])[0] is c


def test_constants_travel_between_processes() -> None:
    names = ["c", "M_sun", "electron mag. mom."]
    sent = [constants.get(name) for name in names]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        texts = list(pool.map(repr, sent))
        returned = list(pool.map(copy.copy, sent))
    assert texts == [repr(constant) for constant in sent]
    assert all(back is constant for back, constant in zip(returned, sent, strict=True))


def test_a_pickle_needs_nothing_imported_beforehand() -> None:
    data = pickle.dumps(constants.get("h"))
    code = f"import pickle; print(pickle.loads({data!r}).value)"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "6.62607015e-34"


def test_arithmetic_gives_arrays_with_units() -> None:
    m, c = constants.get("m_e"), constants.get("c")
    for result, value, unit in [
        (m * c**2, m.value * c.value**2, "J"),
        (2 * c, 2 * c.value, "m/s"),
        (c * 2, 2 * c.value, "m/s"),
        (c / 2, c.value / 2, "m/s"),
        (1 / c, 1 / c.value, "s/m"),
        (-c, -c.value, "m/s"),
        (+c, c.value, "m/s"),
        (c * m, c.value * m.value, "kg*m/s"),
        (c / c, 1.0, ""),
        (2.0 * Unit("s") * c, 2 * c.value, "m"),
        (c * (2.0 * Unit("s")), 2 * c.value, "m"),
        (constants.get("m_n") - constants.get("m_p"), 2.3055746100019e-30, "kg"),
    ]:
        assert isinstance(result, DimArray)
        assert math.isclose(result.item(), value, rel_tol=1e-9)
        assert result.unit == Unit(unit)


def test_constants_are_ordered_like_quantities() -> None:
    assert constants.get("m_e") < constants.get("m_p")
    assert constants.get("m_p") > constants.get("m_e")


def test_constants_meet_arrays_of_numpy() -> None:
    c = constants.get("c")
    for product in (np.arange(3.0) * c, c * np.arange(3.0)):
        assert product.unit == c.unit
        assert product.tolist() == [0.0, c.value, 2 * c.value]


def test_constants_do_not_meet_texts() -> None:
    for expression in (lambda: constants.get("c") * "x", lambda: "x" * constants.get("c")):
        with pytest.raises(TypeError):
            expression()
