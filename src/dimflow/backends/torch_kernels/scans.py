"""Scans on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import flat_along, floated


def _begun(result: Any, axis: int, start: int, include_initial: bool) -> Any:
    """With the value of no elements first, if asked."""
    if not include_initial:
        return result
    shape = list(result.shape)
    shape[axis] = 1
    first = torch.full(shape, start, dtype=result.dtype, device=result.device)
    return torch.cat([first, result], axis)


def cumulative_sum(
    x: Any, axis: Any = None, dtype: Any = None, *, include_initial: bool = False
) -> Any:
    """Running sums."""
    x, axis = flat_along(x, axis)
    return _begun(torch.cumsum(x, axis, dtype=dtype), axis, 0, include_initial)


def cumulative_prod(
    x: Any, axis: Any = None, dtype: Any = None, *, include_initial: bool = False
) -> Any:
    """Running products."""
    x, axis = flat_along(x, axis)
    return _begun(torch.cumprod(x, axis, dtype=dtype), axis, 1, include_initial)


def cummax(x: Any, axis: Any = None) -> Any:
    """The values of PyTorch's pair."""
    return torch.cummax(*flat_along(x, axis)).values


def cummin(x: Any, axis: Any = None) -> Any:
    """The values of PyTorch's pair."""
    return torch.cummin(*flat_along(x, axis)).values


def logcumsumexp(x: Any, axis: Any = None) -> Any:
    """PyTorch's."""
    return torch.logcumsumexp(*flat_along(floated(x), axis))
