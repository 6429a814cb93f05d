"""Units against pint, astropy.units and unyt: algebra, texts, conversions."""

from collections.abc import Callable
from functools import cache
from itertools import islice, count
from math import isclose
from typing import Any, NamedTuple

from benchmarks.libraries import Library, all_libraries
from benchmarks.race import Effort, Race, Sampler, Suite, WrongAnswer
from benchmarks.statement import on_new, repeated
from benchmarks.texts import SHAPES, Drawing, NewText, Shape, Terms, meaning

_US = 1e-6
_ALGEBRA, _TEXT, _CONVERSION = "algebra", "text", "conversion"

# Raises WrongAnswer if a library's result of a statement is not what it should be.
Judge = Callable[[Library, Any, str], None]


def means(*terms: tuple[str, int]) -> Judge:
    return lambda library, result, work: library.require(result, meaning(terms), work)


def is_number(expected: float) -> Judge:
    return lambda library, result, work: _require(
        isclose(result, expected, rel_tol=1e-12), library, result, work
    )


def is_exactly(expected: object) -> Judge:
    return lambda library, result, work: _require(result is expected, library, result, work)


def reads_back(*terms: tuple[str, int]) -> Judge:
    return lambda library, result, work: means(*terms)(library, library.read(result), work)


def contains(text: str) -> Judge:
    return lambda library, result, work: _require(text in result, library, result, work)


def is_hash_of(text: str) -> Judge:
    return lambda library, result, work: _require(
        result == hash(library.read(text)), library, result, work
    )


def _require(is_right: bool, library: Library, result: object, work: str) -> None:
    if not is_right:
        raise WrongAnswer(f"{library.name}: {work} is {result!r}")


class Known(NamedTuple):
    """A statement on units that were met before."""

    group: str
    name: str
    statement: str  # in our spelling
    judge: Judge
    goal: float | None = None
    others: dict[str, str] = {}  # where another library says it differently

    def race(self, libraries: list[Library], effort: Effort) -> Race:
        entries: dict[str, Sampler] = {}
        for library in libraries:
            said = self.others.get(library.name, self.statement)
            entries[library.name] = repeated(said, library.namespace, effort.seconds)
        return Race(
            group=self.group,
            name=self.name,
            work=self.statement,
            entries=entries,
            check=lambda: self.check(libraries),
            rounds=effort.rounds,
            goal=self.goal,
        )

    def check(self, libraries: list[Library]) -> None:
        for library in libraries:
            said = self.others.get(library.name, self.statement)
            self.judge(library, eval(said, dict(library.namespace)), said)


_ENERGY = (("N", 1), ("m", 1))
_SPEED = (("m", 1), ("s", -1))
_READ = 'Unit("kg*m**2/s**3")'
_PEERS_READ = dict.fromkeys(("pint", "astropy", "unyt"), 'read("kg*m**2/s**3")')

KNOWN = [
    Known(_ALGEBRA, "product", "N * m", means(*_ENERGY), 0.2 * _US),
    Known(_ALGEBRA, "quotient", "J / K", means(("J", 1), ("K", -1)), 0.2 * _US),
    Known(_ALGEBRA, "power", "m_s ** 2", means(("m", 2), ("s", -2)), 0.2 * _US),
]
