"""Node: a call of an op, with all that its derivative rule may ask for."""

from typing import Any

from dimflow.ops import Op


class Node:
    """A call that was recorded, or where a tape begins (no op)."""

    __slots__ = ("__weakref__", "gathered", "op", "out", "params", "parents", "serial", "values")

    op: Op | None
    values: tuple[Any, ...]
    params: dict[str, Any]
    out: Any
    # those that made the arguments; with the place among several results, if not the first
    parents: tuple["Node | tuple[Node, int] | None", ...] | None
    serial: int
    gathered: Any  # unset but where gradients of results are kept (array/leaves.py)

    def forget(self) -> None:
        """Let go of all values: the way back has passed here for good."""
        self.parents = None
        self.values = ()
        self.params = {}
        self.out = None
