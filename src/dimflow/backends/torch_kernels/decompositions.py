"""Decompositions on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import floated, mirrored


def cholesky(x: Any, *, upper: bool = False) -> Any:
    """Of the hermitian matrix that one triangle stands for, as on NumPy."""
    return torch.linalg.cholesky(mirrored(floated(x), "U" if upper else "L"), upper=upper)


def qr(x: Any, mode: str = "reduced") -> Any:
    """Reduced where that is all, since PyTorch differentiates nothing else."""
    x = floated(x)
    if mode == "raw":
        factors, scales = torch.geqrf(x)
        return factors.mT, scales
    if mode == "r":
        return torch.linalg.qr(x).R
    if mode == "complete" and x.shape[-2] <= x.shape[-1]:
        mode = "reduced"
    return torch.linalg.qr(x, mode)


def svd(
    x: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """Of a hermitian matrix one triangle counts, as on NumPy."""
    x = mirrored(floated(x), "L") if hermitian else floated(x)
    if not compute_uv:
        return torch.linalg.svdvals(x)
    if x.shape[-2] == x.shape[-1]:
        full_matrices = False  # the same, and PyTorch differentiates it
    return torch.linalg.svd(x, full_matrices=full_matrices)


def svdvals(x: Any, /) -> Any:
    """PyTorch's."""
    return torch.linalg.svdvals(floated(x))


def lu(x: Any, /) -> Any:
    """PyTorch's; the permutation is real, as on NumPy."""
    p, lower, upper = torch.linalg.lu(floated(x))
    return (p.real if p.is_complex() else p), lower, upper
