"""Which registry reads texts: that of the innermost `with` block, else the shared one."""

from contextvars import ContextVar
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from dimflow.units.registry import Registry

active: ContextVar[Optional["Registry"]] = ContextVar("dimflow registry", default=None)

shared: "Registry"  # set when the registry module is loaded


def current() -> "Registry":
    """The registry in force here."""
    return active.get() or shared  # noqa: F821  (a module variable without a value yet)
