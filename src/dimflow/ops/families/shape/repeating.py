"""Repeating and rearranging: elements picked by places that are known without data."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import ShapeMismatch
from dimflow.ops.domain import Sample
from dimflow.ops.families.index.keys import INDEX
from dimflow.ops.families.shape.shaping import as_shape, static_shape
from dimflow.ops.rules import points
from dimflow.ops.rules.shapes import normalized
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import Call, Resolved, UnitRule, same
from dimflow.ops.standard import adapters
from dimflow.ops.table import composite


def _pick(x: Any, places: Any, axis: int) -> Any:
    return ops.take(x, np.asarray(places, np.intp), axis=axis)


def _flat(x: Any, axis: Any) -> tuple[Any, int]:
    """The array and the axis to work along; None flattens."""
    if axis is None:
        return ops.reshape(x, shape=(-1,)), 0
    return x, normalized(axis, len(shape_of(x)))[0]


@composite(
    numpy="tile",
    array_api=("tile", None),
    torch="tile",
    unit=same,
    points=points.free,
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)),), {"reps": reps})
        for reps in (2, (2, 1), (3, 1, 2), (0, 2))
    ],
)
def tile(x: Any, /, reps: Any) -> Any:
    """The whole array again and again, so many times along each axis."""
    shape, times = static_shape(x, "tile"), as_shape(reps)
    n = max(len(shape), len(times))
    shape = (1,) * (n - len(shape)) + shape
    times = (1,) * (n - len(times)) + times
    apart = ops.reshape(x, shape=tuple(m for length in shape for m in (1, length)))
    pairs = [m for pair in zip(times, shape, strict=True) for m in pair]
    whole = tuple(r * length for r, length in zip(times, shape, strict=True))
    return ops.reshape(ops.broadcast_to(apart, shape=tuple(pairs)), shape=whole)


@composite(
    numpy="repeat",
    array_api=("repeat", None),
    torch="repeat_interleave",
    unit=same,
    points=points.free,
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)),), {"repeats": 2, "axis": None}),
        Sample((rng.normal(size=(2, 3)),), {"repeats": (1, 0, 2), "axis": 1}),
        Sample((rng.normal(size=(2, 3)),), {"repeats": (3,), "axis": 0}),
    ],
)
def repeat(x: Any, /, repeats: Any, axis: Any = None) -> Any:
    """Every element so many times in a row: one number for all, or one for each."""
    x, axis = _flat(x, axis)
    return _pick(x, np.repeat(np.arange(static_shape(x, "repeat", axis)[axis]), repeats), axis)


@composite(
    numpy="roll",
    array_api="roll",
    torch="roll",
    unit=same,
    points=points.free,
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)),), {"shift": 2, "axis": None}),
        Sample((rng.normal(size=(2, 3)),), {"shift": -4, "axis": 1}),
        Sample((rng.normal(size=(2, 3)),), {"shift": (1, 2), "axis": (0, 1)}),
        Sample((rng.normal(size=(2, 3)),), {"shift": 1, "axis": (0, 1)}),
        Sample((rng.normal(size=(2, 3)),), {"shift": (1, 1), "axis": 1}),
    ],
)
def roll(x: Any, /, shift: Any, axis: Any = None) -> Any:
    """Elements moved along axes; those that leave at one end come back at the other."""
    if axis is None:
        flat = ops.roll(ops.reshape(x, shape=(-1,)), shift, axis=0)
        return ops.reshape(flat, shape=shape_of(x))
    shape = static_shape(x, "roll")
    shifts, axes = np.broadcast_arrays(np.asarray(shift), np.asarray(axis))
    for by, along in zip(shifts.ravel(), axes.ravel(), strict=True):
        (i,) = normalized(int(along), len(shape))
        n = shape[i]
        at = -int(by) % n if n else 0
        before: tuple[Any, ...] = (slice(None),) * i
        if at:
            ends = slice(at, None), slice(None, at)
            x = ops.concat([ops.index(x, key=(*before, end)) for end in ends], axis=i)
    return x


@composite(
    numpy="resize",
    unit=same,
    points=points.free,
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)),), {"new_shape": s}) for s in ((2, 5), 3, (2, 1, 1))
    ],
)
def resize(x: Any, /, new_shape: Any) -> Any:
    """The elements in a shape of any size, again from the first where they do not suffice."""
    shape = as_shape(new_shape)
    flat = ops.reshape(x, shape=(-1,))
    count, total = static_shape(flat, "resize")[0], int(np.prod(shape))
    if count == 0:
        return ops.zeros_like(x, shape=shape)
    return ops.reshape(_pick(flat, np.arange(total) % count, 0), shape=shape)


def _kept(n: int, obj: Any) -> Any:
    """The places that are left without some."""
    if not isinstance(obj, slice):
        obj = np.asarray(obj)
        if obj.dtype.kind == "f" and not obj.size:
            obj = obj.astype(np.intp)
    mask = np.ones(n, bool)
    try:
        mask[obj] = False
    except IndexError as error:
        raise ShapeMismatch("delete", f"places among {n} elements", obj) from error
    return np.flatnonzero(mask)


@composite(
    numpy="delete",
    unit=same,
    points=points.free,
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 5)),), {"obj": 1, "axis": None}),
        Sample((rng.normal(size=(2, 5)),), {"obj": (1, -1), "axis": 1}),
        Sample((rng.normal(size=(2, 5)),), {"obj": slice(None, None, 2), "axis": 1}),
    ],
)
def delete(x: Any, /, obj: Any, axis: Any = None) -> Any:
    """Without some elements, or slices along an axis: an index, several, a slice or a mask."""
    x, axis = _flat(x, axis)
    return _pick(x, _kept(static_shape(x, "delete", axis)[axis], obj), axis)


@composite(
    numpy="insert",
    arrays=("x", "values"),
    unit=same,
    points=points.keep,
    domain=lambda rng: [
        Sample((rng.normal(size=5), rng.normal(size=())), {"obj": 2, "axis": None}),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=2)), {"obj": (1, 4), "axis": None}),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=2)), {"obj": 1, "axis": 1}),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(2, 1))), {"obj": (1,), "axis": 1}),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=3)), {"obj": (2, 0, 0), "axis": 0}),
        Sample((rng.normal(size=(4, 2)), rng.normal(size=())), {"obj": slice(0, 4, 2), "axis": 0}),
    ],
)
def insert(x: Any, /, obj: Any, values: Any, axis: Any = None) -> Any:
    """With values before some places along an axis. Unlike NumPy's, fractions are not cut off."""
    x, axis = _flat(x, axis)
    shape = static_shape(x, "insert")
    n = shape[axis]
    at = np.arange(n)[obj] if isinstance(obj, slice) else np.asarray(obj)
    if at.dtype.kind == "b":
        at = np.flatnonzero(at)
    if at.size and (at.min() < -n or at.max() > n):
        raise ShapeMismatch("insert", f"places from {-n} to {n}", obj)
    values = _as_inserted(values, shape, axis, at)
    count = shape_of(values)[axis]
    places = np.repeat(at.ravel(), count) if at.size == 1 else at
    places = np.where(places < 0, places + n, places)
    # a value goes before the element whose number it was given
    order = np.argsort(np.concatenate([np.arange(n) + 0.5, places]), kind="stable")
    return _pick(ops.concat([x, values], axis=axis), order, axis)


def _as_inserted(values: Any, shape: Any, axis: int, at: Any) -> Any:
    """Values with an axis for the places, and stretched along all others."""
    missing = len(shape) - len(shape_of(values))
    if missing > 0:
        values = ops.reshape(values, shape=(1,) * missing + shape_of(values))
    if at.ndim == 0:
        values = ops.moveaxis(values, source=0, destination=axis)
    own = shape_of(values)[axis]
    count = own if at.size == 1 else at.size
    return ops.broadcast_to(values, shape=(*shape[:axis], count, *shape[axis + 1 :]))


# Triangles and diagonals: what lies outside them is 0, which is no point on a scale


def _triangle(x: Any, k: int, name: str) -> Any:
    """Which elements lie on the diagonal k or below it."""
    shape = static_shape(x, name)
    if len(shape) < 2:
        raise ShapeMismatch(name, "two axes or more", shape)
    return np.tri(shape[-2], shape[-1], k, bool)


def _triangles(rng: Any) -> list[Sample]:
    return [
        Sample((rng.normal(size=s),), {"k": k})
        for s, k in (((3, 3), 0), ((2, 4), 1), ((2, 3, 3), -1))
    ]


@composite(
    numpy="tril",
    array_api="tril",
    torch="tril",
    unit=same,
    points=points.refuse,
    domain=_triangles,
)
def tril(x: Any, /, k: int = 0) -> Any:
    """The lower triangle, with zeros above the diagonal k."""
    return ops.where(_triangle(x, k, "tril"), x, ops.zeros_like(x))


@composite(
    numpy="triu",
    array_api="triu",
    torch="triu",
    unit=same,
    points=points.refuse,
    domain=_triangles,
)
def triu(x: Any, /, k: int = 0) -> Any:
    """The upper triangle, with zeros below the diagonal k."""
    return ops.where(_triangle(x, k - 1, "triu"), ops.zeros_like(x), x)


@composite(
    numpy="diagonal",
    array_api=("linalg.diagonal", adapters.diagonal),
    torch="diagonal",
    unit=same,
    points=points.free,
    domain=lambda rng: (
        [
            Sample((rng.normal(size=(3, 4)),), {"offset": k, "axis1": 0, "axis2": 1})
            for k in (0, 1, -2)
        ]
        + [Sample((rng.normal(size=(2, 3, 4)),), {"offset": 1, "axis1": -1, "axis2": 0})]
    ),
)
def diagonal(x: Any, /, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonal of two axes, as the last axis."""
    shape = static_shape(x, "diagonal")
    i, j = normalized((axis1, axis2), len(shape))
    rows = np.arange(max(-offset, 0), shape[i])
    rows = rows[rows + offset < shape[j]]
    ends = ops.moveaxis(x, source=(i, j), destination=(-2, -1))
    return ops.index(ends, rows, rows + offset, key=(..., INDEX, INDEX))


def _diag_points(rule: UnitRule, call: Call) -> Resolved:
    """Zeros appear only where a matrix is made."""
    shape = call.shapes[0]
    policy = points.refuse if shape is None or len(shape) < 2 else points.free
    return policy(rule, call)


@composite(
    numpy="diag",
    torch="diag",
    unit=UnitRule(same.function, needs_shapes=True),
    points=_diag_points,
    domain=lambda rng: [
        Sample((rng.normal(size=s),), {"k": k})
        for s, k in (((3,), 0), ((3,), -2), ((3, 4), 1), ((3, 3), 0))
    ],
)
def diag(x: Any, /, k: int = 0) -> Any:
    """The diagonal of a matrix, or the matrix with that diagonal and zeros elsewhere."""
    shape = shape_of(x)
    if len(shape) == 2:
        return ops.diagonal(x, offset=k)
    if len(shape) != 1:
        raise ShapeMismatch("diag", "one axis or two", shape)
    n = static_shape(x, "diag")[0] + abs(k)
    rows = np.arange(shape[0]) + max(-k, 0)
    zeros = ops.zeros_like(x, shape=(n, n))
    return ops.index_set(zeros, x, rows, rows + k, key=(INDEX, INDEX))


@composite(
    numpy="diagflat",
    torch="diagflat",
    unit=same,
    points=points.refuse,
    domain=lambda rng: [Sample((rng.normal(size=(2, 2)),), {"k": k}) for k in (0, 1)],
)
def diagflat(x: Any, /, k: int = 0) -> Any:
    """The matrix with all elements along its diagonal k."""
    return ops.diag(ops.reshape(x, shape=(-1,)), k=k)
