"""Guards: against what would never end, and for input that may be refused but not break."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from dimflow.errors import DimflowError


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


def refusal(action: Callable[[], object]) -> DimflowError | None:
    """The error of ours with which an action was refused; None if it went through.

    Any other error goes through to the test.
    """
    refused = None
    try:
        action()
    except DimflowError as error:
        refused = error
    assert refused is None or str(refused)
    return refused
