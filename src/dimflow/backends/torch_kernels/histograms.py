"""Histograms on PyTorch."""

from typing import Any

import torch

from dimflow import ops
from dimflow.backends.torch_kernels.functions import floated
from dimflow.ops.definitions import histograms as definitions


def spaced_edges(x: Any, bins: Any = 10, *, range: Any = None) -> Any:
    """The definition without NumPy, whose fractions are of single precision under a compiler."""
    if isinstance(bins, str) or bins < 1 or not (range is not None or x.numel()):
        return definitions.spaced_edges(x, bins, range=range)
    x = floated(x)
    low, high = (ops.min(x), ops.max(x)) if range is None else floated(range).unbind()
    equal = low == high
    low, high = torch.where(equal, low - 0.5, low), torch.where(equal, high + 0.5, high)
    steps = torch.arange(bins, dtype=low.dtype, device=low.device) / bins
    return torch.cat([low + (high - low) * steps, high.reshape(1)])


def integer_counts(x: Any, minlength: int = 0) -> Any:
    """PyTorch's."""
    return torch.bincount(x, minlength=minlength)


def integer_sums(x: Any, weights: Any, minlength: int = 0) -> Any:
    """By addition at indices, which is differentiable; PyTorch's own function is not."""
    weights = weights if weights.is_floating_point() else weights.to(torch.float64)
    count = max(minlength, int(x.max()) + 1 if x.numel() else 0)
    return weights.new_zeros(count).index_add(0, x.to(torch.int64), weights)
