"""Quantiles of rows that are whole: exact, as NumPy's, whatever the blocks were.

Dask's own percentile puts those of blocks together, which is an estimate.
"""

from collections.abc import Callable
from typing import Any

from dimflow import ops
from dimflow.backends.dask_blocks.looping import looped
from dimflow.backends.dask_blocks.trees import on_rows
from dimflow.ops import Op
from dimflow.ops.rules.shapes import normalized


def _on_rows(op: Op, x: Any, q: Any, axis: Any, weights: Any, **params: Any) -> Any:
    """The parts q of each row, along first axes."""
    whole = normalized(axis, x.ndim)
    kept = tuple(None if i in whole else i for i in range(x.ndim))
    axes = [kept]
    parts = getattr(q, "ndim", 0)
    if hasattr(q, "ndim"):
        axes.append((None,) * parts)
    if weights is not None:
        is_row = weights.ndim == 1 and len(whole) == 1
        axes.append((None,) if is_row else kept[x.ndim - weights.ndim :])
    rest = kept if params["keepdims"] else tuple(i for i in kept if i is not None)
    out = (*[None] * parts, *rest)
    return looped(op, (x, q, weights), {"axis": axis, **params}, axes, [out])


def _quantiles(op: Op) -> Callable[..., Any]:
    def kernel(
        x: Any,
        q: Any,
        axis: Any = None,
        method: str = "linear",
        keepdims: bool = False,
        *,
        weights: Any = None,
    ) -> Any:
        return _on_rows(op, x, q, axis, weights, method=method, keepdims=keepdims)

    return kernel


quantile, percentile = _quantiles(ops.quantile), _quantiles(ops.percentile)
nanquantile, nanpercentile = _quantiles(ops.nanquantile), _quantiles(ops.nanpercentile)


def median(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The middle of each row."""
    return on_rows(ops.median, x, axis, keepdims)


def nanmedian(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The middle of the elements that are numbers."""
    return on_rows(ops.nanmedian, x, axis, keepdims)
