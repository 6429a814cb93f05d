"""Which registry reads texts: that of the innermost `with` block, else the shared one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import local
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dimflow.units.registry import Registry

# The registries entered in this thread or task, outermost first.
entered: ContextVar[tuple["Registry", ...]] = ContextVar("dimflow registries", default=())

# Both are set when the tables are loaded.
builtin: "Registry"
shared: "Registry"

# What compilers compare before they reuse what they traced: each is told, whenever it changes, what
# texts mean in this thread. None is the shared registry, in which no name is given another meaning.
State = tuple[int, int] | None
compilers: list[Callable[[State], None]] = []


class _Told(local):
    """The registries that the compilers were told of in this thread."""

    stack: tuple["Registry", ...] = ()


_told = _Told()


def changed() -> None:
    """Tell the compilers of the scope that was entered, left or changed."""
    if compilers:
        _told.stack = entered.get()
        state = current().state if _told.stack else None
        for tell in compilers:
            tell(state)


def kept() -> None:
    """Tell the compilers of the scope of this task, if another task of the thread told its own."""
    if entered.get() is not _told.stack:
        changed()


@contextmanager
def as_called(registry: "Registry | None") -> Iterator[None]:
    """Read texts as they were where a function was handed over, and not where it runs later."""
    stack = entered.get()
    if registry is (stack[-1] if stack else None):
        yield
        return
    token = entered.set(() if registry is None else (registry,))
    changed()
    try:
        yield
    finally:
        entered.reset(token)
        changed()


def current() -> "Registry":
    """The registry in force here."""
    stack = entered.get()
    return stack[-1] if stack else shared  # noqa: F821  (a module variable without a value yet)
