"""Sorting, searching and sets. What depends on values for its shape evaluates them, as it must."""

from typing import Any, NamedTuple

import mlx.core as mx
import numpy as np

from dimflow.backends.mlx_namespace.folds import INDEX

__all__ = [
    "argsort",
    "isin",
    "nonzero",
    "searchsorted",
    "sort",
    "take",
    "take_along_axis",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


def argsort(
    x: mx.array, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> mx.array:
    """The order that sorts; equal ones stay in theirs."""
    if x.ndim == 0:
        return mx.zeros((), INDEX)
    if not descending:
        return mx.argsort(x, axis).astype(INDEX)
    turned = mx.argsort(mx.flip(x, axis), axis).astype(INDEX)
    return mx.flip(x.shape[axis] - 1 - turned, axis)


def sort(
    x: mx.array, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> mx.array:
    """Sorted along an axis."""
    if x.ndim == 0:
        return mx.array(x)
    found = mx.sort(x, axis)
    return mx.flip(found, axis) if descending else found


def searchsorted(
    x1: mx.array, x2: Any, /, *, side: str = "left", sorter: mx.array | None = None
) -> mx.array:
    """Where values belong in a sorted array."""
    x1 = x1 if sorter is None else mx.take(x1, mx.stop_gradient(sorter))
    x2 = x2 if isinstance(x2, mx.array) else mx.array(x2, x1.dtype)
    dtype = mx.result_type(x1, x2)
    return mx.searchsorted(x1.astype(dtype), x2.astype(dtype), side=side).astype(INDEX)


def take(x: mx.array, indices: mx.array, /, *, axis: int | None = None) -> mx.array:
    """Elements along an axis."""
    return mx.take(x, mx.stop_gradient(indices), axis=axis)


def take_along_axis(x: mx.array, indices: mx.array, /, *, axis: int = -1) -> mx.array:
    """An element of each line."""
    return mx.take_along_axis(x, mx.stop_gradient(indices), axis=axis)


def nonzero(x: mx.array, /) -> tuple[mx.array, ...]:
    """Where an array is not zero. It evaluates the array: the number of places is a shape."""
    return tuple(mx.array(i, dtype=INDEX) for i in np.nonzero(np.asarray(x != 0)))


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> mx.array:
    """Which elements are among others."""
    values = x2 if isinstance(x2, mx.array) else mx.array(x2)
    x1 = x1 if isinstance(x1, mx.array) else mx.array(x1, values.dtype)
    found = mx.any(x1[..., None] == mx.reshape(values, (-1,)), -1)
    return mx.logical_not(found) if invert else found


class _All(NamedTuple):
    values: mx.array
    indices: mx.array
    inverse_indices: mx.array
    counts: mx.array


class _Counts(NamedTuple):
    values: mx.array
    counts: mx.array


class _Inverse(NamedTuple):
    values: mx.array
    inverse_indices: mx.array


def unique_all(x: mx.array, /) -> _All:
    """The different values and where they are. It evaluates the array."""
    flat = mx.reshape(x, (-1,))
    _, first, inverse, counts = np.unique(
        np.asarray(flat),
        return_index=True,
        return_inverse=True,
        return_counts=True,
        equal_nan=False,
    )
    where, back, many = (mx.array(i, dtype=INDEX) for i in (first, inverse, counts))
    return _All(mx.take(flat, mx.stop_gradient(where)), where, mx.reshape(back, x.shape), many)


def unique_counts(x: mx.array, /) -> _Counts:
    """The different values and how often they are there."""
    found = unique_all(x)
    return _Counts(found.values, found.counts)


def unique_inverse(x: mx.array, /) -> _Inverse:
    """The different values, and which of them stands where."""
    found = unique_all(x)
    return _Inverse(found.values, found.inverse_indices)


def unique_values(x: mx.array, /) -> mx.array:
    """The different values."""
    return unique_all(x).values
