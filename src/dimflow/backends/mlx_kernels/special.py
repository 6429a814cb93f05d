"""Special functions: MLX's own, but for float64, which it computes in single precision."""

from typing import Any

import mlx.core as mx

from dimflow import ops


def erf(x: Any) -> Any:
    """The error function."""
    return ops.erf.rule("definition")(x) if x.dtype == mx.float64 else mx.erf(x)


def erfinv(x: Any) -> Any:
    """Its inverse."""
    return ops.erfinv.rule("definition")(x) if x.dtype == mx.float64 else mx.erfinv(x)
