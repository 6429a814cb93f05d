"""The layout of values that traces follow: that of the arrays within them."""

from collections.abc import Sequence
from typing import Any

from dimflow.autodiff.carrier import Carrier, alive, innermost
from dimflow.autodiff.custom import custom_call
from dimflow.autodiff.trace import Differentiation
from dimflow.ops.rules.layout import laid_out, layouts


def followed_laid_out(value: Any, like: Any) -> Any:
    """A value with the array within it laid out as another, on record."""
    value = alive(value)
    inner = innermost(value)
    is_spread = getattr(inner, "shape", None) != getattr(like, "shape", None)
    if is_spread or type(inner) not in layouts or laid_out(inner, like) is inner:
        return value
    return relaid(value, lambda x: laid_out(x, like))


def relaid(value: Any, function: Any) -> Any:
    """A value whose array within a function lays out anew, which changes no number.

    On the way back there is nothing to do: a cotangent is laid out as what it belongs to. In a
    batch, whose arrays have an axis more than the function knows, all stays as it is.
    """

    def back(cts: Sequence[Any], _outs: Any, _args: Any) -> Sequence[Any]:
        return cts

    def forward(tangents: Sequence[Any], _outs: Any, _args: Any) -> list[Any]:
        return [None if t is None else relaid(t, function) for t in tangents]

    if not isinstance(value, Carrier):
        return function(value)
    if is_in_batch(value):
        return value
    (found,) = custom_call(lambda x: (function(x),), (value,), pull=back, push=forward)
    return found


def is_in_batch(value: Any) -> bool:
    """Whether a trace follows a value that does not differentiate it."""
    while isinstance(value, Carrier):
        if not isinstance(value.trace, Differentiation):
            return True
        value = value.value
    return False
