"""Trigonometry on PyTorch."""

from typing import Any

import torch


def radians(x: Any) -> Any:
    """From degrees."""
    return torch.deg2rad(x)


def degrees(x: Any) -> Any:
    """From radians."""
    return torch.rad2deg(x)
