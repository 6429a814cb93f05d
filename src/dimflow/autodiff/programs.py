"""Programs: ops whose parameters are functions of flat raw arrays that give tuples of them.

They stand beside the table: their rules need the engine, and no sample can be drawn of a function.
Like every op they run on a backend's own kernel of their name, or by their definition.
"""

from collections.abc import Callable
from typing import Any

from dimflow.ops import Op
from dimflow.ops.rules.derivatives import Derivative

PROGRAMS: dict[str, Op] = {}


def program(
    name: str,
    doc: str,
    family: str,
    definition: Callable[..., Any],
    derivative: Derivative | None = None,
) -> Op:
    """Declare one. Without a rule for its derivative, traces follow its definition."""
    op = PROGRAMS[name] = Op(
        name,
        kind="control",
        doc=doc,
        family=family,
        signature=definition,
        domain=(),
        definition=definition,
        derivative=derivative,
    )
    return op
