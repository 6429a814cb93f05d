"""Norms and ranks on PyTorch."""

from typing import Any

import torch
from torch import Tensor

from dimflow.backends.torch_kernels.decompositions import svd
from dimflow.backends.torch_kernels.functions import floated


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """PyTorch's."""
    return torch.linalg.vector_norm(floated(x), ord, axis, keepdims)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """PyTorch's."""
    return torch.linalg.matrix_norm(floated(x), ord, keepdim=keepdims)


def matrix_rank(x: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """Singular values above a tolerance, which may be an array; of a vector whether it is 0."""
    if x.ndim < 2:
        return torch.any(x != 0).to(torch.int64)
    x = floated(x)
    values = svd(x, compute_uv=False, hermitian=hermitian)
    if tol is None:
        if rtol is None:
            rtol = max(x.shape[-2:]) * torch.finfo(x.dtype).eps
        tol = values.amax(-1) * rtol
    return (values > (tol[..., None] if isinstance(tol, Tensor) else tol)).sum(-1)
