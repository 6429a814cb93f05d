"""The suite of array libraries: answers are judged, goals have rows, counts are counted."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks import gpu, plot, table, tensors
from benchmarks.race import CONTROL, QUICK, Race, WrongAnswer, run
from benchmarks.suites.backends import (
    COUNTS,
    JAX,
    LENGTH,
    MLX,
    ROWS,
    TORCH,
    TORCH_LARGE,
    Row,
    counts,
)
from benchmarks.tensors import RAW

PEERS = ["dimflow", RAW, "saiunit", "dimtensor"]
# Dynamo and JAX warn about nothing that these tests are about.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


def row(group: str, name: str) -> Row:
    return next(r for r in ROWS if (r.group, r.name) == (group, name))


@pytest.mark.parametrize("work", ROWS, ids=lambda r: f"{r.group}-{r.name}")
def test_every_row_is_right_in_every_library(work: Row) -> None:
    race = work._replace(size=min(work.size, 1000)).race(QUICK)
    race.check()
    assert list(race.entries) == (PEERS[:2] if work.backend == "mlx" else PEERS)
    assert race.base == RAW


def test_every_goal_has_a_row() -> None:
    found = {
        (r.group, r.name): r.goal_ratio or r.goal_more
        for r in ROWS
        if r.goal_ratio is not None or r.goal_more is not None
    }
    assert found == {
        (TORCH, "product"): 1.5,
        (TORCH, "forward and backward"): 1.3,
        (JAX, "product"): 1.4,
        (JAX, "a jitted call"): 1.2e-6,
    }
    assert {r.group for r in ROWS} == {TORCH, TORCH_LARGE, JAX, MLX}


@pytest.mark.parametrize("name", ["dimflow", "saiunit", "dimtensor"])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [("x * 1.001", "in SI units, not"), ("x * y", "has .*, not"), ("x[:3]", "not")],
    ids=["value", "dimension", "length"],
)
def test_a_wrong_statement_is_found(name: str, wrong: str, message: str) -> None:
    work = Row(TORCH, "torch", "same", "x", LENGTH, others={name: wrong})
    with pytest.raises(WrongAnswer, match=f"(?s)^{name}: .*{message}"):
        work.race(QUICK).check()


def test_a_result_that_is_said_to_have_no_unit_is_judged_by_its_numbers() -> None:
    work = Row(TORCH, "torch", "same", "x.data", LENGTH, truth="x", unlabelled=("dimflow",))
    (ours, *_) = tensors.makers("torch")
    namespace = work._replace(refused=dict.fromkeys(PEERS[1:], "")).namespaces()
    work.check(namespace)
    with pytest.raises(WrongAnswer, match=r"^dimflow: "):
        work._replace(truth="2 * x").check(namespace)
    assert ours.name == "dimflow"


def test_traced_programs_have_no_more_parts_with_units() -> None:
    for race in counts(QUICK):
        done = run(race)
        assert done["group"] == COUNTS
        assert done["contenders"]["dimflow"]["median"] == done["contenders"][RAW]["median"] >= 3
        assert table.verdict(done) == table.MET


def timed(ours: float, raw: float, **goal: Any) -> dict[str, Any]:
    entries = {"dimflow": lambda turn: ours, RAW: lambda turn: raw}
    return run(
        Race("g", "n", "w", entries, check=lambda: None, rounds=3, base=RAW, warm_up=False, **goal)
    )


def test_a_goal_may_be_so_much_more_than_the_base() -> None:
    near, far = timed(11e-6, 10e-6, goal_more=1.2e-6), timed(12e-6, 10e-6, goal_more=1.2e-6)
    assert table.goal(near) == f"raw + 1.20 µs {table.MET}"
    assert table.verdict(far) == table.MISSED
    assert plot.goals(near) == [pytest.approx(11.2e-6)]
    with pytest.raises(ValueError, match="needs a base"):
        Race("g", "n", "w", {"dimflow": lambda t: 1.0}, lambda: None, 3, goal_more=1.0)


def test_counts_are_shown_and_drawn_as_they_are(tmp_path: Path) -> None:
    found = timed(4.0, 4.0, unit="n", goal_ratio=1.0)
    assert table.cells([found])[1][3] == "4 (1.00×)"
    plot.draw({"rows": [found], "title": "t"}, tmp_path / "n.png")
    assert (tmp_path / "n.png").read_bytes().startswith(b"\x89PNG")


def test_the_chain_of_the_gpu_is_twenty_operations() -> None:
    import jax
    import jax.numpy as jnp

    traced = jax.make_jaxpr(lambda m, v: gpu.chain(m, v, jnp.sqrt, jnp.maximum))
    assert len(traced(jnp.ones(3), jnp.ones(3)).eqns) == gpu.OPS == 20


def test_the_chain_runs_and_is_judged() -> None:
    place = gpu.torch_on("cpu")
    race = gpu.race(place, "float64", 100, QUICK)
    done = run(race)
    assert set(done["contenders"]) == {"dimflow", RAW, CONTROL}
    wrong = place._replace(sqrt=lambda x: 2 * x)
    with pytest.raises(WrongAnswer, match=r"^torch: the chain is"):
        gpu.race(wrong, "float64", 100, QUICK).check()


def test_the_record_of_a_gpu_gets_its_section(tmp_path: Path) -> None:
    import json

    (tmp_path / "benchmarks/results").mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs/benchmarks.md"
    page.write_text("# B\n\n<!-- the next suite comes here -->\n", encoding="utf-8")
    record = gpu.measure([gpu.torch_on("cpu")], QUICK)
    (tmp_path / "gpu.json").write_text(json.dumps(record), encoding="utf-8")
    gpu.keep(tmp_path / "gpu.json", tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "## On a GPU" in text
    assert "torch on cpu" in text
    again = (tmp_path / "benchmarks/results/gpu.json").read_text(encoding="utf-8")
    assert json.loads(again) == record
