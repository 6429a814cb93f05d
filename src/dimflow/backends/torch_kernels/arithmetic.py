"""Arithmetic on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import floated, tensors


def floor_divide(x: Any, y: Any) -> Any:
    """With a derivative of 0, which PyTorch's function of this name lacks."""
    return torch.div(*tensors(x, y), rounding_mode="floor")


def lerp(x: Any, y: Any, z: Any) -> Any:
    """PyTorch's where all have one dtype, which it asks for."""
    x, y, z = tensors(x, y, z)
    if x.dtype is y.dtype is z.dtype and x.is_floating_point():
        return torch.lerp(x, y, z)
    return x + z * (y - x)


def fabs(x: Any) -> Any:
    """In floating point."""
    return torch.abs(floated(x))
