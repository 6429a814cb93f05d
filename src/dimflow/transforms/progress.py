"""How far a long loop is, as one line on standard error."""

import sys
from collections.abc import Callable
from time import monotonic
from types import TracebackType
from typing import TextIO

_PAUSE = 0.1  # seconds between two lines
_WIDTH = 30


class Progress:
    """Shows the steps that are done; as a context it gives the function to tell them to."""

    def __init__(
        self, name: str, total: int | None, is_wanted: bool, stream: TextIO | None = None
    ) -> None:
        self.name = name
        self.total = total
        self.is_wanted = is_wanted and bool(total)
        self.stream = stream or sys.stderr
        self._began = self._shown = monotonic()
        self._is_begun = False

    def __enter__(self) -> Callable[[int], None] | None:
        return self.show if self.is_wanted else None

    def show(self, done: int) -> None:
        """Tell the number of steps that are done; the line is written a few times a second."""
        now = monotonic()
        if now - self._shown < _PAUSE and done != self.total:
            return
        self._shown = now
        self._is_begun = True
        assert self.total is not None
        share = done / self.total
        bar = "=" * round(_WIDTH * share)
        left = (now - self._began) * (1 - share) / share
        steps = f"{share:4.0%} {done}/{self.total}, {left:.0f} s left "
        self.stream.write(f"\r{self.name} [{bar:<{_WIDTH}}] {steps}")
        self.stream.flush()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_begun:
            self.stream.write("\n")
            self.stream.flush()
