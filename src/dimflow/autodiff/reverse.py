"""The way back: cotangents of the results of a tape become those of where it began."""

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from dimflow.autodiff.node import Node
from dimflow.autodiff.rules import fitted, pulled, zeros_for
from dimflow.autodiff.saving import Form
from dimflow.autodiff.tape import Recorded, recorded
from dimflow.errors import ComputationError

_ndarray = np.ndarray
_GONE = (
    "a derivative",
    "the way back through these calls has been gone before, and was freed",
    "keep it for a second time: retain_graph=True, GradientTape(persistent=True)",
)


class _Pending:
    """The cotangents of a call's results that have come back so far."""

    __slots__ = ("cts", "is_owned", "node")

    def __init__(self, node: Node) -> None:
        self.node = node
        out = node.out
        self.cts: list[Any] = [None] * (len(out) if isinstance(out, (tuple, list)) else 1)
        self.is_owned = False  # whether the only one is an array that nobody else has seen

    def add(self, place: int, ct: Any) -> None:
        """One more way has come back; into an array of our own, where there is one."""
        out = self.node.out
        is_one = len(self.cts) == 1 and not isinstance(out, (tuple, list))
        ct = fitted(ct, out if is_one else out[place])
        known = self.cts[place]
        if known is None:
            self.cts[place] = ct
        elif self.is_owned and type(ct) is _ndarray and known.dtype is ct.dtype:
            np.add(known, ct, out=known)
        else:
            self.cts[place] = known = known + ct
            self.is_owned = is_one and type(known) is _ndarray

    def add_part(self, ct: Any, call: Node, into: Callable[..., None]) -> bool:
        """Add the cotangent of some elements in place; whether that was possible."""
        out = self.node.out
        if type(out) not in (_ndarray, Form) or type(ct) not in _PLAIN or out.dtype != ct.dtype:
            return False
        known = self.cts[0]
        if known is None:
            known = self.cts[0] = np.zeros(out.shape, out.dtype)
        elif type(known) is not _ndarray:
            return False
        elif not self.is_owned:
            known = self.cts[0] = known.copy()
        self.is_owned = True
        into(known, ct, call.values, call.params)
        return True


_PLAIN = frozenset((_ndarray, np.float64, np.float32, np.complex128, np.complex64))


class _Way:
    """All that is on its way back."""

    __slots__ = ("order", "pending")

    def __init__(self) -> None:
        self.pending: dict[int, _Pending] = {}
        self.order: list[int] = []  # a heap: the latest call first, after all that used it

    def at(self, node: Node) -> _Pending:
        """What has come back to a call."""
        waiting = self.pending.get(node.serial)
        if waiting is None:
            waiting = self.pending[node.serial] = _Pending(node)
            heappush(self.order, -node.serial)
        return waiting

    def go_on(self, waiting: _Pending) -> None:
        """From a call to those that made its arguments."""
        node = waiting.node
        parents = node.parents
        if parents is None:
            raise ComputationError(*_GONE)
        into = getattr(node.op.derivative, "into", None)  # type: ignore[union-attr]
        is_partial = into is not None and type(parents[0]) is Node and not any(parents[1:])
        if is_partial and self.at(parents[0]).add_part(waiting.cts[0], node, into):  # type: ignore[arg-type]
            return
        for parent, ct in zip(parents, pulled(node, waiting.cts), strict=True):
            if parent is not None and ct is not None:
                if type(parent) is tuple:
                    self.at(parent[0]).add(parent[1], ct)
                else:
                    self.at(parent).add(0, ct)  # type: ignore[arg-type]


def cotangents(
    ends: Sequence[Recorded | None],
    given: Sequence[Any],
    sources: Sequence[Recorded],
    *,
    keep: bool,
    beyond: bool = False,
) -> list[Any]:
    """Those of the sources from those of recorded values; None where there is no way.

    Unless the tape is to be kept, calls are forgotten as the way back passes them. It ends at the
    sources, unless it is to go `beyond` them, since one may lead to another.
    """
    way = _Way()
    for end, ct in zip(ends, given, strict=True):
        if end is not None and ct is not None:
            way.at(end.node).add(end.place, ct)
    wanted = {source.node.serial for source in sources}
    found: dict[int, list[Any]] = {}
    while way.order:
        serial = -heappop(way.order)
        waiting = way.pending.pop(serial)
        if serial in wanted:
            found[serial] = waiting.cts
            if not beyond:
                continue
        if waiting.node.op is not None:
            way.go_on(waiting)
            if not keep:
                waiting.node.forget()
    return [
        found[source.node.serial][source.place] if source.node.serial in found else None
        for source in sources
    ]


def vjp(
    function: Callable[..., Any], args: Sequence[Any], *, keep: bool = True
) -> tuple[tuple[Any, ...], Callable[[Sequence[Any]], tuple[Any, ...]]]:
    """The results of a function of raw arrays, and the way back from cotangents of them.

    The function gives a tuple of arrays. The way back gives a cotangent for every argument: zeros
    where the results do not depend on it. With `keep=False` it can be gone once, and frees what it
    passes.
    """
    values, ends, sources = recorded(function, args)

    def pull(given: Sequence[Any]) -> tuple[Any, ...]:
        found = cotangents(ends, given, sources, keep=keep)
        return tuple(
            zeros_for(source.value) if ct is None else ct
            for ct, source in zip(owned(found, given), sources, strict=True)
        )

    return values, pull


def owned(found: Sequence[Any], given: Sequence[Any]) -> Iterator[Any]:
    """Cotangents that can be written into: those that share memory with others are copied."""
    seen = {id(ct) for ct in given}
    for ct in found:
        is_shared = type(ct) is _ndarray and (id(ct) in seen or not ct.flags.owndata)
        seen.add(id(ct))
        yield ct.copy() if is_shared else ct
