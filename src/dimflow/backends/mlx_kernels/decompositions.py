"""Decompositions, which MLX makes on the CPU."""

from typing import Any

import mlx.core as mx

from dimflow import ops


def lu(x: Any, /) -> Any:
    """LAPACK's, with the permutation as a matrix."""
    x = x if mx.issubdtype(x.dtype, mx.inexact) else x.astype(mx.float32)
    if x.dtype == mx.complex64 or not x.size:
        return ops.lu.rule("definition")(x)
    rows, lower, upper = mx.linalg.lu(x, stream=mx.cpu)
    count = x.shape[-2]
    places = mx.arange(count)
    permutation = (rows.astype(mx.int32)[..., None, :] == places[:, None]).astype(x.dtype)
    return permutation, lower, upper


def svdvals(x: Any, /) -> Any:
    """By `svd`, which has a derivative."""
    return ops.svdvals.rule("definition")(x)
