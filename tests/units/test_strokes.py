"""What stands behind a stroke: with an asterisk above it, in parentheses below, else an error."""

from itertools import permutations

import pytest

from dimflow import Unit
from dimflow.errors import UnitError, UnitParseError
from dimflow.units.tables import builtin


def is_error(text: str) -> bool:
    try:
        Unit(text)
    except UnitError:
        return True
    return False


def said_to_write(error: UnitParseError) -> list[str]:
    assert error.hint is not None
    return error.hint.removeprefix("write ").split(", or ")


BEHIND = (
    "{} {}", "{}.{}", "{}·{}", "{}⋅{}", "{} ({})", "{}({})", "({}){}", "{} sqrt({})", "{} sq {}",
    "{}^2 {}", "{}² {}", "{} {}^2", "{} {}²", "{} {}2", "{}2.{}", "{} ({}^2)", "{}·sqrt({})",
)  # fmt: skip
STROKES = ("J/{}", "1/{}", "kN m/{}", "s/(J/{})", "(J/{})*s", "J*(1/{})", "5 J/{}", "J / {}")


@pytest.mark.parametrize("stroke", STROKES)
@pytest.mark.parametrize("behind", BEHIND)
def test_no_product_behind_a_stroke_is_a_guess(behind: str, stroke: str) -> None:
    """Without an asterisk it may be meant above or below; with one it is above."""
    for a, b in permutations(["kg", "K", "m", "s", "ft", "mol", "cm", "lbf"], 2):
        if builtin.find(f"{a}_{b}"):
            continue  # the foot-pound
        text = stroke.format(behind.format(a, b))
        with pytest.raises(UnitParseError) as caught:
            Unit(text)
        readings = said_to_write(caught.value)
        if "two ways" in caught.value.problem:
            assert len({Unit(reading) for reading in readings}) == len(readings) > 1, text
        if a != "cm" or b != "kg":  # a torque in kgf*cm
            assert Unit(stroke.format(f"{a}*({b})")) == Unit(stroke.format(f"{a}*{b}"))
        assert Unit(stroke.format(f"{a} {b}^-1")) == Unit(stroke.format(f"{a}*{b}**-1"))


NUMBERS = ("1000", "1e6", "10^6", "10**6", "10⁶", "10^(6)", "2.5", "(10^6)", "3^2", "10^-2", "10⁻²")


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_behind_a_stroke_divides_all_or_asks(number: str) -> None:
    """Emissions are in lb/10^6 Btu, and no laboratory counts CFU times millilitre."""
    for a, b in permutations(["lb", "Btu", "g", "m3", "gal", "mL"], 2):
        if (a, b) == ("m3", "mL"):
            continue  # m3/1e6 (mL) is a unit with its symbol
        for form in (
            "{}/{} {}",
            "{} / {} {}",
            "{}/{} ({})",
            "{}/{}·{}",
            "{}/{} sq {}",
            "2 {}/{} {}",
        ):
            with pytest.raises(UnitParseError) as caught:
                Unit(form.format(a, number, b))
            readings = said_to_write(caught.value)
            assert len({Unit(reading) for reading in readings}) > 1
        assert Unit(f"{a}/({number} {b})") == Unit(a) / Unit(number) / Unit(b)
        assert Unit(f"{a}/{number}*{b}") == Unit(a) / Unit(number) * Unit(b)
        assert Unit(f"1/{number} {b}") == Unit(b) / Unit(number)


DRIVES = ("cmH2O", "cm H2O", "mm Hg", "mmHg", "inch of mercury", "Pa", "N/m2", "N", "mV", "kg*m/s2")


@pytest.mark.parametrize("drive", DRIVES)
def test_what_drives_a_flow_asks_what_it_is_divided_by(drive: str) -> None:
    for volume in ("L", "mL", "m3", "cm^3", "cm³", "m", "deg", "cubic metre"):
        for time in ("s", "min", "h"):
            for form in ("{}/{}/{}", "{} / {} / {}"):
                assert is_error(form.format(drive, volume, time))
            assert not is_error(f"({drive})/({volume}/{time})")
