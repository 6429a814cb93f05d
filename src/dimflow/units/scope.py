"""Which registry reads texts: that of the innermost `with` block, else the shared one."""

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dimflow.units.registry import Registry

# The registries entered in this thread or task, outermost first.
entered: ContextVar[tuple["Registry", ...]] = ContextVar("dimflow registries", default=())

# Both are set when the tables are loaded.
builtin: "Registry"
shared: "Registry"


def current() -> "Registry":
    """The registry in force here."""
    stack = entered.get()
    return stack[-1] if stack else shared  # noqa: F821  (a module variable without a value yet)
