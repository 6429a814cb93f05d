"""Eigenvalues of general matrices, which MLX finds on the CPU, in complex64."""

from typing import Any

import mlx.core as mx

from dimflow.backends.mlx_namespace.dtypes import refuse_half


def eig(x: Any, /) -> Any:
    """Values and vectors."""
    refuse_half(x.dtype, mx.complex64, "eig")
    x = x if x.dtype == mx.complex64 else x.astype(mx.float32)
    values, vectors = mx.linalg.eig(x, stream=mx.cpu)
    return (values, _unturned(x, values, vectors)) if x.dtype == mx.complex64 else (values, vectors)


def _unturned(x: Any, values: Any, vectors: Any) -> Any:
    """MLX 0.32 gives the vectors of complex matrices conjugated: those that fit are taken."""
    turned = mx.conj(vectors)
    plain, other = (
        mx.sum(mx.abs(mx.matmul(x, v) - v * values[..., None, :]), (-2, -1), keepdims=True)
        for v in (vectors, turned)
    )
    return mx.where(plain <= other, vectors, turned)
