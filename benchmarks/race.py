"""A race: one piece of work, done by several contenders in turn, round after round.

Every round runs each contender once, so that whatever else the machine does meets all of them
alike, and ratios are taken within a round: to our own code, or to a contender that is the measure
of all (the same work without units). Our own code runs twice in every round: the ratio of those
two, which ought to be 1, is the noise that every other ratio has.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

CONTROL = "control"  # our code a second time

# One sample: seconds a call, or bytes. Work that needs inputs never seen before draws them by the
# number of the turn: all contenders of a round get the same ones, and the control gets others.
Sampler = Callable[[int], float]


class WrongAnswer(AssertionError):
    """A contender does not do the work it is timed for."""


class Effort(NamedTuple):
    """How much is measured."""

    rounds: int
    seconds: float  # one sample takes about this long
    batch: int  # new inputs in one sample
    starts: int  # rounds of fresh processes
    largest: int  # elements, where a race is run at many sizes


FULL = Effort(rounds=51, seconds=4e-3, batch=100, starts=11, largest=10**7)
QUICK = Effort(rounds=3, seconds=1e-4, batch=4, starts=1, largest=10**3)


@dataclass(frozen=True)
class Race:
    """One row of a table. The first entry is ours."""

    group: str
    name: str
    work: str  # what is done, in our spelling
    entries: dict[str, Sampler]
    check: Callable[[], None]  # raises WrongAnswer
    rounds: int
    goal: float | None = None  # in the unit
    unit: str = "s"  # or "B", "power" for that of n, or "n" for a count of anything else
    base: str | None = None  # the entry that ratios are taken to; ours if None
    goal_ratio: float | None = None  # of ours to the base
    goal_more: float | None = None  # than the base, in the unit
    size: int | None = None  # elements
    refused: dict[str, str] = field(default_factory=dict)  # who does not take part, and why
    warm_up: bool = True  # not where the check does it
    fills_caches: bool = False  # for good, so it runs after those that do not

    def __post_init__(self) -> None:
        if self.base is not None and self.base not in self.entries:
            raise ValueError(f"{self.name}: the base {self.base!r} is not in {list(self.entries)}")
        is_relative = self.goal_ratio is not None or self.goal_more is not None
        if is_relative and self.base in (None, next(iter(self.entries))):
            raise ValueError(f"{self.name}: a goal as a ratio needs a base that is not our own")


@dataclass(frozen=True)
class Picture:
    """A plot besides that of the table, from races of its own. `draw` gets their rows."""

    name: str
    caption: str
    races: Callable[[Effort], list[Race]]
    draw: Callable[[list[dict[str, Any]], Path], None]


@dataclass(frozen=True)
class Suite:
    """A table and its plot. `races` imports the contenders, so it is called when they are run."""

    name: str
    title: str
    about: str  # shown above the table in the docs, in Markdown
    packages: tuple[str, ...]  # whose versions go with the numbers
    races: Callable[[Effort], list[Race]]
    pictures: tuple[Picture, ...] = ()


def run_all(races: list[Race]) -> list[dict[str, Any]]:
    """The rows, in the order of the races."""
    first = [race for race in races if not race.fills_caches]
    last = [race for race in races if race.fills_caches]
    rows = dict(zip(map(id, [*first, *last]), _together(first) + _together(last), strict=True))
    return [rows[id(race)] for race in races]


def run(race: Race) -> dict[str, Any]:
    """The row of one race, as values of JSON."""
    return run_all([race])[0]


def _together(races: list[Race]) -> list[dict[str, Any]]:
    """Races round by round, so that minutes in which the machine is slow meet all of them alike.

    Nothing is timed before all answers are right.
    """
    for race in races:
        race.check()
    running = [_Running(race) for race in races]
    with _no_collections():  # nor are they for the count of repetitions, which is settled now
        for one in running:
            one.warm_up()
    for turn in range(max((race.rounds for race in races), default=0)):
        with _no_collections():
            for one in running:
                one.round(turn)
    return [one.row() for one in running]


class _Running:
    """A race and the samples that it has so far."""

    def __init__(self, race: Race) -> None:
        self.race = race
        self.ours = next(iter(race.entries))
        self.entries = {**race.entries, CONTROL: race.entries[self.ours]}
        self.samples: dict[str, list[float]] = {name: [] for name in self.entries}

    def warm_up(self) -> None:
        for name in self.entries if self.race.warm_up else ():
            self.entries[name](_turn(self.race.rounds, name))

    def round(self, turn: int) -> None:
        for name in in_order(list(self.entries), turn) if turn < self.race.rounds else ():
            self.samples[name].append(self.entries[name](_turn(turn, name)))

    def row(self) -> dict[str, Any]:
        race, samples = self.race, self.samples
        measures = {name: self.ours if name == CONTROL else race.base for name in samples}
        row = {
            "group": race.group,
            "name": race.name,
            "work": race.work,
            "unit": race.unit,
            "goal": race.goal,
            "base": race.base,
            "goal_ratio": race.goal_ratio,
            "goal_more": race.goal_more,
            "size": race.size,
            "rounds": race.rounds,
            "contenders": {
                name: summary(values, samples[measures[name] or self.ours])
                for name, values in samples.items()
            },
            "refused": race.refused,
        }
        return {key: value for key, value in row.items() if value is not None or key == "goal"}


def summary(values: list[float], measure: list[float]) -> dict[str, Any]:
    """Median and minimum; median, tenth and ninetieth percentile of the ratio round by round."""
    ratios = [value / unit for value, unit in zip(values, measure, strict=True)]
    tenths = quantiles(ratios, n=10, method="inclusive") if len(ratios) > 1 else ratios * 2
    return {
        "median": _short(median(values)),
        "minimum": _short(min(values)),
        "ratio": _short(median(ratios)),
        "ratio_spread": [_short(tenths[0]), _short(tenths[-1])],
    }


def in_order(names: list[str], turn: int) -> list[str]:
    """Who runs when: every contender comes first, and follows every other, in some round."""
    start = turn // 2 % len(names)
    turned = names[start:] + names[:start]
    return turned[::-1] if turn % 2 else turned


def _turn(turn: int, name: str) -> int:
    return ~turn if name == CONTROL else turn


def _short(value: float) -> float:
    return float(f"{value:.4g}")


@contextmanager
def _no_collections() -> Iterator[None]:
    """Garbage collection goes through the objects of every library, so nobody is charged for it."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
