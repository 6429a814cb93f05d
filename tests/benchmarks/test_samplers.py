"""Samplers measure what they are given, in this process or in a fresh one."""

import tracemalloc
from time import sleep

import numpy as np
import pytest

from benchmarks.count import bytes_over, peak_bytes
from benchmarks.process import bytes_kept, cpu_seconds
from benchmarks.race import WrongAnswer
from benchmarks.statement import on_new, repeated
from benchmarks.suites.startup import FIRST_ARRAYS, FIRST_UNITS, IMPORTS


def test_a_statement_is_repeated_until_it_took_long_enough() -> None:
    done: list[int] = []
    sample = repeated("done.append(1)", {"done": done}, seconds=1e-3)
    assert 0 < sample(0) < 1e-3
    assert len(done) > 100


def test_a_slow_statement_runs_once() -> None:
    sample = repeated("sleep(0.002)", {"sleep": sleep}, seconds=1e-6, threads=True)
    assert sample(0) >= 0.002


def test_a_first_time_that_is_slow_does_not_make_samples_short() -> None:
    done: list[int] = []

    def slow_at_first() -> None:
        if not done:
            sleep(0.01)
        done.append(1)

    sample = repeated("work()", {"work": slow_at_first}, seconds=1e-3, threads=True)
    assert sample(0) < 1e-4
    assert len(done) > 100


def test_what_others_do_meanwhile_does_not_count() -> None:
    sample = repeated("sleep(0.02)", {"sleep": sleep}, seconds=1e-6)
    assert sample(0) < 0.01


def test_new_items_are_used_once_in_each_turn() -> None:
    seen: list[object] = []
    items = {0: [(1, 2), (3, 4)], ~0: [(5, 6)]}
    sample = on_new("seen.append(a + b)", {"seen": seen}, "a, b", items.__getitem__)
    assert sample(0) > 0
    assert seen == [3, 7]
    sample(~0)
    assert seen == [3, 7, 11]


def test_cpu_time_is_that_of_the_work_alone() -> None:
    assert 0 <= cpu_seconds("done = True", "done")(0) < 0.05
    assert cpu_seconds("total = sum(range(3_000_000))", "total > 0")(0) > 0.005


def test_memory_is_what_is_kept() -> None:
    work = "kept = bytearray(1_000_000); bytearray(5_000_000)"
    assert bytes_kept(work, "kept")(0) == pytest.approx(1_000_000, rel=0.02)
    assert bytes_kept("del kept", "True", before="kept = bytearray(1_000_000)")(0) < 10_000


def test_a_process_that_proves_nothing_is_a_wrong_answer() -> None:
    with pytest.raises(WrongAnswer, match="assert 1 == 2"):
        cpu_seconds("pass", "1 == 2")(0)
    with pytest.raises(WrongAnswer, match="NameError"):
        bytes_kept("kept = missing", "kept")(0)


def test_a_process_keeps_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert cpu_seconds("import sys", "not sys.dont_write_bytecode")(0) >= 0


def test_the_peak_counts_what_is_there_at_one_time() -> None:
    numbers = {"x": np.ones(100_000)}
    assert peak_bytes("x + x", numbers)(0) == pytest.approx(800_000, rel=0.01)
    assert peak_bytes("(x + x).sum()", numbers)(0) == pytest.approx(800_000, rel=0.01)
    assert peak_bytes("[x + x, x * x]", numbers)(0) == pytest.approx(1_600_000, rel=0.01)
    assert peak_bytes("x[3:]", numbers)(0) < 2_000


def test_counting_ends_with_the_sample_also_where_it_fails() -> None:
    with pytest.raises(NameError):
        peak_bytes("missing", {})(0)
    assert not tracemalloc.is_tracing()


def test_pickles_are_compared_by_their_length() -> None:
    raw = np.ones(1000)
    assert bytes_over(raw, raw)(0) == 0
    assert bytes_over([raw, b"x" * 10_000], raw)(0) == pytest.approx(10_000, abs=50)


@pytest.mark.parametrize(
    "works", [IMPORTS, FIRST_UNITS, FIRST_ARRAYS], ids=["import", "first unit", "first array"]
)
def test_the_first_of_a_process_is_right(works: dict) -> None:
    assert cpu_seconds(*works["dimflow"])(0) > 0
