"""Control flow on JAX: its own loops and branches, of one step each however often they run."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import lax

from dimflow.backends.programs import plain

Function = Callable[..., tuple[Any, ...]]


def members(value: Any, /) -> Any:
    """None for what JAX traces."""
    return None if isinstance(value, jax.core.Tracer) else np.asarray(value)


def conditional(pred: Any, /, *arrays: Any, branches: tuple[Function, Function]) -> Any:
    """lax.cond."""
    if_true, if_false = map(plain, branches)
    return lax.cond(pred, if_true, if_false, *arrays)


def switch(index: Any, /, *arrays: Any, branches: tuple[Function, ...]) -> Any:
    """lax.switch, which keeps the index within the branches."""
    return lax.switch(index, [plain(branch) for branch in branches], *arrays)


def while_loop(*arrays: Any, condition: Function, body: Function) -> Any:
    """lax.while_loop: JAX has its forward derivative alone."""
    test, step = plain(condition), plain(body)
    return lax.while_loop(lambda carry: test(*carry)[0], lambda carry: step(*carry), arrays)


def fori_loop(lower: Any, upper: Any, /, *arrays: Any, body: Function) -> Any:
    """lax.fori_loop, which is a scan where the bounds are plain numbers."""
    step = plain(body)
    return lax.fori_loop(lower, upper, lambda i, carry: step(i, *carry), arrays)


def scan(
    *arrays: Any,
    body: Function,
    carries: int,
    length: int,
    reverse: bool = False,
    unroll: Any = 1,
    checkpoint: int = 0,
    progress: Any = None,
) -> Any:
    """lax.scan; with checkpoints, a scan of segments, which run again on the way back.

    Nothing can be shown of its progress: to Python it is one step.
    """
    step = plain(body)

    def one(carry: Any, xs: Any) -> Any:
        found = step(*carry, *xs)
        return found[:carries], found[carries:]

    def steps(carry: Any, xs: Any, length: int) -> Any:
        return lax.scan(one, carry, xs, length, reverse=reverse, unroll=unroll)

    carry, xs = arrays[:carries], arrays[carries:]
    if not checkpoint or not length:
        carry, ys = steps(carry, xs, length)
    else:
        carry, ys = _in_segments(steps, carry, xs, length, checkpoint, reverse)
    return (*carry, *ys)


def _in_segments(
    steps: Callable[..., Any], carry: Any, xs: Any, length: int, size: int, reverse: bool
) -> Any:
    """Equal segments in a scan of their own; what is left over comes last, or first in reverse."""
    whole, rest = divmod(length, size)
    split = rest if reverse else whole * size
    segment = jax.checkpoint(lambda carry, xs: steps(carry, xs, size))
    last = jax.checkpoint(lambda carry, xs: steps(carry, xs, rest))

    def main(carry: Any) -> Any:
        cut = tuple(_main(x).reshape(whole, size, *x.shape[1:]) for x in xs)
        carry, ys = lax.scan(segment, carry, cut, whole, reverse=reverse)
        return carry, tuple(y.reshape(whole * size, *y.shape[2:]) for y in ys)

    def _main(x: Any) -> Any:
        return x[split:] if reverse else x[:split]

    if not rest:
        return main(carry)
    tail = tuple(x[:split] if reverse else x[split:] for x in xs)
    carry, ys = main(carry)
    carry, others = last(carry, tail)
    pairs = zip(others, ys, strict=True) if reverse else zip(ys, others, strict=True)
    return carry, tuple(jax.numpy.concatenate(pair) for pair in pairs)
