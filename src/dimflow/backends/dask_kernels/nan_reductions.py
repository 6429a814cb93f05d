"""Reductions without nan by Dask's functions; with a mask or a start by their definitions."""

from collections.abc import Callable
from math import isnan
from typing import Any

import dask.array as da

from dimflow import ops
from dimflow.backends.dask_blocks.lengths import has_empty
from dimflow.backends.dask_blocks.places import place_of
from dimflow.backends.dask_blocks.trees import by_tree, of_nothing


def _skipping(name: str) -> Callable[..., Any]:
    """Dask's function of this name, which knows neither a mask nor a start."""
    function = getattr(da, name)

    def kernel(x: Any, axis: Any = None, *, keepdims: bool = False, **options: Any) -> Any:
        given = {n: options.pop(n, None) for n in ("initial", "where", "mean") if n in options}
        is_more = any(value is not None for value in given.values())
        if is_more or isnan(x.size) or not x.size or has_empty(x):
            definition = ops.get(name).rule("definition")  # Dask's takes no empty blocks
            return definition(x, axis=axis, keepdims=keepdims, **given, **options)
        return by_tree(function, x, axis, keepdims, **options)

    kernel.__name__ = name
    return kernel


nansum = _skipping("nansum")
nanprod = _skipping("nanprod")
nanmean = _skipping("nanmean")
nanvar = _skipping("nanvar")
nanstd = _skipping("nanstd")
_nanmax = _skipping("nanmax")
_nanmin = _skipping("nanmin")


def nanmax(
    x: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    """The maximum of what is no nan."""
    if not x.size and initial is None:
        return of_nothing(ops.nanmax, x, axis=axis, keepdims=keepdims)
    return _nanmax(x, axis, keepdims=keepdims, initial=initial, where=where)


def nanmin(
    x: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    """The minimum of what is no nan."""
    if not x.size and initial is None:
        return of_nothing(ops.nanmin, x, axis=axis, keepdims=keepdims)
    return _nanmin(x, axis, keepdims=keepdims, initial=initial, where=where)


def nanargmax(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Where the maximum of what is no nan is."""
    return place_of(ops.nanargmax, da.nanargmax, x, axis, keepdims)


def nanargmin(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Where the minimum of what is no nan is."""
    return place_of(ops.nanargmin, da.nanargmin, x, axis, keepdims)
