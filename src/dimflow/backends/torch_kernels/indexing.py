"""Indexing on PyTorch, by NumPy's rules for keys.

Writing makes a clone and writes into that, which autograd records; where a transform of
`torch.func` forbids it, elements are put at their flat places.
"""

from typing import Any

import torch
from torch import Tensor

from dimflow.backends.torch_kernels import keys
from dimflow.backends.torch_kernels.functions import flat_along
from dimflow.errors import UnitError
from dimflow.ops.families.index.keys import INDEX, filled


def where(condition: Any, x: Any, y: Any, /) -> Any:
    """On any condition."""
    if not isinstance(condition, Tensor):
        like = x if isinstance(x, Tensor) else y
        condition = torch.full((), bool(condition), device=like.device)
    if condition.dtype is not torch.bool:
        condition = condition.to(torch.bool)
    return torch.where(condition, x, y)


def index(x: Any, *indices: Any, key: Any) -> Any:
    """x[key]."""
    return keys.get(x, filled(key, indices))


def take(x: Any, indices: Any, /, axis: Any = None, *, mode: str = "raise") -> Any:
    """By an index array along the axis."""
    x, axis = flat_along(x, axis)
    axis %= x.ndim
    indices = torch.as_tensor(indices, device=x.device)
    if mode == "wrap":
        indices = torch.remainder(indices, x.shape[axis])
    elif mode == "clip":
        indices = indices.clamp(0, x.shape[axis] - 1)
    elif mode != "raise":
        raise UnitError(f"take has the modes raise, wrap and clip, but got {mode!r}")
    if not indices.ndim:  # PyTorch would wait for the value
        return keys.get(x, (*(slice(None),) * axis, indices[None])).squeeze(axis)
    return keys.get(x, (*(slice(None),) * axis, indices))


def index_set(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with other values at x[key]."""
    values = keys.uncut(values, x)
    if INDEX in key:
        return _last_put(x, filled(key, indices), values)
    return _put(x, filled(key, indices), values)


def _last_put(x: Any, key: Any, values: Any) -> Any:
    """Each element from the last value that is written to it, which alone has a derivative then."""
    places = _places(x, key)
    values = values.expand(places.shape).reshape(-1)
    if not places.numel():
        return x.clone()
    order = torch.arange(values.shape[0], device=x.device)
    writer = torch.full((x.numel(),), -1, device=x.device)
    writer = writer.scatter_reduce(0, places.reshape(-1), order, "amax").reshape(x.shape)
    return torch.where(writer >= 0, values[writer.clamp(min=0)], x)


def _put(x: Any, key: Any, values: Any) -> Any:
    try:
        result = x.clone()
        keys.write(result, key, values)
    except RuntimeError:
        places = _places(x, key)
        flat = x.reshape(-1).index_put((places,), values.expand(places.shape))
        return flat.reshape(x.shape)
    return result


def _places(x: Any, key: Any) -> Any:
    """The flat places of the elements of x[key]."""
    return keys.get(torch.arange(x.numel(), device=x.device).reshape(x.shape), key)


def index_add(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with values added at x[key], as often as an element is named."""
    is_named_once = INDEX not in key
    key, values = filled(key, indices), keys.uncut(values, x)
    if is_named_once:
        return _put(x, key, keys.get(x, key) + values)
    places = _places(x, key)
    values = values.expand(places.shape)
    return x.reshape(-1).index_put((places,), values, accumulate=True).reshape(x.shape)


def _largest(x: Any, values: Any, indices: Any, key: Any, how: str) -> Any:
    key, values = filled(key, indices), keys.uncut(values, x)
    places = _places(x, key)
    values = values.expand(places.shape).reshape(-1)
    return x.reshape(-1).scatter_reduce(0, places.reshape(-1), values, how).reshape(x.shape)


def index_max(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with the larger values at x[key]."""
    return _largest(x, values, indices, key, "amax")


def index_min(x: Any, values: Any, *indices: Any, key: Any) -> Any:
    """x with the smaller values at x[key]."""
    return _largest(x, values, indices, key, "amin")
