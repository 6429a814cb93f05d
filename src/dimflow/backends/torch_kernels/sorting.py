"""Sorting on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import flat_along


def sort(x: Any, axis: Any = -1, *, stable: bool = True, descending: bool = False) -> Any:
    """The values of PyTorch's pair."""
    x, axis = flat_along(x, axis)
    return torch.sort(x, dim=axis, stable=stable, descending=descending).values


def argsort(x: Any, axis: Any = -1, *, stable: bool = True, descending: bool = False) -> Any:
    """PyTorch's."""
    x, axis = flat_along(x, axis)
    return torch.argsort(x, dim=axis, stable=stable, descending=descending)


def unique_values(x: Any, /) -> Any:
    """In order, by comparing neighbours: autograd does not go through PyTorch's own."""
    ordered = torch.sort(x.reshape(-1)).values
    first = torch.ones_like(ordered[:1], dtype=torch.bool)
    return ordered[torch.cat([first, ordered[1:] != ordered[:-1]])]
