"""Reductions on PyTorch."""

from math import inf
from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import as_tensor, counted, floated
from dimflow.errors import NotANumber
from dimflow.ops.rules.shapes import normalized
from dimflow.ops.rules.values import widened

_Axis = Any


def extreme(dtype: Any, sign: int) -> Any:
    """What no number of a dtype exceeds, or with -1 what none is below."""
    if dtype is torch.bool:
        return sign > 0
    if dtype.is_floating_point:
        return sign * inf
    if dtype.is_complex:
        raise NotANumber("an extreme", f"a tensor of {dtype}: complex numbers have no order")
    limits = torch.iinfo(dtype)
    return limits.max if sign > 0 else limits.min


def sum(
    x: Any,
    axis: _Axis = None,
    dtype: Any = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """The sum along axes."""
    if where is not None:
        x = torch.where(where, x, 0)
    if axis is None and dtype is None and not keepdims:
        result = x.sum()
    elif axis == ():
        result = torch.unsqueeze(x, 0).sum(0, dtype=dtype)
    else:
        result = torch.sum(x, dim=axis, keepdim=keepdims, dtype=dtype)
    return result if initial is None else result + initial


def prod(
    x: Any,
    axis: _Axis = None,
    dtype: Any = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """The product along axes, which PyTorch takes one by one."""
    if where is not None:
        x = torch.where(where, x, 1)
    if axis is None and not keepdims:
        result = torch.prod(x, dtype=dtype)
    else:
        result = torch.unsqueeze(x, 0).prod(0, dtype=dtype)
        for a in sorted(normalized(axis, x.ndim), reverse=True):
            result = torch.prod(result, a, keepdim=keepdims)
    return result if initial is None else result * initial


def prod_of_others(x: Any, axis: int = -1) -> Any:
    """What stands before each element, multiplied up, times what stands after it."""
    x = x.movedim(axis, -1)
    one = torch.ones_like(x[..., :1])
    before = torch.cumprod(torch.cat([one, x[..., :-1]], -1), -1)
    after = torch.cumprod(torch.cat([one, x[..., 1:].flip(-1)], -1), -1).flip(-1)
    return (before * after).movedim(-1, axis)


def _fractions(x: Any, dtype: Any) -> Any:
    return floated(x) if dtype is None else x.to(dtype)


def _count(x: Any, axis: _Axis, keepdims: bool, where: Any) -> Any:
    if where is None:
        count = 1
        for a in normalized(axis, x.ndim):
            count *= x.shape[a]
        return count
    return sum(torch.broadcast_to(where, x.shape), axis, keepdims=keepdims)


def mean(
    x: Any, axis: _Axis = None, dtype: Any = None, *, keepdims: bool = False, where: Any = None
) -> Any:
    """The mean along axes; with a mask the sum over the count."""
    x = _fractions(x, dtype)
    if where is None and axis != ():
        return torch.mean(x, dim=axis, keepdim=keepdims)
    return sum(x, axis, keepdims=keepdims, where=where) / _count(x, axis, keepdims, where)


def var(
    x: Any,
    axis: _Axis = None,
    dtype: Any = None,
    ddof: Any = 0,
    *,
    keepdims: bool = False,
    mean: Any = None,
    where: Any = None,
) -> Any:
    """The variance along axes; by its formula where a mask or the mean is given."""
    x = _fractions(x, dtype)
    if mean is None and where is None and axis != ():
        return torch.var(x, dim=axis, correction=ddof, keepdim=keepdims)
    if mean is None:
        total = sum(x, axis, keepdims=True, where=where)
        mean = total / _count(x, axis, True, where)
    off = x - mean
    squares = torch.abs(off) ** 2 if off.is_complex() else off * off
    total = sum(squares, axis, keepdims=keepdims, where=where)
    return total / (_count(x, axis, keepdims, where) - ddof)


def std(x: Any, axis: _Axis = None, dtype: Any = None, ddof: Any = 0, **options: Any) -> Any:
    """The root of the variance; like PyTorch's, its derivative is 0 where nothing varies."""
    found = var(x, axis, dtype, ddof, **options)
    return torch.where(found == 0, found, torch.sqrt(torch.where(found == 0, 1.0, found)))


def _extreme(
    reduce: Any, join: Any, sign: int, x: Any, axis: Any, keepdims: bool, initial: Any, where: Any
) -> Any:
    if where is not None:
        fill = extreme(x.dtype, -sign) if initial is None else initial
        x = torch.where(where, x, fill)
    if initial is None:
        return x.clone() if axis == () else reduce(x, _all(x, axis), keepdims)
    start = as_tensor(initial, x)
    x = widened(x, start, torch.result_type)
    if not _all(x, axis):
        return join(x, start)
    x = torch.cat([x, start.to(x.dtype).expand(_lengthened(x, axis))], _first(x, axis))
    return join(reduce(x, _all(x, axis), keepdims), start)


def _all(x: Any, axis: Any) -> tuple[int, ...]:
    """Every axis where none is named: to PyTorch no axis at all."""
    return normalized(axis, x.ndim)


def _first(x: Any, axis: Any) -> int:
    return normalized(axis, x.ndim)[0]


def _lengthened(x: Any, axis: Any) -> list[int]:
    """The shape of one more slice along the first of some axes."""
    shape = list(x.shape)
    shape[_first(x, axis)] = 1
    return shape


def max(
    x: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    """The maximum along axes."""
    return _extreme(torch.amax, torch.maximum, 1, x, axis, keepdims, initial, where)


def min(
    x: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    """The minimum along axes."""
    return _extreme(torch.amin, torch.minimum, -1, x, axis, keepdims, initial, where)


def argmax(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Of truth values too."""
    return torch.argmax(counted(x), dim=axis, keepdim=keepdims)


def argmin(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Of truth values too."""
    return torch.argmin(counted(x), dim=axis, keepdim=keepdims)


def any(x: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None) -> Any:
    """Whether any element is not zero."""
    x = x.to(torch.bool)
    x = x if where is None else x & where
    return x if axis == () else torch.any(x, _all(x, axis), keepdims) if x.ndim else x


def all(x: Any, axis: Any = None, *, keepdims: bool = False, where: Any = None) -> Any:
    """Whether all elements are not zero."""
    x = x.to(torch.bool)
    x = x if where is None else x | ~where
    return x if axis == () else torch.all(x, _all(x, axis), keepdims) if x.ndim else x


def count_nonzero(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The sum of truth values."""
    return sum(x.to(torch.bool), axis, keepdims=keepdims)


def logsumexp(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """PyTorch's, along all axes where none is named."""
    x = floated(x)
    return torch.logsumexp(x, _all(x, axis), keepdims) if x.ndim else x.clone()
