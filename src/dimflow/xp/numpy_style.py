"""Functions of the namespace that callers such as xarray give NumPy's keywords.

The standard has neither these keywords nor literals: code to it says NaN by `xp.asarray(nan)`, and
one such number beside an array stands for itself in any unit, as the bare number does.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from dimflow import ops
from dimflow.array.core import Core
from dimflow.backends import backend_of
from dimflow.errors import UnitError
from dimflow.ops.rules.units import PURE


def literal(x: Any) -> Any:
    """One pure number as a bare one, so that 0, NaN and infinities have any unit; else itself."""
    is_pure_number = isinstance(x, Core) and x._unit.key is PURE.key and not x.shape
    return x._raw if is_pure_number and backend_of(x._raw).name == "numpy" else x


def where(condition: Any, x1: Any, x2: Any, /) -> Any:
    """Elements of the first array where the condition holds, else of the second."""
    return ops.where(condition, literal(x1), literal(x2))


def std(
    x: Any,
    /,
    *,
    axis: Any = None,
    correction: float = 0.0,
    keepdims: bool = False,
    ddof: Any = None,
) -> Any:
    """The standard deviation; `ddof` is NumPy's name of `correction`."""
    return ops.std(x, axis, ddof=correction if ddof is None else ddof, keepdims=keepdims)


def var(
    x: Any,
    /,
    *,
    axis: Any = None,
    correction: float = 0.0,
    keepdims: bool = False,
    ddof: Any = None,
) -> Any:
    """The variance, in the square of the unit; `ddof` is NumPy's name of `correction`."""
    return ops.var(x, axis, ddof=correction if ddof is None else ddof, keepdims=keepdims)


def _reduction(name: str) -> Callable[..., Any]:
    """`any` and `all`, to which NumPy hands an `out` that is None on behalf of others."""
    op = ops.get(name)

    def call(x: Any, /, *, axis: Any = None, keepdims: bool = False, out: None = None) -> Any:
        if out is not None:
            raise UnitError(f"{name} writes into no array here", "leave `out` away")
        return op(x, axis, keepdims=keepdims)

    call.__name__, call.__doc__ = name, op.doc
    return call


def _by_name(name: str) -> Callable[..., Any]:
    """A quantile whose `q` may be given by name, as NumPy's may."""
    op = ops.get(name)

    def call(x: Any, /, q: Any, axis: Any = None, *, method: str = "linear", **options: Any) -> Any:
        return op(x, q, axis=axis, method=method, **options)

    call.__name__, call.__doc__ = name, op.doc
    return call


def sliding_window_view(x: Any, /, window_shape: Any, axis: Any = None, **options: Any) -> Any:
    """Windows along axes, as new axes at the end; how they lie in memory is the library's."""
    axes = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    lengths = (window_shape,) if isinstance(window_shape, int) else tuple(window_shape)
    places = [place % x.ndim for place in axes]  # what is new comes behind, and moves none of them
    for place, length in zip(places, lengths, strict=True):
        windows = ops.sliding_windows(ops.moveaxis(x, place, -1), window_shape=(length,))
        x = ops.moveaxis(windows, -2, place)
    return x


LIB = SimpleNamespace(stride_tricks=SimpleNamespace(sliding_window_view=sliding_window_view))
QUANTILES = ("quantile", "nanquantile", "percentile", "nanpercentile")
FORMS: dict[str, Callable[..., Any]] = {
    "where": where,
    "std": std,
    "var": var,
    **{name: _reduction(name) for name in ("any", "all")},
    **{name: _by_name(name) for name in QUANTILES},
}
