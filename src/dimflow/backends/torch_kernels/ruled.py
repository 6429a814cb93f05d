"""Functions that PyTorch cannot differentiate, with the derivative that the table has for them."""

from collections.abc import Callable
from typing import Any

import torch

from dimflow import ops
from dimflow.ops.rules.derivatives import Partials


def by_rule(name: str, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of one tensor whose derivative, in both modes, is the partial of the op's record.

    The partial is made of ops, so that it can be differentiated in turn.
    """

    def slope(x: Any, out: Any) -> Any:
        rule = ops.get(name).derivative
        assert isinstance(rule, Partials)
        partial = rule.functions[0]
        assert partial is not None
        return partial(out, x)

    class Ruled(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Any) -> Any:
            return function(x)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(inputs[0], output)
            ctx.save_for_forward(inputs[0], output)

        @staticmethod
        def backward(ctx: Any, ct: Any) -> Any:
            return ct * slope(*ctx.saved_tensors)

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t * slope(*ctx.saved_tensors)

    def call(x: Any) -> Any:
        return Ruled.apply(x)  # type: ignore[no-untyped-call]

    call.__name__ = name
    return call
