"""PyTorch's masked functions by the `where=` of our reductions."""

from math import inf
from typing import Any

from dimflow import ops
from tests.contract.opinfo.reducing import axis_of, cast
from tests.contract.opinfo.registry import adapts


def _reducing(op: Any, **start: Any) -> Any:
    def call(
        input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
    ) -> Any:
        fields = {} if mask is None else {"where": mask, **start}
        return op(cast(input, dtype), axis=axis_of(input, dim), keepdims=keepdim, **fields)

    return call


adapts("masked.sum")(_reducing(ops.sum))
adapts("masked.prod")(_reducing(ops.prod))
adapts("masked.mean")(_reducing(ops.mean))
adapts("masked.amax")(_reducing(ops.max, initial=-inf))
adapts("masked.amin")(_reducing(ops.min, initial=inf))


def _spread(op: Any) -> Any:
    def call(
        input: Any,
        dim: Any = None,
        unbiased: Any = None,
        *,
        correction: Any = None,
        keepdim: bool = False,
        dtype: Any = None,
        mask: Any = None,
    ) -> Any:
        if correction is None:
            correction = 1 if unbiased is None else int(unbiased)
        axis = axis_of(input, dim)
        return op(cast(input, dtype), axis=axis, keepdims=keepdim, ddof=correction, where=mask)

    return call


adapts("masked.var")(_spread(ops.var))
adapts("masked.std")(_spread(ops.std))


def _filled(op: Any, fill: Any) -> Any:
    """A function along an axis of an array whose masked elements are something neutral."""

    def call(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
        x = cast(input, dtype)
        x = x if mask is None else ops.where(mask, x, fill)
        return op(x, axis=dim) if input.shape else ops.reshape(op(ops.ravel(x), axis=0), shape=())

    return call


adapts("masked.cumsum")(_filled(ops.cumulative_sum, 0.0))
adapts("masked.cumprod")(_filled(ops.cumulative_prod, 1.0))
adapts("masked.softmax")(_filled(ops.softmax, -inf))
adapts("masked.log_softmax")(_filled(ops.log_softmax, -inf))
adapts("masked.softmin")(_filled(lambda x, axis: ops.softmax(ops.negative(x), axis=axis), inf))


def _place(op: Any, fill: float) -> Any:
    def call(
        input: Any, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
    ) -> Any:
        x = cast(input, dtype)
        x = x if mask is None else ops.where(mask, x, fill)
        return op(x, axis=axis_of(x, dim), keepdims=keepdim)

    return call


adapts("masked.argmax")(_place(ops.argmax, -inf))
adapts("masked.argmin")(_place(ops.argmin, inf))
adapts("masked.logsumexp")(_place(ops.logsumexp, -inf))


@adapts("masked.norm")
def _norm(
    input: Any,
    ord: Any,
    dim: Any = None,
    *,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Any = None,
) -> Any:
    x = cast(input, dtype)
    x = x if mask is None else ops.where(mask, x, inf if ord == -inf else 0.0)
    return ops.vector_norm(x, axis=axis_of(x, dim), keepdims=keepdim, ord=ord)


@adapts("masked.normalize")
def _normalize(
    input: Any, ord: Any, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None
) -> Any:
    x = cast(input, dtype)
    norm = _norm(x, ord, dim, keepdim=True, mask=mask)
    x = x if mask is None else ops.where(mask, x, 0.0)
    return ops.divide(x, ops.clip(norm, eps))


@adapts("masked.logaddexp")
def _logaddexp(
    input: Any, other: Any, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None
) -> Any:
    x, y = cast(input, dtype), cast(other, dtype)
    x = x if input_mask is None else ops.where(input_mask, x, -inf)
    y = y if other_mask is None else ops.where(other_mask, y, -inf)
    return ops.logaddexp(x, y)
