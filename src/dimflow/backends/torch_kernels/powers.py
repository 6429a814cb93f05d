"""Powers on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import counted, floated
from dimflow.backends.torch_kernels.ruled import by_rule


def static_power(x: Any, exponent: Any) -> Any:
    """By the operator, with a number that PyTorch knows. Integers may become fractions."""
    if not isinstance(exponent, (int, float)):
        exponent = float(exponent)
    return (counted(x) if exponent >= 0 else floated(x)) ** exponent


def _root(x: Any) -> Any:
    """A power, and one step of Newton's for the last bits; 0 and infinity are roots already."""
    size = torch.abs(x)
    root = size ** (1 / 3)
    step = (root * root * root - size) / (3 * root * root)
    return torch.copysign(torch.where(torch.isfinite(step), root - step, root), x)


_cbrt = by_rule("cbrt", _root)


def cbrt(x: Any) -> Any:
    """Of negative numbers too."""
    return _cbrt(floated(x))
