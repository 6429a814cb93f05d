"""A guard against tests that would never end: it interrupts what takes far too long."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooLong(BaseException):
    """Not an Exception, so that no code under test can swallow it."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise TooLong in the block once the time is over."""

    def interrupt(_: int, __: FrameType | None) -> None:
        raise TooLong(f"still running after {seconds} s")

    previous = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
