"""Keys as NumPy reads them, for tensors: steps back, and integers beside arrays.

PyTorch has no negative steps, and an integer beside an index array does not count as an array.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from dimflow.errors import NotANumber
from dimflow.ops.rules.values import refuse_cut

_NUMBERS = (bool, int, float, complex)


def get(x: Tensor, key: Any) -> Tensor:
    """x[key]."""
    key, turned = _forward(x, key)
    return (x.flip(turned) if turned else x)[key]


def assign(x: Tensor, key: Any, values: Any) -> None:
    """x[key] = values, in place."""
    write(x, key, uncut(values, x))


def write(x: Tensor, key: Any, values: Tensor) -> None:
    """The same for values of the tensor's dtype."""
    key, turned = _forward(x, key)
    if not turned:
        x[key] = values
        return
    whole = x.flip(turned)
    whole[key] = values
    x.copy_(whole.flip(turned))


def uncut(values: Any, x: Tensor) -> Tensor:
    """Values in the dtype of a tensor that they are written into, where it lives."""
    if isinstance(values, Tensor):
        refuse_cut(values, x.dtype)
        return values.to(x.dtype)
    if type(values) in _NUMBERS:
        refuse_cut(values, x.dtype)
        return torch.full((), values, dtype=x.dtype, device=x.device)
    given = torch.from_numpy(np.array(values, order="C"))
    refuse_cut(given, x.dtype)
    return given.to(x)


def _forward(x: Tensor, key: Any) -> tuple[Any, list[int]]:
    """The key with steps forward and all arrays as tensors, and the axes to turn around first."""
    parts = list(key) if isinstance(key, tuple) else [key]
    parts = [_as_index(part, x.device) for part in parts]
    if any(isinstance(part, Tensor) and part.ndim for part in parts):
        parts = [_beside_arrays(part, x.device) for part in parts]
    turned: list[int] = []
    if any(isinstance(part, slice) and (part.step or 1) < 0 for part in parts):
        parts = _turn(x, parts, turned)
    return tuple(parts), turned


def _as_index(part: Any, device: Any) -> Any:
    """An array or a list as a tensor of a dtype that PyTorch takes for an index."""
    if isinstance(part, (list, np.ndarray)):
        array = np.asarray(part) if np.size(part) or isinstance(part, np.ndarray) else None
        part = torch.as_tensor(
            np.empty(0, np.int64) if array is None else np.ascontiguousarray(array), device=device
        )
    if isinstance(part, np.generic):
        return part.item()
    if isinstance(part, Tensor) and part.dtype not in (torch.bool, torch.int64, torch.int32):
        if part.dtype.is_floating_point or part.dtype.is_complex:
            raise NotANumber("an index", f"a tensor of {part.dtype}")
        return part.to(torch.int64)
    return part


def _beside_arrays(part: Any, device: Any) -> Any:
    """An integer as an array, which it counts as beside others."""
    if isinstance(part, int) and not isinstance(part, bool):
        return torch.full((1,), part, device=device)
    if isinstance(part, Tensor) and not part.ndim and part.dtype is not torch.bool:
        return part.reshape(1)
    return part


def _turn(x: Tensor, parts: list[Any], turned: list[int]) -> list[Any]:
    """Slices that step back as slices of the axis turned around."""
    taken = sum(_axes(part) for part in parts)
    axis = 0
    found = []
    for part in parts:
        if part is Ellipsis:
            axis += x.ndim - taken
        elif isinstance(part, slice) and (part.step or 1) < 0:
            n = x.shape[axis]
            start, stop, step = part.indices(n)
            part = slice(n - 1 - start, n - 1 - stop, -step)
            turned.append(axis)
        axis += _axes(part)
        found.append(part)
    return found


def _axes(part: Any) -> int:
    """How many axes a part of a key takes."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    if isinstance(part, Tensor) and part.dtype is torch.bool:
        return part.ndim
    return 1
