"""`dimflow units` and `dimflow parse`."""

import json
import math
import re
from fractions import Fraction
from typing import Any

import pytest

from dimflow import Unit
from dimflow.units import convert, decode, find, from_json
from tests.cli.conftest import Run


def names(run: Run, *words: str) -> list[str]:
    return [line.split()[0] for line in run("units", *words).lines[1:]]


def test_browsing_shows_every_family_with_its_number_of_units(run: Run) -> None:
    result = run("units")
    assert result.code == 0
    assert result.lines[0].split() == ["FAMILY", "UNITS", "SUCH", "AS"]
    rows = [re.fullmatch(r"(\S.*?) +(\d+)  (\S.*)", line) for line in result.lines[1:]]
    assert all(rows)
    assert {row[1]: int(row[2]) for row in rows if row} == counts()
    assert f"{len(find('')):,} units in {len(counts())} families" in result.err


def counts() -> dict[str, int]:
    families = [definition.family or "(no family)" for definition in find("")]
    return {family: families.count(family) for family in families}


def test_columns_are_aligned(run: Run) -> None:
    header, *rows = run("units", "[length]/[time]").lines
    starts = [match.start() for match in re.finditer(r"\S+(?: VALUE)?", header)]
    assert len(starts) == 4
    assert len(rows) > 10
    for row in rows:
        assert all(row[start - 1] == " " for start in starts[1:])
        assert row[starts[2] :].startswith("[speed]")


def test_a_row(run: Run) -> None:
    assert run("units", "acre_foot").lines == [
        "NAME                 SYMBOL  DIMENSION  SI VALUE",
        "acre_foot            ac_ft   [volume]   1233.48183755 m³",
        "us_survey_acre_foot          [volume]   1233.48923847 m³",
    ]


@pytest.mark.parametrize("search", ["pressure", "[pressure]", "[Pa]", "[force]/[area]"])
def test_a_dimension_by_name_formula_or_unit(run: Run, search: str) -> None:
    assert {"pascal", "bar", "torr", "standard_atmosphere"} <= set(names(run, search))


def test_words_of_a_name_may_be_separate(run: Run) -> None:
    assert names(run, "nautical", "mile")[0] == "nautical_mile"
    assert "mile_per_hour" in names(run, "mile per hour")


def test_a_prefixed_unit_comes_first(run: Run) -> None:
    assert run("units", "km").lines[1].split() == ["kilometre", "km", "[length]", "1000", "m"]
    assert run("units", "kilometres").lines[1].split()[0] == "kilometre"


def test_points_on_scales_say_where_zero_is(run: Run) -> None:
    assert run("units", "degC").lines[1].endswith("1 K, 0 at 273.15 K")
    assert run("units", "dBm").lines[1].endswith("level re 0.001 W")


def test_family(run: Run) -> None:
    wanted = {d.name for d in find("") if "planck" in d.family.casefold()}
    assert set(names(run, "--family", "planck")) == wanted
    assert names(run, "planck_mass", "--family", "Planck") == ["planck_mass", "reduced_planck_mass"]


def test_long_tells_all_about_the_unit_called_so(run: Run) -> None:
    result = run("units", "psi", "--long")
    assert result.out.splitlines() == [
        "pound_force_per_square_inch",
        "  definition  pound_force/inch**2",
        "  SI value    6894.75729317 Pa",
        "  exactly     8896443230521/1290320000",
        "  dimension   [pressure] = [length^-1 mass time^-2]",
        "  symbols     psi, psia, psid",
        "  also        pounds_force_per_square_inch, pound_per_square_inch, pounds_per_square_inch",
        "  prefixes    SI",
        "  UCUM        [psi]",
        "  family      pressure and load in pounds-force",
        "  source      NIST SP 811 (2008), app. B",
    ]


def test_long_without_an_exact_name_tells_about_all_that_fit(run: Run) -> None:
    blocks = run("units", "nautical", "--long").out.split("\n\n")
    assert len(blocks) == len(names(run, "nautical")) > 2


@pytest.mark.parametrize(
    ("unit", "law"),
    [
        ("degF", "x °F = (5/9 x + 255.372222222) K"),
        ("degC", "x °C = (x + 273.15) K"),
        ("dBm", "x dBm = 10^(x/10) × 0.001 W"),
        ("dBV", "x dBV = 10^(x/20) × 1 V, a field quantity"),
        ("pH", "x pH = 10^(-x) × 1000 mol/m³"),
        ("mag", "x mag = 10^(-x/2.5) × 1"),
    ],
)
def test_long_states_the_law(run: Run, unit: str, law: str) -> None:
    assert f"  law         {law}" in run("units", unit, "--long").lines


def test_json_holds_every_unit_with_its_exact_meaning(run: Run) -> None:
    records = json.loads(run("units", "--json").out)
    definitions = {definition.name: definition for definition in find("")}
    assert [record["name"] for record in records] == list(definitions)
    for record in records:
        unit = Unit(record["name"])
        assert record["symbol"] == str(unit)
        assert record["scale"] == unit.scale
        assert record["exact_scale"] == str(unit.key.scale)
        assert record["law"] == (type(unit.law).__name__.lower() if unit.law else "linear")
        assert record["source"] == definitions[record["name"]].source
        assert amount(record, 3) == pytest.approx(convert(3, unit, record["si_unit"]), rel=1e-12)


def amount(record: dict[str, Any], x: float) -> float:
    """x of a unit in SI base units, by what its record says and nothing else."""
    if record["law"] == "affine":
        return record["scale"] * x + float(Fraction(record["offset"]))
    if record["law"] == "logarithmic":
        base = math.e if record["base"] == "e" else record["base"]
        return record["scale"] * base ** (x / Fraction(record["factor"]))
    return record["scale"] * x


def test_json_of_a_prefixed_unit(run: Run) -> None:
    [record, *_] = json.loads(run("units", "km", "--json").out)
    assert (record["name"], record["prefix"], record["scale"]) == ("kilometre", "kilo", 1000)


COMPOUND = """'km/h' is a unit, but has no name of its own.
`dimflow parse "km/h"` tells about it, `dimflow units "[km/h]"` finds its kind."""


@pytest.mark.parametrize(
    ("words", "note"),
    [
        (["furlng"], "no unit fits 'furlng'; did you mean furlong?"),
        (["qqqqqqqq"], "no unit fits 'qqqqqqqq'"),
        (["--family", "qqq"], "there is no unit in a family called 'qqq'"),
        (["psi", "--family", "qqq"], "no unit fits 'psi' in a family called 'qqq'"),
        (["km/h"], COMPOUND),
    ],
)
def test_nothing_found_ends_with_1(run: Run, words: list[str], note: str) -> None:
    assert run("units", *words) == (1, "", note + "\n")


def test_nothing_found_in_json_is_an_empty_list(run: Run) -> None:
    assert run("units", "furlng", "--json")[:2] == (1, "[]\n")


def test_a_dimension_that_is_none_ends_with_2(run: Run) -> None:
    result = run("units", "[furlng]")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("dimflow: no unit is called 'furlng'\n")


def test_parse_shows_every_notation(run: Run) -> None:
    assert run("parse", "J/(kg K)").lines == [
        "J/(kg·K)",
        "  name        joule/(kilogram*kelvin)",
        "  dimension   [specific_heat_capacity] = [length^2 time^-2 temperature^-1]",
        "  SI value    1 m²/(s²·K)",
        "  base units  m²/(s²·K)",
        "  plain       J/(kg*K)",
        "  unicode     J/(kg·K)",
        r"  latex       \frac{\mathrm{J}}{\mathrm{kg}\,\mathrm{K}}",
        r"  siunitx     \si{\joule\per\kilogram\per\kelvin}",
        "  html        J/(kg&middot;K)",
        "  cf          J kg-1 K-1",
        "  ucum        J.kg-1.K-1",
        "  wire        dimflow.unit/1|1|J:joule:1:L2.M1.T-2:1|kg:kilogram:1:M1:-1|K:kelvin:1:K1:-1",
    ]


def test_parse_joins_its_words_and_simplifies(run: Run) -> None:
    assert "  simpler    W" in run("parse", "kg", "m^2", "s^-3").lines
    assert run("parse", "").lines[0] == "1, the unit of pure numbers"
    assert run("parse", "mm[Hg]", "--style", "ucum").lines[0] == "mmHg"


@pytest.mark.parametrize("text", ["km/h", "dBm", "degF", "m**(1/2)", "parsec", ""])
def test_parse_json_is_read_back(run: Run, text: str) -> None:
    told = json.loads(run("parse", text, "--json").out)
    unit = Unit(text)
    assert decode(told["wire"]) is from_json(told["wire_json"]) is unit
    readable = {s: t for s, t in told["styles"].items() if t is not None and t != ""}
    assert "plain" in readable or not text
    assert all(Unit(spelled, style=style) == unit for style, spelled in readable.items())


def test_parse_points_at_the_mistake(run: Run) -> None:
    error = "this parenthesis is never closed\n  in:    m/(s\n           ^\n"
    assert run("parse", "m/(s") == (2, "", f"dimflow: {error}")
