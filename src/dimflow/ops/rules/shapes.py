"""Shape rules: from the shapes of the arrays and the static parameters to those of the results.

A length of None is known to the data alone (how many elements a mask picks).
"""

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

from dimflow.errors import ShapeMismatch

Shape = tuple[int | None, ...]
ShapeRule = Callable[[tuple[Any, ...], dict[str, Any]], Any]


def broadcast(shapes: tuple[Any, ...], params: dict[str, Any]) -> Shape:
    """The shape that all meet in, as NumPy broadcasts."""
    return broadcast_shapes(shapes)


def broadcast_shapes(shapes: Sequence[Any]) -> Shape:
    """The common shape of several; arguments that were left out (None) do not count."""
    shapes = [s for s in shapes if s is not None]
    ndim = max([0, *map(len, shapes)])
    result: list[int | None] = []
    for axis in range(-ndim, 0):
        lengths = [s[axis] for s in shapes if len(s) >= -axis]
        known = {n for n in lengths if n is not None and n != 1}
        if len(known) > 1:
            texts = ", ".join(map(str, shapes))
            raise ShapeMismatch("broadcasting", "shapes that agree or are 1 in each axis", texts)
        result.append(known.pop() if known else None if None in lengths else 1)
    return tuple(result)


def unchanged(shapes: tuple[Any, ...], params: dict[str, Any]) -> Shape:
    """That of the first array."""
    return tuple(shapes[0])


def reduced(shapes: tuple[Any, ...], params: dict[str, Any]) -> Shape:
    """Without the axes of `axis`, or with 1 in their place if `keepdims`."""
    return without(shapes[0], params.get("axis"), params.get("keepdims", False))


def without(shape: Any, axis: Any, keepdims: bool = False) -> Shape:
    """A shape without some axes (None: without any)."""
    dropped = reduced_axes(axis, len(shape))
    if keepdims:
        return tuple(1 if i in dropped else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in dropped)


def reduced_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """Axes that a reduction drops. As in NumPy a number, which has none, may be asked for one."""
    return () if not ndim and axis in (0, -1) else normalized(axis, ndim)


def normalized(axis: Any, ndim: int) -> tuple[int, ...]:
    """Axes as numbers from 0; all of them for None."""
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    result = []
    for a in map(index, axes):
        if not -ndim <= a < ndim:
            raise ShapeMismatch("axis", f"an axis from {-ndim} to {ndim - 1}", a)
        result.append(a % ndim)
    if len(set(result)) != len(result):
        raise ShapeMismatch("axis", "axes that differ", axis)
    return tuple(result)


def is_by_columns(order: Any) -> bool:
    """Whether elements are counted in Fortran's order; only NumPy's arrays have others than two."""
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F' (got {order!r})")
    return bool(order == "F")


def size(shape: Any) -> int | None:
    """How many elements a shape has; None if not known."""
    result = 1
    for n in shape:
        if n is None:
            return None
        result *= n
    return result


def length(shape: Any, axis: Any) -> int | None:
    """How many elements lie along the axes (None: all of them)."""
    return size([shape[a] for a in reduced_axes(axis, len(shape))])


def is_known(shape: Sequence[Any]) -> bool:
    """Whether no length is one that only the data know (nan)."""
    return all(n == n for n in shape)


def same_shape(shape: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two shapes are equal, where lengths that only the data know (nan) pass for equal."""
    pairs = zip(shape, other, strict=False)
    return len(shape) == len(other) and all(n == m or (n != n and m != m) for n, m in pairs)


def broadcast_to_each(count: int) -> ShapeRule:
    """Broadcast, for an op with several results."""
    return lambda shapes, params: (broadcast_shapes(shapes),) * count
