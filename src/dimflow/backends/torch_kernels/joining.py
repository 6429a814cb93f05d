"""Joining and splitting on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import tensors


def of_one_dtype(arrays: Any) -> list[Any]:
    """Arrays in the dtype that all meet in, and bare numbers beside them."""
    arrays = tensors(*arrays)
    dtype = arrays[0].dtype
    for x in arrays[1:]:
        dtype = torch.promote_types(dtype, x.dtype)
    return [x if x.dtype is dtype else x.to(dtype) for x in arrays]


def concat(arrays: Any, axis: Any = 0) -> Any:
    """Flat where no axis is given."""
    arrays = of_one_dtype(arrays)
    if axis is None:
        arrays, axis = [x.reshape(-1) for x in arrays], 0
    return torch.cat(arrays, axis)


def stack(arrays: Any, axis: Any = 0) -> Any:
    """Of dtypes that differ too."""
    return torch.stack(of_one_dtype(arrays), axis)


def unstack(x: Any, /, axis: int = 0) -> Any:
    """Views."""
    return torch.unbind(x, axis)
