"""Forward mode: dual numbers, which carry how they change along."""

from collections.abc import Callable, Sequence
from typing import Any

from dimflow.autodiff.carrier import Carrier, alive, by_definition, evened, shielded
from dimflow.autodiff.node import Node
from dimflow.autodiff.rules import as_result, leaves, pushed, zeros_for
from dimflow.autodiff.trace import Differentiation
from dimflow.ops import Op, dispatch
from dimflow.ops.rules.derivatives import Zero

_new = object.__new__


class Dual(Carrier):
    """A value and its tangent."""

    __slots__ = ("tangent",)

    tangent: Any
    array_class = "dimflow.transforms.duals:DualNumber"


class Forward(Differentiation):
    """Runs an op on the values, and its derivative rule on the tangents."""

    __slots__ = ()

    def dual(self, value: Any, tangent: Any) -> Dual:
        """The value with a tangent of this trace."""
        carrier = _new(Dual)
        carrier.value = value
        carrier.trace = self
        carrier.tangent = tangent
        return carrier

    def tangent(self, value: Any) -> Any:
        """The tangent of a value; None for what is constant to this trace."""
        return value.tangent if type(value) is Dual and value.trace is self else None

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The result with its tangents; plain where nothing changes."""
        if op.derivative is None:
            return by_definition(op, args, params, "derivative rule")
        values = tuple([a.value if type(a) is Dual and a.trace is self else a for a in args])
        call = _new(Node)
        call.op, call.values, call.params = op, values, params
        call.out = out = dispatch.run_alike(op, values, params)
        if type(op.derivative) is Zero:
            return shielded(out)
        call.values = evened(values)
        tangents = pushed(call, [self.tangent(a) for a in args])
        parts = [
            shielded(value) if tangent is None else self.dual(value, tangent)
            for value, tangent in zip(leaves(out), tangents, strict=True)
        ]
        return as_result(op, out, parts)


def jvp(
    function: Callable[..., Any], args: Sequence[Any], tangents: Sequence[Any]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The results of a function of raw arrays, and how they change with the arguments.

    A tangent of None stands for an argument that does not change.
    """
    trace = Forward()
    duals = [
        value if tangent is None else trace.dual(value, tangent)
        for value, tangent in zip(args, tangents, strict=True)
    ]
    try:
        results = tuple(function(*duals))
    finally:
        trace.over()
    changes = [trace.tangent(r) for r in results]
    values = tuple(map(alive, results))
    return values, tuple(
        zeros_for(v) if change is None else change
        for v, change in zip(values, changes, strict=True)
    )
