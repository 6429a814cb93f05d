"""Calls that bring their own derivative, by MLX's custom functions."""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

import mlx.core as mx

from dimflow.backends.programs import Followed, plain

# The functions of such calls, while somebody asks for them.
met: ContextVar[list[Any] | None] = ContextVar("dimflow_mlx_calls", default=None)


def custom_call(
    *arrays: Any, function: Callable[..., Any], pull: Any = None, push: Any = None
) -> tuple[Any, ...]:
    """By mx.custom_function. MLX takes what a function closes over for a constant: see `reads`."""
    if (calls := met.get()) is not None:
        calls.append(function)
    try:
        return Rules(plain(function), pull, push).call(*map(mx.array, arrays))
    except Followed:
        return tuple(function(*arrays))


class Rules:
    """A function, and its derivatives as MLX calls them."""

    def __init__(self, function: Callable[..., Any], pull: Any, push: Any) -> None:
        self.function, self.pull, self.push = function, pull, push

    def call(self, *arrays: Any) -> tuple[Any, ...]:
        """The results, of which MLX knows the derivatives."""

        def constant(*values: Any) -> tuple[Any, ...]:
            # else mx.jvp looks inside for derivatives
            return tuple(self.function(*map(mx.stop_gradient, values)))

        wrapped: Any = mx.custom_function(constant)
        wrapped.vjp(self._back)
        wrapped.jvp(self._forward)
        wrapped.vmap(self._batch)
        return tuple(wrapped(*arrays))

    def _back(self, primals: Any, cts: Any, outs: Any) -> Any:
        args, outs, given = map(_many, (primals, outs, cts))
        given = _inexact(given, outs)
        if self.pull is not None:
            found = self.pull(given, outs, args)
        else:
            found = self._transposed_push(given, outs, args)
        return _as_mlx(tuple(map(_filled, found, args)))

    def _forward(self, primals: Any, tangents: Any) -> Any:
        args, given = _many(primals), _many(tangents)
        given = _inexact(given, args)
        outs = self.call(*args)
        if self.push is not None:
            moved = self.push(given, outs, args)
        else:
            moved = self._transposed_pull(given, outs, args)
        return _as_mlx(tuple(map(_filled, moved, outs)))

    def _transposed_push(self, cts: Any, outs: Any, args: Any) -> list[Any]:
        places = [i for i, a in enumerate(args) if is_inexact(a)]

        def forward(*tangents: Any) -> tuple[Any, ...]:
            moved = self.push(_spread(tangents, places, len(args)), outs, args)
            pairs = zip(moved, outs, cts, strict=True)
            return tuple(_filled(t, o) for t, o, ct in pairs if ct is not None)

        zeros = [mx.zeros_like(args[i]) for i in places]
        _, found = mx.vjp(forward, zeros, [ct for ct in cts if ct is not None])
        return _spread(found, places, len(args))

    def _transposed_pull(self, tangents: Any, outs: Any, args: Any) -> list[Any]:
        places = [i for i, t in enumerate(tangents) if t is not None]
        inexact = [i for i, o in enumerate(outs) if is_inexact(o)]

        def back(*cts: Any) -> tuple[Any, ...]:
            found = self.pull(_spread(cts, inexact, len(outs)), outs, args)
            return tuple(_filled(found[i], args[i]) for i in places)

        zeros = [mx.zeros_like(outs[i]) for i in inexact]
        _, moved = mx.vjp(back, zeros, [tangents[i] for i in places])
        return _spread(moved, inexact, len(outs))

    def _batch(self, inputs: Any, axes: Any) -> tuple[Any, Any]:
        """One call for the whole batch, which brings the derivative of the whole batch."""
        inputs, axes = _many(inputs), _many(axes)
        function = mx.vmap(lambda *a: tuple(self.function(*a)), in_axes=tuple(axes), out_axes=0)

        def pull(cts: Any, outs: Any, args: Any) -> list[Any]:
            def one(cts: Any, outs: Any, args: Any) -> list[Any]:
                found = self.pull(_inexact(cts, outs), outs, args)
                return [_filled(f, a) for f, a in zip(found, args, strict=True)]

            found = mx.vmap(one, in_axes=(0, 0, list(axes)), out_axes=0)(
                list(map(_filled, cts, outs)), list(outs), list(args)
            )
            return [
                mx.sum(f, axis=0) if axis is None else mx.moveaxis(f, 0, axis)
                for f, axis in zip(found, axes, strict=True)
            ]

        def push(tangents: Any, outs: Any, args: Any) -> Any:
            given = [_filled(t, a) for t, a in zip(tangents, args, strict=True)]

            def one(tangents: Any, outs: Any, args: Any) -> list[Any]:
                moved = self.push(_inexact(tangents, args), outs, args)
                return [_filled(t, o) for t, o in zip(moved, outs, strict=True)]

            batched = mx.vmap(one, in_axes=(list(axes), 0, list(axes)), out_axes=0)
            return batched(given, list(outs), list(args))

        rules = Rules(function, self.pull and pull, self.push and push)
        outs = rules.call(*inputs)
        return _as_mlx(outs), _as_mlx((0,) * len(outs))


def _many(values: Any) -> tuple[Any, ...]:
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def _as_mlx(values: tuple[Any, ...]) -> Any:
    return values if len(values) > 1 else values[0]


def _spread(values: Sequence[Any], places: Sequence[int], count: int) -> list[Any]:
    every: list[Any] = [None] * count
    for i, value in zip(places, values, strict=True):
        every[i] = value
    return every


def _inexact(moved: Sequence[Any], values: Sequence[Any]) -> tuple[Any, ...]:
    """Tangents or cotangents, with None for those of values that have none."""
    return tuple(m if is_inexact(v) else None for m, v in zip(moved, values, strict=True))


def is_inexact(value: Any) -> bool:
    """Whether an array has derivatives."""
    return bool(mx.issubdtype(value.dtype, mx.inexact))


def _filled(found: Any, like: Any) -> Any:
    """A tangent or cotangent as an array of the shape and dtype of its value."""
    if found is None:
        return mx.zeros_like(like)
    return mx.broadcast_to(mx.array(found, like.dtype), like.shape)
