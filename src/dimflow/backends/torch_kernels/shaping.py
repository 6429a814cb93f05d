"""Shape on PyTorch."""

from typing import Any

import torch

from dimflow.errors import ShapeMismatch
from dimflow.ops.rules.shapes import is_by_columns, normalized


def _lengths(shape: Any) -> tuple[int, ...]:
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


def reshape(x: Any, shape: Any, order: str = "C") -> Any:
    """In order F by way of reversed axes."""
    if not is_by_columns(order):
        return x.reshape(_lengths(shape))
    turned = permute_dims(x).reshape(_lengths(shape)[::-1])
    return permute_dims(turned)


def permute_dims(x: Any, axes: Any = None) -> Any:
    """Reversed where none are given."""
    order = tuple(reversed(range(x.ndim))) if axes is None else normalized(axes, x.ndim)
    if len(order) != x.ndim:
        hint = (
            None
            if len(order) != 2
            else f"x.swapaxes{tuple(axes)} exchanges two, as torch.transpose does"
        )
        raise ShapeMismatch("transpose", f"{x.ndim} axes", axes, hint)
    return x.permute(order)


def broadcast_to(x: Any, shape: Any) -> Any:
    """A view."""
    return torch.broadcast_to(x, _lengths(shape))


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """A view."""
    return torch.movedim(x, source, destination)


def matrix_transpose(x: Any, /) -> Any:
    """A view."""
    return x.mT


def swapaxes(x: Any, /, axis1: int, axis2: int) -> Any:
    """A view."""
    return torch.swapaxes(x, axis1, axis2)


def flip(x: Any, /, axis: Any = None) -> Any:
    """A copy: PyTorch has no negative strides."""
    return torch.flip(x, normalized(axis, x.ndim))
