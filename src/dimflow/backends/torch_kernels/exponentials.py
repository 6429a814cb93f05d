"""Exponentials on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import floated

_LINEAR = 40.0  # from here on softplus(x) is x in double precision; PyTorch says 20 by default


def logit(x: Any) -> Any:
    """PyTorch's; the plain formula for complex numbers."""
    x = floated(x)
    return torch.log(x / (1 - x)) if x.is_complex() else torch.logit(x)


def softplus(x: Any) -> Any:
    """PyTorch's, exact in double precision; the plain formula for complex numbers."""
    x = floated(x)
    if x.is_complex():
        return torch.log1p(torch.exp(x))
    return torch.nn.functional.softplus(x, threshold=_LINEAR)


def log_sigmoid(x: Any) -> Any:
    """The opposite of softplus of -x."""
    return -softplus(-floated(x))
