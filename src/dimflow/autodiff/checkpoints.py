"""Checkpoints: calls that a tape keeps the arguments of alone, and that run again on the way back.

The first run leaves no record, but notes which values of the tape the function closes over: they
are arguments too. The second one is recorded, from the arguments on, and gone back at once.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dimflow.autodiff import constants
from dimflow.autodiff.batch import Batch
from dimflow.autodiff.carrier import Carrier, by_definition, innermost, newest
from dimflow.autodiff.custom import CUSTOM_CALL
from dimflow.autodiff.linearization import calls_before, moved_on
from dimflow.autodiff.programs import program
from dimflow.autodiff.reverse import cotangents
from dimflow.autodiff.rules import as_result, leaves
from dimflow.autodiff.tape import Recorded, Tape
from dimflow.autodiff.trace import Differentiation
from dimflow.errors import ComputationError
from dimflow.ops import Op, dispatch
from dimflow.ops.rules.derivatives import Zero

Function = Callable[..., Any]
Policy = str | Callable[[Op], bool] | None
_SLACK = 1e-3  # a library may sum in another order when it runs again
_OTHER = (
    "the function gave another result when it ran again",
    "nothing that it closes over may be written into meanwhile, and what it draws needs a seed",
)
POLICIES = (None, "dots", "everything")


def checkpoint(function: Function, args: Sequence[Any], policy: Policy = None) -> tuple[Any, ...]:
    """What the function of raw arrays gives, a tuple; on the way back it runs again.

    It must give the same again: what it draws, it draws by a seed.
    """
    return tuple(CHECKPOINT(*args, function=function, policy=policy))


def _run(*arrays: Any, function: Function, policy: Policy = None) -> tuple[Any, ...]:
    """What the newest trace that follows an argument makes of it."""
    trace = newest(arrays)
    if isinstance(trace, Tape):
        return _recorded(trace, arrays, function, policy)
    if isinstance(trace, Batch):
        return _in_batch(trace, arrays, function, policy)
    return tuple(function(*arrays))  # tangents go along, and leave nothing behind


CHECKPOINT = program(
    "checkpoint",
    "A function's results, of which the way back keeps the arguments alone.",
    "custom",
    _run,
)


def _recorded(tape: Tape, arrays: Any, function: Function, policy: Policy) -> tuple[Any, ...]:
    """One call on the tape, whatever the function does."""
    arrays = tuple(map(constants.kept, arrays))
    values = tuple(a.value if tape.holds(a) else a for a in arrays)
    if tape.is_silent() or tape.seen is not None:
        if not tape.is_silent():
            tape.note(arrays)
        return _below(values, function, policy)
    if policy == "everything":
        return tuple(function(*arrays))
    keeping = None if policy is None else Keeping(tape, _predicate(policy))
    with tape.suspended() as seen:
        if keeping is None:
            outs = _below(values, function, policy)
        else:
            outs = keeping.first(function, values)
        tape.note(outs)
    outs = tuple(o.value if tape.holds(o) else o for o in outs)
    closed_over = [source for carrier in seen.values() for source in _results_beside(carrier)]
    again = _Again(tape, function, closed_over, keeping)
    params = {"function": function, "pull": again.pull, "push": again.push}
    return tuple(tape.record(CUSTOM_CALL, (*arrays, *closed_over), params, outs))


def _below(values: tuple[Any, ...], function: Function, policy: Policy) -> tuple[Any, ...]:
    """The function on the values of a tape, which older traces may follow."""
    if any(isinstance(v, Carrier) for v in values):
        return tuple(CHECKPOINT.run(values, {"function": function, "policy": policy}))
    return tuple(function(*values))


def _results_beside(carrier: Recorded) -> list[Recorded]:
    """All results of the call that made a value: only one of those in use is noted."""
    out = carrier.node.out
    if not isinstance(out, (tuple, list)):
        return [carrier]
    return [carrier.trace.carrier(o, carrier.node, place) for place, o in enumerate(out)]


def _is_alike(new: Any, old: Any) -> bool:
    """Whether a result is that of the first run, as far as NumPy's numbers tell."""
    again, first = innermost(new), innermost(old)
    if not all(isinstance(value, (np.ndarray, np.generic)) for value in (again, first)):
        return True
    if again.shape != first.shape or again.dtype.kind not in "fc":
        return bool(again.shape == first.shape)
    largest = np.max(abs(first), initial=0.0, where=np.isfinite(first))
    return np.allclose(again, first, rtol=_SLACK, atol=_SLACK * largest, equal_nan=True)


class _Again:
    """A function that runs a second time, to be differentiated."""

    def __init__(
        self,
        tape: Tape,
        function: Function,
        closed_over: list[Recorded],
        keeping: "Keeping | None",
    ) -> None:
        self.tape = tape
        self.function = function
        self.closed_over = closed_over
        self.keeping = keeping

    def _record(self, args: tuple[Any, ...], known: Any) -> tuple[list[Any], list[Recorded]]:
        """Where a record of the function ends, and where it begins."""
        count = len(args) - len(self.closed_over)
        tape = self.tape
        with tape.reopened():
            fresh = [tape.watch(value) for value in args[:count]]
            if self.keeping is None:
                outs = self.function(*fresh)
            else:
                outs = self.keeping.again(self.function, fresh)
        if not all(map(_is_alike, outs, known)):
            raise ComputationError("checkpoint", *_OTHER)
        return [o if tape.holds(o) else None for o in outs], [*fresh, *self.closed_over]

    def pull(self, cts: Sequence[Any], outs: Any, args: tuple[Any, ...]) -> list[Any]:
        """Cotangents of the arguments, and of what the function closes over."""
        ends, sources = self._record(args, outs)
        return cotangents(ends, cts, sources, keep=False)

    def push(self, tangents: Sequence[Any], outs: Any, args: tuple[Any, ...]) -> list[Any]:
        """Tangents of the results."""
        ends, sources = self._record(args, outs)
        moved: dict[int, list[Any]] = {}
        for source, tangent in zip(sources, tangents, strict=True):
            moved.setdefault(source.node.serial, []).append(tangent)
        calls = calls_before([end.node for end in ends if end is not None], moved)
        return moved_on(moved, calls, ends)


# Of these families a result costs more to compute again than to keep.
_DOTS = ("linear_algebra", "convolution", "solving", "decompositions", "eigenvalues")


def _predicate(policy: Any) -> Callable[[Op], bool]:
    return (lambda op: op.family in _DOTS) if policy == "dots" else policy


class Kept(Carrier):
    """A value in a function of which some results are kept."""

    __slots__ = ()


class Keeping(Differentiation):
    """Keeps results of some ops when a function runs first, and uses them when it runs again.

    What is done with closed-over values alone is not seen here, and done again.
    """

    __slots__ = ("kept", "policy", "rest", "tape")

    def __init__(self, tape: Tape, policy: Callable[[Op], bool]) -> None:
        super().__init__(tape.level + 0.5)  # newer than the tape, older than all that follows
        self.tape = tape
        self.policy = policy
        self.kept: list[Any] = []
        self.rest: Iterator[Any] | None = None  # what is left of them, when the function runs again

    def first(self, function: Function, values: Sequence[Any]) -> tuple[Any, ...]:
        """Run the function, and keep."""
        return self._ran(function, values)

    def again(self, function: Function, values: Sequence[Any]) -> tuple[Any, ...]:
        """Run the function with what was kept."""
        self.rest = iter(self.kept)
        try:
            return self._ran(function, values)
        finally:
            self.rest = None

    def _ran(self, function: Function, values: Sequence[Any]) -> tuple[Any, ...]:
        with self.reopened():
            outs = tuple(function(*map(self._followed, values)))
        self.over()
        return tuple(o.value if type(o) is Kept and o.trace is self else o for o in outs)

    def _followed(self, value: Any) -> Kept:
        carrier = object.__new__(Kept)
        carrier.value = value
        carrier.trace = self
        return carrier

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The op, or what it gave the first time."""
        if op.derivative is None:
            return by_definition(op, args, params, "derivative rule")
        values = tuple(a.value if type(a) is Kept and a.trace is self else a for a in args)
        if type(op.derivative) is Zero:
            return dispatch.run(op, values, params)
        run = self._kept if self.policy(op) else dispatch.run
        out = run(op, values, params)
        return as_result(op, out, [self._followed(part) for part in leaves(out)])

    def _kept(self, op: Op, values: tuple[Any, ...], params: dict[str, Any]) -> Any:
        if self.rest is None:
            out = dispatch.run(op, values, params)
            self.kept.append(out)
            return out
        out = next(self.rest)
        if not any(self.tape.holds(v) for v in values):
            return out
        return self.tape.record(op, values, params, out)


def _in_batch(
    batch: Batch, arrays: tuple[Any, ...], function: Function, policy: Policy
) -> tuple[Any, ...]:
    """A checkpoint of a function that runs for all calls of a batch at once."""
    axes = [batch.axis(a) for a in arrays]
    values = tuple(a if axis is None else a.value for a, axis in zip(arrays, axes, strict=True))
    places: list[int | None] = []

    def together(*values: Any) -> tuple[Any, ...]:
        with batch.reopened():
            outs = function(*batch.spread(values, axes))
        places[:] = [batch.axis(o) for o in outs]
        return tuple(o if axis is None else o.value for o, axis in zip(outs, places, strict=True))

    outs = CHECKPOINT.run(values, {"function": together, "policy": policy})
    return tuple(batch.spread(outs, places))
