"""What kernels of control flow share: functions that are traced by a library's own compiler."""

from collections.abc import Callable
from typing import Any

from dimflow.ops.dispatch import interpreter_of


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
