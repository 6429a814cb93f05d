"""Linear algebra on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import counted, promoted
from dimflow.backends.torch_kernels.joining import of_one_dtype


def matmul(x: Any, y: Any) -> Any:
    """Of dtypes that differ, and of integers on a GPU, where PyTorch has no product of them."""
    x, y = promoted(x, y)
    if x.is_cuda and not (x.is_floating_point() or x.is_complex()):
        return _whole_product(x, y)
    return torch.matmul(counted(x), counted(y))


def _whole_product(x: Any, y: Any) -> Any:
    """By sums of products, exact."""
    left = x[None, :] if x.ndim == 1 else x
    right = y[:, None] if y.ndim == 1 else y
    result = (left[..., :, :, None] * right[..., None, :, :]).sum(-2, dtype=counted(x).dtype)
    result = result.squeeze(-2) if x.ndim == 1 else result
    return result.squeeze(-1) if y.ndim == 1 else result


def einsum(subscripts: str, /, *operands: Any) -> Any:
    """PyTorch's, of one dtype."""
    return torch.einsum(subscripts, *of_one_dtype(operands))


def tensordot(x: Any, y: Any, /, axes: Any = 2) -> Any:
    """PyTorch's, with lists of axes."""
    x, y = promoted(x, y)
    if not isinstance(axes, int):
        axes = [[a] if isinstance(a, int) else list(a) for a in axes]
    return torch.tensordot(x, y, dims=axes)


def vecdot(x: Any, y: Any, /, *, axis: int = -1) -> Any:
    """The sum of products, the first conjugated; an axis counts from the end of both."""
    x, y = promoted(x, y)
    if axis >= 0:
        axis -= x.ndim
    if x.is_floating_point() or x.is_complex():
        return torch.linalg.vecdot(x, y, dim=axis)
    return (x * y).sum(axis)


def multi_dot(arrays: Any, /) -> Any:
    """PyTorch's, which looks for the cheapest order too."""
    return torch.linalg.multi_dot(of_one_dtype(arrays))


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The sum of a diagonal."""
    return torch.diagonal(x, offset, axis1, axis2).sum(-1)
