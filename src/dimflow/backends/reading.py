"""Reading a number out of a value that is being differentiated: its derivative would be lost."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dis import opname
from types import FrameType, TracebackType
from typing import NamedTuple

from dimflow.backends.backend import Backend
from dimflow.errors import DimflowError, TracedValueError

# The library that differentiates what runs here, if nothing can be kept from it by no_grad()
unstoppable: ContextVar[Backend | None] = ContextVar("unstoppable", default=None)

# The refusals of reads so far, and the reads of arrays with units, while somebody wants to know:
# C code, and whoever catches all errors, raises others or none
_refusals: ContextVar[list["Refusal"] | None] = ContextVar("refusals", default=None)
_reads: ContextVar[list[str] | None] = ContextVar("reads", default=None)

VERB = "differentiated"
INSTEAD = (
    "write it with dimflow's functions (dimflow.stack for np.array), "
    "or, where it counts as a constant, take dimflow.stop_gradient(x)"
)


class Refusal(NamedTuple):
    """A refused read, and where it happened: each frame that was running, and what it called."""

    error: TracedValueError
    places: frozenset[tuple[int, int]]


def refused(operation: str, verb: str = VERB, hint: str = INSTEAD) -> TracedValueError:
    """The error for a read, which names what was called."""
    error = TracedValueError(operation, verb, hint)
    known = _refusals.get()
    if known is not None:
        known.append(Refusal(error, frozenset(_places())))
    return error


def _places() -> Iterator[tuple[int, int]]:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        yield id(frame), frame.f_lasti
        frame = frame.f_back


@contextmanager
def refusals() -> Iterator[list[Refusal]]:
    """The reads that are refused within, also those of which nobody hears."""
    outer, found = _refusals.get(), list[Refusal]()
    token = _refusals.set(found)
    try:
        yield found
    finally:
        _refusals.reset(token)
        if outer is not None:
            outer += found


@contextmanager
def reads() -> Iterator[list[str]]:
    """What asks arrays with units for numbers within, whether or not it gets them."""
    found: list[str] = []
    token = _reads.set(found)
    try:
        yield found
    finally:
        _reads.reset(token)


def note_read(operation: str) -> None:
    """An array with a unit is asked for its numbers."""
    known = _reads.get()
    if known is not None:
        known.append(operation)


def refusal_within(error: BaseException | None) -> TracedValueError | None:
    """Such an error, if another came of it: NumPy has its own where a number cannot be had."""
    return next((e for e in chain(error) if isinstance(e, TracedValueError)), None)


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and those that it came of. What raises one error twice may close the chain."""
    seen: list[BaseException] = []
    while error is not None and not any(error is each for each in seen):
        yield error
        seen.append(error)
        error = error.__cause__ or error.__context__


def swallowed(error: Exception, found: list[Refusal]) -> TracedValueError | None:
    """The refusal that C code had, and raised an error of its own instead."""
    last = _last(error)
    if not found or last is None or isinstance(error, DimflowError):
        return None
    place = id(last.tb_frame), last.tb_lasti
    return next((refusal.error for refusal in found if place in refusal.places), None)


def is_step(error: BaseException) -> bool:
    """Whether a branch or a text asked for the number that a library would not tell, and no call:
    its derivative is zero.
    """
    last = _last(error)
    return last is not None and "CALL" not in _instruction(last)


def _last(error: BaseException) -> TracebackType | None:
    """Where Python was when an error was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _instruction(trace: TracebackType) -> str:
    return opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]]
