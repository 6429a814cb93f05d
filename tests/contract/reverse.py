"""A tape: an interpreter of the table that records calls, and sends cotangents back through them.

The reverse of a Jvp rule is found as an engine finds it: the rule, linear in its tangents, is
recorded and sent back through in turn. Cotangents pair by sum(ct * x), without conjugation.
"""

from itertools import count
from typing import Any, NamedTuple

from dimflow import ops
from dimflow.ops import Op, dispatch
from dimflow.ops.rules.derivatives import Jvp, Linear, Multilinear, Partials, Zero
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.transposition import unbroadcast
from tests.contract.carrier import Carrier, as_result, primal
from tests.contract.evaluate import fresh, leaves, raw_of, run
from tests.contract.finite_differences import zero_like

_serial = count()


class Call(NamedTuple):
    """A call that was recorded."""

    op: Op
    args: tuple[Any, ...]
    params: dict[str, Any]
    out: Any


class Recorded(Carrier):
    """A value, the call that made it, and its place among that call's results."""

    __slots__ = ("call", "place", "serial")

    def __init__(self, value: Any, call: Call | None = None, place: int = 0) -> None:
        super().__init__(value)
        self.call = call
        self.place = place
        self.serial = next(_serial)


class Recorder:
    """Runs an op on the values, and remembers it if a derivative may be asked for."""

    name = "tape"
    rank = 11

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        if op.derivative is None:
            assert op.definition is not None
            return op.call(op.definition, args, params)
        out = run(op, tuple(primal(a) for a in args), params)
        if isinstance(op.derivative, Zero):
            return out
        call = Call(op, args, params, out)
        parts = [Recorded(leaf, call, k) for k, leaf in enumerate(leaves(out))]
        return as_result(op, out, parts)


dispatch.interpreters[Recorded] = Recorder()


def cotangents(results: list[Any], given: list[Any], sources: list[Recorded]) -> list[Any]:
    """The cotangents of the sources from those of the results; None where there is no way."""
    found: dict[int, Any] = {}
    nodes: dict[int, Recorded] = {}

    def receive(node: Any, ct: Any) -> None:
        if isinstance(node, Recorded) and ct is not None:
            known = found.get(node.serial)
            nodes[node.serial] = node
            ct = _real_for_real(ct, node)
            found[node.serial] = ct if known is None else known + ct

    for result, ct in zip(results, given, strict=True):
        receive(result, ct)
    wanted = {s.serial for s in sources}
    while pending := [s for s in nodes if s not in wanted]:
        node = nodes.pop(max(pending))  # the latest: all that used it have been there
        ct = found.pop(node.serial)
        if node.call is not None:
            backs = _sent_back(node.call, node.place, ct)
            for argument, back in zip(node.call.args, backs, strict=True):
                receive(argument, back)
    return [found.get(s.serial) for s in sources]


def _real_for_real(ct: Any, node: Recorded) -> Any:
    """A real value takes the real part of its cotangent."""
    is_complex = kind_of(raw_of(ct)) == "c"
    return ops.real(ct) if is_complex and kind_of(raw_of(node.value)) != "c" else ct


def _sent_back(call: Call, place: int, ct: Any) -> list[Any]:
    """The cotangent of each argument of a call from that of one of its results."""
    op, params = call.op, call.params
    values = tuple(primal(a) for a in call.args)
    parts = [zero_like(leaf) for leaf in leaves(call.out)]
    parts[place] = ct
    whole = as_result(op, call.out, parts)
    traced = [i for i, a in enumerate(call.args) if isinstance(a, Recorded)]
    backs: list[Any] = [None] * len(values)
    rule: Any = op.derivative
    if isinstance(rule, Linear):
        every = rule.transpose(whole, values, params)
        return [every[i] if i in traced else None for i in range(len(values))]
    if isinstance(rule, Jvp):
        return _through_jvp(call, values, traced, place, ct)
    for i in traced:
        if isinstance(rule, Partials):
            function = rule.functions[i]
            if function is not None:
                partial = function(call.out, *values, **params)
                own = partial[place] if isinstance(partial, tuple) else partial
                backs[i] = unbroadcast(ct * own, values[i])
        elif isinstance(rule, Multilinear):
            transpose = rule.transposes[i]
            backs[i] = None if transpose is None else transpose(whole, values, params)
        else:
            backs[i] = rule.transpose(i, whole, values, params)
    return backs


def _through_jvp(call: Call, values: Any, traced: list[int], place: int, ct: Any) -> list[Any]:
    """Record the rule as a function of the tangents, which it is linear in; send back through.

    Where the op itself is linear in an argument, and nothing else is recorded, its transpose ends
    the descent.
    """
    rule: Any = call.op.derivative
    if len(traced) == 1 and rule.transposes and rule.transposes[traced[0]] is not None:
        (i,) = traced
        parts = [zero_like(leaf) for leaf in leaves(call.out)]
        parts[place] = ct
        whole = as_result(call.op, call.out, parts)
        back = rule.transposes[i](whole, values, call.params)
        return [back if k == i else None for k in range(len(values))]
    sources = {i: Recorded(zero_like(values[i])) for i in traced}
    tangents = tuple(sources.get(i) for i in range(len(values)))
    moved = leaves(rule.function(tangents, call.out, values, fresh(call.params)))
    found = cotangents([moved[place]], [ct], list(sources.values()))
    backs: list[Any] = [None] * len(values)
    for i, back in zip(sources, found, strict=True):
        backs[i] = back
    return backs
