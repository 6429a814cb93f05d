"""Exponentials: MLX's own, but for float64, which it computes in single precision."""

from typing import Any

import mlx.core as mx

from dimflow import ops


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    is_native = x.dtype not in (mx.float64, mx.complex64)
    return mx.sigmoid(x) if is_native else ops.sigmoid.rule("definition")(x)
