"""Signs on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import tensors


def sign(x: Any) -> Any:
    """A nan stays one; PyTorch's own function gives 0."""
    return torch.where(torch.isnan(x), x, torch.sgn(x))


def heaviside(x: Any, y: Any) -> Any:
    """By choice, which takes two dtypes and is differentiable by the value at 0."""
    x, y = tensors(x, y)
    steps = torch.where(x < 0, torch.zeros_like(y), torch.where(x > 0, torch.ones_like(y), y))
    return torch.where(torch.isnan(x), x, steps)
