"""Calculus on Dask: on blocks where rows are whole, else by definitions, which gather nothing."""

from typing import Any

import dask.array as da
import numpy as np

from dimflow import ops
from dimflow.backends.abstract import Abstract
from dimflow.backends.dask_blocks.block_op import ARRAYS
from dimflow.backends.dask_blocks.known_numbers import numbers_of
from dimflow.backends.dask_blocks.lengths import known_lengths
from dimflow.backends.dask_blocks.looping import Axes, looped
from dimflow.ops import Op
from dimflow.ops.rules.shapes import normalized


def diff(x: Any, /, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """By the definition; truth values differ where they are not equal."""
    if x.dtype != bool or prepend is not None or append is not None or n < 1:
        return ops.diff.rule("definition")(x, n=n, axis=axis, prepend=prepend, append=append)
    (along,) = normalized(axis, x.ndim)
    lead = (slice(None),) * along
    for _ in range(n):
        x = x[(*lead, slice(1, None))] != x[(*lead, slice(None, -1))]
    return x


def gradient(f: Any, /, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """By Dask's function, which looks at neighbours across the cuts; else by the definition.

    Dask wants blocks that are long enough, and steps and coordinates that are known.
    """
    axes = normalized(axis, f.ndim)
    if f.dtype.kind in "iu":  # whose differences would wrap around
        f = f.astype(np.float64)
    varargs = tuple(np.asarray(v) if isinstance(v, (list, tuple)) else v for v in varargs)
    steps = [_known(step) for step in varargs]
    is_short = any(not min(f.chunks[a]) > edge_order for a in axes)  # or its length is not known
    is_small = f.dtype.kind not in "fc" or f.dtype.itemsize < 4
    if is_short or is_small or any(step is None for step in steps):
        define = ops.gradient.rule("definition")
        return _in_dtype_of(f, define(f, *varargs, axis=axis, edge_order=edge_order))
    found = da.gradient(f, *steps, axis=axes, edge_order=edge_order)
    return found[0] if len(axes) == 1 else tuple(found)


def _in_dtype_of(f: Any, found: Any) -> Any:
    """Steps in double precision make no single precision double, as NumPy has it."""
    if isinstance(found, tuple):
        return tuple(_in_dtype_of(f, part) for part in found)
    return found if found.dtype == f.dtype or f.dtype.kind not in "fc" else found.astype(f.dtype)


def _known(step: Any) -> Any:
    """A step as a number, coordinates as NumPy's array; None where they would be computed."""
    if isinstance(step, (int, float)):
        return step
    numbers = numbers_of(np.asarray(step) if isinstance(step, np.generic) else step)
    return numbers if numbers is None or numbers.ndim else numbers.item()


def trapezoid(y: Any, /, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral along an axis."""
    return _integral(ops.trapezoid, y, x, dx, axis)


def simpson(y: Any, /, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral by parabolas."""
    return _integral(ops.simpson, y, x, dx, axis)


def _integral(op: Op, y: Any, x: Any, dx: Any, axis: int) -> Any:
    axes = _row_axes(y, axis, x, dx)
    if axes is None:
        return op.rule("definition")(y, x=x, dx=dx, axis=axis)
    out = tuple(label for label in axes[0] if label is not None)
    return looped(op, (y, x, dx), {"axis": axis}, axes, [out])


def cumulative_trapezoid(
    y: Any, /, x: Any = None, dx: Any = 1.0, axis: int = -1, *, initial: Any = None
) -> Any:
    """The integral up to each value."""
    op = ops.cumulative_trapezoid
    axes = _row_axes(y, axis, x, dx, initial)
    if axes is None:
        return op.rule("definition")(y, x=x, dx=dx, axis=axis, initial=initial)
    return looped(op, (y, x, dx, initial), {"axis": axis}, axes, [axes[0]])


def _row_axes(y: Any, axis: int, x: Any, *steps: Any) -> list[Axes] | None:
    """The axes of all arrays, if the rows of y are whole; None if they are not.

    Coordinates x are those of one axis, or go with y; steps are single numbers.
    """
    (along,) = normalized(axis, y.ndim)
    if y.numblocks[along] != 1 or any(np.ndim(step) for step in steps if hasattr(step, "ndim")):
        return None
    kept = tuple(None if i == along else i for i in range(y.ndim))
    axes: list[Axes] = [kept]
    if x is not None:
        axes.append((None,) if x.ndim == 1 else kept[y.ndim - x.ndim :])
    return axes + [()] * sum(isinstance(step, ARRAYS) for step in steps)


def unwrap(x: Any, /, discont: Any = None, axis: int = -1, *, period: Any = None) -> Any:
    """Without jumps of a period, in the blocks of x."""
    op = ops.unwrap
    axes = _row_axes(x, axis, None, discont, period)
    if axes is None:
        found = op.rule("definition")(x, discont=discont, axis=axis, period=period)
        return found.rechunk(x.chunks)
    return looped(op, (x, discont, period), {"axis": axis}, axes, [axes[0]])


def interp(
    x: Any, xp: Any, fp: Any, /, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """Every block between all samples."""
    args = (x, xp, fp, left, right, period)
    arrays = [a for a in args if isinstance(a, ARRAYS)]
    if not isinstance(x, ARRAYS):
        return ops.interp.rule("definition")(*args)
    loops = tuple(range(x.ndim))
    axes = [loops, *((None,) * a.ndim for a in arrays[1:])]
    kind = np.result_type(np.float64, *(a.dtype for a in arrays if a is fp))  # as NumPy has it
    result = Abstract(known_lengths(x.shape), kind)
    return looped(ops.interp, args, {}, axes, [loops], result)
