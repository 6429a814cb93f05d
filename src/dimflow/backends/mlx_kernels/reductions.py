"""Reductions: MLX's own, but for float64, which it computes in single precision."""

from typing import Any

import mlx.core as mx

from dimflow import ops


def logsumexp(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The logarithm of a sum of exponentials."""
    if x.dtype in (mx.float64, mx.complex64) or not x.size:
        return ops.logsumexp.rule("definition")(x, axis=axis, keepdims=keepdims)
    return mx.logsumexp(x, axis, keepdims=keepdims)
