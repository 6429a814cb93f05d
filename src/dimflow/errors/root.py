"""What all errors have in common."""

from typing import Any

from dimflow.errors.texts import hinted


class DimflowError(Exception):
    """The root of all errors that dimflow raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.args, self.__dict__ or None  # with notes

    def _text(self) -> str:
        return super().__str__()

    def __str__(self) -> str:
        return self._text()


class UnitError(DimflowError, ValueError):
    """Anything wrong with a unit."""

    def __init__(self, problem: str, hint: str | None = None) -> None:
        super().__init__(problem, hint)
        self.problem = problem
        self.hint = hint

    def _text(self) -> str:
        return self.problem + hinted(self.hint)
