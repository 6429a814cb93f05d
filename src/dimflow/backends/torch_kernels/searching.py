"""Searching, gathering and scattering on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels import keys
from dimflow.backends.torch_kernels.functions import counted, flat_along, promoted, tensors


def take_along_axis(x: Any, indices: Any, /, axis: Any = -1) -> Any:
    """PyTorch's; flat where no axis is given."""
    x, axis = flat_along(x, axis)
    return torch.take_along_dim(x, indices.to(torch.int64), axis)


def gather(x: Any, indices: Any, /, axis: int) -> Any:
    """PyTorch's."""
    return torch.gather(x, axis, indices.to(torch.int64))


def _scattered(x: Any, indices: Any, values: Any, axis: int, how: str | None) -> Any:
    indices = indices.to(torch.int64)
    values = keys.uncut(values, x)
    values = values.expand(indices.shape) if values.ndim < indices.ndim else values
    if how is None:
        return torch.scatter(x, axis, indices, values)
    return torch.scatter_reduce(x, axis, indices, values, how)


def scatter(x: Any, indices: Any, values: Any, /, axis: int) -> Any:
    """PyTorch's."""
    return _scattered(x, indices, values, axis, None)


def scatter_add(x: Any, indices: Any, values: Any, /, axis: int) -> Any:
    """PyTorch's."""
    return _scattered(x, indices, values, axis, "sum")


def scatter_max(x: Any, indices: Any, values: Any, /, axis: int) -> Any:
    """PyTorch's, by its name for it."""
    return _scattered(x, indices, values, axis, "amax")


def scatter_min(x: Any, indices: Any, values: Any, /, axis: int) -> Any:
    """PyTorch's, by its name for it."""
    return _scattered(x, indices, values, axis, "amin")


def argwhere(x: Any) -> Any:
    """PyTorch's."""
    return torch.argwhere(x)


def nonzero(x: Any, /) -> Any:
    """One array of indices for each axis."""
    return torch.nonzero(x, as_tuple=True)


def searchsorted(x: Any, values: Any, side: str = "left", sorter: Any = None) -> Any:
    """PyTorch's, of one dtype."""
    x, values = tensors(x, values)
    x, values = promoted(counted(x), counted(values))
    return torch.searchsorted(x, values.contiguous(), side=side, sorter=sorter)


def isin(x: Any, y: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """PyTorch's."""
    x, y = (counted(a) for a in tensors(x, y))
    return torch.isin(x, y, assume_unique=assume_unique, invert=invert)
