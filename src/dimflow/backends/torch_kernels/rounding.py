"""Rounding on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import floated


def rint(x: Any) -> Any:
    """Halves to the even neighbour."""
    return torch.round(floated(x))


def fix(x: Any) -> Any:
    """Towards 0."""
    return torch.trunc(x)


def round(x: Any, decimals: int = 0) -> Any:
    """Of integers too, by way of doubles."""
    if x.is_floating_point():
        return torch.round(x, decimals=decimals)
    if x.is_complex():
        return torch.complex(round(x.real, decimals), round(x.imag, decimals))
    if decimals >= 0:
        return x.clone()
    step = 10**-decimals
    return (torch.round(x.to(torch.float64) / step) * step).to(x.dtype)
