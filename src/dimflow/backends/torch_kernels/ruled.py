"""Functions that PyTorch cannot differentiate, with the derivative that the table has for them."""

from collections.abc import Callable
from typing import Any

import torch
from torch._C import _functorch

from dimflow import ops
from dimflow.ops.rules.derivatives import Partials


def refuse_forward_twice(name: str) -> None:
    """PyTorch's tangent of a tangent of such a function is 0: `Torch.jvp` then goes back twice."""
    if torch.compiler.is_compiling():  # which cannot look at the stack, and nests no tangents
        return
    stack = _functorch.get_interpreter_stack() or ()
    if sum(level.key() == _functorch.TransformType.Jvp for level in stack) > 1:
        raise NotImplementedError(f"forward mode within forward mode, of {name}")


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
        refuse_forward_twice(name)
        return Ruled.apply(x)  # type: ignore[no-untyped-call]

    call.__name__ = name
    return call
