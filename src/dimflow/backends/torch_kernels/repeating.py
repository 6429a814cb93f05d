"""Repeating and moving elements on PyTorch."""

from typing import Any

import torch

from dimflow.errors import ShapeMismatch


def roll(x: Any, /, shift: Any, axis: Any = None) -> Any:
    """One shift for several axes too, and several for one axis."""
    if axis is None:
        return torch.roll(x, shift if isinstance(shift, int) else sum(shift))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,)
    count = max(len(axes), len(shifts))
    axes = tuple(axes) * (count if len(axes) == 1 else 1)
    shifts = tuple(shifts) * (count if len(shifts) == 1 else 1)
    return torch.roll(x, shifts, axes)


def tril(x: Any, /, k: int = 0) -> Any:
    """The lower triangle."""
    return torch.tril(x, k)


def triu(x: Any, /, k: int = 0) -> Any:
    """The upper triangle."""
    return torch.triu(x, k)


def diagonal(x: Any, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """A view."""
    return torch.diagonal(x, offset, axis1, axis2)


def diag(x: Any, /, k: int = 0) -> Any:
    """The diagonal of a matrix, or the matrix of one."""
    if x.ndim not in (1, 2):
        raise ShapeMismatch("diag", "an array of one or two axes", tuple(x.shape))
    return torch.diag(x, k)


def diagflat(x: Any, /, k: int = 0) -> Any:
    """PyTorch's."""
    return torch.diagflat(x, k)
