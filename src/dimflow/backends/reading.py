"""Reading a number out of a value that is being differentiated: its derivative would be lost."""

from collections.abc import Iterator
from contextvars import ContextVar
from dis import opname

from dimflow.backends.backend import Backend
from dimflow.errors import TracedValueError

# The library that differentiates what runs here, if nothing can be kept from it by no_grad()
unstoppable: ContextVar[Backend | None] = ContextVar("unstoppable", default=None)

VERB = "differentiated"
INSTEAD = (
    "write it with dimflow's functions (dimflow.stack for np.array), "
    "or, where it counts as a constant, take dimflow.stop_gradient(x)"
)


def refused(operation: str) -> TracedValueError:
    """The error for a read, which names what was called."""
    return TracedValueError(operation, VERB, INSTEAD)


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


def is_step(error: BaseException) -> bool:
    """Whether a branch or a text asked for the number that a library would not tell, and no call:
    its derivative is zero.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    return "CALL" not in opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]]
