"""Activations on PyTorch that it calls otherwise, or has for something else."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import floated, tensors


def prelu(x: Any, y: Any) -> Any:
    """With one slope for each element; PyTorch's has one for each channel."""
    x, y = tensors(x, y)
    return torch.where(x > 0, x, y * x)


def gelu_tanh(x: Any) -> Any:
    """PyTorch's, by an option."""
    return torch.nn.functional.gelu(floated(x), approximate="tanh")


def glu(x: Any, /, axis: int = -1) -> Any:
    """PyTorch's."""
    return torch.nn.functional.glu(floated(x), axis)
