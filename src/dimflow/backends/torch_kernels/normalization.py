"""Softmax on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import floated
from dimflow.ops.rules.shapes import normalized


def softmax(x: Any, axis: Any = -1) -> Any:
    """PyTorch's along one axis; along several by logsumexp."""
    x = floated(x)
    if isinstance(axis, int):
        return torch.softmax(x, axis)
    return torch.exp(log_softmax(x, axis))


def log_softmax(x: Any, axis: Any = -1) -> Any:
    """PyTorch's along one axis; along several by logsumexp."""
    x = floated(x)
    if isinstance(axis, int):
        return torch.log_softmax(x, axis)
    return x - torch.logsumexp(x, normalized(axis, x.ndim), keepdim=True)
