"""no_grad, enable_grad: whether what is done here is recorded."""

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import ContextDecorator, ExitStack
from contextvars import Token
from typing import Any, Self

from dimflow.autodiff.tape import silence
from dimflow.autodiff.trace import newest_level
from dimflow.backends import Backend
from dimflow.backends.reading import unstoppable
from dimflow.errors import UnitError

_NOBODY = -1.0


class Switch(ContextDecorator):
    """A `with` block, or a decorator, that says whether tapes record within it."""

    def __init__(self, is_on: bool) -> None:
        self.is_on = is_on
        self._entered: list[tuple[Token[float], ExitStack]] = []

    def _recreate_cm(self) -> Self:
        """One for each call of a decorated function, which may run in several threads."""
        return type(self)(self.is_on)

    def __call__(self, function: Any) -> Any:
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            problem = f"{function.__name__} stops and goes on, in the middle of a decorator's block"
            raise UnitError(problem, "use the block inside: with dimflow.no_grad(): ...")
        return super().__call__(function)

    def __enter__(self) -> Self:
        library = unstoppable.get()
        if library is not None and not self.is_on:
            problem = f"{library.name} differentiates this function, and knows no no_grad()"
            raise UnitError(
                problem, "use dimflow.stop_gradient(x), or differentiate by engine='own'"
            )
        with ExitStack() as stack:
            for library in loaded_libraries():
                stack.enter_context(library.recording(self.is_on))
            level = _NOBODY if self.is_on else newest_level()
            self._entered.append((silence.set(level), stack.pop_all()))
        return self

    def __exit__(self, *details: Any) -> None:
        token, stack = self._entered.pop()
        silence.reset(token)
        stack.__exit__(*details)


def no_grad(function: Callable[..., Any] | None = None) -> Any:
    """Within this, nothing that happens is recorded by the tapes that exist: results are plain.

        with dimflow.no_grad():
            x -= rate * x.grad

        @dimflow.no_grad()
        def evaluate(x): ...

    It holds for `.backward()`, `GradientTape` and for functions that our engine differentiates, and
    for PyTorch's autograd. A derivative that is taken within it, by dimflow.grad or by a new tape,
    is taken all the same. JAX and MLX have no such thing: within a function that they differentiate
    it is an error, and `dimflow.stop_gradient(x)` is there instead.
    """
    return Switch(False) if function is None else Switch(False)(function)


def enable_grad(function: Callable[..., Any] | None = None) -> Any:
    """Within this, all is recorded again, inside of a no_grad()."""
    return Switch(True) if function is None else Switch(True)(function)


def is_grad_enabled() -> bool:
    """Whether backward() will know what is done here: not within no_grad()."""
    return silence.get() == _NOBODY


def loaded_libraries() -> Iterator[Backend]:
    """The array libraries that have been met."""
    for name in list(sys.modules):
        if name.rpartition(".")[0] == "dimflow.backends":
            found = getattr(sys.modules[name], "BACKEND", None)
            if isinstance(found, Backend):
                yield found
