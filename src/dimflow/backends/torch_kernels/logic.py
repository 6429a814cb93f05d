"""Logic on PyTorch."""

from typing import Any

import torch

_HALVES, _QUARTERS, _EIGHTHS = 0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F


def bitwise_count(x: Any) -> Any:
    """Bits of the absolute value, added up in ever larger groups."""
    x = torch.abs(x).to(torch.int64)
    x = (x & _HALVES) + ((x >> 1) & _HALVES)
    x = (x & _QUARTERS) + ((x >> 2) & _QUARTERS)
    x = (x & _EIGHTHS) + ((x >> 4) & _EIGHTHS)
    x = x + (x >> 8)
    x = x + (x >> 16)
    return ((x + (x >> 32)) & 0x7F).to(torch.uint8)
