"""Lazy arrays with units in xarray: where it asks for types and hands arrays to Dask.

xarray takes a DaskDimArray for one of Dask's, since it is a collection of Dask's with blocks. What
it then calls by Dask's private names is called by the public ones here, which know units; and
arrays that differ in nothing but that one is lazy, or has a unit, are not "mixed" types.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import xarray as xr
from xarray.compat import array_api_compat
from xarray.core import common, dtypes, duck_array_ops
from xarray.namedarray import parallelcompat
from xarray.namedarray.daskmanager import DaskManager

from dimflow.array import DimArray
from dimflow.array.dimarray import wrap
from dimflow.backends import backend_of
from dimflow.ops.rules.dtypes import kind_of
from dimflow.xarray.replacing import replace, replace_method
from dimflow.xarray.variables import plainly, unit_of, with_data


def meet_units() -> None:
    """Have xarray's functions that look at types know ours; done once."""
    replace(array_api_compat, "get_array_namespace", _one_namespace)
    replace(parallelcompat, "get_chunked_array_type", _manager_of)
    replace(common, "_full_like_variable", _full_like)
    for name in ("ones_like", "zeros_like"):
        replace(common, name, _numbers_like)
    replace(duck_array_ops, "isnull", _isnull)
    for name, method in (
        ("apply_gufunc", _apply_gufunc),
        ("unify_chunks", _unify_chunks),
        ("from_array", _from_array),
    ):
        replace_method(DaskManager, name, method)


def _one_namespace(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def get_array_namespace(*values: Any) -> Any:
        """Of several that are ours, that of the lazy ones, which take the others in."""
        lazy = [v for v in values if isinstance(v, DimArray) and _is_lazy(v)]
        others = [v for v in values if not isinstance(v, DimArray)]
        if not lazy or (others and original(*others) is not np):
            return original(*values)
        return lazy[0].__array_namespace__()

    return get_array_namespace


def _is_lazy(array: DimArray) -> bool:
    return backend_of(array.data).is_lazy


def _manager_of(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def get_chunked_array_type(*args: Any) -> Any:
        """By the arrays within: with a unit or without, they are Dask's."""
        return original(*[a.data if isinstance(a, DimArray) else a for a in args])

    return get_chunked_array_type


def _full_like(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def _full_like_variable(
        other: Any,
        fill_value: Any,
        dtype: Any = None,
        chunks: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """In the unit of the other, as for arrays in memory; xarray asks Dask for bare numbers."""
        if not isinstance(other.data, DimArray) or not _is_lazy(other.data):
            return original(other, fill_value, dtype, chunks, *args, **kwargs)
        if fill_value is dtypes.NA:
            fill_value = dtypes.get_fill_value(other.dtype if dtype is None else dtype)
        made: Any = duck_array_ops.full_like(other.data, fill_value, dtype=dtype)
        return xr.Variable(other.dims, made.rechunk(chunks) if chunks else made, other.attrs)

    return _full_like_variable


def _numbers_like(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def like(other: Any, *args: Any, **kwargs: Any) -> Any:
        """Ones and zeros in the unit of the other, °C too, as `np.ones_like` has them."""
        unit = unit_of(other) if isinstance(other, xr.Variable) else None
        if unit is None:
            return plainly(other, lambda plain: original(plain, *args, **kwargs))
        made = original(with_data(other, other.data.data), *args, **kwargs)
        return with_data(made, wrap(made.data, unit))

    return like


def _isnull(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def isnull(data: Any) -> Any:
        """Whether numbers are missing, whatever their unit: integers never are."""
        is_whole = isinstance(data, DimArray) and kind_of(data.data) in "iu"
        return original(data.data if is_whole else data)

    return isnull


def _apply_gufunc(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def apply_gufunc(manager: Any, func: Any, signature: str, *args: Any, **kwargs: Any) -> Any:
        """Dask's public function, which gives a function DimArrays."""
        if not any(isinstance(a, DimArray) for a in args):
            return original(manager, func, signature, *args, **kwargs)
        import dask.array as da

        given = {name: value for name, value in kwargs.items() if value is not None}
        return da.apply_gufunc(func, signature, *args, **given)

    return apply_gufunc


def _unify_chunks(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def unify_chunks(manager: Any, *args: Any, **kwargs: Any) -> Any:
        """Arrays and names of axes in turn; units come back to where they were."""
        units = [a.unit if isinstance(a, DimArray) else None for a in args[::2]]
        plain = [a.data if isinstance(a, DimArray) else a for a in args]
        chunks, found = original(manager, *plain, **kwargs)
        pairs = zip(found, units, strict=True)
        return chunks, [raw if unit is None else wrap(raw, unit) for raw, unit in pairs]

    return unify_chunks


def _from_array(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def from_array(manager: Any, data: Any, *args: Any, **kwargs: Any) -> Any:
        """`x.chunk()`: blocks of numbers in one unit, which is known before they are computed."""
        if not isinstance(data, DimArray):
            return original(manager, data, *args, **kwargs)
        return wrap(original(manager, data.data, *args, **kwargs), data.unit)

    return from_array
