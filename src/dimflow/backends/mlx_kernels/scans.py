"""Running extremes and sums of exponentials."""

from typing import Any

import mlx.core as mx

from dimflow import ops


def cummax(x: Any, axis: int | None = None) -> Any:
    """Running maxima."""
    return mx.cummax(*_lined(x, axis))


def cummin(x: Any, axis: int | None = None) -> Any:
    """Running minima."""
    return mx.cummin(*_lined(x, axis))


def logcumsumexp(x: Any, axis: int | None = None) -> Any:
    """MLX's own, but for float64, which it computes in single precision."""
    if x.dtype in (mx.float64, mx.complex64):
        return ops.logcumsumexp.rule("definition")(x, axis=axis)
    return mx.logcumsumexp(*_lined(x, axis))


def _lined(x: Any, axis: int | None) -> tuple[Any, int]:
    return (mx.reshape(x, (-1,)), 0) if axis is None else (x, axis)
