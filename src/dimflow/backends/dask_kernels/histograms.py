"""Histograms: the counts of every block, summed. Edges are known to all blocks whole."""

from typing import Any

import dask.array as da
import numpy as np
from dask.array.utils import meta_from_array

from dimflow import ops
from dimflow.backends.dask_blocks.looping import Axes, folded, looped
from dimflow.ops import Op
from dimflow.ops.definitions import histograms as definitions


def spaced_edges(x: Any, bins: Any = 10, *, range: Any = None) -> Any:
    """From the extremes of all blocks. An estimator of the number of bins sees all values at once.

    How many edges there are is then known only with the data.
    """
    if not isinstance(bins, str):
        return definitions.spaced_edges(x, bins, range=range).rechunk(-1)
    axes = [(None,) * a.ndim for a in (x, range) if a is not None]
    return looped(ops.spaced_edges, (x, range), {"bins": bins}, axes, [(None,)])


def bin_counts(x: Any, edges: Any, *, evenly: bool = False) -> Any:
    """The counts of every block, summed."""
    axes = [tuple(range(x.ndim)), (None,)]
    params = {"evenly": evenly}
    return folded(ops.bin_counts, (x, edges), params, axes, (None,), da.sum)


def bin_sums(x: Any, edges: Any, weights: Any, *, evenly: bool = False) -> Any:
    """The sums of every block, summed."""
    loops = tuple(range(x.ndim))
    axes = [loops, (None,), loops[x.ndim - weights.ndim :]]
    args, params = (x, edges, weights), {"evenly": evenly}
    return folded(ops.bin_sums, args, params, axes, (None,), da.sum)


def bin_index(x: Any, edges: Any) -> Any:
    """Every block among all edges."""
    return _among(ops.bin_index, x, edges)


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """Every block among all edges."""
    return _among(ops.digitize, x, bins, right=right)


def _among(op: Op, x: Any, edges: Any, **params: Any) -> Any:
    loops = tuple(range(x.ndim))
    return looped(op, (x, edges), params, [loops, (None,)], [loops])


def integer_counts(x: Any, minlength: int = 0) -> Any:
    """The counts of every block, summed; how many there are is known only with the data."""
    return _counted(ops.integer_counts, (x,), minlength)


def integer_sums(x: Any, weights: Any, minlength: int = 0) -> Any:
    """The sums of every block, summed."""
    return _counted(ops.integer_sums, (x, weights), minlength)


def _counted(op: Op, args: tuple[Any, ...], minlength: int) -> Any:
    axes: list[Axes] = [(0,)] * len(args)
    params = {"minlength": minlength}
    return folded(op, args, params, axes, (None,), _of_any_length)


def _of_any_length(parts: Any, axis: tuple[int, ...]) -> Any:
    """The sum of counts of blocks, of which the shorter have seen no large integer."""
    meta = meta_from_array(parts._meta, 1, parts.dtype)
    return da.blockwise(_padded_sum, (2,), parts, (0, 1), new_axes={2: np.nan}, meta=meta)


def _padded_sum(blocks: Any) -> Any:
    """A column of blocks, each of one row."""
    rows = [row[0][0] if isinstance(row, list) else row[0] for row in blocks]
    longest = max(rows, key=len)
    total = np.zeros_like(longest)
    for row in rows:
        total[: len(row)] += row
    return total
