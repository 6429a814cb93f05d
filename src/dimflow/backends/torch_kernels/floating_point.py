"""Floating point on PyTorch."""

from math import inf
from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import floated, promoted_fractions, tensors


def spacing(x: Any) -> Any:
    """The distance to the next number away from 0."""
    x = floated(x)
    size = torch.abs(x)
    return torch.copysign(torch.nextafter(size, torch.full_like(size, inf)) - size, x)


def nextafter(x: Any, y: Any) -> Any:
    """With a derivative of 1 by x, which older versions of PyTorch lack."""
    x, y = promoted_fractions(*tensors(x, y))
    found = torch.nextafter(x.detach(), y.detach())
    return found - torch.where(torch.isfinite(x), x.detach() - x, 0)  # -0.0 less 0.0 stays


def ldexp(x: Any, y: Any) -> Any:
    """In two steps, so that no power of two leaves the range. PyTorch's own works in float32."""
    x, y = tensors(x, y)
    x = floated(x)
    half = torch.div(y, 2, rounding_mode="floor")
    return x * torch.exp2(half.to(x.dtype)) * torch.exp2((y - half).to(x.dtype))


def frexp_mantissa(x: Any) -> Any:
    """The first of PyTorch's pair."""
    return torch.frexp(floated(x))[0]


def frexp_exponent(x: Any) -> Any:
    """The second of PyTorch's pair."""
    return torch.frexp(floated(x))[1]
