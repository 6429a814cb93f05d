"""Functions of one axis at a time."""

from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
from dask.array.utils import validate_axis

from dimflow.array.core import is_followed
from dimflow.backends.dask_blocks.holes import with_holes
from dimflow.dask.blocks.mapping import called
from dimflow.dask.blocks.places import Fixed
from dimflow.dask.blocks.planning import (
    declared,
    of_result,
    ones,
    planned,
    tried,
    with_result_unit,
)
from dimflow.dask.host.patches import own
from dimflow.errors import ShapeMismatch

_LONG = 1 << 20


def apply_along_axis(
    func1d: Callable[..., Any],
    axis: int,
    arr: Any,
    *args: Any,
    dtype: Any = None,
    shape: tuple[int, ...] | None = None,
    unit: Any = None,
    **kwargs: Any,
) -> Any:
    """`func1d` on every slice along an axis: it gets DimArrays of one axis.

    The unit, the dtype and the shape of what it gives are tried on a slice, unless declared.
    """
    return applied("apply_along_axis", func1d, axis, arr, args, dtype, shape, unit, kwargs)


def applied(
    operation: str,
    func1d: Any,
    axis: int,
    arr: Any,
    args: tuple[Any, ...],
    dtype: Any,
    shape: Any,
    unit: Any,
    kwargs: dict[str, Any],
) -> Any:
    """What `apply_along_axis` gives, for an operation of another name."""
    if is_followed(arr):
        from dimflow.dask.differentiable.looping import along_axis

        form = {"dtype": dtype, "shape": shape, "unit": unit}
        return along_axis(operation, func1d, axis, (arr, *args), form, kwargs)
    call, given = called(operation, func1d, (arr, *args), kwargs)
    raw = da.asarray(given.raws[0])
    place = validate_axis(axis, raw.ndim)
    length = raw.shape[place]
    lengths = [1, 0] if length != length else [min(length, _LONG), 1, 0]
    samples = [[ones(raw, (n,)), *given.raws[1:]] for n in lengths]
    said = declared(unit, dtype, None)
    if shape is None:
        tried_on = tried(call, samples, given.kwargs, said)
        plan, shape = of_result(call, tried_on, said), np.shape(tried_on)
    else:
        plan = planned(call, said, samples, given.kwargs)
    call.wanted, call.shape = plan.wanted, Fixed(tuple(shape))
    result = own("apply_along_axis")(
        call,
        place,
        raw,
        *given.raws[1:],
        dtype=plan.wanted.dtype,
        shape=tuple(shape),
        **given.kwargs,
    )
    call.array = result.name
    return with_result_unit(with_holes(result, (raw,)), plan.wanted.unit)


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any, unit: Any = None) -> Any:
    """`func(slice, 0)` along one axis after the other; none is lost."""
    result = a
    ndim = a.ndim
    chosen = [int(axis) for axis in np.atleast_1d(axes)]
    for count, axis in enumerate(chosen, start=1):
        place = validate_axis(axis, ndim)
        said = unit if count == len(chosen) else None
        result = applied("apply_over_axes", func, place, result, (0,), None, None, said, {})
        if result.ndim == ndim - 1:
            result = result[(slice(None),) * place + (None,)]
        elif result.ndim != ndim:
            wanted = "a function that keeps the number of axes, or drops the one it works along"
            raise ShapeMismatch("apply_over_axes", wanted, f"{result.ndim} axes")
    return result
