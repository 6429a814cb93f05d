"""The reference of operations says of every op what it does to units."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from dimflow import ops
from tools import operations_page

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def rows() -> dict[str, list[str]]:
    """The cells after the signature, by the name of the op."""
    found: dict[str, list[str]] = {}
    for line in operations_page.table().splitlines():
        if match := re.match(r"\| `(?:\w+\.)?(\w+)\(", line):
            assert match[1] not in found
            cells = re.split(r"(?<!\\)\|", line)[2:-1]
            found[match[1]] = [cell.strip() for cell in cells]
    return found


def test_every_op_stands_there_once(rows: dict[str, list[str]]) -> None:
    assert set(rows) == set(ops.TABLE)
    assert all(len(cells) == 4 for cells in rows.values())


@pytest.mark.parametrize(
    ("name", "units", "celsius", "level"),
    [
        ("multiply", "`m`, `s` → `m*s`", "–", "–"),
        ("add", "`m`, `m` → `m`", "`degC`", "`dBm`"),
        ("subtract", "`m`, `m` → `m`", "`delta_degC`", "`dB`"),
        ("exp", "1 → 1", "–", "–"),
        ("sin", "`rad` → 1", "–", "–"),
        ("asin", "1 → `rad`", "–", "–"),
        ("sqrt", "`m` → `m**(1/2)`", "–", "–"),
        ("var", "`m` → `m**2`", "`delta_degC**2`", "–"),
        ("mean", "`m` → `m`", "`degC`", "–"),
        ("max", "`m` → `m`", "`degC`", "`dBm`"),
        ("argmax", "`m` → plain", "plain", "plain"),
        ("solve", "`m`, `s` → `s/m`", "–", "–"),
        ("fftfreq", "`m` → `1/m`", "–", "–"),
        ("interp", "`m`, `m`, `s` → `s`", "`degC`", "–"),
        ("trapezoid", "`m`, `s`, `m*s` → `m*s`", "`m*delta_degC`", "–"),
        ("batch_norm", "`m`, `m`, `m**2`, plain → 1", "1", "–"),
    ],
)
def test_what_a_row_tells_is_physics(
    rows: dict[str, list[str]], name: str, units: str, celsius: str, level: str
) -> None:
    assert rows[name][1:] == [units, celsius, level]


def test_formulas_are_no_markup() -> None:
    assert operations_page.escaped("x*x + y*y of `a*b`") == r"x\*x + y\*y of `a*b`"


def test_ops_that_need_a_unit_say_so(rows: dict[str, list[str]]) -> None:
    told = {name for name, cells in rows.items() if "**Needs `unit=`.**" in cells[0]}
    assert told == {name for name, op in ops.TABLE.items() if op.unit_dependent}
    assert {"round", "floor"} <= told


def test_mkdocs_gets_the_table_on_its_page_and_nowhere_else() -> None:
    text = (ROOT / "docs" / operations_page.PAGE).read_text(encoding="utf-8")
    assert operations_page.PLACE in text
    page = SimpleNamespace(file=SimpleNamespace(src_uri=operations_page.PAGE))
    other = SimpleNamespace(file=SimpleNamespace(src_uri="index.md"))
    filled = operations_page.on_page_markdown(text, page, config=None, files=None)
    assert "`hypot(x, y, /)`" in filled
    assert operations_page.on_page_markdown(text, other, config=None, files=None) == text
