"""Histograms on NumPy."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import UnitError


def spaced_edges(x: Any, bins: Any = 10, *, range: Any = None) -> Any:
    """Edges of one width."""
    return np.histogram_bin_edges(x, bins, None if range is None else tuple(range))


def bin_counts(x: Any, edges: Any, *, evenly: bool = False) -> Any:
    """Counts by np.histogram, which needs no search where the edges are evenly spaced."""
    return bin_sums(x, edges, None, evenly=evenly)


def bin_sums(x: Any, edges: Any, weights: Any, *, evenly: bool = False) -> Any:
    """The same with weights."""
    edges = np.asarray(edges)
    if evenly:
        ends = edges[0], edges[-1]
        return np.histogram(x, bins=len(edges) - 1, range=ends, weights=weights)[0]
    return np.histogram(x, bins=edges, weights=weights)[0]


def integer_counts(x: Any, minlength: int = 0) -> Any:
    """By np.bincount."""
    return np.bincount(x, minlength=minlength)


def integer_sums(x: Any, weights: Any, minlength: int = 0) -> Any:
    """By np.bincount with weights."""
    return np.bincount(x, weights, minlength)


def bin_index(x: Any, edges: Any) -> Any:
    """By search; the last bin holds its upper edge."""
    x, edges = np.asarray(x), np.asarray(edges)
    if edges.ndim != 1 or np.any(edges[1:] < edges[:-1]):
        raise UnitError("bins need edges along one axis that rise", "sort them first: sort(edges)")
    count = len(edges) - 1
    found = np.searchsorted(edges, x, side="right") - 1
    found = np.where(x == edges[-1], count - 1, found)
    return np.where((found < 0) | (x > edges[-1]) | np.isnan(x), count, found)


# Bins may be edges with units where the values are bare numbers: the definition checks them.


def _defined(name: str) -> Any:
    def kernel(*args: Any, **options: Any) -> Any:
        definition = ops.get(name).definition
        assert definition is not None
        return definition(*args, **options)

    return kernel


histogram_bin_edges = _defined("histogram_bin_edges")
histogram = _defined("histogram")
histogram2d = _defined("histogram2d")
histogramdd = _defined("histogramdd")
