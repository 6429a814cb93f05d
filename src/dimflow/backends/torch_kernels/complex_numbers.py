"""Complex numbers on PyTorch."""

from typing import Any

import torch


def imag(x: Any) -> Any:
    """Of real numbers too, which PyTorch refuses."""
    return torch.imag(x) if x.is_complex() else torch.zeros_like(x)


def angle(x: Any, deg: bool = False) -> Any:
    """In degrees if asked."""
    found = torch.angle(x)
    return torch.rad2deg(found) if deg else found
