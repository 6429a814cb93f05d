"""Control flow for compilers that follow the bytecode (torch.compile): loops step by step.

Structures are tuples, lists and dicts here, which such a compiler can read. The steps become part
of its graph, so that checkpoints and progress have no meaning; a branch is a choice between both.
"""

from collections.abc import Callable, Sequence
from typing import Any

from dimflow import ops
from dimflow.array.dimarray import DimArray
from dimflow.errors import StructureMismatch

Function = Callable[..., Any]


def scan(f: Function, init: Any, xs: Any, length: int | None, reverse: bool) -> tuple[Any, Any]:
    """As `dimflow.scan`."""
    steps = _length(xs) if length is None else length
    carry = init
    rows = []
    for i in range(steps - 1, -1, -1) if reverse else range(steps):
        new, y = f(carry, _slice(xs, i))
        carry = _each(_like, [new, init])
        rows.append(y)
    return carry, _each(_stacked, rows[::-1] if reverse else rows)


def fori_loop(lower: int, upper: int, body: Function, init: Any) -> Any:
    """As `dimflow.fori_loop`, of bounds that are plain numbers."""
    value = init
    for i in range(lower, upper):
        value = _each(_like, [body(i, value), init])
    return value


def cond(pred: Any, true_fn: Function, false_fn: Function, operands: tuple[Any, ...]) -> Any:
    """As `dimflow.cond`, with both ways gone."""

    def chosen(parts: Sequence[Any]) -> Any:
        return ops.where(pred, parts[0], parts[1])

    return _each(chosen, [true_fn(*operands), false_fn(*operands)])


def _each(function: Function, values: list[Any]) -> Any:
    """A function of the arrays in the same place of several structures."""
    first = values[0]
    if first is None:
        return None
    if any([_outline(v) != _outline(first) for v in values]):  # noqa: C419  traced
        what = ", ".join([str(_outline(v)) for v in values])
        raise StructureMismatch("a compiled loop or branch", "the same structure and shapes", what)
    if isinstance(first, (tuple, list)):
        return type(first)([_each(function, [v[i] for v in values]) for i in range(len(first))])
    if isinstance(first, dict):
        return {key: _each(function, [v[key] for v in values]) for key in first}
    return function(values)


def _outline(value: Any) -> Any:
    """The outermost structure of a value, or the shape of an array."""
    if isinstance(value, (tuple, list)):
        return len(value)
    return list(value) if isinstance(value, dict) else tuple(getattr(value, "shape", ()))


def _like(pair: Sequence[Any]) -> Any:
    """An array in the unit of another; of a bare number only 0 has one."""
    new, old = pair
    if isinstance(old, DimArray):
        return new.to(old.unit) if isinstance(new, DimArray) else ops.zeros_like(old) + new
    return new.to("")._raw if isinstance(new, DimArray) else new


def _stacked(rows: Sequence[Any]) -> Any:
    return ops.stack(list(rows))


def _slice(xs: Any, i: int) -> Any:
    return _each(lambda values: values[0][i], [xs])


def _length(xs: Any) -> int:
    """That of the first array along its first axis."""
    while isinstance(xs, (tuple, list, dict)):
        xs = next(iter(xs.values())) if isinstance(xs, dict) else xs[0]
    return int(xs.shape[0])
