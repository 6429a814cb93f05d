"""A race: one piece of work, done by several contenders in turn, round after round.

Every round runs each contender once, so that whatever else the machine does meets all of them
alike, and ratios are taken within a round. Our own code runs twice in every round: the ratio of
those two, which ought to be 1, is the noise that every other ratio has.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
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


FULL = Effort(rounds=51, seconds=4e-3, batch=100, starts=15)
QUICK = Effort(rounds=3, seconds=1e-4, batch=4, starts=1)


@dataclass(frozen=True)
class Race:
    """One row of a table. The first entry is ours; the others are compared with it."""

    group: str
    name: str
    work: str  # what is done, in our spelling
    entries: dict[str, Sampler]
    check: Callable[[], None]  # raises WrongAnswer
    rounds: int
    goal: float | None = None
    unit: str = "s"  # or "B"
    refused: dict[str, str] = field(default_factory=dict)  # who does not take part, and why
    warm_up: bool = True  # not where the check does it
    fills_caches: bool = False  # for good, so it runs after those that do not


@dataclass(frozen=True)
class Suite:
    """A table and its plot. `races` imports the contenders, so it is called when they are run."""

    name: str
    title: str
    about: str  # shown above the table in the docs, in Markdown
    packages: tuple[str, ...]  # whose versions go with the numbers
    races: Callable[[Effort], list[Race]]


def run_all(races: list[Race]) -> list[dict[str, Any]]:
    """The rows, in the order of the races."""
    order = sorted(range(len(races)), key=lambda i: races[i].fills_caches)
    rows = {i: run(races[i]) for i in order}
    return [rows[i] for i in range(len(races))]


def run(race: Race) -> dict[str, Any]:
    """The row of one race, as values of JSON. Nothing is timed before all answers are right."""
    race.check()
    ours = next(iter(race.entries))
    entries = {**race.entries, CONTROL: race.entries[ours]}
    for name in entries if race.warm_up else ():
        entries[name](_turn(race.rounds, name))
    samples: dict[str, list[float]] = {name: [] for name in entries}
    with _no_collections():
        for turn in range(race.rounds):
            for name in in_order(list(entries), turn):
                samples[name].append(entries[name](_turn(turn, name)))
    return {
        "group": race.group,
        "name": race.name,
        "work": race.work,
        "unit": race.unit,
        "goal": race.goal,
        "rounds": race.rounds,
        "contenders": {name: summary(values, samples[ours]) for name, values in samples.items()},
        "refused": race.refused,
    }


def summary(values: list[float], ours: list[float]) -> dict[str, Any]:
    """Median and minimum; median, tenth and ninetieth percentile of the ratio round by round."""
    ratios = [value / our for value, our in zip(values, ours, strict=True)]
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
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()
