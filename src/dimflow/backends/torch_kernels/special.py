"""Special functions on PyTorch."""

from math import inf, nan
from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import floated, tensors


def polygamma(n: int, x: Any) -> Any:
    """By PyTorch's."""
    return torch.special.polygamma(n, floated(x))


def gamma(x: Any) -> Any:
    """By its logarithm; the sign turns at every pole."""
    x = floated(x)
    turns = (x < 0) & (torch.remainder(torch.floor(x), 2) == 1)
    size = torch.exp(torch.lgamma(x))
    found = torch.where(turns, -size, size)
    found = torch.where((x < 0) & (torch.floor(x) == x), nan, found)
    return torch.where(x == 0, torch.copysign(torch.full_like(x, inf), x), found)


def betaln(x: Any, y: Any) -> Any:
    """By logarithms of the gamma function."""
    x, y = (floated(a) for a in tensors(x, y))
    return torch.lgamma(x) + torch.lgamma(y) - torch.lgamma(x + y)


def beta(x: Any, y: Any) -> Any:
    """By its logarithm."""
    x, y = tensors(x, y)
    return torch.exp(betaln(x, y))
