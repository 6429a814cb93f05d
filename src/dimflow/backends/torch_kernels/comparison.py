"""Comparison on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import exact_fractions, floated, tensors


def iscomplex(x: Any) -> Any:
    """Whether the imaginary part is not 0."""
    return x.imag != 0 if x.is_complex() else torch.zeros_like(x, dtype=torch.bool)


def within(x: Any, y: Any, rtol: Any, atol: Any, equal_nan: bool) -> Any:
    """As NumPy's isclose: the tolerance counts where y is finite."""
    # the difference of integers might wrap round
    x, y = (floated(exact_fractions(value)) for value in tensors(x, y))
    near = torch.isfinite(y) & (torch.abs(x - y) <= atol + rtol * torch.abs(y))
    near = near | (x == y)
    return near | (torch.isnan(x) & torch.isnan(y)) if equal_nan else near
