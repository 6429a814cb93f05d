"""Padding on PyTorch."""

from typing import Any

import torch
from torch import Tensor

from dimflow.backends.torch_kernels import keys
from dimflow.ops.families.shape.padding import as_pairs


def padded(x: Any, pairs: Any, fill: Any = 0) -> Any:
    """The array with a number around its last axes."""
    if not any(map(any, pairs)):
        return x
    widths = [width for pair in reversed(pairs) for width in pair]  # PyTorch begins at the end
    return torch.nn.functional.pad(x, widths, value=fill)


def pad_constant(x: Any, pad_width: Any, constant_values: Any = None) -> Any:
    """One number around all at once; an array of them axis by axis."""
    pairs = _plain_pairs(pad_width, x.ndim) or as_pairs(pad_width, x.ndim)
    if constant_values is None:
        return padded(x, pairs)
    ends = keys.uncut(constant_values, x)
    is_number = not isinstance(constant_values, Tensor) and not ends.ndim
    if is_number and not isinstance(constant_values, complex):  # PyTorch pads with real numbers
        return padded(x, pairs, constant_values)
    ends = torch.broadcast_to(ends, (x.ndim, 2))
    for axis, widths in enumerate(pairs):
        before, after = (_constant(x, axis, n, ends[axis, i]) for i, n in enumerate(widths))
        x = torch.cat([before, x, after], axis)
    return x


def _plain_pairs(pad_width: Any, ndim: int) -> Any:
    """Widths that are spelled out; others go through NumPy, which no compiler follows."""
    if isinstance(pad_width, (tuple, list)) and len(pad_width) == 2 and type(pad_width[0]) is int:
        pad_width = (pad_width,) * ndim
    if not isinstance(pad_width, (tuple, list)) or len(pad_width) != ndim:
        return None
    pairs = [tuple(p) if isinstance(p, (tuple, list)) else () for p in pad_width]
    is_plain = all(len(p) == 2 and all(type(n) is int and n >= 0 for n in p) for p in pairs)
    return tuple(pairs) if is_plain else None


def _constant(x: Any, axis: int, length: int, value: Any) -> Any:
    """A slab of one value, of the array's shape but for the length of an axis."""
    shape = list(x.shape)
    shape[axis] = length
    return value.expand(shape)
