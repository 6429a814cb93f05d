"""Calls that bring their own derivative: a function of raw arrays, and what to do in its place.

`custom_call` is an op like any other. What is special stands in its parameters: the function that
runs, `pull` for the way back and `push` for the way forward, of which one is enough.
"""

from collections.abc import Callable, Sequence
from typing import Any

from dimflow import ops
from dimflow.autodiff.batch import Batch
from dimflow.autodiff.carrier import is_differentiated, newest
from dimflow.autodiff.programs import program
from dimflow.backends.programs import closed_over
from dimflow.errors import ComputationError
from dimflow.ops.rules.derivatives import Given
from dimflow.ops.rules.transposition import shape_of

Function = Callable[..., Any]


def custom_call(
    function: Function,
    args: Sequence[Any],
    pull: Function | None = None,
    push: Function | None = None,
    name: str = "custom_call",
) -> tuple[Any, ...]:
    """What the function of raw arrays gives, a tuple, with the derivative that comes with it.

    `pull(cts, outs, args)` gives the cotangents of the arguments, `push(tangents, outs, args)` the
    tangents of the results. None stands for zero, in what they get and in what they give. Both are
    linear and made of ops, so that they are differentiated in turn. `name` is that of the user's
    function, for errors.
    """

    def checked(*arrays: Any) -> tuple[Any, ...]:
        outs = tuple(function(*arrays))
        if any(map(is_differentiated, outs)):
            raise closed_over()
        return outs

    try:
        return tuple(CUSTOM_CALL(*args, function=checked, pull=pull, push=push))
    except ComputationError as error:
        if error.operation == CUSTOM_CALL.name:
            error.operation = name
        raise


def _run(
    *arrays: Any, function: Function, pull: Function | None = None, push: Function | None = None
) -> tuple[Any, ...]:
    """The function itself; a batch runs it for all calls at once."""
    trace = newest(arrays)
    if isinstance(trace, Batch):
        return _in_batch(trace, arrays, function, pull, push)
    return tuple(function(*arrays))


CUSTOM_CALL = program(
    "custom_call",
    "A function's results, with a derivative that comes with the call.",
    "custom",
    _run,
    Given(),
)


def _in_batch(
    batch: Batch, arrays: tuple[Any, ...], function: Function, pull: Any, push: Any
) -> tuple[Any, ...]:
    """One call for the whole batch, which brings the derivative of the whole batch.

    All results are batched, so that cotangents come for every call.
    """
    axes = [batch.axis(a) for a in arrays]
    values = tuple(a if axis is None else a.value for a, axis in zip(arrays, axes, strict=True))

    def together(*values: Any) -> tuple[Any, ...]:
        with batch.reopened():
            return tuple(map(batch.gathered, function(*batch.spread(values, axes))))

    def back(cts: Sequence[Any], outs: Sequence[Any], args: Sequence[Any]) -> list[Any]:
        with batch.renewed():
            found = pull(_each(batch, cts), _each(batch, outs), batch.spread(args, axes))
            pairs = zip(found, args, axes, strict=True)
            return [_cotangent(batch, ct, value, axis) for ct, value, axis in pairs]

    def forward(tangents: Sequence[Any], outs: Sequence[Any], args: Sequence[Any]) -> list[Any]:
        with batch.renewed():
            moved = batch.spread(tangents, axes), _each(batch, outs), batch.spread(args, axes)
            pairs = zip(push(*moved), outs, strict=True)
            return [None if t is None else _stretched(batch, t, out, 0) for t, out in pairs]

    params = {"function": together, "pull": pull and back, "push": push and forward}
    return tuple(_each(batch, CUSTOM_CALL.run(values, params)))


def _each(batch: Batch, values: Sequence[Any]) -> list[Any]:
    """Values with the batch along their first axis, as each call sees them."""
    return batch.spread(values, [0] * len(values))


def _cotangent(batch: Batch, ct: Any, value: Any, axis: int | None) -> Any:
    """The cotangent of an argument; of one that all calls share, the sum of theirs."""
    if ct is None:
        return None
    if axis is not None:
        return _stretched(batch, ct, value, axis)
    return ops.sum(batch.gathered(ct), axis=0)


def _stretched(batch: Batch, found: Any, value: Any, axis: int) -> Any:
    """What was found for each call of the batch, along the batch axis of a value."""
    shape = shape_of(value)
    place = batch.axis(found)
    if place is None:
        each = ops.broadcast_to(found, shape=(*shape[:axis], *shape[axis + 1 :]))
        return ops.broadcast_to(ops.expand_dims(each, axis=axis), shape=shape)
    moved = ops.moveaxis(found.value, source=place, destination=axis)
    return moved if shape_of(moved) == shape else ops.broadcast_to(moved, shape=shape)
