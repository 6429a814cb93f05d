"""Derivatives against PyTorch, JAX and HIPS autograd: times, counts, and how costs grow."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from benchmarks import engines, growth, programs, slopes
from benchmarks.count import aten_calls, equations, peak_bytes
from benchmarks.engines import Engine, Work
from benchmarks.programs import Program
from benchmarks.race import Effort, Race, Sampler, Suite, WrongAnswer
from benchmarks.statement import repeated
from benchmarks.suites.arrays import settle_memory
from benchmarks.tensors import RAW
from benchmarks.threads import on_threads

ONE, TWO = "gradient on NumPy, 1 thread", "gradient on NumPy, 2 threads"
TORCH, JAX = "gradient on PyTorch, 1 thread", "gradient on JAX, 10 elements"
RECORDING = "one operation on a tape, 10 elements"
TRACED, SECOND, LOOPS = "what is traced", "more than a gradient, 1 thread", "loops of Python"
MEMORY = "memory on the way back, checkpoints of 1000 numbers"
KEPT = "every step"
TORCH_TAPE, HIPS, FORWARD, GRADIENT = "PyTorch", "autograd", "NumPy", "gradient"

SMALL, LARGE = 10, 10**5
WIDTH = 50
RECORDED = 100  # operations in the program that recording is measured on
STEPS = (10**3, 10**4, 10**5)
READ = (10**3, 3 * 10**3, 10**4)
SCANNED = (10**2, 10**3, 10**4)
STATE = 1000  # numbers in the carry of the scan
LINEAR, ROOT = 1.1, 0.55  # the powers of n that still count as linear, and as its root


@cache
def chain(size: int) -> Program:
    return programs.chain(size)


@cache
def perceptron() -> Program:
    return programs.perceptron()


@cache
def truth(program: Program) -> list[Any]:
    return slopes.gradient(program)


class Row(NamedTuple):
    """The gradient of a program, by several engines. The first is ours."""

    group: str
    name: str
    program: Program
    contenders: Callable[[], list[Engine]]
    base: str
    goal_ratio: float | None = None
    threads: int = 1
    size: int | None = None

    def check(self, chosen: list[Engine], ready: dict[str, Work]) -> None:
        for engine in chosen:
            slopes.judge(engine, self.program, ready[engine.name](), truth(self.program))

    def race(self, effort: Effort, share: int = 1) -> Race:
        chosen = self.contenders()
        ready = {engine.name: engine.gradient(self.program) for engine in chosen}
        return Race(
            self.group,
            self.name,
            self.program.work,
            {name: timed(work, effort, self.threads, share) for name, work in ready.items()},
            check=lambda: self.check(chosen, ready),
            rounds=effort.rounds,
            base=self.base,
            goal_ratio=self.goal_ratio,
            size=self.size,
        )


def timed(work: Work, effort: Effort, threads: int = 1, share: int = 1) -> Sampler:
    """Seconds for the work, or for its share in it if it does several things alike."""
    sampler = repeated("work()", {"work": work}, effort.seconds, threads=threads > 1)
    return on_threads(threads, lambda turn: sampler(turn) / share)


def _with_units() -> list[Engine]:
    return [engines.dimflow_engine(), engines.torch_tape(), engines.hips_autograd()]


def _without_units() -> list[Engine]:
    return [engines.dimflow_engine(units=False), *_with_units()[1:]]


def _against_hips() -> list[Engine]:
    return [engines.dimflow_engine(), engines.hips_autograd()]


def _on_torch() -> list[Engine]:
    return [
        engines.dimflow_engine("torch"), engines.torch_functional(), engines.torch_tape(),
    ]  # fmt: skip


def _on_jax() -> list[Engine]:
    return [engines.dimflow_engine("jax"), engines.jax_engine()]


def gradients() -> list[Row]:
    """Every program by every engine."""
    mlp, large, small = perceptron(), chain(LARGE), chain(SMALL)
    found = []
    for group, threads in ((ONE, 1), (TWO, 2)):
        asked: dict[str, Any] = {"base": TORCH_TAPE, "goal_ratio": 1.5, "threads": threads}
        hips: dict[str, Any] = {"base": HIPS, "goal_ratio": 1.0, "threads": threads}
        found += [
            Row(group, "MLP", mlp, _with_units, **asked),
            Row(group, "MLP, no units", mlp, _without_units, **asked),
            Row(group, "MLP, against autograd", mlp, _against_hips, **hips),
            Row(group, "chain, 10⁵", large, _with_units, size=LARGE, **asked),
            Row(group, "chain, 10⁵, no units", large, _without_units, size=LARGE, **asked),
            Row(group, "chain, 10⁵, against autograd", large, _against_hips, **hips),
        ]
    return [
        *found,
        Row(ONE, "chain, 10", small, _with_units, TORCH_TAPE, size=SMALL),
        Row(TORCH, "MLP", mlp, _on_torch, RAW, 1.1),
        Row(TORCH, "chain, 10⁵", large, _on_torch, RAW, 1.1, size=LARGE),
        Row(TORCH, "chain, 10", small, _on_torch, RAW, size=SMALL),
        Row(JAX, "chain", small, _on_jax, RAW, size=SMALL),
    ]


# Recording


def recording(effort: Effort) -> list[Race]:
    """A program of small operations, forward on a tape against forward alone; then all the way."""
    return [
        _recorded("with units", engines.dimflow_engine(), effort),
        _recorded("no units", engines.dimflow_engine(units=False), effort),
        _there_and_back(effort),
    ]


def _recorded(name: str, ours: Engine, effort: Effort) -> Race:
    program = programs.small_operations(RECORDED)
    forward = engines.numpy_forward(program)
    chosen = [ours, engines.torch_tape(), engines.hips_autograd()]
    ready = {engine.name: engine.recorded(program) for engine in chosen}

    def check() -> None:
        for engine in chosen:
            slopes.is_value(engine, program, ready[engine.name](), forward())

    works = {**ready, FORWARD: forward}
    return Race(
        RECORDING, f"forward, {name}", program.work,
        {key: timed(work, effort, share=RECORDED) for key, work in works.items()},
        check=check, rounds=effort.rounds, base=FORWARD, goal_more=3e-6, size=SMALL,
    )  # fmt: skip


def _there_and_back(effort: Effort) -> Race:
    program = programs.small_operations(RECORDED, summed=True)
    row = Row(RECORDING, "forward and back", program, _with_units, TORCH_TAPE, size=SMALL)
    return row.race(effort, share=RECORDED)


# Counts


def counts(effort: Effort) -> list[Race]:
    """Equations that JAX traces and operations that PyTorch runs, with units and without."""
    found = []
    for name, program in (("MLP", perceptron()), ("chain", chain(SMALL))):
        found.append(_count(f"equations of the jaxpr, {name}", program, _on_jax(), _equations))
        pair = _on_torch()[:2]
        found.append(_count(f"calls of ATen, {name}", program, pair, _calls))
    return found


def _count(
    name: str, program: Program, pair: list[Engine], count: Callable[[Engine, Program], int]
) -> Race:
    found = {engine.name: count(engine, program) for engine in pair}

    def check() -> None:
        if min(found.values()) < programs.CHAIN_OPS:
            raise WrongAnswer(f"{name}: {found}, fewer than the program has without a gradient")

    entries: dict[str, Sampler] = {key: _constant(value) for key, value in found.items()}
    return Race(
        TRACED, name, program.work, entries, check=check, rounds=3, unit="n", base=RAW,
        goal_ratio=1.0, warm_up=False,
    )  # fmt: skip


def _constant(value: int) -> Sampler:
    return lambda turn: float(value)


def _equations(engine: Engine, program: Program) -> int:
    import jax

    function, given = engine.ready(program)
    return equations(jax.make_jaxpr(engine.grad(function, program.wanted))(*given).jaxpr)


def _calls(engine: Engine, program: Program) -> int:
    return aten_calls(engine.gradient(program))


# Second order, Jacobians


def _nesting() -> list[Engine]:
    """With PyTorch as it differentiates twice."""
    ours, _, hips = _with_units()
    return [ours, engines.torch_functional(TORCH_TAPE), hips]


def second_order(effort: Effort) -> list[Race]:
    """The Hessian times a vector, against our own gradient."""
    return [_hvp("MLP", perceptron(), effort), _hvp("chain, 10⁵", chain(LARGE), effort)]


def _hvp(name: str, program: Program, effort: Effort) -> Race:
    chosen = _nesting()
    ready = {engine.name: engine.curvature(program) for engine in chosen}

    def check() -> None:
        right = slopes.curvature(program)
        for engine in chosen:
            slopes.judge(engine, program, ready[engine.name](), right, order=2)

    works = {**ready, GRADIENT: chosen[0].gradient(program)}
    return Race(
        SECOND, f"hvp, {name}", program.work,
        {key: timed(work, effort) for key, work in works.items()},
        check=check, rounds=max(3, effort.rounds // 2), base=GRADIENT, goal_ratio=4.0,
    )  # fmt: skip


def jacobians(effort: Effort) -> list[Race]:
    """All derivatives of a vector by a vector."""
    program, chosen = programs.layer(WIDTH), _nesting()
    ready = {engine.name: engine.slopes(program) for engine in chosen}

    def check() -> None:
        right = [slopes.jacobian(program)]
        for engine in chosen:
            slopes.judge(engine, program, [ready[engine.name]()], right)

    return [
        Race(
            SECOND, "Jacobian, 50 by 50", program.work,
            {key: timed(work, effort) for key, work in ready.items()},
            check=check, rounds=effort.rounds, base=TORCH_TAPE, size=WIDTH,
        )
    ]  # fmt: skip


# Loops


def loops(effort: Effort) -> list[Race]:
    """Time of long loops, and the power of n in it."""
    steps, read = sizes(STEPS, effort), sizes(READ, effort)
    return [
        _loop(f"{steps[-1]:,} steps", programs.steps(steps[-1]), effort),
        _grows("steps", "x = x - rate * x", programs.steps, steps),
        _loop(f"reading {read[-1]:,} elements", programs.elements(read[-1]), effort),
        _grows("elements", "Σ x[i]²", programs.elements, read),
    ]


def sizes(full: tuple[int, ...], effort: Effort) -> list[int]:
    """As many sizes, all of them smaller if the effort allows no more."""
    scale = min(1.0, effort.largest / full[-1])
    return [round(n * scale) for n in full]


def _loop(name: str, program: Program, effort: Effort) -> Race:
    few = effort._replace(rounds=min(effort.rounds, 3))
    return Row(LOOPS, name, program, _with_units, TORCH_TAPE).race(few)


def _grows(name: str, work: str, of: Callable[[int], Program], counts: list[int]) -> Race:
    chosen, smallest = _with_units(), of(counts[0])
    ready = {e.name: {n: e.gradient(of(n)) for n in counts} for e in chosen}

    def check() -> None:
        for engine in chosen:
            slopes.judge(engine, smallest, ready[engine.name][counts[0]](), truth(smallest))

    entries = {key: growth.of_time(works) for key, works in ready.items()}
    return Race(
        LOOPS, f"growth with {name}", work, entries, check=check, rounds=3, goal=LINEAR,
        unit="power", warm_up=False,
    )  # fmt: skip


# Memory


def scanned(steps: int, checkpoint: bool) -> Work:
    """The gradient of a scan of logistic growth, with every step kept or only some of them."""
    import numpy as np

    import dimflow

    start = dimflow.DimArray(np.linspace(1.0, 2.0, STATE), "kg")
    rate, limit = 1.0 / steps, dimflow.DimArray(3.0, "kg")

    def grown(mass: Any) -> Any:
        def step(now: Any, _: Any) -> tuple[Any, None]:
            return now + rate * now * (1.0 - now / limit), None

        return dimflow.sum(dimflow.scan(step, mass, length=steps, checkpoint=checkpoint)[0])

    slope = dimflow.grad(grown)
    return lambda: slope(start)


def memory(effort: Effort) -> list[Race]:
    """The most that is allocated on the way there and back, and the power of n in it."""
    counts = sizes(SCANNED, effort)
    works = {n: scanned(n, True) for n in counts}
    kept = {n: scanned(n, False) for n in counts}

    def check() -> None:
        right = kept[counts[0]]().data
        if not (abs(works[counts[0]]().data - right) < 1e-12 * abs(right).max()).all():
            raise WrongAnswer("a scan with checkpoints has another gradient than one without")

    rows: dict[str, Any] = {"check": check, "rounds": 1, "warm_up": False, "base": KEPT}
    work = "x + r x (1 - x/k)"
    peaks = {"dimflow": _peak(works[counts[-1]]), KEPT: _peak(kept[counts[-1]])}
    powers = {"dimflow": growth.of_memory(works), KEPT: growth.of_memory(kept)}
    name = f"scan of {counts[-1]:,} steps"
    return [
        Race(MEMORY, name, work, peaks, unit="B", **rows),
        Race(MEMORY, "growth with steps", work, powers, unit="power", goal=ROOT, **rows),
    ]


def _peak(work: Work) -> Sampler:
    return peak_bytes("work()", {"work": work})


def races(effort: Effort) -> list[Race]:
    settle_memory()
    return [
        *(row.race(effort) for row in gradients()),
        *recording(effort),
        *counts(effort),
        *second_order(effort),
        *jacobians(effort),
        *loops(effort),
        *memory(effort),
    ]


SUITE = Suite(
    name="derivatives",
    title="Derivatives",
    about="""\
Gradients of two programs. *MLP* is a network of 784, 512, 512 and 10 on a batch of 256 in single
precision, lengths in, volts out, by its six parameters; *chain* is 15 operations of physics on
float64, by two arrays. On NumPy dimflow's own engine runs, with units or on plain arrays; PyTorch
is `torch.autograd.grad` of leaves that stay, autograd is that of HIPS. On PyTorch and JAX *raw* is
`torch.func.grad` and `jax.grad` of the same program without units, what dimflow runs there too.
PyTorch and the BLAS of NumPy have the number of threads that is stated; NumPy does all but matrix
products on one. Times on one thread are CPU time, on two the wall clock's. *Recording* is what one
operation on ten elements costs on a tape, forward, beside NumPy without one; a program of 100 is
divided by 100. *hvp* is the Hessian times a vector, as a multiple of our own gradient. What is
traced is counted: equations of the jaxpr, and the calls of ATen that PyTorch makes on the way there
and back. *Growth* is the power of n in the CPU time of a loop in Python, fitted over three sizes;
in memory it is that of the most that Python holds, by `tracemalloc`, in the gradient of a scan that
keeps about √n of its steps and runs the others again, beside one that keeps every step.
Every answer is compared with PyTorch's in double precision, which finite differences agree with,
and every unit with [result]/[argument].""",
    packages=("dimflow", "numpy", "torch", "jax", "autograd"),
    races=races,
)
