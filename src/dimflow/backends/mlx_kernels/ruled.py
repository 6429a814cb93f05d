"""Kernels that MLX cannot differentiate, or gets wrong, with the derivatives of the table.

MLX has no derivatives of decompositions, and counts a place twice that is written twice.
"""

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any

import mlx.core as mx

from dimflow.backends.mlx_kernels.custom import Rules, is_inexact
from dimflow.errors import MissingRule
from dimflow.ops import Op
from dimflow.ops.rules.derivatives import Jvp, Linear, Partials

_SYSTEMS = ("inv", "pinv", "solve", "solve_triangular", "lstsq", "det", "slogdet", "adjugate")
_FACTORS = ("cholesky", "qr", "svd", "lu", "eigh", "eig", "expm", "expm_frechet")
_WRITERS = ("index_set", "index_add", "index_max", "index_min")
_NAMES = frozenset((*_SYSTEMS, *_FACTORS, *_WRITERS))

# While a tangent is transposed, what it is not linear in is constant and needs no cotangent. To ask
# for one all the same would never end: the tangent of `solve` is a `solve`.
_transposing: ContextVar[bool] = ContextVar("dimflow_mlx_transposing", default=False)


def needs_rule(op: Op) -> bool:
    """Whether MLX has no such function, or no derivative of it.

    Through a formula, it halves or drops a derivative where max, abs or where change sides: that of
    erfc at 0.5 would be 0.
    """
    names = (op.name, op.hosts.array_api, op.hosts.numpy)
    is_own = any(isinstance(name, str) and hasattr(mx, name) for name in names)
    return op.name in _NAMES or (isinstance(op.derivative, Partials) and not is_own)


def ruled(op: Op, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel, differentiated by the op's own rule in both modes."""

    @wraps(kernel)
    def call(*args: Any, **params: Any) -> Any:
        places = [i for i, a in enumerate(args) if isinstance(a, mx.array)]
        is_moved = any(isinstance(p, mx.array) and is_inexact(p) for p in params.values())
        if is_moved or not any(is_inexact(args[i]) for i in places):
            return kernel(*args, **params)  # rules know no derivative with respect to a parameter
        made: list[Any] = []

        def forward(*given: Any) -> Any:
            made.append(kernel(*_filled(args, places, given), **params))
            return _many(made[-1])

        rule = _Rule(op, args, places, params)
        found = Rules(forward, rule.pull, rule.push).call(*(args[i] for i in places))
        return _like(made[0], found)

    return call


class _Rule:
    """The derivative of one call with respect to the arrays at some places."""

    def __init__(self, op: Op, args: tuple[Any, ...], places: list[int], params: Any) -> None:
        self.op, self.args, self.places, self.params = op, args, places, params

    def push(self, tangents: Any, outs: Any, primals: Any) -> Any:
        """The tangents of the results."""
        args = _filled(self.args, self.places, primals)
        return _many(self._tangent(args, _one(outs), tangents, self.places))

    def pull(self, cotangents: Any, outs: Any, primals: Any) -> list[Any]:
        """The cotangents of the arrays: the transpose of what `push` does."""
        args = _filled(self.args, self.places, primals)
        rule = self.op.derivative
        if isinstance(rule, Linear):
            parts = rule.transpose(_conjugate(_one(cotangents)), args, self.params)
            return [_conjugate(parts[i]) for i in self.places]
        return self._pulled(args, _one(outs), _one(cotangents))

    def _pulled(self, args: tuple[Any, ...], outs: Any, cotangents: Any) -> list[Any]:
        """By the transpose that the rule gives, or else by MLX's of the tangent."""
        given = getattr(self.op.derivative, "transposes", ())
        direct = {i: given[i] for i in self.places if i < len(given) and given[i]}
        found = {
            i: _conjugate(f(_conjugate(cotangents), args, self.params)) for i, f in direct.items()
        }
        others = [i for i in self.places if i not in direct and is_inexact(args[i])]
        if others and not _transposing.get():
            zeros = [mx.zeros_like(args[i]) for i in others]

            given = _many(cotangents)
            inexact = [i for i, ct in enumerate(given) if ct is not None]

            def tangent(*moved: Any) -> Any:
                found = _many(self._tangent(args, outs, moved, others))
                return tuple(found[i] for i in inexact)

            token = _transposing.set(True)
            try:
                _, pulled = mx.vjp(tangent, zeros, [given[i] for i in inexact])
            finally:
                _transposing.reset(token)
            found.update(zip(others, pulled, strict=True))
        return [found.get(i) for i in self.places]

    def _tangent(self, args: tuple[Any, ...], out: Any, tangents: Any, places: list[int]) -> Any:
        rule, op = self.op.derivative, self.op
        moved: list[Any] = [None] * len(args)
        for i, t in zip(places, tangents, strict=True):
            moved[i] = t
        if isinstance(rule, Partials):
            parts = zip(rule.functions, moved, strict=True)
            args = tuple(_lifted(a, out) for a in args)
            terms = [f(out, *args, **self.params) * t for f, t in parts if f and t is not None]
            if not terms:  # the result does not change with these arguments
                return mx.zeros_like(out)
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


def _lifted(value: Any, out: Any) -> Any:
    """A number as an array: rules would make one of NumPy's of it, which reads what MLX traces."""
    if isinstance(value, (float, complex)):
        return mx.array(value, out.dtype)
    return mx.array(value) if isinstance(value, int) else value


def _many(values: Any) -> tuple[Any, ...]:
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def _one(values: Any) -> Any:
    """One result by itself, as the rules of the table take it."""
    return values if len(values) > 1 else values[0]


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
    if value is not None:
        return value
    return mx.zeros_like(like) if isinstance(like, mx.array) else 0 * like  # a bare number


def _like(made: Any, found: Any) -> Any:
    """Parts in the form in which the kernel gave them."""
    if not isinstance(made, (tuple, list)):
        return found[0] if isinstance(found, tuple) else found
    return type(made)(*found) if hasattr(made, "_fields") else type(made)(found)
