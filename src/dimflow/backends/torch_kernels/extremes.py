"""Larger and smaller on PyTorch."""

from typing import Any

import torch
from torch import Tensor

from dimflow.backends.torch_kernels.functions import as_tensor


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """PyTorch's, which takes two numbers or two tensors, but not one of each."""
    if min is None and max is None:
        return x.clone()
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        min = None if min is None else as_tensor(min, x)
        max = None if max is None else as_tensor(max, x)
    return torch.clamp(x, min, max)
