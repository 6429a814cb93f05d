"""Checkpoints: calls that a tape keeps the arguments of alone, and that run again on the way back.

The first run leaves no record, but notes which values of the tape the function closes over: they
are arguments too. The second one is recorded, from the arguments on, and gone back at once.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dimflow.autodiff.batch import Batch
from dimflow.autodiff.carrier import CARRIERS, Carrier, Trace
from dimflow.autodiff.custom import CUSTOM_CALL, newest
from dimflow.autodiff.node import Node
from dimflow.autodiff.reverse import cotangents
from dimflow.autodiff.rules import as_result, leaves
from dimflow.autodiff.tape import Recorded, Tape, _serials, calls_before, moved_on, silence
from dimflow.ops import Op, dispatch
from dimflow.ops.rules.derivatives import Zero

Function = Callable[..., Any]
Policy = str | Callable[[Op], bool] | None
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


CHECKPOINT = Op(
    "checkpoint",
    kind="control",
    doc="A function's results, of which the way back keeps the arguments alone.",
    family="custom",
    signature=_run,
    domain=(),
    definition=_run,
)


def _recorded(tape: Tape, arrays: Any, function: Function, policy: Policy) -> tuple[Any, ...]:
    """One call on the tape, whatever the function does."""
    values = tuple(a.value if _is_on(tape, a) else a for a in arrays)
    is_silent = tape.level <= silence.get()
    if is_silent or tape.seen is not None:
        if not is_silent:
            tape._note(arrays)
        return _below(values, function, policy)
    if policy == "everything":
        return tuple(function(*arrays))
    keeping = None if policy is None else Keeping(tape, _predicate(policy))
    with tape.suspended() as seen:
        if keeping is None:
            outs = _below(values, function, policy)
        else:
            outs = keeping.first(function, values)
        tape._note(outs)
    outs = tuple(o.value if _is_on(tape, o) else o for o in outs)
    closed_over = [source for carrier in seen.values() for source in _results_beside(carrier)]
    again = _Again(tape, function, closed_over, keeping)
    params = {"function": function, "pull": again.pull, "push": again.push}
    return tuple(_as_call(tape, CUSTOM_CALL, (*arrays, *closed_over), params, outs))


def _as_call(tape: Tape, op: Op, args: tuple[Any, ...], params: dict[str, Any], out: Any) -> Any:
    """The known result of an op as that of a call on the tape."""
    node = Node()
    node.op = op
    node.values = tuple(a.value if _is_on(tape, a) else a for a in args)
    node.parents = tuple((a.node, a.place) if _is_on(tape, a) else None for a in args)
    node.params = params
    node.out = out
    node.serial = next(_serials)
    return as_result(op, out, [tape._carrier(o, node, i) for i, o in enumerate(leaves(out))])


def _below(values: tuple[Any, ...], function: Function, policy: Policy) -> tuple[Any, ...]:
    """The function on the values of a tape, which older traces may follow."""
    if any(isinstance(v, Carrier) for v in values):
        return tuple(CHECKPOINT.run(values, {"function": function, "policy": policy}))
    return tuple(function(*values))


def _is_on(tape: Tape, value: Any) -> bool:
    return type(value) is Recorded and value.trace is tape


def _results_beside(carrier: Recorded) -> list[Recorded]:
    """All results of the call that made a value: only one of those in use is noted."""
    out = carrier.node.out
    if not isinstance(out, (tuple, list)):
        return [carrier]
    return [carrier.trace._carrier(o, carrier.node, place) for place, o in enumerate(out)]


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

    def _record(self, args: tuple[Any, ...]) -> tuple[list[Any], list[Recorded]]:
        """Where a record of the function ends, and where it begins."""
        count = len(args) - len(self.closed_over)
        tape = self.tape
        with tape.reopened():
            fresh = [tape.watch(value) for value in args[:count]]
            if self.keeping is None:
                outs = self.function(*fresh)
            else:
                outs = self.keeping.again(self.function, fresh)
        return [o if _is_on(tape, o) else None for o in outs], [*fresh, *self.closed_over]

    def pull(self, cts: Sequence[Any], outs: Any, args: tuple[Any, ...]) -> list[Any]:
        """Cotangents of the arguments, and of what the function closes over."""
        ends, sources = self._record(args)
        return cotangents(ends, cts, sources, keep=False)

    def push(self, tangents: Sequence[Any], outs: Any, args: tuple[Any, ...]) -> list[Any]:
        """Tangents of the results."""
        ends, sources = self._record(args)
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


class Keeping(Trace):
    """Keeps results of some ops when a function runs first, and uses them when it runs again.

    What is done with closed-over values alone is not seen here, and done again.
    """

    __slots__ = ("kept", "policy", "rest", "tape")

    verb = "differentiated"
    hint = Tape.hint

    def __init__(self, tape: Tape, policy: Callable[[Op], bool]) -> None:
        super().__init__()
        self.level = tape.level + 0.5  # newer than the tape, and older than all that follows
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
            return op.call(op.rule("definition"), args, params)
        values = tuple(a.value if type(a) is Kept and a.trace is self else a for a in args)
        if type(op.derivative) is Zero:
            return dispatch.run(op, values, params)
        out = (
            self._kept(op, values, params) if self.policy(op) else dispatch.run(op, values, params)
        )
        return as_result(op, out, [self._followed(part) for part in leaves(out)])

    def _kept(self, op: Op, values: tuple[Any, ...], params: dict[str, Any]) -> Any:
        if self.rest is None:
            out = dispatch.run(op, values, params)
            self.kept.append(out)
            return out
        out = next(self.rest)
        if not any(_is_on(self.tape, v) for v in values):
            return out
        return _as_call(self.tape, op, values, params, out)


dispatch.interpreters[Kept] = CARRIERS


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
