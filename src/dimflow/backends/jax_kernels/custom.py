"""Calls that take functions, by JAX's own transformations, so that these see them as one."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dimflow.backends.programs import Followed, closed_over, plain

# Whether derivatives are taken forward, the innermost last. JAX's custom derivatives are for one
# mode or the other, and a function with one for the way back refuses to go forward.
_modes: ContextVar[tuple[bool, ...]] = ContextVar("dimflow_jax_modes", default=())


@contextmanager
def taken(*, forward: bool) -> Iterator[None]:
    """While derivatives are taken in a direction."""
    token = _modes.set((*_modes.get(), forward))
    try:
        yield
    finally:
        _modes.reset(token)


def checkpoint(*arrays: Any, function: Callable[..., Any], policy: Any = None) -> tuple[Any, ...]:
    """By jax.checkpoint; what another engine follows is not JAX's to forget."""
    policies = {
        "dots": jax.checkpoint_policies.dots_saveable,
        "everything": jax.checkpoint_policies.everything_saveable,
    }
    try:
        wrapped = jax.checkpoint(plain(function), policy=policies.get(policy))
        return tuple(wrapped(*arrays))
    except Followed:
        return tuple(function(*arrays))


def custom_call(
    *arrays: Any, function: Callable[..., Any], pull: Any = None, push: Any = None
) -> tuple[Any, ...]:
    """By jax.custom_vjp, or jax.custom_jvp where derivatives are taken forward."""
    given = [jnp.asarray(a) for a in arrays]
    modes = _modes.get()
    is_forward = modes[-1] if modes else push is not None  # JAX alone: its tangents go both ways
    if pull is None or is_forward:
        way = _by_tangents
    else:
        way = _by_cotangents
    try:
        return way(given, plain(function), pull, push)
    except Followed:
        return tuple(function(*arrays))  # by a batch of the own engine: it has the derivative
    except jax.errors.UnexpectedTracerError as error:
        raise closed_over() from error


def _by_tangents(
    arrays: Sequence[Any], function: Callable[..., Any], pull: Any, push: Any
) -> tuple[Any, ...]:
    wrapped = jax.custom_jvp(function)

    def rule(primals: Any, tangents: Any) -> tuple[Any, Any]:
        outs = wrapped(*primals)
        given = [None if _is_discrete(p) else t for p, t in zip(primals, tangents, strict=True)]
        if push is not None:
            moved = push(given, outs, primals)
        else:
            moved = _transposed(pull, given, outs, primals)
        return outs, tuple(map(_tangent, moved, outs))

    wrapped.defjvp(rule)
    return tuple(wrapped(*arrays))


def _transposed(pull: Any, tangents: Sequence[Any], outs: Any, args: Any) -> Sequence[Any]:
    """Tangents by the transpose of the way back."""
    places = [i for i, t in enumerate(tangents) if t is not None]

    def back(cts: Any) -> list[Any]:
        found = pull(cts, outs, args)
        return [_cotangent(found[i], args[i]) for i in places]

    _, moved = jax.vjp(back, tuple(map(_zeros, outs)))
    return moved([tangents[i] for i in places])[0]  # type: ignore[no-any-return]


def _by_cotangents(
    arrays: Sequence[Any], function: Callable[..., Any], pull: Any, push: Any
) -> tuple[Any, ...]:
    wrapped = jax.custom_vjp(function)
    outside = _modes.get()[:-1]

    def first(*primals: Any) -> tuple[Any, Any]:
        token = _modes.set(outside)  # the next derivative is taken as those outside say
        try:
            outs = custom_call(*primals, function=function, pull=pull, push=push)
        finally:
            _modes.reset(token)
        return outs, (outs, primals)

    def back(kept: Any, cts: Any) -> tuple[Any, ...]:
        outs, primals = kept
        given = [None if _is_discrete(o) else ct for o, ct in zip(outs, cts, strict=True)]
        return tuple(map(_cotangent, pull(given, outs, primals), primals))

    wrapped.defvjp(first, back)
    return tuple(wrapped(*arrays))


def _is_discrete(value: Any) -> bool:
    return not jnp.issubdtype(value.dtype, jnp.inexact)


def _zeros(value: Any) -> Any:
    return (
        np.zeros(value.shape, jax.dtypes.float0) if _is_discrete(value) else jnp.zeros_like(value)
    )


def _cotangent(found: Any, value: Any) -> Any:
    """A cotangent as JAX wants it: of the value's dtype, and of none where that has no values."""
    if found is None or _is_discrete(value):
        return _zeros(value)
    if jnp.iscomplexobj(found) and not jnp.iscomplexobj(value):
        found = jnp.real(found)
    return jnp.asarray(found, dtype=value.dtype)


_tangent = _cotangent
