"""What all errors have in common."""

import re
from functools import wraps
from typing import Any

from dimflow.errors.texts import hinted


class DimflowError(Exception):
    """The root of all errors that dimflow raises on purpose."""

    def __init_subclass__(cls) -> None:
        if "__init__" in vars(cls):
            cls.__init__ = _or_text_alone(cls.__init__)  # type: ignore[method-assign]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.args, self.__dict__ or None  # with notes

    def of_call(self, function: str) -> None:
        """Name the function that the user called, where the error names a part or a rule of it."""
        named = getattr(self, "operation", None)
        if isinstance(named, str) and function.rpartition(".")[2] not in re.findall(r"\w+", named):
            self.operation = function

    def _text(self) -> str:
        return super().__str__()

    def __str__(self) -> str:
        return str(self.args[0]) if len(self.args) == 1 else self._text()


def _or_text_alone(init: Any) -> Any:
    """Libraries repeat an error with words of their own: `raise type(error)(text) from error`."""
    required = init.__code__.co_argcount - len(init.__defaults__ or ())  # self is one

    @wraps(init)
    def start(self: DimflowError, *args: Any, **named: Any) -> None:
        if len(args) == 1 < required - 1 and not named:
            DimflowError.__init__(self, *args)
        else:
            init(self, *args, **named)

    return start


class UnitError(DimflowError, ValueError):
    """Anything wrong with a unit."""

    def __init__(self, problem: str, hint: str | None = None) -> None:
        super().__init__(problem, hint)
        self.problem = problem
        self.hint = hint

    def _text(self) -> str:
        return self.problem + hinted(self.hint)
