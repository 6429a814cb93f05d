"""Arrays with units against raw NumPy and five libraries: one operation, a formula, bytes."""

from typing import Any, NamedTuple

import numpy as np

from benchmarks import sizes
from benchmarks.array_libraries import NONE, RAW, SI, Arrays, all_arrays, data, in_si
from benchmarks.count import bytes_over, peak_bytes
from benchmarks.race import Effort, Picture, Race, Sampler, Suite, WrongAnswer
from benchmarks.statement import repeated
from benchmarks.texts import Exponents

SMALL, LARGE = 10, 10**6
FEW, MANY = "10 elements", "10⁶ elements"
ALLOCATED, PICKLED = "peak memory, 10⁶ elements", "pickle, 10⁶ elements"
_COUNTS = 3  # rounds where nothing but a count is taken
_LONGER = 4  # samples of large arrays: in fewer rounds, since memory that is new comes at a price

LENGTH: Exponents = (1, 0, 0, 0, 0)
ROOT: Exponents = (0.5, 0, 0, 0, 0)
AREA: Exponents = (2, 0, 0, 0, 0)
LENGTH_TIME: Exponents = (1, 0, 1, 0, 0)
ENERGY: Exponents = (2, 1, -2, 0, 0)


class Row(NamedTuple):
    """A statement on arrays. The truth is NumPy's answer to `truth` on the numbers in SI units."""

    group: str
    name: str
    statement: str  # in our spelling
    exponents: Exponents | None  # of the result; None if it is a text
    goal_ratio: float | None = None
    goal: float | None = None
    size: int = SMALL
    truth: str = ""  # the statement itself, if empty
    raw: str = ""  # what NumPy has to do for it; the statement itself, if empty
    raw_scale: float = 1.0  # NumPy's result in SI units
    counted: bool = False  # bytes, not seconds
    refused: dict[str, str] = {}
    others: dict[str, str] = {}

    def said(self, arrays: Arrays) -> str:
        if arrays.name == RAW and self.raw:
            return self.raw
        return self.others.get(arrays.name, self.statement)

    def check(self, libraries: list[Arrays], raw: dict[str, Any]) -> None:
        """Every answer is right, and who is said to refuse the work does refuse it."""
        for arrays in libraries:
            said = self.said(arrays)
            if arrays.name in self.refused:
                refuses(arrays, said, arrays.namespace(raw))
                continue
            result = eval(said, arrays.namespace(raw))
            if self.exponents is None:
                is_text(arrays, result, said)
            else:
                truth = eval(self.truth or self.statement, in_si(raw))
                is_quantity(arrays, result, SI(truth, self.exponents), self.raw_scale, said)

    def rounds(self, effort: Effort) -> int:
        if self.counted:
            return min(effort.rounds, _COUNTS)
        return max(3, effort.rounds // 2) if self.size >= LARGE else effort.rounds

    def entries(self, libraries: list[Arrays], effort: Effort) -> dict[str, Sampler]:
        raw = data(self.size)
        seconds = effort.seconds * (_LONGER if self.size >= LARGE else 1)
        taking_part = [arrays for arrays in libraries if arrays.name not in self.refused]
        said = {arrays.name: (self.said(arrays), arrays.namespace(raw)) for arrays in taking_part}
        if self.counted:
            return {name: peak_bytes(*work) for name, work in said.items()}
        return {name: repeated(*work, seconds) for name, work in said.items()}

    def race(self, libraries: list[Arrays], effort: Effort) -> Race:
        entries = self.entries(libraries, effort)
        return Race(
            self.group,
            self.name,
            self.statement,
            entries,
            check=lambda: self.check(libraries, data(self.size)),
            rounds=self.rounds(effort),
            goal=self.goal,
            unit="B" if self.counted else "s",
            base=RAW if RAW in entries else None,
            goal_ratio=self.goal_ratio,
            size=self.size,
            refused=self.refused,
            warm_up=not self.counted,
        )


def is_quantity(arrays: Arrays, result: Any, truth: SI, raw_scale: float, work: str) -> None:
    """The result has the values and the dimension of the truth."""
    if arrays.name == RAW:
        values, exponents = np.asarray(result) * raw_scale, truth.exponents
    else:
        values, exponents = arrays.si(result)
    # Some give an array of one element where NumPy gives a number.
    given, right = np.ravel(values), np.ravel(truth.values)
    if given.shape != right.shape or not np.allclose(given, right, rtol=1e-13, atol=0):
        raise WrongAnswer(f"{arrays.name}: {work} is {given} in SI units, not {right}")
    if tuple(exponents) != truth.exponents:
        raise WrongAnswer(f"{arrays.name}: {work} has {exponents}, not {truth.exponents}")


def is_text(arrays: Arrays, result: Any, work: str) -> None:
    """A text that shows the numbers and, but for NumPy's, the unit."""
    parts = ["1.1", "1.9", *([] if arrays.name == RAW else ["m"])]
    if type(result) is not str or not all(part in result for part in parts):
        raise WrongAnswer(f"{arrays.name}: {work} is {result!r}")


def refuses(arrays: Arrays, work: str, namespace: dict[str, Any]) -> None:
    """The library cannot do it; once it can, it belongs in the race."""
    try:
        result = eval(work, namespace)
    except Exception:  # each library has errors of its own
        return
    raise WrongAnswer(f"{arrays.name} can do {work} now: {result!r}")


_KINETIC = "0.5 * m * v**2"
_CONVERTED: dict[str, Any] = {"raw": "x + k * 1000.0"}
_TO_KM: dict[str, Any] = {"truth": "x", "raw": "x / 1000.0", "raw_scale": 1000.0}
_LARGE: dict[str, Any] = {"size": LARGE}
_COUNTED: dict[str, Any] = {"size": LARGE, "counted": True}
_MADE: dict[str, Any] = {
    "truth": "x",
    "others": {
        "pint": "Quantity(a, metre)",
        "astropy": "Quantity(a, metre, copy=False)",
        "unyt": "unyt_array(a, metre)",
        "saiunit": "Quantity(a, unit=metre)",
    },
    "refused": {RAW: "has nothing to construct"},
}
_NO_SUM = {"dimtensor": "cannot take the sum of its arrays by np.sum"}
_BACK = Row(MANY, "pickle and back", "loads(dumps(x))", LENGTH, size=LARGE, truth="x")

ROWS = [
    Row(FEW, "product", "x * y", LENGTH_TIME, 2.5),
    Row(FEW, "sum, same unit", "x + z", LENGTH, 2.2),
    Row(FEW, "sum, m + km", "x + k", LENGTH, 2.0, **_CONVERTED),
    Row(FEW, "a number times", "2.0 * x", LENGTH, 2.5),
    Row(FEW, "square", "x**2", AREA),
    Row(FEW, "square root", "np.sqrt(x)", ROOT, 5.0),
    Row(FEW, "comparison", "x < z", NONE),
    Row(FEW, "total", "np.sum(x)", LENGTH, refused=_NO_SUM),
    Row(FEW, "½mv², total", f"({_KINETIC}).sum()", ENERGY, 2.0),
    Row(FEW, "convert", "x.to(km)", LENGTH, 3.0, **_TO_KM),
    Row(FEW, "index", "x[3]", LENGTH, goal=0.6e-6),
    Row(FEW, "construct", "DimArray(a, metre)", LENGTH, goal=0.3e-6, **_MADE),
    Row(FEW, "text", 'f"{x}"', None),
    Row(FEW, "repr", "repr(x)", None),
    Row(MANY, "product", "x * y", LENGTH_TIME, 1.05, **_LARGE),
    Row(MANY, "sum, same unit", "x + z", LENGTH, 1.05, **_LARGE),
    Row(MANY, "sum, m + km", "x + k", LENGTH, **_LARGE, **_CONVERTED),
    Row(MANY, "½mv²", _KINETIC, ENERGY, 1.25, **_LARGE),
    Row(MANY, "convert", "x.to(km)", LENGTH, **_LARGE, **_TO_KM),
    _BACK,
    Row(ALLOCATED, "product", "x * y", LENGTH_TIME, 1.0, **_COUNTED),
    Row(ALLOCATED, "sum, same unit", "x + z", LENGTH, 1.0, **_COUNTED),
    Row(ALLOCATED, "½mv²", _KINETIC, ENERGY, **_COUNTED),
]
SIZED = [("x * y", LENGTH_TIME), (_KINETIC, ENERGY)]
SIZES = [10**i for i in range(8)]


def settle_memory() -> None:
    """Make the C library keep what is freed, as it does once a larger array has been freed.

    glibc gives memory back to the system by thresholds that follow what was freed before, up to
    32 MiB. Near them NumPy's two temporaries stay and a third goes, in one process and not in the
    next, and fresh pages cost several times the arithmetic.
    """
    np.empty(31 * 2**20, dtype=np.uint8)


def races(effort: Effort) -> list[Race]:
    settle_memory()
    libraries = all_arrays()
    return [*(row.race(libraries, effort) for row in ROWS), _pickles(libraries, effort)]


def _pickles(libraries: list[Arrays], effort: Effort) -> Race:
    raw = data(LARGE)
    peers = [arrays for arrays in libraries if arrays.name != RAW]
    return Race(
        PICKLED,
        "more than the raw array's",
        "dumps(x)",
        {arrays.name: bytes_over(arrays.namespace(raw)["x"], raw["a"]) for arrays in peers},
        check=lambda: _BACK.check(libraries, raw),
        rounds=min(effort.rounds, _COUNTS),
        goal=300,
        unit="B",
        size=LARGE,
        refused={RAW: "is what the others are compared with"},
        warm_up=False,
    )


def overhead(effort: Effort) -> list[Race]:
    """The same two statements at every size."""
    settle_memory()
    libraries = all_arrays()
    fewer = effort._replace(rounds=max(3, effort.rounds // 3))
    return [
        Row(statement, f"n = {size:,}", statement, exponents, size=size).race(libraries, fewer)
        for statement, exponents in SIZED
        for size in SIZES
        if size <= effort.largest
    ]


SUITE = Suite(
    name="arrays",
    title="Arrays",
    about="""\
Time of one statement on arrays of float64, and of NumPy on the same numbers without units: where
NumPy takes part, a number in parentheses is how many times NumPy's time a library takes, our own
included. Where units have to be converted, NumPy multiplies or divides by 1000. `x` and `z` are in
m, `k` in km, `y` in s, `m` in kg, `v` in m/s; all libraries share the raw arrays. Every answer is
compared, in SI units, with what NumPy computes in them, and its dimension with physics. Peak memory
is counted by `tracemalloc` until the result is there. NumPy writes the last product of ½mv² over a
temporary of its own, which it does for nobody else. Before the start an array of 31 MiB is made and
freed, after which the C library keeps the memory that it has; in a process that never did that,
whether a third temporary needs fresh pages from the system is a matter of luck, and ½mv² on 10⁶
elements took us 1.3 to 4.8 times NumPy's time.""",
    packages=("dimflow", "numpy", "pint", "astropy", "unyt", "saiunit", "dimtensor"),
    races=races,
    pictures=(
        Picture(
            name="overhead",
            caption="""\
The price of units against the size of the arrays, as the ratio to NumPy without them: a constant
for each operation, gone when the numbers take longer. The band around our line is the control.""",
            races=overhead,
            draw=sizes.draw,
        ),
    ),
)
