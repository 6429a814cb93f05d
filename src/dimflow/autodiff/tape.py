"""Tapes: the ops that ran on the values that somebody watches, recorded.

There is no list: a recorded value knows the call that made it, and that call those before it. So
what nobody needs any more is freed, and what does not lead to the result is never visited.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from operator import add, mul, sub, truediv
from typing import Any
from weakref import ref

import numpy as np

from dimflow import ops
from dimflow.autodiff import constants, saving
from dimflow.autodiff.carrier import (
    CARRIERS,
    Carrier,
    alive,
    by_definition,
    evened,
    is_foreign,
    shielded,
)
from dimflow.autodiff.node import Node
from dimflow.autodiff.rules import as_result, leaves
from dimflow.autodiff.trace import Differentiation
from dimflow.ops import Op, dispatch
from dimflow.ops.rules.derivatives import Linear, Zero
from dimflow.ops.rules.dtypes import kind_of

_serials = count()
_new = object.__new__
_ndarray = np.ndarray
_NONE: dict[str, Any] = {}  # the parameters of operators
_MEET_NUMPY = frozenset((_ndarray, np.float64))  # what NumPy's arrays may stand beside

# The level up to which tapes do not record here: no_grad() raises it to the newest one there is.
silence: ContextVar[float] = ContextVar("silence", default=-1)


def _operator(name: str, function: Callable[[Any, Any], Any], *, reflected: bool = False) -> Any:
    """An operator beside another value of the tape, a number or an array of NumPy's.

    It is what the op would do, with fewer steps: the Python of small programs is mostly this.
    """
    op = ops.get(name)
    is_linear = type(op.derivative) is Linear  # then the rule looks at no value

    def method(self: "Recorded", other: Any) -> Any:
        tape = self.trace
        kind = type(other)
        mine = type(self.value)
        theirs = type(other.value) if kind is Recorded and other.trace is tape else None
        if theirs is mine or (theirs in _MEET_NUMPY and mine in _MEET_NUMPY):
            value = other.value
            parent = other.node if not other.place else (other.node, other.place)
        elif kind is float or kind is int or (kind in _MEET_NUMPY and mine in _MEET_NUMPY):
            is_needed = kind is _ndarray and not is_linear
            value, parent = constants.kept(other) if is_needed else other, None
        else:
            if is_foreign(kind):
                return NotImplemented
            return CARRIERS.run(op, (other, self) if reflected else (self, other), _NONE)
        if tape.is_over or tape.seen is not None or tape.level <= silence.get():
            return CARRIERS.run(op, (other, self) if reflected else (self, other), _NONE)
        own = self.node if not self.place else (self.node, self.place)
        node = _new(Node)
        if reflected:
            node.values = values = (value, self.value)
            node.parents = (parent, own)
        else:
            node.values = values = (self.value, value)
            node.parents = (own, parent)
        try:
            out = function(*values)
        except TypeError:
            out = dispatch.run(op, values, _NONE)
        node.op = op
        node.params = _NONE
        node.out = out
        node.serial = next(_serials)
        if type(out) is _ndarray and out.size >= saving.LARGE:
            saving.lighten(node)
            constants.hold(node)
        carrier = _new(Recorded)
        carrier.value = out
        carrier.trace = tape
        carrier.node = node
        carrier.place = 0
        return carrier

    method.__doc__ = op.doc
    return method


class Recorded(Carrier):
    """A value on a tape: the call that made it, and its place among that call's results."""

    __slots__ = ("__weakref__", "node", "place")

    trace: "Tape"
    node: Node
    place: int

    @property
    def is_beginning(self) -> bool:  # type: ignore[override]
        """Whether the tape was told to watch it."""
        return self.node.op is None

    __add__, __radd__ = _operator("add", add), _operator("add", add, reflected=True)
    __sub__, __rsub__ = _operator("subtract", sub), _operator("subtract", sub, reflected=True)
    __mul__, __rmul__ = _operator("multiply", mul), _operator("multiply", mul, reflected=True)
    __truediv__ = _operator("divide", truediv)
    __rtruediv__ = _operator("divide", truediv, reflected=True)


class Tape(Differentiation):
    """Records what is done with the values that it watches."""

    __slots__ = ("seen", "views")

    def __init__(self, level: float | None = None) -> None:
        super().__init__(level)
        self.seen: dict[int, Recorded] | None = None  # while suspended: what was used meanwhile
        # who may see the memory of a value beside its carrier, by the id of the memory's owner
        self.views: dict[int, dict[int, ref[Any]]] = {}

    def is_silent(self) -> bool:
        """After its end, and within no_grad()."""
        return self.is_over or self.level <= silence.get()

    @contextmanager
    def suspended(self) -> Iterator[dict[int, Recorded]]:
        """Run ops without recording, and note which values of this tape they used, by serial."""
        before, self.seen = self.seen, {}
        try:
            yield self.seen
        finally:
            self.seen = before

    @contextmanager
    def reopened(self) -> Iterator[None]:
        """Record again for a while, after the tape is over: to run something anew."""
        before = self.is_over, self.seen
        self.is_over, self.seen = False, None
        try:
            yield
        finally:
            self.is_over, self.seen = before

    def watch(self, value: Any) -> Recorded:
        """The value as a beginning of this tape."""
        node = _new(Node)
        node.op = None
        node.parents = node.values = ()
        node.params = _NONE
        node.out = value
        node.serial = next(_serials)
        return self.carrier(value, node)

    def carrier(self, value: Any, node: Node, place: int = 0) -> Recorded:
        """A result of a call, by its place among several."""
        carrier = _new(Recorded)
        carrier.value = value
        carrier.trace = self
        carrier.node = node
        carrier.place = place
        return carrier

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Run an op on the values, and remember the call if a derivative may be asked for."""
        rule = op.derivative
        if rule is None:
            return by_definition(op, args, params, "derivative rule")
        values: list[Any] = []
        parents: list[Any] = []
        for a in args:
            if type(a) is Recorded and a.trace is self:
                values.append(a.value)
                parents.append(a.node if not a.place else (a.node, a.place))
            else:
                values.append(constants.kept(a) if type(a) is _ndarray else a)
                parents.append(None)
        node = _new(Node)
        node.values = plain = tuple(values)
        out = dispatch.run_alike(op, plain, params)
        if type(rule) is Zero or self.level <= silence.get():
            return shielded(self._leaving(out, plain))
        if self.seen is not None:
            self.note(args)
            return self._leaving(out, plain)
        if type(out) is not _ndarray:
            node.values = evened(plain)
        node.op = op
        node.parents = tuple(parents)
        node.params = params
        node.out = out
        node.serial = next(_serials)
        if isinstance(out, (tuple, list)):
            constants.hold(node)
            parts = [
                self.carrier(part, node, place) if kind_of(part) in "fc" else shielded(part)
                for place, part in enumerate(out)
            ]
            for part in parts:
                if type(part) is Recorded:
                    self._share(part.value, plain, part)
            return as_result(op, out, parts)
        is_shared = type(out) is _ndarray and out.base is not None
        is_large = False
        for value in plain:
            if value is out:
                is_shared = True
            if type(value) is _ndarray and value.size >= saving.LARGE:
                is_large = True
        carrier = self.carrier(out, node)
        if is_large:
            saving.lighten(node)
            constants.hold(node)
        if is_shared:
            self._share(out, plain, carrier)
        return carrier

    def _share(self, out: Any, values: tuple[Any, ...], holder: Any) -> None:
        """Note who holds a result that is a view of a value, or one of the arguments itself."""
        owner = out.base if type(out) is _ndarray and out.base is not None else None
        if owner is None:
            if not any(out is value for value in values):
                return
            owner = out
        views, memory, who = self.views, id(owner), id(holder)
        holders = views.setdefault(memory, {})

        def forget(_: Any) -> None:
            holders.pop(who, None)
            if not holders and views.get(memory) is holders:
                del views[memory]

        holders[who] = ref(holder, forget)

    def is_seen_elsewhere(self, value: Any) -> bool:
        """Whether somebody beside its carrier may see the memory of a value."""
        return id(value) in self.views

    def _leaving(self, out: Any, values: tuple[Any, ...]) -> Any:
        """A result that leaves the tape; not to be written into if it shares memory with it.

        A view of a recorded value, or the value itself (`stop_gradient`), is such a result.
        """
        if type(out) is not _ndarray:
            return out
        if out.base is None and not any(out is value for value in values):
            return out
        view = out.view()
        view.flags.writeable = False
        self._share(view, values, view)
        return view

    def record(self, op: Op, args: tuple[Any, ...], params: dict[str, Any], out: Any) -> Any:
        """The result of an op, known already, as that of a call on this tape."""
        node = _new(Node)
        node.op = op
        node.values = tuple(a.value if self.holds(a) else a for a in args)
        node.parents = tuple((a.node, a.place) if self.holds(a) else None for a in args)
        node.params = params
        node.out = out
        node.serial = next(_serials)
        constants.hold(node)
        return as_result(op, out, [self.carrier(o, node, i) for i, o in enumerate(leaves(out))])

    def holds(self, value: Any) -> bool:
        """Whether a value is on this tape."""
        return type(value) is Recorded and value.trace is self

    def note(self, values: tuple[Any, ...]) -> None:
        """While suspended: values of this tape among these are used."""
        assert self.seen is not None
        for value in values:
            if self.holds(value):
                self.seen[value.node.serial] = value


def recorded(
    function: Callable[..., Any], args: Sequence[Any]
) -> tuple[tuple[Any, ...], list[Recorded | None], list[Recorded]]:
    """The results of a function of raw arrays, where each ends on a tape, and where that began."""
    tape = Tape()
    watched = [tape.watch(value) for value in args]
    try:
        results = tuple(function(*watched))
    finally:
        tape.over()
    ends = [r if isinstance(r, Recorded) and r.trace is tape else None for r in results]
    return tuple(map(alive, results)), ends, watched
