"""Numbers as text: tables, goals, and the page of the docs that holds what was measured."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import page, suites, table
from benchmarks.__main__ import PAGE, ROOT
from benchmarks.race import CONTROL

NUMBERS = {"median": 2e-7, "minimum": 1e-7, "ratio": 1.0, "ratio_spread": [0.9, 1.1]}
ROW = {
    "group": "algebra",
    "name": "product",
    "work": "m * s",
    "unit": "s",
    "goal": 2e-7,
    "rounds": 3,
    "contenders": {
        "ours": NUMBERS,
        "peer": {**NUMBERS, "median": 3e-6, "ratio": 14.96},
        CONTROL: NUMBERS,
    },
    "refused": {"other": "cannot"},
}
MACHINE = {
    "processor": "a processor",
    "cores": 2,
    "system": "Linux",
    "python": "CPython 3.11.0",
    "packages": {"ours": "1.0"},
    "date": "2026-11-15",
    "load": 0.5,
}
RECORD: dict[str, Any] = {"suite": "some", "title": "Some", "machine": MACHINE, "rows": [ROW]}


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (9.5e-8, "s", "95.0 ns"),
        (9.999e-8, "s", "100 ns"),
        (9.9996e-7, "s", "1.00 µs"),
        (0.0123, "s", "12.3 ms"),
        (2.0, "s", "2.00 s"),
        (4e-10, "s", "0.40 ns"),
        (3_753_376, "B", "3.75 MB"),
        (12, "B", "12.0 B"),
    ],
)
def test_amounts(value: float, unit: str, text: str) -> None:
    assert table.amount(value, unit) == text


def test_ratios() -> None:
    assert [table.ratio(r) for r in (0.456, 14.96, 99.96, 3618.2)] == [
        "0.46×",
        "15.0×",
        "100×",
        "3,618×",
    ]


@pytest.mark.parametrize(
    ("goal", "verdict"),
    [(2e-7, table.MET), (1.9e-7, table.WITHIN_NOISE), (1.5e-7, table.MISSED), (None, "")],
)
def test_a_goal_is_met_within_what_the_control_shows(goal: float | None, verdict: str) -> None:
    assert table.verdict({**ROW, "goal": goal}) == verdict


def test_the_plain_table() -> None:
    assert table.plain(RECORD) == (
        "Some: a processor, 2 cores, Linux, load 0.5 at the start; CPython 3.11.0; ours 1.0; "
        "2026-11-15.\n"
        "\n"
        "                    goal    ours  minimum             peer  other       control\n"
        "-------------------------------------------------------------------------------\n"
        "algebra:\n"
        "product  m * s  200 ns ✓  200 ns   100 ns  3.00 µs (15.0×)      –  0.90 to 1.10\n"
        "\n"
        "– other cannot: m * s\n"
    )


def test_the_table_in_markdown() -> None:
    assert table.markdown(RECORD) == (
        "| algebra | goal | ours | minimum | peer | other | control |\n"
        "| --- | --: | --: | --: | --: | --: | --: |\n"
        "| product, `m * s` | 200 ns ✓ | 200 ns | 100 ns | 3.00 µs (15.0×) | – | 0.90 to 1.10 |"
    )


def test_a_section_is_replaced_where_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(f"above\n\n{page.NEXT}\n\nbelow\n", encoding="utf-8")
    first = page.section(RECORD, r"With \1 backslashes.", "plot.png")
    page.refresh(path, "some", first)
    assert path.read_text(encoding="utf-8") == f"above\n\n{first}\n\n{page.NEXT}\n\nbelow\n"
    second = page.section(RECORD, "Otherwise.", "plot.png")
    page.refresh(path, "some", second)
    assert path.read_text(encoding="utf-8") == f"above\n\n{second}\n\n{page.NEXT}\n\nbelow\n"


@pytest.mark.parametrize("name", suites.names())
def test_the_page_says_what_was_kept(name: str) -> None:
    record = json.loads((ROOT / f"benchmarks/results/{name}.json").read_text(encoding="utf-8"))
    section = page.section(record, suites.find(name).about, f"assets/benchmarks_{name}.png")
    assert section in (ROOT / PAGE).read_text(encoding="utf-8")
    assert (ROOT / f"docs/assets/benchmarks_{name}.png").is_file()
