"""Control flow over raw values: choices and loops, as programs.

A definition is the loop in Python that one would write, so that every trace follows it step by step
and nothing about derivatives or batches has to be said here, but for choices by a value that is
another in each call of a batch: then all ways are gone, and each call keeps what it chose.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.autodiff.carrier import innermost
from dimflow.autodiff.programs import program
from dimflow.backends import Backend, backend_of
from dimflow.backends.abstract import Abstract
from dimflow.backends.programs import Followed
from dimflow.errors import NoDataError
from dimflow.ops import Op, dispatch
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.rules.transposition import shape_of

Raws = tuple[Any, ...]
Function = Callable[..., Raws]
_TRUTHS = frozenset((bool, np.bool_))


def run(op: Op, arrays: Raws, **params: Any) -> Raws:
    """Run an op of control flow: natively where the library can, else by its definition."""
    definition: Any = op.definition
    if any(getattr(interpreter_of(type(array)), "is_lazy", False) for array in arrays):
        return tuple(op.call(definition, arrays, params))  # numbers beside lazy arrays stay known
    try:
        return tuple(dispatch.run(op, arrays, params))
    except Followed:
        return tuple(op.call(definition, arrays, params))


# What is known of a value


def _members(value: Any, /) -> Any:
    raw = innermost(value)
    if raw is not value:
        return MEMBERS(raw)
    if isinstance(raw, Abstract) or backend_of(raw).is_lazy:
        return None
    return np.asarray(backend_of(raw).to_numpy(raw))


def _is_abstract(values: Any) -> bool:
    return any(isinstance(innermost(value), Abstract) for value in values)


def _abstract(values: Any) -> list[Abstract]:
    """Shapes and dtypes of values: all that counts where there is no data."""
    return [
        Abstract(shape_of(v), backend_of(innermost(v)).numpy_dtype(innermost(v))) for v in values
    ]


# Choices


def _conditional(pred: Any, /, *arrays: Any, branches: tuple[Function, Function]) -> Raws:
    if type(pred) not in _TRUTHS:
        values = MEMBERS(pred)
        if values is None or values.any() != values.all():
            return _chosen([(pred, branches[0])], branches[1], arrays)
        pred = values.all()
    return branches[0 if pred else 1](*arrays)


def _switch(index: Any, /, *arrays: Any, branches: tuple[Function, ...]) -> Raws:
    last = len(branches) - 1
    values = MEMBERS(index)
    if values is not None:
        places = np.unique(np.clip(values, 0, last))
        if len(places) == 1:
            return branches[int(places[0])](*arrays)
    first = [(index <= 0, branches[0])] if last else []
    others = [(index == place, branches[place]) for place in range(1, last)]
    return _chosen([*first, *others], branches[-1], arrays)


def _chosen(choices: list[tuple[Any, Function]], otherwise: Function, arrays: Raws) -> Raws:
    """What each call of a batch chooses, where not all choose the same: every way is gone."""
    results = [branch(*arrays) for _, branch in choices]
    found = otherwise(*arrays)
    for (pred, _), result in zip(reversed(choices), reversed(results), strict=True):
        found = tuple(ops.where(pred, a, b) for a, b in zip(result, found, strict=True))
    return found


# Loops


def _while_loop(*arrays: Any, condition: Function, body: Function) -> Raws:
    carry = arrays
    is_first = True
    while True:
        (pred,) = condition(*carry)
        is_partial = False
        if type(pred) not in _TRUTHS:
            values = MEMBERS(pred)
            if values is None:
                return _unknown_end(pred, body, carry)
            pred_holds = bool(values.any())
            is_partial = pred_holds and not values.all()
        else:
            pred_holds = bool(pred)
        if not pred_holds:
            return carry
        new = tuple(body(*carry))
        if is_first:
            is_first = False
            home = _home(WHILE_LOOP, carry, new)
            if home is not None:
                params = {"condition": condition, "body": body}
                return run(WHILE_LOOP, tuple(map(home.asarray, carry)), **params)
        if is_partial:  # calls of a batch that are done keep what they have
            new = tuple(ops.where(pred, n, c) for n, c in zip(new, carry, strict=True))
        carry = new


def _unknown_end(pred: Any, body: Function, carry: Raws) -> Raws:
    """A loop of which nobody knows how often it runs: without data, all rounds are alike."""
    if backend_of(innermost(pred)).is_lazy:
        hint = "compute what the test depends on, x.compute(); or use fori_loop, scan"
        raise NoDataError(
            "while_loop depends on values", hint, "while lazy arrays are written down"
        )
    if not _is_abstract((pred,)):
        hint = 'take our engine, which knows values: engine="own"; or fori_loop, scan'
        raise NoDataError("while_loop depends on values", hint, "while a library traces")
    return tuple(_abstract(body(*carry)))


def _fori_loop(lower: Any, upper: Any, /, *arrays: Any, body: Function) -> Raws:
    start, stop = MEMBERS(lower), MEMBERS(upper)
    if start is None or stop is None or start.size != 1 or stop.size != 1:
        return _counted(lower, upper, arrays, body)
    carry = arrays
    is_first = True
    for i in range(int(start.item()), int(stop.item())):
        new = tuple(body(i, *carry))
        if is_first:
            is_first = False
            if _is_abstract(new):
                return tuple(_abstract(new))
            home = _home(FORI_LOOP, carry, new)
            if home is not None:
                lifted = tuple(map(home.asarray, carry))
                return run(FORI_LOOP, (lower, upper, *lifted), body=body)
        carry = new
    return carry


def _counted(lower: Any, upper: Any, arrays: Raws, body: Function) -> Raws:
    """A loop whose bounds are not one number each, as one that counts."""
    found = run(
        WHILE_LOOP,
        (lower, *arrays),
        condition=lambda i, *_: (i < upper,),
        body=lambda i, *carry: (i + 1, *body(i, *carry)),
    )
    return found[1:]


def _scan(
    *arrays: Any,
    body: Function,
    carries: int,
    length: int,
    reverse: bool = False,
    unroll: Any = 1,
    checkpoint: int = 0,  # the length of segments that run again on the way back; 0: none
    progress: Callable[[int], None] | None = None,
) -> Raws:
    if not length or _is_abstract(arrays):
        return _without_steps(arrays, body, carries, length)
    if checkpoint:
        return _in_segments(arrays, body, carries, length, reverse, checkpoint, progress)
    carry: Raws = arrays[:carries]
    # all slices in one step: a step for each would take a square of time on the way back
    columns = [ops.unstack(x, axis=0) for x in arrays[carries:]]
    rows: list[Raws] = []
    order = range(length - 1, -1, -1) if reverse else range(length)
    for done, i in enumerate(order, 1):
        out = tuple(body(*carry, *[column[i] for column in columns]))
        if done == 1:
            if _is_abstract(out):
                return _repeated(out, carries, length)
            home = _home(SCAN, arrays, out)
            if home is not None:
                lifted = tuple(map(home.asarray, arrays))
                return run(
                    SCAN,
                    lifted,
                    body=body,
                    carries=carries,
                    length=length,
                    reverse=reverse,
                    unroll=unroll,
                    checkpoint=0,
                    progress=None,
                )
        carry = out[:carries]
        if len(out) > carries:
            rows.append(out[carries:])
        if progress is not None:
            progress(done)
    if reverse:
        rows.reverse()
    return (*carry, *[ops.stack(list(ys), axis=0) for ys in zip(*rows, strict=True)])


def _repeated(out: Raws, carries: int, length: int | None) -> Raws:
    """What many steps give, by shape and dtype, from what one gives."""
    found = _abstract(out)
    stacked = [Abstract((length, *y.shape), y.dtype) for y in found[carries:]]
    return (*found[:carries], *stacked)


def _without_steps(arrays: Raws, body: Function, carries: int, length: int | None) -> Raws:
    """No step, or steps without data: one tells the shapes of all."""
    given = _abstract(arrays)
    slices = [Abstract(x.shape[1:], x.dtype) for x in given[carries:]]
    found = _repeated(tuple(body(*given[:carries], *slices)), carries, length)
    if _is_abstract(arrays):
        return found
    library: Any = dispatch.select(SCAN, tuple(map(innermost, arrays)))
    empty = [library.asarray(np.empty(y.shape, y.dtype)) for y in found[carries:]]
    return (*arrays[:carries], *empty)


def _in_segments(
    arrays: Raws,
    body: Function,
    carries: int,
    length: int,
    reverse: bool,
    size: int,
    progress: Callable[[int], None] | None,
) -> Raws:
    """Segments of steps, of which the way back keeps the beginning and runs the rest again."""
    from dimflow.autodiff.checkpoints import checkpoint

    carry, xs = arrays[:carries], arrays[carries:]
    if reverse:
        xs = tuple(ops.flip(x, axis=0) for x in xs)
    pieces = [_segments(x, length, size) for x in xs]
    parts: list[Raws] = []
    for place, done in enumerate(range(0, length, size)):
        steps = min(size, length - done)

        def segment(*values: Any, steps: int = steps) -> Raws:
            return _scan(*values, body=body, carries=carries, length=steps)

        out = checkpoint(segment, (*carry, *[piece[place] for piece in pieces]))
        carry = out[:carries]
        if len(out) > carries:
            parts.append(out[carries:])
        if progress is not None:
            progress(done + steps)
    ys = [ops.concat(list(column), axis=0) for column in zip(*parts, strict=True)]
    return (*carry, *([ops.flip(y, axis=0) for y in ys] if reverse else ys))


def _segments(x: Any, length: int, size: int) -> list[Any]:
    """The first axis cut into pieces of a length, by few ops; the last may be shorter."""
    whole = length // size
    rest = shape_of(x)[1:]
    head = ops.index(x, key=(slice(0, whole * size),))
    pieces = list(ops.unstack(ops.reshape(head, shape=(whole, size, *rest)), axis=0))
    if whole * size < length:
        pieces.append(ops.index(x, key=(slice(whole * size, length),)))
    return pieces


def _home(op: Op, before: Raws, after: Raws) -> Backend | None:
    """The library that a loop over NumPy's arrays turns out to belong to, if it has the op.

    Then the numbers that the loop began with were meant for that library, and it starts again.
    """
    if any(interpreter_of(type(value)).rank for value in before):
        return None
    for value in after:
        library = interpreter_of(type(value))
        if isinstance(library, Backend) and library.rank == 1 and library.own_kernel(op):
            return library
    return None


MEMBERS = program(
    "members",
    "NumPy's array of a value in all calls of a batch; None if not known.",
    "control",
    _members,
)
CONDITIONAL = program("conditional", "What one of two functions gives.", "control", _conditional)
SWITCH = program("switch", "What one of several functions gives, by its place.", "control", _switch)
WHILE_LOOP = program(
    "while_loop", "A step again and again while a test holds.", "control", _while_loop
)
FORI_LOOP = program("fori_loop", "A step for every integer of a range.", "control", _fori_loop)
SCAN = program(
    "scan", "A step for every slice, that hands on a carry and gives a row.", "control", _scan
)
