"""The suite of Dask, and the reduction that is larger than memory: answers are judged, all runs."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import climate, lazy_arrays
from benchmarks.lazy_arrays import RAW
from benchmarks.race import CONTROL, QUICK, WrongAnswer, run
from benchmarks.suites import dask as suite
from benchmarks.suites.dask import (
    BUILD,
    CONVERSIONS,
    FEW,
    GOAL,
    HEAVY,
    LENGTH,
    ROWS,
    SENT,
    TASKS,
    Contender,
    Row,
)

PEERS = ["dimflow", RAW, "pint", "unyt"]
# unyt's own arrays warn when they are made, and it says so of nobody's statements.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:unyt.*")
GLOBE = climate.Globe(years=2, latitudes=9, longitudes=12)


@pytest.fixture(scope="module")
def found() -> dict[str, Contender]:
    return suite.contenders(100, FEW)


@pytest.mark.parametrize("row", [*ROWS, *CONVERSIONS, *HEAVY], ids=lambda r: r.statement)
def test_every_row_is_right_and_lazy_in_every_library(
    row: Row, found: dict[str, Contender]
) -> None:
    assert list(found) == PEERS
    suite.right(row, 100, found)()


def test_who_is_left_out_is_wrong(found: dict[str, Contender]) -> None:
    row = next(row for row in ROWS if row.refused)
    assert list(row.refused) == ["unyt"]
    with pytest.raises(WrongAnswer, match=r"^unyt: x \+ k is"):
        suite.right(row._replace(refused={}), 100, found)()


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize(
    ("wrong", "message"),
    [("x * 1.001", "in SI units, not"), ("x[:3]", "in SI units, not"), ("x.compute()", "computed")],
    ids=["value", "length", "eager"],
)
def test_a_wrong_statement_is_found(
    name: str, wrong: str, message: str, found: dict[str, Contender]
) -> None:
    row = Row("same", "x", LENGTH, others={name: wrong})
    with pytest.raises(WrongAnswer, match=f"(?s)^{name}: .*{message}"):
        suite.right(row, 100, found)()


@pytest.mark.parametrize("name", [name for name in PEERS if name != RAW])
def test_a_wrong_unit_is_found(name: str, found: dict[str, Contender]) -> None:
    row = Row("same", "x", LENGTH, others={name: "x * y"})
    with pytest.raises(WrongAnswer, match=rf"^{name}: x \* y has"):
        suite.right(row, 100, found)()


def test_every_goal_has_a_row() -> None:
    races = [*suite.building(QUICK), *suite.counting(QUICK)]
    goals = {(race.group, race.goal_ratio) for race in races}
    built = {(group, GOAL) for group in BUILD.values()}
    assert goals == built | {(TASKS, 1.0), (SENT, None)}
    assert all(race.base == RAW for race in races)
    assert {race.goal_ratio for race in suite.computing(QUICK)} == {1.0, 1.01}


def test_there_are_no_more_tasks_with_units() -> None:
    for race in suite.counting(QUICK):
        if race.group == TASKS:
            done = run(race)["contenders"]
            assert done["dimflow"]["median"] == done[RAW]["median"], race.name


def test_conversions_are_put_together_by_nobody_else() -> None:
    races = {race.name: race for race in suite.counting(QUICK) if race.group == TASKS}
    chain = run(races["three conversions"])["contenders"]
    back = run(races["there and back"])["contenders"]
    assert chain["pint"]["median"] > chain["dimflow"]["median"] == 2 * FEW
    assert back["pint"]["median"] > back["dimflow"]["median"] == FEW


def test_the_chain_is_twenty_layers() -> None:
    (ours, *_) = lazy_arrays.makers()
    names = {**suite.tools(), **ours.arrays(lazy_arrays.in_blocks(FEW, FEW))}
    assert suite.tasks(eval("chain(m, v)", names)) == (20 + 2) * FEW


def test_the_suite_runs_and_is_judged() -> None:
    race = suite.building(QUICK)[0]
    done = run(race)
    assert set(done["contenders"]) == {*PEERS, CONTROL}
    assert done["goal_ratio"] == GOAL


@pytest.mark.parametrize("name", climate.PROGRAMS)
def test_the_reduction_is_right(name: str) -> None:
    result = climate.PROGRAMS[name](GLOBE).compute(scheduler="sync")
    climate.require(name, result, GLOBE)


def test_a_wrong_reduction_is_found() -> None:
    right = climate.with_units(GLOBE).compute(scheduler="sync")
    with pytest.raises(WrongAnswer, match="anomalies are in mK"):
        climate.require(climate.OURS, right.to("mK"), GLOBE)
    with pytest.raises(WrongAnswer, match=r"^raw: anomalies are"):
        climate.require(climate.RAW, np.asarray(right.data) + 0.01, GLOBE)


def test_the_temperatures_are_those_of_the_closed_form() -> None:
    field = climate.field(GLOBE).compute(scheduler="sync")
    days, angles = np.arange(2 * 365)[:, None], climate.latitudes(9)
    assert field.dtype == "float32"
    assert field.nbytes == GLOBE.bytes
    np.testing.assert_allclose(
        field.mean(axis=2, dtype=float), climate.zonal_mean(days // 365, days, angles), atol=1e-4
    )


def test_a_size_is_met_by_the_grid() -> None:
    for gigabytes in (0.5, 3.0, 20.0):
        assert climate.of_size(gigabytes).bytes / 1e9 == pytest.approx(gigabytes, rel=0.01)
    assert climate.of_size(climate.FULL).latitudes >= 700


def test_the_record_gets_its_section(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs/benchmarks.md"
    page.write_text("# B\n\n<!-- the next suite comes here -->\n", encoding="utf-8")
    one: dict[str, Any] = {"tasks": 7, "peaks": [3 * 10**8]}
    record = {
        "title": "Larger than memory",
        "machine": climate.machine.description(("numpy",)),
        "globe": GLOBE._asdict(),
        "bytes": GLOBE.bytes,
        "limit": climate.LIMIT,
        "rounds": 1,
        "runs": [
            {"program": name, "workers": workers, "seconds": 4.0 / workers, **one}
            for name in climate.PROGRAMS
            for workers in (1, 2)
        ],
    }
    climate.keep(record, tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "| dimflow | 2 | 2.0 s | 1.00× | 2.00× | 0.30 GB | 0.30 GB | 2 GB | 7 |" in text
    kept = (tmp_path / "benchmarks/results/climate.json").read_text(encoding="utf-8")
    assert json.loads(kept) == record
    assert climate.plain(record).count("\n") == 6


@pytest.mark.deep
def test_it_streams_through_a_real_cluster() -> None:
    record = climate.measure(GLOBE, climate.LIMIT, rounds=1, bar=False)
    assert len(record["runs"]) == 4
    assert {len(one["peaks"]) for one in record["runs"]} == {1, 2}
    tasks = {one["tasks"] for one in record["runs"]}
    assert len(tasks) == 1  # with units as without
    assert all(sum(one["peaks"]) < climate.LIMIT for one in record["runs"])


def test_one_run_on_a_cluster_of_one_process() -> None:
    done = climate.run(climate.OURS, 1, GLOBE, bar=False)
    assert done.seconds > 0
    assert 10**7 < done.peaks[0] < climate.LIMIT
