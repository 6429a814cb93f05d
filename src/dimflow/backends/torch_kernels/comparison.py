"""Comparison on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import tensors


def iscomplex(x: Any) -> Any:
    """Whether the imaginary part is not 0."""
    return x.imag != 0 if x.is_complex() else torch.zeros_like(x, dtype=torch.bool)


def within(x: Any, y: Any, rtol: Any, atol: Any, equal_nan: bool) -> Any:
    """As NumPy's isclose: the tolerance counts where y is finite."""
    x, y = tensors(x, y)
    near = torch.isfinite(y) & (torch.abs(x - y) <= atol + rtol * torch.abs(y))
    near = near | (x == y)
    return near | (torch.isnan(x) & torch.isnan(y)) if equal_nan else near
