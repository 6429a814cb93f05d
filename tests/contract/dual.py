"""Dual numbers: an interpreter of the table that carries tangents along, by the ops' own rules.

It shows that rules and definitions are written with ops alone, so that any interpreter can run
them: a call to NumPy on a traced value would fail here.
"""

from typing import Any

from dimflow.ops import Op, dispatch
from dimflow.ops.rules.derivatives import Zero
from tests.contract.carrier import Carrier, as_result, primal
from tests.contract.evaluate import leaves, run
from tests.contract.finite_differences import tangent_of


class Dual(Carrier):
    """A value and how it changes; a tangent of None is zero."""

    __slots__ = ("tangent",)

    def __init__(self, value: Any, tangent: Any) -> None:
        super().__init__(value)
        self.tangent = tangent


class DualInterpreter:
    """Runs an op on the values, and its derivative rule on the tangents."""

    name = "duals"
    rank = 10

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        if op.derivative is None:
            assert op.definition is not None
            return op.call(op.definition, args, params)
        values = tuple(primal(a) for a in args)
        out = run(op, values, params)
        tangents = tuple(tangent(a) for a in args)
        if isinstance(op.derivative, Zero) or all(t is None for t in tangents):
            return out
        moved = leaves(tangent_of(op, tangents, values, params))
        pairs = [Dual(o, t) for o, t in zip(leaves(out), moved, strict=True)]
        return as_result(op, out, pairs)


def tangent(value: Any) -> Any:
    """The tangent; None for a constant."""
    return value.tangent if isinstance(value, Dual) else None


def duals_of(args: Any, tangents: Any) -> tuple[Any, ...]:
    """Arguments that carry their tangents."""
    return tuple(a if t is None else Dual(a, t) for a, t in zip(args, tangents, strict=True))


dispatch.interpreters[Dual] = DualInterpreter()
