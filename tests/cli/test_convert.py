"""`dimflow convert`."""

import json
import shlex
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow.cli.commands.convert import _request
from dimflow.units import typed_quantities as quantity
from tests.cli.conftest import Run

ANSWERS = {
    # a value with its unit, before it, and with the word "to"
    '"65 mile/hour" km/h': "65 mi/h = 104.60736 km/h",
    "65 mile/hour km/h": "65 mi/h = 104.60736 km/h",
    "65 mile per hour to km/h": "65 mi/h = 104.60736 km/h",
    '"65 mile per hour to km/h"': "65 mi/h = 104.60736 km/h",
    "65mile/hour km/h": "65 mi/h = 104.60736 km/h",
    "65 --from mile/hour --to km/h": "65 mi/h = 104.60736 km/h",
    "65 mile/hour --precision 3 km/h": "65 mi/h ≈ 105 km/h",
    "mile km": "1 mi = 1.609344 km",
    # several
    "1 2 3.5 ft m": "1 ft = 0.3048 m\n2 ft = 0.6096 m\n3.5 ft = 1.0668 m",
    "65 mile/hour to": "65 mi/h = 29.0576 m/s",
    '"1 mile" "2 ft" m': "1 mi = 1609.344 m\n2 ft = 0.6096 m",
    '"1 mile" "2 ft"': "1 mi = 1609.344 m\n2 ft = 0.6096 m",
    "1 2 ft to m": "1 ft = 0.3048 m\n2 ft = 0.6096 m",
    # numbers
    '"5.2e3 km" m': "5.2e3 km = 5200000 m",
    "-5.2e3 km m": "-5.2e3 km = -5200000 m",
    "-.5 km m": "-.5 km = -500 m",
    "1e-6 km m": "1e-6 km = 0.001 m",
    "5 s-1 Hz": "5 1/s = 5 Hz",
    "−40 degC degF": "-40 °C = -40 °F",
    '"1/3 mile" m': "1/3 mi = 536.448 m",
    '"10^3 m" km': "1000 m = 1 km",
    '"5*km" m': "5 km = 5000 m",
    '"5 L/(100 km)" L/km': "0.05 L/km = 0.05 L/km",
    '5 L/km "L/(100 km)"': "5 L/km = 500 L/(100 km)",
    '"160 km" --to "100 km"': "160 km = 1.6 (100 km)",
    "1e9999 m km": "1e9999 m = 1e9996 km",
    "inf m km": "inf m = inf km",
    "-inf m km": "-inf m = -inf km",
    "5% 1": "5 % = 0.05",
    "3 Hz 1/s": "3 Hz = 3 1/s",
    # sums over ever smaller units; 1e3 is a number, and kg m a product
    '"6 ft 2 in" cm': "6 ft 2 in = 187.96 cm",
    "1/3 cup mL": "1/3 cup = 78.8627455 mL",
    "3/8 in to mm": "0.375 in = 9.525 mm",
    "6 ft 2 in to cm": "6 ft 2 in = 187.96 cm",
    '"-1 h 30 min" s': "-1 h 30 min = -5400 s",
    "12°30′36″ deg": "12°30′36 ″ = 12.51 °",
    '"5 lb 4.5oz" oz': "5 lb 4.5 oz = 84.5 oz",
    '"1e3 zC" zC': "1e3 zC = 1000 zC",
    '"5E3 g" kg': "5E3 g = 5 kg",
    '"5 kg * 3 m" "kg m"': "15 kg·m = 15 kg·m",
    # points on scales
    '"20 degC" degF': "20 °C = 68 °F",
    "-40 degC degF": "-40 °C = -40 °F",
    "0 K degC": "0 K = -273.15 °C",
    "30 dBm W": "30 dBm = 1 W",
    "0 W dBm": "0 W = -inf dBm",
    # no target: SI, and base units where SI changes nothing
    "1 hp": "1 hp ≈ 745.699871582 W",
    '"1 km/m"': "1 km/m = 1000",
    "5 N": "5 N = 5 kg·m/s²",
    "20 degC": "20 °C = 293.15 K",
    "1 J --system CGS": "1 J = 10000000 erg",
    "1 eV --system natural": "1 eV = 1 eV",
    # digits
    "1 km mile": "1 km ≈ 0.621371192237 mi",
    "1 km mile --number": "0.621371192237334",
    "25 dBm W": "25 dBm ≈ 0.316227766017 W",
    "1 km mile -p 30": "1 km ≈ 0.621371192237333969617434184363 mi",
    "1 pc ly -p 4": "1 pc ≈ 3.262 ly",
    "1 ft in -p 5": "1 ft = 12 in",
    # physics and notations
    "500 nm THz --via spectral": "500 nm = 599.584916 THz",
    "2 mol g --via 'molar(18.015 g/mol)'": "2 mol = 36.03 g",
    "60 rpm Hz --via cycles": "60 rpm = 1 Hz",
    "1 mm[Hg] Pa --style ucum": "1 mmHg = 133.322387415 Pa",
}


@pytest.mark.parametrize("line", ANSWERS)
def test_answers(run: Run, line: str) -> None:
    assert run("convert", *shlex.split(line)) == (0, ANSWERS[line] + "\n", "")


ERRORS = {
    "1 km s": "cannot convert km to s\n  from: km   [length]\n  to:   s    [time]",
    "500 nm THz": (
        "cannot convert nm to THz\n  from: nm    [length]\n  to:   THz   [frequency]\n"
        "  hint:  --via spectral connects them"
    ),
    "5 furlng m": (
        "no unit is called 'furlng'\n  in:    furlng\n         ^\n  hint:  did you mean 'furlong'?"
    ),
    "1 [in_i] m": (
        "'[' has no meaning here\n  in:    [in_i]\n         ^\n"
        "  hint:  UCUM codes are read by --style ucum, LaTeX and HTML by "
        "--style latex, --style html"
    ),
    "72 F C": (
        "cannot convert F to C\n  from: F   [capacitance]\n  to:   C   [charge]\n"
        "  hint:  temperatures are degF, degC and K; F is the farad and C the coulomb"
    ),
    "'2 s * 3 min' h": (
        "cannot convert s*min to h\n  from: s*min   [time^2]\n  to:   h       [time]"
    ),
    "'2 s 3 min' h": (
        "these values are no sum of one dimension in falling units\n  in:    2 s 3 min\n"
        "             ^\n"
        "  hint:  write a sum as 2 h 30 min, and '*' for a product: 2 h * 30 m"
    ),
    "5 '' km": (
        "cannot convert a pure number to km\n  from: 1    [dimensionless]\n"
        "  to:   km   [length]\n"
        "  hint:  the value has no unit; give it one: dimflow convert VALUE UNIT TARGET"
    ),
    "65 mile per hour km/h": (
        "'hour' is one word too many\n"
        "  hint:  quote a unit that has spaces, or write `to` before the target"
    ),
    "'1 mile' km m": (
        "'km' is one word too many\n"
        "  hint:  quote a unit that has spaces, or write `to` before the target"
    ),
    "": 'what is to be converted?\n  hint:  dimflow convert "65 mile/hour" km/h',
    "'1,500 m' ft": (
        "',' stands inside a number\n  in:    1,500 m\n          ^\n"
        "  hint:  write a number without separators and with a decimal point: 1500.5"
    ),
    "'1 500 m' ft": (
        "two numbers stand side by side\n  in:    1 500 m\n           ^\n"
        "  hint:  write a number without separators and with a decimal point: 1500.5"
    ),
    "'5.2(3) m' ft": (
        "an uncertainty is not read here\n  in:    5.2(3) m\n            ^\n"
        "  hint:  write a number without separators and with a decimal point: 1500.5"
    ),
    "1e400 rad deg": "1e400 rad is beyond the range of numbers in deg",
    "4000 dBm W": "4000 dBm is beyond the range of numbers in W",
    "1e99999 m": "this number is too long\n  in:    1e99999\n         ^",
    "1 m ft --via 'molar(1, 2)'": (
        "'molar(1, 2)' is not an equivalency with parameters\n"
        "  hint:  molar(18.015 g/mol); doppler(1420.40575 MHz), doppler(656.28 nm, optical); "
        "brightness_temperature(1.4 GHz), (1.4 GHz, 1e-6 sr) for a beam"
    ),
}


@pytest.mark.parametrize("line", ERRORS)
def test_errors_are_text_on_standard_error_and_end_with_2(run: Run, line: str) -> None:
    assert run("convert", *shlex.split(line)) == (2, "", f"dimflow: {ERRORS[line]}\n")


@pytest.mark.parametrize(("digits", "shown"), [("0", "'0'"), ("101", "'101'"), ("-3", "'-3'")])
def test_precision_has_bounds(run: Run, digits: str, shown: str) -> None:
    result = run("convert", "1", "m", "--precision", digits)
    assert (result.code, result.out) == (2, "")
    assert result.err.endswith(f"digits from 1 to 100, but got {shown}\n")


def test_numbers_alone(run: Run) -> None:
    assert run("convert", "1", "2", "ft", "m", "--number").out == "0.3048\n0.6096\n"


def test_json(run: Run) -> None:
    result = run("convert", "20 degC", "1 mile", "degF", "--json")
    assert (result.code, result.out) == (2, "")  # all or nothing
    result = run("convert", "20", "-3.5", "degC", "degF", "--json")
    assert json.loads(result.out) == [
        {"value": 20, "unit": "degC", "result": 68, "target": "degF"},
        {"value": -3.5, "unit": "degC", "result": 25.7, "target": "degF"},
    ]


def test_json_is_rounded_if_asked(run: Run) -> None:
    [record] = json.loads(run("convert", "1 km", "mile", "--json", "--precision", "3").out)
    assert record["result"] == 0.621


def test_json_has_text_where_json_has_no_number(run: Run) -> None:
    [level] = json.loads(run("convert", "0", "W", "dBm", "--json").out)
    assert (level["value"], level["result"]) == (0, "-inf")
    [huge] = json.loads(run("convert", "1e400", "m", "km", "--json").out)
    assert (huge["value"], huge["result"]) == ("1e400", "1e397")


@pytest.mark.parametrize(
    ("words", "stdin", "out"),
    [
        ("- km", "1 mile\n\n# a comment\n2 ft\n", "1 mi = 1.609344 km\n2 ft = 0.0006096 km\n"),
        ("- mile km", "1\n2\r\n", "1 mi = 1.609344 km\n2 mi = 3.218688 km\n"),
        ("- mile to km", "1\n", "1 mi = 1.609344 km\n"),
        ("- --from mile --to km --number", "1", "1.609344\n"),
        ("-", "\ufeff1 mile", "1 mi = 1609.344 m\n"),
        ("- km", "", ""),
        ("1 - 3 ft m", "2", "1 ft = 0.3048 m\n2 ft = 0.6096 m\n3 ft = 0.9144 m\n"),
    ],
)
def test_values_from_standard_input(installed: Run, words: str, stdin: str, out: str) -> None:
    assert installed("convert", *words.split(), stdin=stdin) == (0, out, "")


def test_a_wrong_line_is_named_after_the_answers_before_it(installed: Run) -> None:
    result = installed("convert", "-", "km", stdin="1 mile\n\n1 furlng\n2 mile\n")
    assert (result.code, result.out) == (2, "1 mi = 1.609344 km\n")
    assert result.err == (
        "dimflow: line 3: no unit is called 'furlng'\n"
        "  in:    furlng\n         ^\n  hint:  did you mean 'furlong'?\n"
    )


def test_bytes_that_are_no_text_are_an_error_and_not_a_crash(installed: Run) -> None:
    result = installed("convert", "-", "km", stdin=b"\xff\xfe m\n")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("dimflow: line 1: the character '\ufffd' has no meaning")


@pytest.mark.parametrize(
    ("words", "values", "source", "target"),
    [
        (["5 m"], ["5 m"], None, None),
        (["5 m", "ft"], ["5 m"], None, "ft"),
        (["5", "m", "ft"], ["5"], "m", "ft"),
        (["5", "m"], ["5"], "m", None),
        (["5"], ["5"], None, None),
        (["5 m", "6 m", "ft"], ["5 m", "6 m"], None, "ft"),
        (["5 m", "6 m"], ["5 m", "6 m"], None, None),
        (["5 Hz", "1/s"], ["5 Hz"], None, "1/s"),
        (["-", "m"], ["-"], None, "m"),
        (["-", "m", "ft"], ["-"], "m", "ft"),
        (["5", "m", "to", "100", "ft"], ["5"], "m", "100 ft"),
        (["5", "square", "mile", "to", "square", "km"], ["5"], "square mile", "square km"),
    ],
)
def test_which_word_is_what(
    words: list[str], values: list[str], source: str | None, target: str | None
) -> None:
    assert _request(words, None, None) == (values, source, target)


decimals = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30)


@given(value=decimals)
def test_a_decimal_number_is_read_exactly(value: Decimal) -> None:
    given = quantity.read(f"{value} km")
    assert given.value == Fraction(value)
    assert str(given.unit) == "km"


C, K_B = 299792.458, 1.380649e-23  # km/s, J/K
F0, F = 1420.40575, 1400.0
RAYLEIGH_JEANS = 2 * K_B * (1.4e9 / (1e3 * C)) ** 2 * 1e26  # Jy/sr for a kelvin at 1.4 GHz


def test_hints_name_the_option_of_the_command(run: Run) -> None:
    assert '--via "molar(18.015 g/mol)"' in run("convert", "180 g", "mol", "--via", "molar").err
    assert "--via spectral does not" in run("convert", "1 m", "kg", "--via", "spectral").err
    assert "no equivalency is called 'foo'" in run("convert", "60 mph", "m/s", "--via", "foo").err


@pytest.mark.parametrize(
    ("via", "words", "answer"),
    [
        ("doppler(1420.40575 MHz)", "1400 MHz km/s", C * (F0**2 - F**2) / (F0**2 + F**2)),
        ("doppler(1420.40575 MHz, radio)", "1400 MHz km/s", C * (1 - F / F0)),
        ("doppler(656.28 nm, optical)", "660 nm km/s", C * (660 / 656.28 - 1)),
        ("brightness_temperature(1.4 GHz)", "1 K Jy/sr", RAYLEIGH_JEANS),
        ("brightness_temperature(1.4 GHz, 1e-6 sr)", "1 K Jy", RAYLEIGH_JEANS * 1e-6),
        ("molar(18.015 g/mol)", "36.03 g mol", 2),
    ],
)
def test_equivalencies_with_parameters(run: Run, via: str, words: str, answer: float) -> None:
    result = run("convert", *words.split(), "--via", via, "--number")
    assert float(result.out) == pytest.approx(answer, rel=1e-12)


def test_the_first_equivalency_that_fits_is_taken(run: Run) -> None:
    words = ["convert", "1", "kg", "J", "--via", "spectral", "--via", "mass_energy", "-n"]
    assert float(run(*words).out) == float(299792458**2)
