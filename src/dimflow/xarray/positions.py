"""Positions, `x[...]` and `x.isel(...)`, read and written: basic, orthogonal and pointwise.

xarray takes a DimArray for an array of the array API's standard, which has no pointwise indexing:
it refuses that, and writes to orthogonal positions pointwise. DimArrays are indexed as NumPy's.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import xarray as xr
from xarray.core import duck_array_ops, indexing
from xarray.core.nputils import _advanced_indexer_subspaces
from xarray.namedarray.pycompat import is_chunked_array

from dimflow.array import DimArray
from dimflow.errors import UnsupportedFunction
from dimflow.xarray.replacing import replace, replace_method
from dimflow.xarray.variables import unit_of, with_data


def index_as_numpy() -> None:
    """Have xarray index our arrays by whatever it indexes NumPy's by; done once."""
    replace(indexing, "as_indexable", _as_indexable)
    replace(duck_array_ops, "moveaxis", _moveaxis)
    replace_method(xr.Variable, "_broadcast_indexes", _broadcast_indexes)
    replace_method(xr.Dataset, "_setitem_check", _setitem_check)


class Indexable(indexing.ArrayApiIndexingAdapter):
    """An array with a unit, in memory, behind xarray's three kinds of indexing."""

    __slots__ = ()

    def __getitem__(self, indexer: Any) -> Any:
        self._check_and_raise_if_non_basic_indexer(indexer)
        return self.array[(*indexer.tuple, ...)]  # no scalar, which nothing is written into

    def _oindex_set(self, indexer: Any, value: Any) -> None:
        self.array[indexing._outer_to_numpy_indexer(indexer, self.array.shape)] = value

    def _vindex_get(self, indexer: Any) -> Any:
        key, axes, first = _pointwise(indexer.tuple)
        return np.moveaxis(self.array[key], axes, first)

    def _vindex_set(self, indexer: Any, value: Any) -> None:
        key, axes, first = _pointwise(indexer.tuple)
        self.array[key] = np.moveaxis(value, first, axes)


class LazyIndexable(indexing.DaskIndexingAdapter):
    """A lazy array with a unit, which takes lists on several axes for points, as NumPy does."""

    __slots__ = ()

    def _oindex_get(self, indexer: Any) -> Any:
        found = self.array
        for axis, key in reversed(list(enumerate(indexer.tuple))):
            found = found[(*[slice(None)] * axis, key)]
        return found


_OURS = {
    indexing.ArrayApiIndexingAdapter: Indexable,
    indexing.DaskIndexingAdapter: LazyIndexable,
}


def _pointwise(key: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """A key, the axes of its points in NumPy's result, and those in xarray's: the first.

    The positions are copied: broadcast ones are read-only, of which PyTorch warns.
    """
    if any(map(is_chunked_array, key)):
        raise UnsupportedFunction(
            "x.isel by points of Dask",
            "x is in memory, and the positions are not",
            "compute the positions: i.compute(); or index what is lazy: x.chunk()",
        )
    axes, first = (tuple(map(int, found)) for found in _advanced_indexer_subspaces(key))
    return tuple(k if isinstance(k, slice) else np.array(k) for k in key), axes, first


def _as_indexable(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def as_indexable(array: Any) -> Any:
        found = original(array)
        kind = _OURS.get(type(found)) if isinstance(array, DimArray) else None
        return found if kind is None else kind(array)

    return as_indexable


def _moveaxis(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def moveaxis(data: Any, source: Any, destination: Any) -> Any:
        """By tuples, where xarray says ranges: PyTorch takes no others."""
        if isinstance(data, DimArray):
            source, destination = tuple(source), tuple(destination)
        return original(data, source, destination)

    return moveaxis


def _broadcast_indexes(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def _broadcast_indexes(self: Any, key: Any) -> Any:
        """Positions and masks that are DimArrays are pure numbers."""
        keys = self._item_key_to_tuple(key)
        return original(self, tuple(map(_position, keys)) if isinstance(keys, tuple) else keys)

    return _broadcast_indexes


def _position(key: Any) -> Any:
    if isinstance(key, DimArray):
        return key._pure("a position")
    if isinstance(key, xr.Variable) and unit_of(key) is not None:
        return with_data(key, key.data._pure("a position"))
    return key


def _setitem_check(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def _setitem_check(self: Any, key: Any, value: Any) -> Any:
        is_one = isinstance(value, DimArray) and not value.ndim
        return original(self, key, xr.DataArray(value) if is_one else value)

    return _setitem_check
