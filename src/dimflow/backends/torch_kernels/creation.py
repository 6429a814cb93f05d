"""Creation and casts on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels import keys


def _lengths(x: Any, shape: Any) -> Any:
    if shape is None:
        return x.shape
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


def zeros_like(x: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Of another shape too."""
    return x.new_zeros(_lengths(x, shape), dtype=dtype)


def ones_like(x: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Of another shape too."""
    return x.new_ones(_lengths(x, shape), dtype=dtype)


def full_like(x: Any, fill_value: Any, dtype: Any = None, *, shape: Any = None) -> Any:
    """Of another shape too, and with an array that stretches to it."""
    like = x if dtype is None else x.new_empty((), dtype=dtype)
    return keys.uncut(fill_value, like).expand(_lengths(x, shape)).clone()


def stop_gradient(x: Any) -> Any:
    """The values, on no graph of PyTorch's."""
    return x.detach()


def cast_floating(x: Any, dtype: Any, unit: Any = None, copy: bool = True) -> Any:
    """Of complex numbers the real part, without PyTorch's warning."""
    if x.is_complex() and not dtype.is_complex:
        x = x.real
    return x.to(dtype, copy=bool(copy))


def cast_discrete(x: Any, dtype: Any, copy: bool = True) -> Any:
    """With a dtype of integers; the fraction is cut off."""
    return cast_floating(x, dtype, None, copy)


def cast_truth(x: Any, copy: bool = True) -> Any:
    """Whether each element is not 0."""
    return x.to(torch.bool, copy=bool(copy))
