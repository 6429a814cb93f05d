"""Softmax: block by block where rows are whole, else by its definition, which moves no rows."""

from typing import Any

from dimflow import ops
from dimflow.backends.dask_blocks.looping import along
from dimflow.ops import Op
from dimflow.ops.rules.shapes import normalized


def softmax(x: Any, /, axis: Any = -1) -> Any:
    """exp(x) over its sum along an axis."""
    return _on_rows(ops.softmax, x, axis)


def log_softmax(x: Any, /, axis: Any = -1) -> Any:
    """The logarithm of softmax."""
    return _on_rows(ops.log_softmax, x, axis)


def _on_rows(op: Op, x: Any, axis: Any) -> Any:
    whole = normalized(axis, x.ndim)
    if all(x.numblocks[i] == 1 for i in whole):
        return along(op, (x,), {"axis": axis}, whole)
    return op.rule("definition")(x, axis=axis)
