"""Batching: many calls of a function as one, by the batching rules of the ops in it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dimflow import ops
from dimflow.autodiff.carrier import Carrier, alive, by_definition, shielded
from dimflow.autodiff.rules import as_result, leaves
from dimflow.autodiff.trace import Trace, newest_level
from dimflow.backends.batching import CHOOSE
from dimflow.errors import ShapeMismatch, TracedValueError
from dimflow.ops import Op
from dimflow.ops.rules.transposition import shape_of

_new = object.__new__


class Batched(Carrier):
    """The values of all calls along one axis; each call sees the others' axes alone."""

    __slots__ = ("axis",)

    axis: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes that one call sees."""
        shape = shape_of(self.value)
        return (*shape[: self.axis], *shape[self.axis + 1 :])

    def _one_value(self, operation: str) -> Any:
        value = alive(self)
        if value is self:
            raise TracedValueError(operation, self.trace.verb, CHOOSE)
        return value

    def __repr__(self) -> str:
        lengths = ", ".join(map(str, self.shape))
        return f"<{self.dtype}[{lengths}] in each of {shape_of(self.value)[self.axis]} calls>"

    def __bool__(self) -> bool:
        return bool(self._one_value("a branch"))

    def __int__(self) -> int:
        return int(self._one_value("int(x)"))

    def __index__(self) -> int:
        return int(self._one_value("an index of a list"))


class Batch(Trace):
    """Runs an op on all calls of the batch at once."""

    __slots__ = ("size",)

    verb = "batched"
    hint = "write it with dimflow's functions, or go call by call: dimflow.map"

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def batched(self, value: Any, axis: int) -> Batched:
        """The values of all calls, along an axis, as one that each call sees."""
        carrier = _new(Batched)
        carrier.value = value
        carrier.trace = self
        carrier.axis = axis
        return carrier

    def spread(self, values: Sequence[Any], axes: Sequence[int | None]) -> list[Any]:
        """Values as each call sees them; those without an axis are shared by all."""
        pairs = zip(values, axes, strict=True)
        return [v if axis is None or v is None else self.batched(v, axis) for v, axis in pairs]

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Run something anew, for values of newer traces too: it is then the newest of all."""
        before, self.level = self.level, newest_level()
        try:
            with self.reopened():
                yield
        finally:
            self.level = before

    def axis(self, value: Any) -> int | None:
        """The batch axis of a value; None if all calls share it."""
        return value.axis if type(value) is Batched and value.trace is self else None

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """By the op's batching rule, or through its definition."""
        if op.batching is None:
            return by_definition(op, args, params, "batching rule")
        values = tuple([a.value if type(a) is Batched and a.trace is self else a for a in args])
        out, axes = op.batching(op, shielded(values), tuple([self.axis(a) for a in args]), params)
        parts = leaves(out)
        places = axes if isinstance(axes, (tuple, list)) else [axes] * len(parts)
        batched = [
            part if axis is None else self.batched(alive(part), axis)
            for part, axis in zip(parts, places, strict=True)
        ]
        return as_result(op, out, batched)

    def gathered(self, value: Any) -> Any:
        """The values of all calls along the first axis; those that all share, repeated."""
        axis = self.axis(value)
        if axis is None:
            shape = (self.size, *shape_of(value))
            return ops.broadcast_to(value, shape=shape)
        return value.value if axis == 0 else ops.moveaxis(value.value, source=axis, destination=0)


def vmap(
    function: Callable[..., Any],
    args: Sequence[Any],
    axes: Sequence[int | None],
    size: int | None = None,
) -> tuple[Any, ...]:
    """The results of a function of raw arrays for every slice of arguments along their axes.

    An axis of None stands for an argument that all calls share. Results have the batch first.
    """
    lengths = {shape_of(a)[axis] for a, axis in zip(args, axes, strict=True) if axis is not None}
    if size is not None:
        lengths.add(size)
    if len(lengths) != 1:
        got = ", ".join(map(str, sorted(lengths))) or "no axis to batch along"
        raise ShapeMismatch("vmap", "one length along all batch axes", got)
    batch = Batch(lengths.pop())
    given = [
        a if axis is None else batch.batched(a, axis % len(shape_of(a)))
        for a, axis in zip(args, axes, strict=True)
    ]
    try:
        results = [batch.gathered(r) for r in function(*given)]
    finally:
        batch.over()
    return tuple(map(alive, results))
