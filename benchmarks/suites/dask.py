"""Units over Dask against dask.array itself, pint and unyt: building, computing, counts."""

import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from benchmarks import lazy_arrays
from benchmarks.count import peak_bytes
from benchmarks.gpu import chain
from benchmarks.lazy_arrays import RAW, Maker
from benchmarks.race import Effort, Race, Sampler, Suite, WrongAnswer
from benchmarks.statement import repeated
from benchmarks.texts import Exponents

FEW, MANY = 10, 1000
ELEMENTS = 10  # of a block, where nothing is computed
BLOCKS, LARGE = 8, 8 * 10**6  # elements, where they are computed
BUILD = {FEW: "building, 10 blocks", MANY: "building, 1000 blocks"}
COMPUTE, MEMORY = "computing, 8 blocks of 10⁶", "peak memory, 8 blocks of 10⁶"
TASKS, SENT = "tasks of 10 blocks", "what is sent and named, 10 blocks"
GOAL = 1.1  # of building

LENGTH: Exponents = (1, 0, 0, 0, 0)
ROOT: Exponents = (Fraction(1, 2), 0, 0, 0, 0)
LENGTH_TIME: Exponents = (1, 0, 1, 0, 0)
ENERGY: Exponents = (2, 1, -2, 0, 0)
MOMENTUM: Exponents = (1, 1, -1, 0, 0)
_COUNTS = 3  # rounds where nothing but a count is taken
_LONGER = 4  # samples, where other threads work

_FUNCTIONS = dict.fromkeys(("pint", "unyt"), "functions get blocks without units")
_NUMBERS = {"unyt": "adds metres and kilometres as if they were one unit"}


class Row(NamedTuple):
    """A statement that builds an array. The truth is NumPy's answer in SI units."""

    name: str
    statement: str  # in our spelling
    exponents: Exponents
    truth: str = ""  # the statement itself, if empty
    others: dict[str, str] = {}
    scale: float = 1.0  # the raw result in SI units
    refused: dict[str, str] = {}

    def said(self, name: str) -> str:
        return self.others.get(name, self.statement)


ROWS = [
    Row("product", "x * y", LENGTH_TIME),
    Row("sum, same unit", "x + z", LENGTH),
    Row("sum, m + km", "x + k", LENGTH, others={RAW: "x + k * 1000.0"}, refused=_NUMBERS),
    Row("total", "x.sum()", LENGTH),
    Row("mean", "x.mean()", LENGTH),
    Row("slice", "x[3:7]", LENGTH),
    Row("every other", "x[::2]", LENGTH),
    Row("list of places", "x[[1, 3, 5]]", LENGTH),
    Row("np.sqrt", "np.sqrt(x)", ROOT),
    Row("convert", "x.to(km)", LENGTH, truth="x", others={RAW: "x / 1000.0"}, scale=1000.0),
    Row("½mv², total", "(0.5 * m * v**2).sum()", ENERGY),
    Row("20 operations", "chain(m, v)", MOMENTUM),
    Row("map_blocks", "x.map_blocks(doubled)", LENGTH, truth="doubled(x)", refused=_FUNCTIONS),
    Row("map_overlap", "x.map_overlap(doubled, depth=1, boundary='reflect')", LENGTH,
        truth="doubled(x)", refused=_FUNCTIONS),
    Row("blockwise", "da.blockwise(product, 'i', x, 'i', y, 'i')", LENGTH_TIME,
        truth="product(x, y)", refused=_FUNCTIONS),
]  # fmt: skip
CONVERSIONS = [  # by a user who knows where the chain ends
    Row(
        "three conversions",
        "x.to(km).to(cm).to(mm)",
        LENGTH,
        truth="x",
        others={RAW: "x * 1000.0"},
        scale=1e-3,
    ),
    Row("there and back", "x.to(km).to(metre)", LENGTH, truth="x", others={RAW: "x"}),
]
HEAVY = [
    Row("½mv², total", "(0.5 * m * v**2).sum()", ENERGY),
    Row("sum, m + km", "(x + k).sum()", LENGTH, others={RAW: "(x + k * 1000.0).sum()"},
        refused=_NUMBERS),
    Row("20 operations", "chain(m, v).sum()", MOMENTUM),
]  # fmt: skip


STEP_BY_STEP = {
    "three conversions": "x / 1000.0 * 1e5 * 10.0",
    "there and back": "x / 1000.0 * 1000.0",
}


class Contender(NamedTuple):
    """A library and what its statements can use."""

    maker: Maker
    namespace: dict[str, Any]


def contenders(size: int, blocks: int) -> dict[str, Contender]:
    """Everyone with arrays of the same numbers, which are in memory."""
    import dask

    raw = lazy_arrays.in_blocks(size, blocks)
    with dask.config.set({"dimflow.warn-small-blocks": False}):  # they are what is measured
        return {
            maker.name: Contender(maker, {**tools(), **maker.arrays(raw)})
            for maker in lazy_arrays.makers()
        }


def tools() -> dict[str, Any]:
    import dask.array as da
    import numpy as np
    from dask.base import tokenize

    return {
        "np": np,
        "da": da,
        "doubled": doubled,
        "product": product,
        "tokenize": tokenize,
        "tasks": tasks,
        "sent": sent,
        "chain": lambda m, v: chain(m, v, np.sqrt, np.maximum),
    }


def doubled(block: Any) -> Any:
    """A user's function of one block."""
    return block * 2


def product(left: Any, right: Any) -> Any:
    """A user's function of two blocks."""
    return left * right


def tasks(array: Any) -> int:
    """How many tasks there are in the graph, before Dask puts them together."""
    return len(dict(array.__dask_graph__()))


def sent(array: Any) -> int:
    """Bytes of the array with its graph, as they go to another process."""
    import cloudpickle

    return len(cloudpickle.dumps(array, pickle.HIGHEST_PROTOCOL))


def right(row: Row, size: int, found: dict[str, Contender]) -> Callable[[], None]:
    """Raises unless every answer is right, and lazy."""

    def check() -> None:
        values = eval(row.truth or row.statement, {**tools(), **lazy_arrays.truth(size)})
        for name, (maker, namespace) in found.items():
            if name in row.refused:
                continue
            result = eval(row.said(name), namespace)
            is_scaled = maker.library is None and row.scale != 1.0
            maker.check(result * row.scale if is_scaled else result, values, row.exponents,
                        row.said(name))  # fmt: skip

    return check


def _race(
    group: str,
    row: Row,
    size: int,
    found: dict[str, Contender],
    sampler: Callable[[str, dict[str, Any]], Sampler],
    around: str = "{}",
    **rest: Any,
) -> Race:
    """One row of the table: what a sampler takes of everyone's statement."""
    said = {name: around.format(row.said(name)) for name in found}
    entries = {name: sampler(said[name], contender.namespace)
               for name, contender in found.items() if name not in row.refused}  # fmt: skip
    return Race(
        group,
        row.name,
        row.statement,
        entries,
        check=right(row, size, found),
        base=RAW,
        refused=row.refused,
        size=size,
        **rest,
    )


def building(effort: Effort) -> list[Race]:
    """What it costs to write a program down."""
    races = []
    for blocks, group in BUILD.items():
        size = ELEMENTS * blocks
        found = contenders(size, blocks)
        races += [
            _race(group, row, size, found, _timed(effort), rounds=effort.rounds,
                  goal_ratio=GOAL)
            for row in [*ROWS, *(_step_by_step() if blocks == FEW else [])]
        ]  # fmt: skip
    return races


def _step_by_step() -> list[Row]:
    """Conversions where raw Dask is called as often as we are."""
    return [row._replace(others={RAW: STEP_BY_STEP[row.name]}) for row in CONVERSIONS]


def _timed(effort: Effort) -> Callable[[str, dict[str, Any]], Sampler]:
    return lambda statement, names: repeated(statement, names, effort.seconds)


def computing(effort: Effort) -> list[Race]:
    """What it costs to have the numbers, on threads, and how much memory."""
    size = min(LARGE, max(effort.largest, 100))
    found = contenders(size, BLOCKS)
    seconds, rounds = effort.seconds * _LONGER, max(3, effort.rounds // 2)

    def timed(statement: str, names: dict[str, Any]) -> Sampler:
        return repeated(statement, names, seconds, threads=True)

    times = [
        _race(COMPUTE, row, size, found, timed, "{}.compute()", rounds=rounds, goal_ratio=1.0)
        for row in HEAVY
    ]
    counted = {"rounds": _COUNTS, "unit": "B", "warm_up": True, "goal_ratio": 1.01}
    peaks = [
        _race(MEMORY, row, size, found, peak_bytes, "{}.compute(scheduler='sync')", **counted)
        for row in HEAVY
    ]
    return [*times, *peaks]


def counting(effort: Effort) -> list[Race]:
    """Tasks, bytes and names, which are the same every time."""
    found = contenders(FEW, FEW)  # so few numbers that they are nothing in a pickle
    once = {"rounds": _COUNTS, "warm_up": False}
    products = [row for row in ROWS if row.name in ("product", "sum, m + km", "20 operations")]
    races = [
        _race(TASKS, row, FEW, found, counted, "tasks({})", unit="n", goal_ratio=1.0, **once)
        for row in [*products, *CONVERSIONS]
    ]
    product, *_, long = products
    races += [
        _race(SENT, row._replace(name=f"pickle: {row.name}"), FEW, found, counted, "sent({})",
              unit="B", **once)
        for row in (product, long)
    ]  # fmt: skip
    named = Row("token", "x", LENGTH)
    return [*races, _race(SENT, named, FEW, found, _timed(effort), "tokenize({})",
                          rounds=effort.rounds)]  # fmt: skip


def counted(statement: str, names: dict[str, Any]) -> Sampler:
    """A number that the statement gives."""
    count = float(eval(statement, names))
    if count < 1:
        raise WrongAnswer(f"{statement} is {count}")
    return lambda turn: count


def races(effort: Effort) -> list[Race]:
    return [*building(effort), *computing(effort), *counting(effort)]


SUITE = Suite(
    name="dask",
    title="Dask",
    about="""\
Lazy arrays in blocks. *Building* is what it costs to write a program down, before anything is
computed: Dask itself takes some hundred microseconds for an operation, and units have to be
invisible beside that. *Computing* is the same program with its numbers, on Dask's threads, by the
clock on the wall; *peak memory* is what `tracemalloc` counts while one thread computes. *Tasks* are
those of the graph as it was written, before Dask puts any together: with units there are no more
than without, but for a product where units have to be converted, which raw Dask does by hand here.
Conversions one after another are one, and there and back is none. What is *sent* is the pickle of
an array with its graph; the *token* is the name that Dask gives a collection. Ratios are to
`dask.array` without units. `x` and `z` are in m, `k` in km, `y` in s, `m` in kg, `v` in m/s. pint
is a `Quantity` around an array of Dask, unyt its `unyt_from_dask`; astropy computes arrays of Dask
when it takes them in, so it has no numbers here. unyt adds 1 m and 2 km to 3 km when they are
lazy. Every answer is compared, in SI units, with what NumPy computes in them.""",
    packages=("dimflow", "dask", "distributed", "numpy", "pint", "unyt"),
    races=races,
)
