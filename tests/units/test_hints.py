"""What a hint of an error about units says to write works."""

import re
from math import isclose

import pytest

from dimflow import DimArray, Unit
from dimflow.errors import UndefinedUnitError, UnitError
from dimflow.units.typed_quantities import read, read_value
from tests.units.strategies import DEFINITIONS

_WRITTEN = """rpm Hz rad/s deg turn 1/s degC K J/K dB dBm dBV W V pH mol/L kg eV m nm mag ABmag Jy
lm percent bit psi J Np m/s rad*m/s mol g Bq cycle/s sr 1"""
UNITS = _WRITTEN.split()
NAMES = [name for d in DEFINITIONS for name in (d.name, *d.aliases)]
_CALL = re.compile(r"x((?:\.to\([^)]*\))+)(?: gives ([0-9.e+-]+))?")


@pytest.mark.parametrize("source", UNITS)
def test_a_call_in_the_hint_of_a_conversion_works_and_has_the_number_that_is_said(
    source: str,
) -> None:
    x = DimArray([1.0], source)
    for target in UNITS:
        try:
            x.to(target)
        except UnitError as error:
            hint = getattr(error, "hint", None) or ""
        else:
            continue
        for call, said in _CALL.findall(hint):
            found = eval(f"x{call}", {"x": x})
            assert not said or isclose(float(found.value[0]), float(said), rel_tol=1e-5), hint
        for via in re.findall(r"^via='(\w+)'", hint):
            assert x.to(target, via=via).unit == Unit(target)


@pytest.mark.parametrize("where", range(4))
def test_a_suggested_name_is_a_unit(where: int) -> None:
    suggested = 0
    for name in NAMES[where::40]:
        at = (where + 1) * len(name) // 5
        for text in (name[:at] + name[at + 1 :], name[:at] + "x" + name[at:], name.upper()):
            try:
                Unit(text)
            except UndefinedUnitError as error:
                suggested += len(error.suggestions)
                for suggestion in error.suggestions:
                    assert Unit(suggestion)
            except UnitError:
                continue
    assert suggested > 100


@pytest.mark.parametrize("text", ["10^3 m", "10^-2 m/s", "m", "km/h", "degC", "pi m", "six feet"])
def test_what_a_quantity_without_a_number_says_to_write_is_one(text: str) -> None:
    with pytest.raises(UnitError) as caught:
        read_value(text)
    said = re.search(r"'([^']*)'$", caught.value.hint or "")
    assert said is not None
    found = read_value(said[1])
    if text[0] != "s":
        assert isclose(found.value * found.unit.scale, Unit(text).scale)


@pytest.mark.parametrize(
    "text", ["degF/100ft", "L/100 km", "W/m²K", "J/(kg/100 mol)", "2 W/m²K s", "V per 100 km/h"]
)
def test_what_a_divisor_says_to_write_is_its_own_string(text: str) -> None:
    with pytest.raises(UnitError) as caught:
        Unit(text)
    readings = caught.value.hint.removeprefix("write ").split(", or ")
    letters = sorted(c for c in text if c.isalnum())
    for reading in readings:
        assert sorted(c for c in reading if c.isalnum()) == letters
    assert len({Unit(reading) for reading in readings}) == 2


@pytest.mark.parametrize("text", [
    "mmHg (0 °C)", "inH2O (68 °F)", "gpm (US)", "kt gold", "Mb zz", "lb/10⁶·Btu", "mb (zz)",
    "lb/1000 sq ft", "W/m²K zz", "L/100 zz", "mg/L as zz", "J/kg zz", "5' 3\"", "65 dBa", "F/100ft",
])  # fmt: skip
def test_what_a_hint_says_to_write_is_read(text: str) -> None:
    """Readings that are errors themselves are left out; a unit or a value can be read."""
    with pytest.raises(UnitError) as caught:
        Unit(text)
    hint = caught.value.hint or ""
    for reading in hint.removeprefix("write ").split(", or ") if "write" in hint else ():
        read(reading)


@pytest.mark.parametrize("letters", ["Mb ", "Mb/", "lb ft ", "m as "])
def test_many_doubts_in_one_text_cost_no_more_than_their_number(letters: str) -> None:
    with pytest.raises(UnitError):
        Unit((letters * 300).strip(" /"))
    assert Unit("s/m/" * 300 + "K") == Unit("s/K") / Unit("m") ** 300 / Unit("s") ** 299
