"""Determinants on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import floated
from dimflow.backends.torch_kernels.reductions import prod_of_others


def adjugate(x: Any, /) -> Any:
    """By singular values: adj(U S Vᴴ) = det(U) det(Vᴴ) V adj(S) Uᴴ, exact for singular x too."""
    u, s, vh = torch.linalg.svd(floated(x))
    phase = torch.linalg.det(u) * torch.linalg.det(vh)
    scaled = vh.mH * (phase[..., None, None] * prod_of_others(s)[..., None, :])
    return torch.matmul(scaled, u.mH)


def det(x: Any) -> Any:
    """PyTorch's."""
    return torch.linalg.det(floated(x))


def slogdet(x: Any) -> Any:
    """PyTorch's."""
    return torch.linalg.slogdet(floated(x))
