"""The suite of derivatives: answers are judged, goals have rows, counts and growth are right."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from benchmarks import engines, growth, plot, programs, slopes, table
from benchmarks.count import aten_calls, equations
from benchmarks.engines import Engine
from benchmarks.programs import Program
from benchmarks.race import CONTROL, FULL, QUICK, Race, WrongAnswer, run, run_all
from benchmarks.suites import derivatives
from benchmarks.suites.derivatives import (
    JAX,
    KEPT,
    LINEAR,
    LOOPS,
    MEMORY,
    ONE,
    READ,
    RECORDING,
    ROOT,
    SECOND,
    STEPS,
    TORCH,
    TRACED,
    TWO,
    Row,
    gradients,
)
from benchmarks.tensors import RAW
from benchmarks.threads import on_threads

# JAX warns about nothing that these tests are about.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
SMALL = programs.chain(10)
ENGINES: dict[str, Callable[[], Engine]] = {
    "dimflow": engines.dimflow_engine,
    "without units": lambda: engines.dimflow_engine(units=False),
    "on torch": lambda: engines.dimflow_engine("torch"),
    "on jax": lambda: engines.dimflow_engine("jax"),
    "torch tape": engines.torch_tape,
    "torch.func": engines.torch_functional,
    "jax": engines.jax_engine,
    "autograd": engines.hips_autograd,
}
PROGRAMS = {
    "chain": SMALL,
    "perceptron": programs.perceptron(),
    "steps": programs.steps(20),
    "elements": programs.elements(20),
    "small operations": programs.small_operations(20, summed=True),
}


@cache
def truth(name: str) -> list[Any]:
    return slopes.gradient(PROGRAMS[name])


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_has_the_right_gradient(engine: str, name: str) -> None:
    program, chosen = PROGRAMS[name], ENGINES[engine]()
    slopes.judge(chosen, program, chosen.gradient(program)(), truth(name))


@pytest.mark.parametrize("engine", ["dimflow", "torch.func", "autograd"])
@pytest.mark.parametrize("name", ["chain", "perceptron"])
def test_every_engine_has_the_right_curvature(engine: str, name: str) -> None:
    program, chosen = PROGRAMS[name], ENGINES[engine]()
    right = slopes.curvature(program)
    slopes.judge(chosen, program, chosen.curvature(program)(), right, order=2)


@pytest.mark.parametrize("engine", ["dimflow", "torch.func", "autograd"])
def test_every_engine_has_the_right_jacobian(engine: str) -> None:
    program, chosen = programs.layer(7), ENGINES[engine]()
    slopes.judge(chosen, program, [chosen.slopes(program)()], [slopes.jacobian(program)])


@pytest.mark.parametrize("engine", ["dimflow", "without units", "torch tape", "autograd"])
def test_what_is_recorded_is_the_value(engine: str) -> None:
    program, chosen = programs.small_operations(20), ENGINES[engine]()
    right = engines.numpy_forward(program)()
    slopes.is_value(chosen, program, chosen.recorded(program)(), right)
    with pytest.raises(WrongAnswer, match="not"):
        slopes.is_value(chosen, program, chosen.recorded(program)(), right * 1.001)


def scaled(engine: Engine, factor: Any) -> Engine:
    def grad(function: Any, count: int) -> Any:
        slope = engine.grad(function, count)
        return lambda *given: [factor * part for part in slope(*given)]

    return engine._replace(grad=grad)


@pytest.mark.parametrize("engine", ["dimflow", "torch tape", "jax", "autograd"])
def test_a_wrong_gradient_is_found(engine: str) -> None:
    wrong = scaled(ENGINES[engine](), 1.001)
    row = Row(ONE, "wrong", SMALL, lambda: [wrong, engines.torch_functional()], RAW)
    if engine != "jax":
        with pytest.raises(WrongAnswer, match="has a derivative off by"):
            row.race(QUICK).check()
    else:  # of one name with the base
        with pytest.raises(WrongAnswer, match="has a derivative off by"):
            slopes.judge(wrong, SMALL, wrong.gradient(SMALL)(), slopes.gradient(SMALL))


def test_a_wrong_unit_is_found() -> None:
    import dimflow

    wrong = scaled(engines.dimflow_engine(), dimflow.DimArray(1.0, "kg"))
    with pytest.raises(WrongAnswer, match="has a slope in"):
        slopes.judge(wrong, SMALL, wrong.gradient(SMALL)(), slopes.gradient(SMALL))


def test_a_gradient_of_another_shape_is_wrong() -> None:
    tape = engines.torch_tape()
    with pytest.raises(WrongAnswer, match="off by inf"):
        slopes.judge(tape, SMALL, [np.ones(3)], slopes.gradient(SMALL))


def test_a_truth_that_differences_do_not_agree_with_is_none() -> None:
    def build(functions: programs.Functions) -> Any:
        factor = 2.0 if functions.sqrt is np.sqrt else 1.0
        return lambda x: factor * functions.sum(x * x)

    odd = Program("x²", build, lambda: [(np.ones(3), "m")], 1, "m**2")
    with pytest.raises(WrongAnswer, match="by differences"):
        slopes.gradient(odd)


def test_the_chain_is_fifteen_operations() -> None:
    import jax

    engine = engines.jax_engine()
    function, given = engine.ready(SMALL)
    assert equations(jax.make_jaxpr(function)(*given).jaxpr) == programs.CHAIN_OPS == 15
    many = programs.small_operations(100)
    function, given = engine.ready(many)
    assert equations(jax.make_jaxpr(function)(*given).jaxpr) == 100


def test_the_perceptron_is_that_of_the_goal() -> None:
    shapes = [np.shape(x) for x, _ in programs.perceptron().arguments()]
    assert shapes == [
        *[(784, 512), (512,), (512, 512), (512,), (512, 10), (10,)],
        *[(256, 784), (256, 10)],
    ]
    assert {x.dtype for x, _ in programs.perceptron().arguments()} == {np.dtype("float32")}


def test_every_goal_has_a_row() -> None:
    found = {(row.group, row.name): (row.base, row.goal_ratio) for row in gradients()}
    for group in (ONE, TWO):
        for name in ("MLP", "MLP, no units", "chain, 10⁵", "chain, 10⁵, no units"):
            assert found[group, name] == ("PyTorch", 1.5)
        for name in ("MLP, against autograd", "chain, 10⁵, against autograd"):
            assert found[group, name] == ("autograd", 1.0)
    for name in ("MLP", "chain, 10⁵"):
        assert found[TORCH, name] == (RAW, 1.1)
    recorded = derivatives.recording(QUICK)
    assert [race.goal_more for race in recorded] == [3e-6, 3e-6, None]
    assert {race.group for race in recorded} == {RECORDING}
    assert {race.goal_ratio for race in derivatives.second_order(QUICK)} == {4.0}
    grown = [race for race in derivatives.loops(QUICK) if race.unit == "power"]
    assert [race.goal for race in grown] == [LINEAR, LINEAR]
    assert [race.goal for race in derivatives.memory(QUICK)] == [None, ROOT]
    assert derivatives.sizes(STEPS, FULL) == [10**3, 10**4, 10**5]
    assert derivatives.sizes(READ, FULL)[-1] == 10**4


def test_every_contender_can_be_drawn() -> None:
    assert {"PyTorch", "autograd", "gradient", RAW, "NumPy", "dimflow", KEPT} <= set(plot.MARKS)


def test_a_checkpointed_scan_has_the_gradient_of_one_that_keeps_all() -> None:
    peaks, powers = derivatives.memory(QUICK._replace(largest=400))
    peaks.check()
    assert peaks.entries["dimflow"](0) < peaks.entries[KEPT](0) / 4
    assert powers.entries["dimflow"](0) < 0.7 < powers.entries[KEPT](0)


@pytest.mark.parametrize("name", ["MLP", "chain"])
def test_traced_programs_have_no_more_parts_with_units(name: str) -> None:
    for race in derivatives.counts(QUICK):
        if race.name.endswith(name):
            done = run(race)
            assert done["group"] == TRACED
            assert table.verdict(done) == table.MET, done["contenders"]


@pytest.mark.parametrize("count", [1, 2])
def test_all_have_the_same_number_of_threads(count: int) -> None:
    import torch
    from threadpoolctl import threadpool_info

    before = torch.get_num_threads()
    seen: list[tuple[int, int]] = []

    def sampler(turn: int) -> float:
        blas = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
        seen.append((torch.get_num_threads(), max(blas)))
        return float(turn)

    try:
        assert on_threads(count, sampler)(7) == 7
    finally:
        torch.set_num_threads(before)
    assert seen == [(count, count)]


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_an_exponent_is_found(power: float) -> None:
    sizes = [10, 100, 1000, 5000]
    assert growth.exponent(sizes, [3e-6 * n**power for n in sizes]) == pytest.approx(power)


@pytest.mark.parametrize("power", [1, 2])
def test_the_growth_of_memory_is_that_of_what_is_allocated(power: int) -> None:
    def work(n: int) -> growth.Work:
        return lambda: np.ones(n**power, dtype=np.float64)

    sampler = growth.of_memory({n: work(n) for n in (2000, 4000)})
    assert sampler(0) == pytest.approx(power, abs=0.2)


def test_the_growth_of_time_runs_small_sizes_more_often() -> None:
    calls = {10: 0, 100: 0, 1000: 0}

    def work(n: int) -> growth.Work:
        def once() -> int:
            calls[n] += 1
            return sum(range(50 * n))

        return once

    found = growth.of_time({n: work(n) for n in calls})(0)
    assert calls == {10: 25, 100: 2, 1000: 1}
    assert 0.5 < found < 1.6


def test_equations_of_inner_functions_count() -> None:
    import jax
    import jax.numpy as jnp

    inner = jax.jit(lambda x: x * x + 1.0)
    traced = jax.make_jaxpr(lambda x: inner(x) - x)(jnp.ones(3))
    assert equations(traced.jaxpr) == 4  # the call, a product, a sum, a difference


def test_calls_of_aten_are_counted_there_and_back() -> None:
    import torch

    x = torch.ones(3)
    assert aten_calls(lambda: (x * x + 1.0).sqrt()) == 3
    leaf = torch.ones(3, requires_grad=True)
    assert aten_calls(lambda: torch.autograd.grad((leaf * 2.0).sum(), leaf)) > 3


def test_powers_are_shown_and_drawn(tmp_path: Any) -> None:
    assert table.amount(0.984, "power") == "n^0.98"
    race = Race(
        "g", "n", "w", {"dimflow": lambda turn: 1.02}, lambda: None, 3, goal=1.1, unit="power",
        warm_up=False,
    )  # fmt: skip
    done = run(race)
    assert table.goal(done) == f"n^1.10 {table.MET}"
    plot.draw({"rows": [done], "title": "t"}, tmp_path / "n.png")
    assert (tmp_path / "n.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.deep
def test_the_whole_suite_runs() -> None:
    rows = run_all(derivatives.races(QUICK))
    groups = {ONE, TWO, TORCH, JAX, RECORDING, TRACED, SECOND, LOOPS, MEMORY}
    assert {row["group"] for row in rows} == groups
    assert all(CONTROL in row["contenders"] for row in rows)
