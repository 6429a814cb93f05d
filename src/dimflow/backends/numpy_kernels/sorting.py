"""Sorting on NumPy."""

from typing import Any

import numpy as np


def _kind(stable: bool) -> Any:
    return "stable" if stable else "quicksort"


def sort(x: Any, axis: Any, stable: bool, descending: bool) -> Any:
    """In order; the other way round if descending."""
    result = np.sort(x, axis=axis, kind=_kind(stable))
    return np.flip(result, axis=-1 if axis is None else axis) if descending else result


def argsort(x: Any, axis: Any, stable: bool, descending: bool) -> Any:
    """Descending order is that of the array turned round, so that equal elements keep theirs."""
    if not descending:
        return np.argsort(x, axis=axis, kind=_kind(stable))
    x, axis = (np.ravel(x), 0) if axis is None else (np.asarray(x), axis)
    turned = np.argsort(np.flip(x, axis=axis), axis=axis, kind=_kind(stable))
    return x.shape[axis] - 1 - np.flip(turned, axis=axis)


def unique_index(x: Any, axis: Any, equal_nan: bool) -> Any:
    """NumPy's unique, without the values."""
    _, indices, inverse, counts = np.unique(
        x,
        return_index=True,
        return_inverse=True,
        return_counts=True,
        axis=axis,
        equal_nan=equal_nan,
    )
    shape = np.shape(x) if axis is None else (np.shape(x)[axis],)
    from dimflow import ops

    return ops.unique_index.result_type(indices, inverse.reshape(shape), counts)


def unique_values(x: Any) -> Any:
    """In order, which NumPy's function of this name does not promise."""
    return np.unique(x, equal_nan=False)
