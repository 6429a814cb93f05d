"""Statistics on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import promoted_fractions
from dimflow.backends.torch_kernels.reductions import sum as total


def weighted_mean(x: Any, weights: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The sum of what is weighted over that of the weights."""
    x, weights = promoted_fractions(x, weights)
    weights = torch.broadcast_to(weights, x.shape)
    return total(x * weights, axis, keepdims=keepdims) / total(weights, axis, keepdims=keepdims)
