"""Numbers as text: tables, goals, and the page of the docs that holds what was measured."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import page, plot, suites, table
from benchmarks.__main__ import PAGE, ROOT, keep, measure, picture_of, section
from benchmarks.race import CONTROL, QUICK, Picture, Race, Suite

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


BASED = {
    **ROW,
    "goal": None,
    "base": "raw",
    "goal_ratio": 2.5,
    "contenders": {
        "ours": {**NUMBERS, "ratio": 2.0},
        "raw": NUMBERS,
        "peer": {**NUMBERS, "median": 3e-6, "ratio": 30.0},
        CONTROL: NUMBERS,
    },
}


@pytest.mark.parametrize(
    ("goal_ratio", "shown"),
    [(2.5, "2.5× raw ✓"), (2.0, "2× raw ✓"), (1.9, "1.9× raw ≈"), (1.05, "1.05× raw ✗")],
)
def test_a_goal_as_a_ratio(goal_ratio: float, shown: str) -> None:
    assert table.goal({**BASED, "goal_ratio": goal_ratio}) == shown


def test_of_two_goals_the_one_that_is_missed_counts() -> None:
    assert table.goal({**BASED, "goal": 2e-7}) == "200 ns, 2.5× raw ✓"
    assert table.goal({**BASED, "goal": 1e-7}) == "100 ns, 2.5× raw ✗"
    assert table.goal({**BASED, "goal": 2e-7, "goal_ratio": 1.0}) == "200 ns, 1× raw ✗"


def test_ratios_to_a_base_stand_beside_our_own_number() -> None:
    assert table.markdown({**RECORD, "rows": [BASED]}).splitlines()[-1] == (
        "| product, `m * s` | 2.5× raw ✓ | 200 ns (2.00×) | 100 ns | 200 ns | 3.00 µs (30.0×) | – "
        "| 0.90 to 1.10 |"
    )


def test_goals_are_drawn_where_they_are() -> None:
    assert plot.goals(ROW) == [2e-7]
    assert plot.goals(BASED) == [pytest.approx(5e-7)]
    assert plot.goals({**ROW, "goal": None}) == []


def test_every_contender_looks_different() -> None:
    assert len({color for color, _ in plot.MARKS.values()}) == len(plot.MARKS)
    assert len({shape for _, shape in plot.MARKS.values()}) == len(plot.MARKS)


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
    suite = suites.find(name)
    assert section(record, suite) in (ROOT / PAGE).read_text(encoding="utf-8")
    for picture in ["", *(p.name for p in suite.pictures)]:
        assert (ROOT / "docs" / picture_of(suite, picture)).is_file()


def test_a_picture_is_measured_kept_and_shown(tmp_path: Path) -> None:
    def races(name: str) -> list[Race]:
        return [Race("group", name, "work", {"dimflow": lambda turn: 1.0}, lambda: None, 3)]

    drawn: list[str] = []
    picture = Picture(
        "more",
        "What it shows.",
        lambda effort: races("of the picture"),
        lambda rows, path: drawn.append(f"{path.name}: {rows[0]['name']}"),
    )
    suite = Suite(
        "some", "Some", "About.", ("numpy",), lambda effort: races("row"), pictures=(picture,)
    )
    (tmp_path / PAGE).parent.mkdir()
    (tmp_path / PAGE).write_text(page.NEXT, encoding="utf-8")
    keep(measure(suite, QUICK), suite, tmp_path)
    assert drawn == ["benchmarks_some_more.png: of the picture"]
    text = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert "What it shows.\n\n![Some, more](assets/benchmarks_some_more.png)\n" in text
    assert "of the picture" not in text
    kept = json.loads((tmp_path / "benchmarks/results/some.json").read_text(encoding="utf-8"))
    assert [row["name"] for row in kept["rows"]] == ["row"]
    assert [row["name"] for row in kept["pictures"]["more"]] == ["of the picture"]
