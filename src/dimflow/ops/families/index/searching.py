"""Searching and picking: along an axis, by conditions, by order."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import ShapeMismatch
from dimflow.ops.definitions import arranging as definitions
from dimflow.ops.domain import Sample
from dimflow.ops.families.index.keys import INDEX, MASK, within
from dimflow.ops.families.shape.shaping import static_shape
from dimflow.ops.rules import batching, costs, dtypes, points
from dimflow.ops.rules.derivatives import DISCRETE
from dimflow.ops.rules.shapes import broadcast_shapes, normalized
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import (
    PURE,
    Call,
    Resolved,
    UnitRule,
    any_to_plain,
    common,
    first,
    pure,
    pure_to_plain,
    same_to_mask,
    unit_rule,
)
from dimflow.ops.standard import picking
from dimflow.ops.table import composite, primitive

# Along an axis: indices of the shape of the result


def _grid(shape: Any, indices: Any, axis: int) -> list[Any]:
    """The places of all elements, with `indices` along one axis."""
    n = len(shape)
    counts = [np.arange(length).reshape([-1] + [1] * (n - 1 - i)) for i, length in enumerate(shape)]
    return [indices if i == axis else count for i, count in enumerate(counts)]


def _key(x: Any) -> tuple[str, ...]:
    return (INDEX,) * len(shape_of(x))


@composite(
    numpy="take_along_axis",
    array_api=("take_along_axis", picking.take_along_axis),
    torch="take_along_dim",
    unit=first,
    points=points.free,
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 4)), rng.integers(0, 4, (3, 2))), {"axis": 1}),
        Sample((rng.normal(size=(3, 4)), rng.integers(0, 3, (2, 1))), {"axis": 0}),
        Sample((rng.normal(size=(3, 4)), rng.integers(0, 12, 3)), {"axis": None}),
    ],
)
def take_along_axis(x: Any, indices: Any, /, axis: Any = -1) -> Any:
    """For each place of `indices`, the element of x that it names along the axis."""
    if axis is None:
        return ops.take(x, indices)
    shape = static_shape(x, "take_along_axis")
    if len(shape_of(indices)) != len(shape):
        raise ShapeMismatch("take_along_axis", f"indices of {len(shape)} axes", shape_of(indices))
    (axis,) = normalized(axis, len(shape))
    return ops.index(x, *_grid(shape, indices, axis), key=_key(x))


@composite(
    torch="gather",
    onnx="GatherElements",
    unit=first,
    points=points.free,
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 4)), rng.integers(0, 3, (2, 4))), {"axis": 0}),
        Sample((rng.normal(size=(3, 4)), rng.integers(0, 4, (2, 5))), {"axis": -1}),
    ],
)
def gather(x: Any, indices: Any, /, axis: int) -> Any:
    """The same, where `indices` may be shorter than x along the other axes and never stretch."""
    places, (axis,) = static_shape(indices, "gather"), normalized(axis, len(shape_of(x)))
    _shorter("gather", places, shape_of(x), axis)
    return ops.index(x, *_grid(places, indices, axis), key=_key(x))


def _shorter(op: str, places: Any, shape: Any, axis: int) -> None:
    fits = len(places) == len(shape) and all(
        n <= m for i, (n, m) in enumerate(zip(places, shape, strict=True)) if i != axis
    )
    if not fits:
        raise ShapeMismatch(op, f"indices no longer than {shape} beside axis {axis}", places)


def _scattered(op: Any, name: str, x: Any, indices: Any, values: Any, axis: int) -> Any:
    places, (axis,) = static_shape(indices, name), normalized(axis, len(shape_of(x)))
    _shorter(name, places, shape_of(x), axis)
    return op(x, values, *_grid(places, indices, axis), key=_key(x))


def _scatter_samples(rng: Any) -> list[Sample]:
    x = rng.normal(size=(3, 4))
    rows = np.argsort(rng.normal(size=(3, 4)), axis=0)[:2]
    return [
        Sample((x, rows, rng.normal(size=(2, 4))), {"axis": 0}),
        Sample((x, rows.T[:3], rng.normal(size=())), {"axis": 1}),
    ]


@composite(torch="scatter", onnx="ScatterElements", domain=_scatter_samples)
def scatter(x: Any, indices: Any, values: Any, /, axis: int) -> Any:
    """x with values in the places that `indices` name along an axis, as a new array."""
    return _scattered(ops.index_set, "scatter", x, indices, values, axis)


@composite(torch="scatter_add", domain=_scatter_samples)
def scatter_add(x: Any, indices: Any, values: Any, /, axis: int) -> Any:
    """x with values added in the places that `indices` name along an axis."""
    return _scattered(ops.index_add, "scatter_add", x, indices, values, axis)


@composite(domain=_scatter_samples)
def scatter_max(x: Any, indices: Any, values: Any, /, axis: int) -> Any:
    """x with the larger of its and the new values, in the places named along an axis."""
    return _scattered(ops.index_max, "scatter_max", x, indices, values, axis)


@composite(domain=_scatter_samples)
def scatter_min(x: Any, indices: Any, values: Any, /, axis: int) -> Any:
    """x with the smaller of its and the new values, in the places named along an axis."""
    return _scattered(ops.index_min, "scatter_min", x, indices, values, axis)


# By conditions


@composite(
    domain=lambda rng: [
        Sample(
            (
                rng.normal(size=()),
                rng.normal(size=(2, 3)) > 0,
                rng.normal(size=3) > 0,
                rng.normal(size=(2, 3)),
                rng.normal(size=()),
            )
        )
    ],
)
def select(default: Any, /, *arrays: Any) -> Any:
    """From conditions and as many choices after them: that of the first condition that holds."""
    count, odd = divmod(len(arrays), 2)
    if odd or not count:
        raise ShapeMismatch("select", "as many conditions as choices", f"{len(arrays)} arrays")
    result = default
    for condition, choice in zip(arrays[count - 1 :: -1], arrays[: count - 1 : -1], strict=True):
        result = ops.where(condition, choice, result)
    return result


@composite(
    domain=lambda rng: [
        Sample((rng.integers(0, 3, (2, 3)), *rng.normal(size=(3, 3))), {"mode": "raise"}),
        Sample((rng.integers(-4, 5, (2, 3)), *rng.normal(size=(3, 3))), {"mode": "wrap"}),
        Sample((rng.integers(-4, 5, 3), *rng.normal(size=(2, 3))), {"mode": "clip"}),
    ],
)
def choose(indices: Any, /, *choices: Any, mode: str = "raise") -> Any:
    """At each place, the element of the choice that `indices` name there."""
    shape = broadcast_shapes([shape_of(indices), *map(shape_of, choices)])
    stacked = ops.stack([ops.broadcast_to(c, shape=shape) for c in choices], axis=0)
    places = ops.broadcast_to(within(indices, len(choices), mode), shape=shape)
    flat = ops.take_along_axis(stacked, ops.expand_dims(places, axis=0), axis=0)
    return ops.index(flat, key=(0,))


@unit_rule
def _second(call: Call) -> Resolved:
    """The second argument's unit; the first is a condition."""
    pure(call, 0)
    unit = common(call, (1,))
    return Resolved((PURE, None), unit)


@composite(
    numpy="compress",
    unit=_second,
    points=points.free,
    domain=lambda rng: [
        Sample((np.array([True, False, True]), rng.normal(size=(3, 4))), {"axis": 0}),
        Sample((np.array([False, True]), rng.normal(size=(3, 4))), {"axis": 1}),
        Sample((np.array([False, True, True]), rng.normal(size=(3, 4))), {"axis": None}),
    ],
)
def compress(condition: Any, x: Any, /, axis: Any = None) -> Any:
    """The slices along an axis for which the condition holds; it may be shorter than the axis."""
    if axis is None:
        x, axis = ops.reshape(x, shape=(-1,)), 0
    (axis,) = normalized(axis, len(shape_of(x)))
    before: tuple[Any, ...] = (slice(None),) * axis
    mask = ops.astype(condition, "bool")
    part = ops.index(x, key=(*before, slice(0, shape_of(mask)[0])))
    return ops.index(part, mask, key=(*before, MASK))


@composite(
    numpy="extract",
    unit=_second,
    points=points.free,
    domain=lambda rng: [Sample((rng.normal(size=(3, 4)) > 0, rng.normal(size=(3, 4))))],
)
def extract(condition: Any, x: Any, /) -> Any:
    """The elements for which the condition holds, along one axis."""
    mask = ops.reshape(ops.astype(condition, "bool"), shape=(-1,))
    return ops.index(ops.reshape(x, shape=(-1,)), mask, key=(MASK,))


@composite(
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(2, 3)) > 0, rng.normal(size=n)))
        for n in (1, 2, 6)
    ],
)
def putmask(x: Any, mask: Any, values: Any, /) -> Any:
    """x with values where the mask holds, as a new array; values repeat by their place in x."""
    return _overwritten(x, mask, ops.resize(values, shape_of(x)))


def _overwritten(x: Any, mask: Any, values: Any) -> Any:
    """Other values where a mask holds, in the unit and dtype of x."""
    return ops.where(mask, ops.full_like(x, values), x)


@composite(
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(2, 3)) > 0, rng.normal(size=n)))
        for n in (1, 2)
    ],
)
def place(x: Any, mask: Any, values: Any, /) -> Any:
    """x with values one after the other where the mask holds, as a new array."""
    count = static_shape(values, "place")[0]
    taken = ops.cumulative_sum(ops.where(ops.reshape(mask, shape=(-1,)), 1, 0), axis=0)
    picked = ops.take(values, ops.remainder(taken - 1, count))
    return _overwritten(x, mask, ops.reshape(picked, shape=shape_of(x)))


@composite(
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)), np.array([4, 0, -2]), rng.normal(size=n))) for n in (1, 2)
    ],
)
def put(x: Any, indices: Any, values: Any, /, mode: str = "raise") -> Any:
    """x with values at indices that count through all elements, as a new array."""
    flat = ops.reshape(x, shape=(-1,))
    places = ops.reshape(within(indices, shape_of(flat)[0], mode), shape=(-1,))
    new = ops.index_set(flat, ops.resize(values, shape_of(places)), places, key=(INDEX,))
    return ops.reshape(new, shape=shape_of(x))


@composite(
    domain=lambda rng: [
        Sample((rng.normal(size=s), rng.normal(size=v)), {"wrap": wrap})
        for s, v, wrap in (
            ((3, 3), (), False),
            ((3, 4), (2,), False),
            ((7, 3), (1,), True),
            ((3, 3, 3), (3,), False),
        )
    ],
)
def fill_diagonal(x: Any, values: Any, /, wrap: bool = False) -> Any:
    """x with values along its main diagonal, as a new array; a tall one may be wrapped."""
    shape = static_shape(x, "fill_diagonal")
    if len(shape) < 2 or (len(shape) > 2 and len(set(shape)) > 1):
        raise ShapeMismatch("fill_diagonal", "two axes, or more of one length", shape)
    if len(shape) == 2:
        step = shape[1] + 1
        stop = shape[0] * shape[1] if wrap else min(shape[0], shape[1]) * shape[1]
    else:
        step = sum(shape[0] ** i for i in range(len(shape)))
        stop = shape[0] ** len(shape)
    return ops.put(x, np.arange(0, stop, step), values)


# By value


primitive(
    "argwhere",
    doc="The indices of all elements that are not 0, one row for each.",
    signature="x, /",
    unit=any_to_plain,
    shape=lambda shapes, params: (None, len(shapes[0])),
    dtype=dtypes.index,
    derivative=DISCRETE,
    batching=batching.impossible("how many elements are not 0 depends on the values"),
    cost=costs.per_input(1),
    array_api=("nonzero", picking.argwhere),
    torch="argwhere",
    domain=lambda rng: [Sample((rng.integers(0, 2, s),)) for s in ((5,), (2, 3), ())],
)


@composite(
    numpy="nonzero",
    array_api="nonzero",
    domain=lambda rng: [Sample((rng.integers(0, 2, s),)) for s in ((5,), (2, 3))],
)
def nonzero(x: Any, /) -> Any:
    """The indices of all elements that are not 0, an array for each axis."""
    rows = ops.argwhere(x)
    return tuple(ops.index(rows, key=(slice(None), i)) for i in range(len(shape_of(x))))


@composite(
    numpy="flatnonzero",
    domain=lambda rng: [Sample((rng.integers(0, 2, s),)) for s in ((5,), (2, 3))],
)
def flatnonzero(x: Any, /) -> Any:
    """Where elements are not 0, counted through all of them."""
    rows = ops.argwhere(ops.reshape(x, shape=(-1,)))
    return ops.index(rows, key=(slice(None), 0))


@composite(
    numpy="trim_zeros",
    arrays=("x",),
    domain=lambda rng: (
        [
            Sample((np.array([0.0, 0.0, 1.5, 0.0, 2.0, 0.0]),), {"trim": trim}, smooth=False)
            for trim in ("fb", "f", "b")
        ]
        + [Sample((rng.uniform(1.0, 2.0, 4),))]
    ),
)
def trim_zeros(x: Any, /, trim: str = "fb") -> Any:
    """One axis without the zeros at its front (f) and back (b)."""
    if len(static_shape(x, "trim_zeros")) != 1:
        raise ShapeMismatch("trim_zeros", "one axis", shape_of(x))
    counted = ops.where(x != 0, 1, 0)
    keep = counted >= 0
    if "f" in trim.lower():
        keep = keep & (ops.cumulative_sum(counted, axis=0) > 0)
    if "b" in trim.lower():
        keep = keep & (ops.flip(ops.cumulative_sum(ops.flip(counted), axis=0)) > 0)
    return ops.index(x, keep, key=(MASK,))


@unit_rule
def _searched(call: Call) -> Resolved:
    """What is searched for and in, in one unit; the sorter holds indices."""
    pure(call, 2)
    unit = common(call, (0, 1))
    return Resolved((unit, unit, PURE), None)


def _searched_points(rule: UnitRule, call: Call) -> Resolved:
    return points.keep(UnitRule(lambda _: rule(call)), call._replace(units=call.units[:2]))


def _searched_shape(shapes: Any, params: Any) -> Any:
    if len(shapes[0]) != 1:
        raise ShapeMismatch("searchsorted", "one axis to search in", shapes[0])
    return shapes[1]


def _searched_batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    if dims[0] is None and dims[2] is None:
        return op.run(args, params), dims[1]
    return batching.looped(op, args, dims, params)


def _search_samples(rng: Any) -> list[Sample]:
    x = np.sort(rng.normal(size=6))
    mixed = rng.permutation(x)
    return [
        Sample((x, rng.normal(size=(2, 3)), None), {"side": "left"}),
        Sample((x, x[2:4], None), {"side": "right"}),
        Sample((mixed, rng.normal(size=3), np.argsort(mixed)), {"side": "left"}),
    ]


primitive(
    "searchsorted",
    doc="Where values would go in a sorted array to keep it sorted.",
    signature="x, values, /, side='left', sorter=None",
    arrays=("x", "values", "sorter"),
    unit=_searched,
    points=_searched_points,
    shape=_searched_shape,
    dtype=dtypes.index,
    derivative=DISCRETE,
    batching=_searched_batch,
    cost=costs.per_output(8),
    array_api=("searchsorted", picking.search),
    torch="searchsorted",
    domain=_search_samples,
)


def _isin_batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    if dims[1] is None:
        return op.run(args, params), dims[0]
    return batching.looped(op, args, dims, params)


primitive(
    "isin",
    doc="Whether each element of x is among those of y.",
    signature="x, y, /, assume_unique=False, invert=False",
    unit=same_to_mask,
    points=points.keep,
    shape=lambda shapes, params: tuple(shapes[0]),
    dtype=dtypes.boolean,
    derivative=DISCRETE,
    batching=_isin_batch,
    cost=costs.per_output(8),
    torch="isin",
    definition=definitions.isin,
    domain=lambda rng: [
        Sample((rng.integers(0, 9, (2, 3)) / 2, rng.integers(0, 9, 4) / 2), {"invert": invert})
        for invert in (False, True)
    ],
)


@composite(
    torch="nn.functional.one_hot",
    onnx="OneHot",
    unit=pure_to_plain,
    domain=lambda rng: [
        Sample((rng.integers(0, 4, s),), {"num_classes": 4}) for s in ((), (3,), (2, 3))
    ],
)
def one_hot(indices: Any, /, num_classes: int, *, dtype: Any = "float64") -> Any:
    """1 in the place that each index names along a new last axis, 0 elsewhere.

    An index that is none of the classes gives zeros only.
    """
    found = ops.equal(ops.expand_dims(indices, axis=-1), np.arange(num_classes))
    return ops.astype(ops.where(found, 1.0, 0.0), dtype)
