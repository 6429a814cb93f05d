"""Reverse mode: cotangents of the results of a tape become those of where it began.

They pair by sum(ct * x), without conjugation.
"""

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from dimflow.autodiff.carrier import alive, shielded
from dimflow.autodiff.constants import check_held, held
from dimflow.autodiff.node import Node
from dimflow.autodiff.rules import fitted, pulled, zeros_for
from dimflow.autodiff.saving import Form
from dimflow.autodiff.tape import Recorded, recorded
from dimflow.errors import ComputationError
from dimflow.ops.rules.derivatives import Linear
from dimflow.ops.rules.layout import laid_out, layouts

_ndarray = np.ndarray
_GONE = (
    "a derivative",
    "the way back through these calls has been gone before, and was freed",
    "keep it for a second time: retain_graph=True, GradientTape(persistent=True)",
)
_PLAIN = frozenset((_ndarray, np.float64, np.float32, np.complex128, np.complex64))


class _Way:
    """All that is on its way back, by the serials of calls.

    This is most of the Python of a small program's derivative, so it makes few objects.
    """

    __slots__ = ("cts", "nodes", "order", "own")

    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self.cts: dict[int, Any] = {}  # a list for a call of several results
        self.own: set[int] = set()  # calls whose only cotangent is an array that nobody else saw
        self.order: list[int] = []  # a heap: the latest call first, after all that used it

    def arrive(self, node: Node, place: int, ct: Any) -> None:
        """One more way has come back to a call; into an array of our own, where there is one."""
        out, serial = node.out, node.serial
        known = self.cts.get(serial)
        if known is None:
            self.nodes[serial] = node
            heappush(self.order, -serial)
        if isinstance(out, (tuple, list)):
            if known is None:
                known = self.cts[serial] = [None] * len(out)
            ct, before = laid_out(fitted(ct, out[place]), out[place]), known[place]
            known[place] = ct if before is None else alive(shielded(before) + ct)
            return
        if getattr(ct, "dtype", None) is not getattr(out, "dtype", None):
            ct = fitted(ct, out)
        if type(ct) in layouts:
            ct = laid_out(ct, out)
        if known is None:
            self.cts[serial] = ct
        elif serial in self.own and type(ct) is _ndarray and known.dtype is ct.dtype:
            np.add(known, ct, out=known)
        else:
            self.cts[serial] = known = alive(shielded(known) + ct)
            if type(known) is _ndarray:
                self.own.add(serial)
            else:  # a carrier, whatever was there before
                self.own.discard(serial)

    def arrive_in_part(self, node: Node, ct: Any, call: Node, into: Callable[..., None]) -> bool:
        """Add the cotangent of some elements in place; whether that was possible."""
        out, serial = node.out, node.serial
        if type(out) not in (_ndarray, Form) or type(ct) not in _PLAIN or out.dtype != ct.dtype:
            return False
        known = self.cts.get(serial)
        if known is None:
            self.nodes[serial] = node
            heappush(self.order, -serial)
            known = self.cts[serial] = np.zeros(out.shape, out.dtype)
        elif type(known) is not _ndarray:
            return False
        elif serial not in self.own:
            known = self.cts[serial] = known.copy()
        self.own.add(serial)
        into(known, ct, call.values, call.params)
        return True

    def go_on(self, node: Node, ct: Any) -> None:
        """From a call to those that made its arguments."""
        parents: Any = node.parents
        if parents is None:
            raise ComputationError(*_GONE)
        op: Any = node.op
        rule = op.derivative
        if type(rule) is Linear and rule.into is not None:
            first = parents[0]
            is_partial = isinstance(first, Node) and not any(parents[1:])
            if held:
                check_held(node)
            if is_partial and self.arrive_in_part(first, ct, node, rule.into):
                return
        backs = pulled(node, ct if type(ct) is list else (ct,))
        for parent, back in zip(parents, backs, strict=True):
            if parent is not None and back is not None:
                if type(parent) is tuple:
                    self.arrive(parent[0], parent[1], back)
                else:
                    self.arrive(parent, 0, back)


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
            way.arrive(end.node, end.place, ct)
    wanted = {source.node.serial for source in sources}
    found: dict[int, Any] = {}
    with np.errstate(all="ignore"):  # a slope may be endless where the value is not
        while way.order:
            serial = -heappop(way.order)
            node, ct = way.nodes.pop(serial), way.cts.pop(serial)
            if serial in wanted:
                found[serial] = ct if type(ct) is list else [ct]
                if not beyond:
                    continue
            if node.op is not None:
                way.go_on(node, ct)
                if not keep:
                    node.forget()
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
