"""`python -m benchmarks` in earnest, with few rounds."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchmarks import page
from benchmarks.__main__ import PAGE, ROOT, destination
from benchmarks.race import CONTROL, QUICK
from benchmarks.suites.units import ROWS

LIBRARIES = {"dimflow", "pint", "astropy", "unyt"}
PROSE = f"# Benchmarks\n\nWhat stays.\n\n{page.NEXT}\n\n## What stays too\n"


class Run(NamedTuple):
    root: Path
    printed: str
    record: dict[str, Any]


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def run_into(root: Path, suite: str) -> Run:
    (root / PAGE).parent.mkdir(parents=True)
    (root / PAGE).write_text(PROSE, encoding="utf-8")
    done = command(suite, "--quick", "--root", str(root))
    assert done.returncode == 0, done.stderr
    record = json.loads((root / f"benchmarks/results/{suite}.json").read_text(encoding="utf-8"))
    return Run(root, done.stdout, record)


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_into(tmp_path_factory.mktemp("units"), "units")


def test_the_table_is_printed(units: Run) -> None:
    lines = units.printed.splitlines()
    for row in units.record["rows"]:
        assert any(row["name"] in line and row["work"] in line for line in lines)
    head = next(line.split() for line in lines if "goal" in line)
    assert head == ["goal", "dimflow", "minimum", "pint", "astropy", "unyt", "control"]


def test_the_numbers_are_kept(units: Run) -> None:
    rows = units.record["rows"]
    assert [(row["group"], row["name"]) for row in rows] == [(r.group, r.name) for r in ROWS]
    for row in rows:
        assert set(row["contenders"]) == (LIBRARIES | {CONTROL}) - set(row["refused"])
        assert row["rounds"] == QUICK.rounds
        for numbers in row["contenders"].values():
            low, high = numbers["ratio_spread"]
            assert 0 < numbers["minimum"] <= numbers["median"] < 60
            assert 0 < low <= numbers["ratio"] <= high


def test_every_goal_of_the_issue_has_a_row(units: Run) -> None:
    goals: dict[float, list[str]] = {}
    for row in units.record["rows"]:
        goals.setdefault(row["goal"], []).append(row["name"])
    assert {"product", "quotient", "power", "equal", "hash"} <= set(goals[0.2e-6])
    assert goals[0.3e-6] == ["parse, known text"]
    assert goals[20e-6] == ["parse, new text"] * 5


def test_the_machine_is_described(units: Run) -> None:
    machine = units.record["machine"]
    assert set(machine["packages"]) == LIBRARIES | {"numpy"}
    assert machine["cores"] >= 1
    assert machine["processor"]
    assert machine["python"].split()[1].count(".") == 2


def test_the_plot_is_drawn(units: Run) -> None:
    picture = (units.root / "docs/assets/benchmarks_units.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 10_000


def test_the_page_gets_a_section_and_keeps_its_prose(units: Run) -> None:
    text = (units.root / PAGE).read_text(encoding="utf-8")
    section = text[text.index("<!-- begin units") : text.index("<!-- end units -->")]
    assert section.count("`kg*m**2/s**3`") == 1
    assert "(assets/benchmarks_units.png)" in section
    assert text.replace(section + "<!-- end units -->\n\n", "") == PROSE


@pytest.mark.deep
def test_startup_runs(tmp_path: Path) -> None:
    rows = run_into(tmp_path, "startup").record["rows"]
    assert [row["unit"] for row in rows] == ["s", "s", "s", "B", "B"]
    assert [row["goal"] for row in rows] == [60e-3, 60e-3, 60e-3, 5e6, None]
    everyone = LIBRARIES | {"saiunit", "dimtensor", CONTROL}
    assert all(set(row["contenders"]) | set(row["refused"]) == everyone for row in rows)


@pytest.mark.deep
def test_arrays_run(tmp_path: Path) -> None:
    done = run_into(tmp_path, "arrays")
    assert "2.5× NumPy" in done.printed
    assert "Arrays, overhead: " in done.printed
    sizes = [row["size"] for row in done.record["pictures"]["overhead"]]
    assert sizes == [1, 10, 100, 1000] * 2
    assert (tmp_path / "docs/assets/benchmarks_arrays_overhead.png").is_file()


def test_an_unknown_suite_is_an_error_that_names_the_known_ones() -> None:
    done = command("unknown", "--quick")
    assert done.returncode == 2
    known = "arrays, backends, dask, derivatives, startup, units"
    assert f"no suite is called 'unknown'; there are {known}" in done.stderr


def test_a_quick_run_is_kept_only_where_it_is_told_to_be(tmp_path: Path) -> None:
    assert destination(None, is_quick=True) is None
    assert destination(None, is_quick=False) == ROOT
    assert destination(tmp_path, is_quick=True) == tmp_path
