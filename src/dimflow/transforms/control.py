"""cond, switch, scan, map, while_loop, fori_loop: control flow over arrays with units.

They mean what they mean in JAX, and on its arrays they are its own; on all others they are the loop
or branch that one would write in Python. Before the first step, and for every branch that takes
operands, the function runs once on units and shapes alone, so that a carry that changes its unit is
an error before anything is computed. Where it cannot run without data, the first step is checked.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from math import isqrt
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.dimarray import DimArray
from dimflow.autodiff import control
from dimflow.backends.abstract import Abstract
from dimflow.errors import (
    DimensionError,
    DtypeMismatch,
    NotANumber,
    PointError,
    ShapeMismatch,
    StructureMismatch,
    UnitError,
)
from dimflow.ops import Op, dispatch
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.rules.dtypes import kind_of
from dimflow.transforms import unrolled
from dimflow.transforms.batching import vmap
from dimflow.transforms.engines import library_of
from dimflow.transforms.forms import form_of, other_form, parts_of
from dimflow.transforms.location import with_location
from dimflow.transforms.progress import Progress
from dimflow.transforms.slots import EXACT, Outcome, Slots, taken
from dimflow.transforms.structure import mapped

Function = Callable[..., Any]
_SURE = (DimensionError, DtypeMismatch, PointError, ShapeMismatch, StructureMismatch)

# Whether a function that was checked as a whole is running: the loops in it were checked with it.
_rehearsed: ContextVar[bool] = ContextVar("rehearsed", default=False)


def cond(pred: Any, true_fn: Function, false_fn: Function, *operands: Any) -> Any:
    """What `true_fn(*operands)` gives if `pred` holds, else what `false_fn(*operands)` gives.

        cond(r < cutoff, attraction, nothing, r)

    Both give arrays of the same shapes, dtypes and dimensions; the result is in the units of
    `true_fn`. In a batch (`vmap`) whose calls choose differently both run. What has no operands
    is checked only when it is chosen.
    """
    if dispatch.is_traced(0):
        return unrolled.cond(pred, true_fn, false_fn, operands)
    branches = {"true_fn()": true_fn, "false_fn()": false_fn}
    return _branched("cond", control.CONDITIONAL, _truth("cond", pred), branches, operands)


def switch(index: Any, branches: Sequence[Function], *operands: Any) -> Any:
    """What the branch at a place among several gives: `switch(i, [f, g, h], x)`.

    An index below the first branch takes the first, one beyond the last takes the last. Branches
    must agree, as those of `cond`.
    """
    if not branches:
        raise StructureMismatch("switch", "one branch or more", "none")
    named = {f"branches[{i}]()": branch for i, branch in enumerate(branches)}
    place = _whole_number("switch", "index", index)
    return _branched("switch", control.SWITCH, place, named, operands)


def _branched(
    name: str, op: Op, choice: Any, branches: dict[str, Function], operands: tuple[Any, ...]
) -> Any:
    library = library_of((choice, operands), within=True)
    raws, given = taken(name, "operands", operands, library, keep=True)
    outcome = Outcome(name, library, is_loose=False)

    def flat(place: int, called: str, branch: Function) -> Function:
        def run(*raws: Any) -> list[Any]:
            result = branch(*given.put(raws))
            if place and outcome.slots is None:
                settle(functions[:1])  # whose units count
            found = outcome.take(result, called)
            if place or not outcome.has_numbers():
                return found
            settle(functions[1:])  # whose arrays say what the numbers are
            return outcome.take(result, called)

        return run

    def settle(functions: tuple[Function, ...]) -> None:
        for function in functions if raws else ():
            _rehearse(partial(function, *given.abstract()))

    pairs = enumerate(branches.items())
    functions = tuple(flat(place, called, branch) for place, (called, branch) in pairs)
    if not _rehearsed.get():
        settle(functions)
    return outcome.put(control.run(op, (choice, *raws), branches=functions))


def while_loop(cond_fun: Function, body_fun: Function, init: Any) -> Any:
    """Take steps `value = body_fun(value)` while `cond_fun(value)` holds.

        while_loop(lambda x: abs(f(x)) > tolerance, newton_step, x0)

    The value keeps its structure, shapes and dtypes; each array comes back in the unit that it
    began with. JAX has no reverse derivative of this loop; ours has: `grad(f, engine="own")`.
    """
    raws, carry = taken("while_loop", "init", init, library_of(init, within=True))

    def condition(*raws: Any) -> tuple[Any]:
        return (_truth("while_loop", cond_fun(carry.put(raws))),)

    def body(*raws: Any) -> list[Any]:
        return carry.take(body_fun(carry.put(raws)), "returned")

    is_sure = _checked(lambda: (condition(*carry.abstract()), body(*carry.abstract())))
    with _known(is_sure):
        found = control.run(control.WHILE_LOOP, tuple(raws), condition=condition, body=body)
    return carry.put(found)


def fori_loop(lower: Any, upper: Any, body_fun: Function, init: Any) -> Any:
    """Take steps `value = body_fun(i, value)` for i from `lower` up to, without, `upper`.

    The value keeps its form as in `while_loop`. On JAX, bounds that are plain integers make a loop
    with a reverse derivative.
    """
    if dispatch.is_traced(0):
        return unrolled.fori_loop(lower, upper, body_fun, init)
    given = {"lower": lower, "upper": upper}
    bounds = [_whole_number("fori_loop", what, bound) for what, bound in given.items()]
    library = library_of((init, bounds), within=True)
    raws, carry = taken("fori_loop", "init", init, library)

    def body(i: Any, *raws: Any) -> list[Any]:
        return carry.take(body_fun(i, carry.put(raws)), "returned")

    # a number of Python's leaves dtypes alone, but beside values that JAX traces it would count
    some = bounds[0] if library.name in EXACT else Abstract((), "int64")
    is_sure = _checked(lambda: body(some, *carry.abstract()))
    with _known(is_sure):
        found = control.run(control.FORI_LOOP, (*bounds, *raws), body=body)
    return carry.put(found)


def scan(
    f: Function,
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    *,
    checkpoint: bool | int = False,
    progress: bool = False,
) -> tuple[Any, Any]:
    """Take a step `carry, y = f(carry, x)` for each slice x of `xs`; give the last carry and all y.

        state, path = scan(step, state, times)              # path has one more axis than y
        state, _ = scan(lambda s, _: (advance(s), None), state, length=1000)

    The carry keeps its structure, shapes and dtypes, and each array of it comes back in the unit
    that it began with; a carry of another dimension is an error before the first step.
    `checkpoint` keeps one carry in a segment of steps (True: about √n; or the length of one) for
    the way back of a derivative, and takes the steps between again. `progress` shows on standard
    error how far the loop is, but for JAX, to which it is one step. `unroll` is for JAX too.
    """
    if dispatch.is_traced(0):
        return unrolled.scan(f, init, xs, length, reverse)
    library = library_of((init, xs), within=True)
    raws, carry = taken("scan", "init", init, library)
    rows, slices = taken("scan", "xs", xs, library)
    steps = _length("scan", slices, length)
    outcome = Outcome("scan", library, is_loose=True)

    count = len(raws)

    def body(*raws: Any) -> list[Any]:
        found = f(carry.put(raws[:count]), slices.put(raws[count:]))
        if type(found) is not tuple or len(found) != 2:
            got = f"{len(found)} values" if type(found) is tuple else type(found).__name__
            raise StructureMismatch("scan, for what f gives,", "a pair (carry, y)", got)
        return [*carry.take(found[0], "returned"), *outcome.take(found[1], "y")]

    is_sure = _checked(lambda: body(*carry.abstract(), *slices.abstract()))
    segment = _segment("scan", checkpoint, steps)
    with _known(is_sure), Progress("scan", steps, progress) as shown:
        found = control.run(
            control.SCAN,
            (*raws, *rows),
            body=body,
            carries=count,
            length=steps,
            reverse=bool(reverse),
            unroll=unroll,
            checkpoint=segment,
            progress=shown,
        )
    return carry.put(found[:count]), outcome.put(found[count:])


def map(f: Function, xs: Any, *, batch_size: int | None = None) -> Any:  # noqa: A001
    """What `f(x)` gives for every slice x of `xs`, one after the other, stacked.

    `vmap` does the same for all at once, in as much more memory; `batch_size` is how many are
    taken at once here.
    """
    if batch_size is not None:
        return _in_batches(f, xs, batch_size)
    return scan(lambda _, x: (None, f(x)), None, xs)[1]


def _in_batches(f: Function, xs: Any, size: int) -> Any:
    """Batches one after the other; the last may be smaller."""
    if type(size) is not int or size < 1:
        raise UnitError(
            f"map was given batch_size={size!r}", "how many slices to take at once: 1000"
        )
    _, slices = taken("map", "xs", xs, library_of(xs, within=True))
    length = _length("map", slices, None)
    if length <= size:
        return vmap(f)(xs)
    whole = length - length % size
    head = _each(xs, lambda x: _cut(x, 0, whole, (whole // size, size)))
    rows = scan(lambda _, x: (None, vmap(f)(x)), None, head)[1]
    found = _each(rows, lambda y: ops.reshape(y, shape=(whole, *y.shape[2:])))
    if whole == length:
        return found
    last = vmap(f)(_each(xs, lambda x: _cut(x, whole, length, (length - whole,))))
    form = form_of(found)
    fail = other_form("map", "y")
    pairs = zip(parts_of(form, found, "y", fail), parts_of(form, last, "y", fail), strict=True)
    return form.put(iter([ops.concat(list(pair), axis=0) for pair in pairs]))


def _each(values: Any, function: Function) -> Any:
    return mapped(values, lambda value, _: None if value is None else function(value))


def _cut(x: Any, start: int, stop: int, shape: tuple[int, ...]) -> Any:
    return ops.reshape(ops.index(x, key=(slice(start, stop),)), shape=(*shape, *x.shape[1:]))


# What is asked of arguments


def _truth(name: str, value: Any) -> Any:
    """One truth value; a number counts as whether it is not 0."""
    raw = value._pure(f"a choice by {name}") if isinstance(value, DimArray) else value
    if type(raw) is bool or type(raw) is np.bool_:
        return raw
    shape = tuple(getattr(raw, "shape", ()))
    if shape:
        hint = "choose element by element with dimflow.where(condition, x, y)"
        raise ShapeMismatch(name, "one truth value, of shape ()", shape, hint)
    return raw if kind_of(raw) == "b" else ops.not_equal(raw, 0)


def _whole_number(name: str, what: str, value: Any) -> Any:
    """One integer, as Python's own where it is known."""
    raw = value._pure(f"{what} of {name}") if isinstance(value, DimArray) else value
    if type(raw) is int:
        return raw
    if isinstance(raw, (str, bytes)) or kind_of(raw) not in "iub":
        raise NotANumber(f"{what} of {name}", f"{value!r:.40}, which is no integer")
    if shape := tuple(getattr(raw, "shape", ())):
        raise ShapeMismatch(name, f"one integer for {what}", shape)
    is_known = interpreter_of(type(raw)).rank == 0
    return int(raw) if is_known else raw


def _length(name: str, slices: Slots, length: int | None) -> Any:
    """The number of steps, on which all arrays agree; their slots become those of slices."""
    lengths: dict[Any, str] = {} if length is None else {int(length): "length"}
    for slot in slices.slots:
        if not slot.shape:
            hint = "a list is a structure: make an array of it; constants belong into the function"
            raise ShapeMismatch(f"{name}, for xs{slot.path},", "an axis to go along", "()", hint)
        if slot.shape[0] is not None:
            lengths.setdefault(slot.shape[0], f"xs{slot.path}")
        elif not lengths:
            lengths[None] = f"xs{slot.path}"
        slot.shape = slot.shape[1:]
    if not lengths:
        hint = f"give arrays to go along, or the number of steps: {name}(f, init, length=100)"
        raise StructureMismatch(name, "xs or length", "neither", hint)
    if None in lengths and len(lengths) > 1:
        del lengths[None]
    if len(lengths) > 1:
        got = ", ".join(f"{n} ({where})" for n, where in lengths.items())
        raise ShapeMismatch(name, "one length along the first axis of all xs", got)
    (found,) = lengths
    if found is not None and found < 0:
        raise ShapeMismatch(name, "a length of 0 or more", found)
    return found


def _segment(name: str, checkpoint: bool | int, length: int | None) -> int:
    """The number of steps between two carries that are kept; 0 if all are."""
    if checkpoint is False or not length:
        return 0
    if checkpoint is True:
        return isqrt(length - 1) + 1
    if type(checkpoint) is not int or checkpoint < 1:
        problem = f"{name} was given checkpoint={checkpoint!r}"
        raise UnitError(problem, "True, or the number of steps between two carries to keep")
    return min(checkpoint, length)


# Checks without data


def _checked(run: Callable[[], Any]) -> bool:
    """Check a loop before it runs, unless it was checked as a part of what is running."""
    return True if _rehearsed.get() else _rehearse(run)


def _rehearse(run: Callable[[], Any]) -> bool:
    """Run on shapes and units alone; whether that was possible.

    What is surely wrong is raised, with the line that made it. All else that goes wrong may come
    from the lack of data: then the real run will tell.
    """
    with _known(True):
        try:
            run()
        except _SURE as error:
            with_location(error)
            raise
        except Exception:
            return False
    return True


@contextmanager
def _known(is_sure: bool) -> Iterator[None]:
    """Let loops inside of a function that was checked as a whole start at once."""
    if not is_sure or _rehearsed.get():
        yield
        return
    token = _rehearsed.set(True)
    try:
        yield
    finally:
        _rehearsed.reset(token)
