"""Ops under the module that users look for them in: `dimflow.linalg.solve`, `dimflow.fft.fft`."""

from dimflow import ops
from dimflow.ops.record import Op


def names(namespace: str) -> dict[str, Op]:
    """The ops of a namespace by name, and by NumPy's name where that is another."""
    found: dict[str, Op] = {}
    for op in ops.TABLE.values():
        alias = (op.hosts.numpy or "").rpartition(".")[2]
        if op.namespace == namespace and alias:
            found.setdefault(alias, op)
    for op in ops.TABLE.values():
        if op.namespace == namespace:
            found[op.name] = op
    return found
