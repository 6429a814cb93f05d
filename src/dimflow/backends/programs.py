"""What kernels of control flow share: functions that are traced by a library's own compiler."""

from collections.abc import Callable
from typing import Any

from dimflow.errors import ComputationError
from dimflow.ops.dispatch import interpreter_of

CLOSED_OVER = (
    "it uses a value that is being differentiated and is not among its arguments",
    "pass it as an argument, or take it out of the derivative: dimflow.stop_gradient(x)",
)


class Followed(Exception):
    """A function gave values that something above the library follows: a tape, a batch, a check.

    It closes over them. Whoever called the kernel then runs the definition instead.
    """


def plain(function: Callable[..., Any]) -> Callable[..., tuple[Any, ...]]:
    """The function, giving values of the library alone, as a tuple; Followed if it cannot."""

    def run(*values: Any) -> tuple[Any, ...]:
        results = tuple(function(*values))
        for value in results:
            if interpreter_of(type(value)).rank > 1:
                raise Followed
        return results

    return run


def closed_over() -> ComputationError:
    """The error for a call with a derivative of its own, which is that of its arguments alone."""
    return ComputationError("custom_call", *CLOSED_OVER)


def is_closed_over(error: BaseException) -> bool:
    """Whether this is that error, whatever the user calls the function."""
    return isinstance(error, ComputationError) and error.reason == CLOSED_OVER[0]
