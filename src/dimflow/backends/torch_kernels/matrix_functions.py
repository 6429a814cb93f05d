"""Functions of matrices on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import floated, promoted_fractions

_broadcast: Any = torch.broadcast_tensors


def expm(x: Any, /) -> Any:
    """PyTorch's."""
    return torch.linalg.matrix_exp(floated(x))


def expm_frechet(x: Any, t: Any, /) -> Any:
    """The upper right block of exp([[x, t], [0, x]]); t is made as small as x for the while."""
    x, t = _broadcast(*promoted_fractions(x, t))
    n = x.shape[-1]
    size = torch.abs(t).amax() if t.numel() else torch.ones((), device=t.device)
    size = torch.where(torch.isfinite(size) & (size > 0), size, 1).detach().to(t.dtype)
    upper = torch.cat([x, t / size], -1)
    lower = torch.cat([torch.zeros_like(x), x], -1)
    return torch.linalg.matrix_exp(torch.cat([upper, lower], -2))[..., :n, n:] * size
