"""`dimflow constants`."""

import json
import math

import pytest

from dimflow import Dimension, constants
from tests.cli.conftest import Run


def test_words_in_any_order(run: Run) -> None:
    lines = run("constants", "mass", "electron").lines
    assert lines[0].split() == ["NAME", "SYMBOL", "VALUE", "UNIT", "SOURCE"]
    row = next(line for line in lines if line.startswith("electron mass  "))
    assert row.split() == [
        "electron",
        "mass",
        "m_e",
        "9.1093837139(28)e-31",
        "kg",
        "CODATA",
        "2022",
    ]


def test_all_of_them(run: Run) -> None:
    assert len(run("constants").lines) == 1 + len(constants.catalogue())


def test_a_short_search_is_a_symbol(run: Run) -> None:
    rows = run("constants", "c").lines[1:]
    assert [row.split()[5:8] for row in rows] == [["c", "299792458", "(exact)"]]
    assert len(run("constants", "zz").lines) == 0


def test_an_attribute_name_finds_its_constant(run: Run) -> None:
    assert run("constants", "electron_mass").lines[1].startswith("electron mass ")


def test_a_dimension(run: Run) -> None:
    wanted = [c.name for c in constants.catalogue() if c.unit.dimension is Dimension("mass")]
    assert [r["name"] for r in json.loads(run("constants", "[mass]", "--json").out)] == wanted
    assert run("constants", "[kg]").out == run("constants", "[mass]").out


def test_source(run: Run) -> None:
    records = json.loads(run("constants", "--source", "iau 2015", "--json").out)
    assert {r["source"].split(",")[0][:8] for r in records} == {"IAU 2015"}


def test_long(run: Run) -> None:
    assert run("constants", "G", "--long").lines == [
        "Newtonian constant of gravitation",
        "  value        6.67430(15)e-11 m³/(kg·s²)",
        "  uncertainty  1.5e-15, relative 2.2e-5",
        "  dimension    [length^3 mass^-1 time^-2]",
        "  symbol       G",
        f"  also         {', '.join(constants.G.aliases)}",
        "  source       CODATA 2022",
    ]
    assert "  uncertainty  none: it is exact" in run("constants", "c", "--long").lines


def test_json_holds_every_constant_with_all_its_digits(run: Run) -> None:
    records = json.loads(run("constants", "--json").out)
    assert len(records) == len(constants.catalogue())
    for record in records:
        constant = constants.get(record["name"])
        assert record["value"] == constant.value
        assert record["unit"] == str(constant.unit)
        assert f"{record['text']} {record['unit']}".strip() == str(constant)
        if record["uncertainty"] is None:
            assert math.isnan(constant.uncertainty)
        else:
            assert record["uncertainty"] == constant.uncertainty


@pytest.mark.parametrize(
    ("words", "note"),
    [
        (["plank"], "no constant fits 'plank'; did you mean Planck?"),
        (["qqqqqqqqqq"], "no constant fits 'qqqqqqqqqq'"),
        (["electron", "--source", "IAU"], "no constant of 'IAU' fits 'electron'"),
        (["--source", "qqq"], "no source 'qqq'"),
    ],
)
def test_nothing_found_ends_with_1(run: Run, words: list[str], note: str) -> None:
    assert run("constants", *words) == (1, "", note + "\n")
