"""Texts that other libraries write are read here with the meaning they have there."""

import pytest

from dimflow import Unit
from dimflow.errors import UnitError, UnitParseError
from tests.units.oracles import from_ucum, from_udunits
from tests.units.oracles.deviations import deviations
from tests.units.oracles.oracles import ORACLES, mine, theirs
from tests.units.oracles.reading import Reading, of_unit
from tests.units.oracles.reading import ours as read_here
from tests.units.oracles.texts import TEXTS, Text

DIGITS = 1e-11  # they write numbers with 15 digits and fewer
# Of the table of standard names of the CF conventions, and of files that follow them.
CF = """
kg m-2 s-1; W m-2; W m-2 sr-1; m s-1; Pa; hPa; K; degC; degree_Celsius; 1; 1e-3; %; m2 s-2;
kg m-3; mol m-3; mol m-2 s-1; mol mol-1; umol kg-1; J kg-1; J m-2; K s-1; m3 s-1; m-1; m-1 sr-1;
s-1; degrees_north; degrees_east; degree; radian; m4 s-2; N m-1; N m-2; kg m2 s-2; Pa s-1; Pa2;
K2; m K; W m-2 K-1; W m-1 K-1; J kg-1 K-1; dBZ; mm h-1; mm/day; cm/s; 1/s; kg/(m2 s);
kg m^-2 s^-1; m**2 s**-2; sverdrup; 1.e6 m3 s-1; 10^3 kg; days; hours; day; hour; s; Bq m-3;
mol m-3 s-1; S m-1; V m-1; uatm; ppm; ppb; 1e-6; 1.0e-9 mol mol-1; gram m-3; meter second-1;
kelvin; degF; knot; cm; mbar; 0.01 m; g kg-1; mg m-3; nmol l-1; m s-1 m-1; sr-1; nm-1; W m-2 nm-1;
W m-2 m-1; rad s-1; degree s-1; kg m-2 day-1; (kg m-2) s-1; K m s-1; K Pa s-1; 0.1 lg(re 1 mW);
lg(re 1 mW); ln(re 1 Pa); lb(re 1 s); K @ 273.15; K from 273.15; 0.5555555555555556 K @ 459.67;
microgram m-3; DU; tonne; langley; Mg m-3; m2 kg-1; lm m-2; µm; umol m-2 s-1; μg/m³; m2.s-2; °C;
degrees_C"""


def reading(text: Text) -> Reading | None:
    try:
        return of_unit(Unit(text.text, style=text.style))
    except UnitError:
        return None


def asks_for(text: Text) -> bool:
    """Whether the error of a text shows what it means there as one of two readings."""
    try:
        Unit(text.text, style=text.style)
    except UnitParseError as error:
        readings = (error.hint or "").removeprefix("write ").split(", or ")
        meant = [read_here(reading) for reading in readings] if len(readings) > 1 else []
        return any(m is not None and m.agrees(text.meaning, DIGITS) for m in meant)
    return False


@pytest.mark.parametrize(
    ("oracle", "at_least"), [("astropy", 2400), ("pint", 6000), ("udunits", 5500)]
)
def test_a_text_of_theirs_means_the_same_here(oracle: str, at_least: int) -> None:
    """A form that is listed may be refused, but never be read as something else."""
    unread: dict[str, str] = {}
    wrong, checked = [], 0
    for text in TEXTS[oracle]():
        checked += 1
        ours = reading(text)
        if ours is None and not asks_for(text):
            unread.setdefault(text.form, text.text)
        elif ours is None:
            continue
        elif not ours.without(ORACLES[oracle].ERASED).agrees(text.meaning, DIGITS):
            wrong.append((text.form, text.text, str(text.meaning), str(ours)))
    assert checked > at_least
    assert wrong == []
    assert unread.keys() == deviations(oracle).unread_forms, unread


@pytest.mark.parametrize("text", [part.strip() for part in CF.split(";")])
def test_a_text_of_a_cf_file_means_the_same_here(text: str) -> None:
    their, our = theirs("udunits", text), mine("udunits", text)
    assert their is not None
    assert our is not None
    tolerance = {"DU": 2e-4}.get(text, 1e-12)  # which udunits rounds
    assert our.agrees(their, tolerance), (str(their), str(our))


def test_the_examples_of_ucum_are_read_and_mean_what_its_table_says() -> None:
    codes = from_ucum.examples()
    off = deviations("ucum").disagreements
    unread, wrong = set(), []
    for code in codes:
        their, our = theirs("ucum", code), mine("ucum", code)
        if our is None:
            unread.add(code)
        elif their is None:
            wrong.append(code)
        elif not our.agrees(their) and not any(s in off for s in from_ucum.symbols(code)):
            wrong.append((code, str(their), str(our)))
    assert len(codes) > 800
    assert unread == deviations("ucum").unread_examples
    assert wrong == []


def test_the_database_of_udunits_is_the_one_of_cf_units() -> None:
    assert len(from_udunits.distinct()) > 270
    assert len(from_udunits.prefixes()) > 40
