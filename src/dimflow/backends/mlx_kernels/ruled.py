"""Kernels that MLX cannot differentiate, or gets wrong, with the derivatives of the table.

MLX has no derivatives of decompositions, and counts a place twice that is written twice.
"""

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any

import mlx.core as mx

from dimflow.errors import MissingRule
from dimflow.ops import Op
from dimflow.ops.rules.derivatives import Jvp, Linear, Partials

_SYSTEMS = ("inv", "pinv", "solve", "solve_triangular", "lstsq", "det", "slogdet", "adjugate")
_FACTORS = ("cholesky", "qr", "svd", "lu", "eigh", "eig", "expm", "expm_frechet")
NAMES = frozenset((*_SYSTEMS, *_FACTORS, "index_set", "nextafter"))

# While a tangent is transposed, what it is not linear in is constant and needs no cotangent. To ask
# for one all the same would never end: the tangent of `solve` is a `solve`.
_transposing: ContextVar[bool] = ContextVar("dimflow_mlx_transposing", default=False)


def ruled(op: Op, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel, differentiated by the op's own rule in both modes."""

    @wraps(kernel)
    def call(*args: Any, **params: Any) -> Any:
        places = [i for i, a in enumerate(args) if _is_inexact(a)]
        made: list[Any] = []

        def forward(*given: Any) -> Any:
            constant = map(mx.stop_gradient, given)  # else `mx.jvp` looks inside for derivatives
            result = kernel(*_filled(args, places, constant), **params)
            made.append(result)
            return tuple(result) if isinstance(result, (tuple, list)) else result

        wrapped = mx.custom_function(forward)
        rule = _Rule(op, args, places, params)
        wrapped.vjp(rule.pull)
        wrapped.jvp(lambda primals, tangents: rule.push(wrapped, primals, tangents))
        found = wrapped(*(args[i] for i in places))
        return _like(made[0], found)

    return call


class _Rule:
    """The derivative of one call, by the arrays at some places."""

    def __init__(self, op: Op, args: tuple[Any, ...], places: list[int], params: Any) -> None:
        self.op, self.args, self.places, self.params = op, args, places, params

    def push(self, function: Callable[..., Any], primals: Any, tangents: Any) -> Any:
        """The tangent of the result."""
        primals, tangents = _many(primals), _many(tangents)
        out = function(*primals)
        args = _filled(self.args, self.places, primals)
        return self._tangent(args, out, tangents, self.places)

    def pull(self, primals: Any, cotangents: Any, outs: Any) -> Any:
        """The cotangents of the arrays: the transpose of what `push` does."""
        primals = _many(primals)
        args = _filled(self.args, self.places, primals)
        rule = self.op.derivative
        if isinstance(rule, Linear):
            parts = rule.transpose(_conjugate(cotangents), args, self.params)
            found = [_or_zeros(_conjugate(parts[i]), args[i]) for i in self.places]
        else:
            found = self._pulled(args, outs, cotangents)
        return tuple(found) if len(found) > 1 else found[0]

    def _pulled(self, args: tuple[Any, ...], outs: Any, cotangents: Any) -> list[Any]:
        """By the transpose that the rule gives, or else by MLX's of the tangent."""
        given = getattr(self.op.derivative, "transposes", ())
        direct = {i: given[i] for i in self.places if i < len(given) and given[i]}
        found = {
            i: _conjugate(f(_conjugate(cotangents), args, self.params)) for i, f in direct.items()
        }
        others = [i for i in self.places if i not in direct]
        if others and not _transposing.get():
            zeros = [mx.zeros_like(args[i]) for i in others]

            def tangent(*moved: Any) -> Any:
                return self._tangent(args, outs, moved, others)

            token = _transposing.set(True)
            try:
                _, pulled = mx.vjp(tangent, zeros, list(_many(cotangents)))
            finally:
                _transposing.reset(token)
            found.update(zip(others, pulled, strict=True))
        return [_or_zeros(found.get(i), args[i]) for i in self.places]

    def _tangent(self, args: tuple[Any, ...], out: Any, tangents: Any, places: list[int]) -> Any:
        rule, op = self.op.derivative, self.op
        moved: list[Any] = [None] * len(args)
        for i, t in zip(places, tangents, strict=True):
            moved[i] = t
        if isinstance(rule, Partials):
            parts = zip(rule.functions, moved, strict=True)
            terms = [f(out, *args, **self.params) * t for f, t in parts if f and t is not None]
            return mx.broadcast_to(sum(terms[1:], terms[0]), out.shape)
        if isinstance(rule, Jvp):
            if op.outputs and isinstance(out, tuple):
                out = op.result_type(*out)
            found = rule.function(tuple(moved), out, args, self.params)
            if not isinstance(found, (tuple, list)):
                return found
            return tuple(_or_zeros(t, o) for t, o in zip(found, out, strict=True))
        if isinstance(rule, Linear):
            linear = range(len(args)) if rule.arguments is None else rule.arguments
            zeroed = [_or_zeros(moved[i], a) if i in linear else a for i, a in enumerate(args)]
            return op.run(tuple(zeroed), self.params)
        raise MissingRule(op.name, "derivative for arrays of mlx")


def _is_inexact(value: Any) -> bool:
    return isinstance(value, mx.array) and bool(mx.issubdtype(value.dtype, mx.inexact))


def _many(values: Any) -> tuple[Any, ...]:
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def _filled(args: tuple[Any, ...], places: list[int], given: Any) -> tuple[Any, ...]:
    result = list(args)
    for i, value in zip(places, given, strict=True):
        result[i] = value
    return tuple(result)


def _conjugate(value: Any) -> Any:
    """Between MLX, which pairs cotangents with conjugation, and the table, which does without."""
    if isinstance(value, (tuple, list)):
        return _like(value, [_conjugate(part) for part in value])
    is_complex = isinstance(value, mx.array) and value.dtype == mx.complex64
    return mx.conjugate(value) if is_complex else value


def _or_zeros(value: Any, like: Any) -> Any:
    return mx.zeros_like(like) if value is None else value


def _like(made: Any, found: Any) -> Any:
    """Parts in the form in which the kernel gave them."""
    if not isinstance(made, (tuple, list)):
        return found
    return type(made)(*found) if hasattr(made, "_fields") else type(made)(found)
