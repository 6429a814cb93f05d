"""Finding ops: by the module of dimflow that they are in, or by what others know of them."""

from collections.abc import Callable
from importlib import import_module

from dimflow import ops
from dimflow.ops.record import Op
from dimflow.ops.table import RECORDS


def names(namespace: str) -> dict[str, Op]:
    """The ops of a namespace by name, and by NumPy's name where that is another.

    Where two have it (a power, by one number and by arrays), it is the composite, which takes all.
    """
    found: dict[str, Op] = {}
    for op in sorted(ops.TABLE.values(), key=lambda op: op.kind != "composite"):
        alias = (op.hosts.numpy or "").rpartition(".")[2]
        if op.namespace == namespace and alias:
            found.setdefault(alias, op)
    for op in ops.TABLE.values():
        if op.namespace == namespace:
            found[op.name] = op
    return found


def module(namespace: str) -> tuple[list[str], Callable[[str], Op], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of the module of a namespace, such as linalg."""
    import_module("dimflow.array")  # ops then run on arrays with units
    found = names(namespace)

    def get(name: str) -> Op:
        if name not in found:
            raise AttributeError(f"module 'dimflow.{namespace}' has no attribute {name!r}")
        return found[name]

    return sorted(found), get, lambda: sorted(found)


def search(matches: Callable[[Op], bool]) -> Op | None:
    """An op that somebody looks for. Families are read as far as they are needed to find it.

    Where two of a family match (a power, static and by arrays), it is the one with a unit rule.
    """
    seen: set[str] = set()
    for family in ops.FAMILIES:
        import_module(f"dimflow.ops.families.{family}")
        new = [op for name, op in list(RECORDS.items()) if name not in seen]
        found = [op for op in new if matches(op)]
        if found:
            return next((op for op in found if op.unit is not None), found[0])
        seen.update(op.name for op in new)
    return None
