"""Traces: who follows values through ops. Each has a level; the newest runs an op first."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from dimflow.backends.reading import INSTEAD, VERB
from dimflow.ops import Op

_levels = count(1)


def newest_level() -> int:
    """A level that no trace has, above all that there are."""
    return next(_levels)


class Trace(ABC):
    """Somebody who follows values through ops: a tape, tangents, a batch."""

    __slots__ = ("is_over", "level")

    verb = "traced"  # what happens to values: they are being ...
    hint = ""  # what to do where a plain number is wanted

    level: float  # the newer, the higher

    def __init__(self, level: float | None = None) -> None:
        self.level: float = next(_levels) if level is None else level
        self.is_over = False

    @abstractmethod
    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Run an op of which this trace is the newest that follows an argument."""

    def over(self) -> None:
        """From now on, its carriers count as their values."""
        self.is_over = True

    def is_silent(self) -> bool:
        """Whether it follows nothing here and now: within no_grad()."""
        return self.is_over

    @contextmanager
    def reopened(self) -> Iterator[None]:
        """Follow values again for a while, after it is over: to run something anew."""
        before, self.is_over = self.is_over, False
        try:
            yield
        finally:
            self.is_over = before


class Differentiation(Trace):
    """A trace that differentiates: numbers that leave it would have lost their derivative."""

    __slots__ = ()

    verb, hint = VERB, INSTEAD
