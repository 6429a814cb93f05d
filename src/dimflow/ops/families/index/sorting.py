"""Sorting and sets: values in order, and those that differ. Points on a scale have an order too."""

from math import prod
from typing import Any

from dimflow import ops
from dimflow.errors import ShapeMismatch
from dimflow.ops.definitions import arranging as definitions
from dimflow.ops.domain import Sample
from dimflow.ops.families.index.keys import MASK
from dimflow.ops.families.shape.shaping import static_shape
from dimflow.ops.rules import batching, costs, dtypes, points
from dimflow.ops.rules.derivatives import DISCRETE, Jvp
from dimflow.ops.rules.shapes import broadcast_shapes, normalized, size
from dimflow.ops.rules.units import Call, Resolved, any_to_plain, same, unit_of, unit_rule
from dimflow.ops.standard import picking
from dimflow.ops.table import composite, primitive


def _arranged(shapes: Any, params: Any) -> Any:
    if params["axis"] is None:
        return (size(shapes[0]),)
    normalized(params["axis"], len(shapes[0]))
    return tuple(shapes[0])


def _batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    """The batch axis first; None flattens the rest."""
    x = batching.to_front(args[0], dims[0])
    if params["axis"] is None:
        x, axis = ops.reshape(x, shape=(x.shape[0], -1)), 1
    else:
        axis = normalized(params["axis"], batching.ndim(x) - 1)[0] + 1
    return op.run((x,), {**params, "axis": axis}), 0


def _flat(x: Any, params: Any) -> tuple[Any, int]:
    if params["axis"] is None:
        return ops.reshape(x, shape=(-1,)), 0
    return x, params["axis"]


def _sort_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    (x, axis), (t, _) = _flat(args[0], params), _flat(tangents[0], params)
    order = ops.argsort(x, **{**params, "axis": axis})
    return ops.take_along_axis(t, order, axis=axis)


def _apart(rng: Any, *shape: int) -> Any:
    """Numbers whose order a small difference does not change."""
    count = prod(shape)
    return (rng.permutation(count) - count / 2 + rng.uniform(0, 0.5, count)).reshape(shape)


def _sort_samples(rng: Any) -> list[Sample]:
    x = _apart(rng, 3, 4)
    return [
        Sample((x,), {"axis": -1}),
        Sample((x,), {"axis": 0, "descending": True}),
        Sample((x,), {"axis": None}),
        Sample((_apart(rng, 5),), {"axis": 0, "stable": False}),
    ]


primitive(
    "sort",
    doc="Elements in order along an axis; nan counts as the largest. None flattens first.",
    signature="x, /, axis=-1, *, stable=True, descending=False",
    unit=same,
    points=points.keep,
    shape=_arranged,
    dtype=dtypes.first,
    derivative=Jvp(_sort_jvp),
    batching=_batch,
    cost=costs.per_input(8),
    array_api=("sort", picking.in_order("sort")),
    domain=_sort_samples,
    laws=("idempotent",),
)

primitive(
    "argsort",
    doc="The indices that put elements in order along an axis; equal ones keep theirs if stable.",
    signature="x, /, axis=-1, *, stable=True, descending=False",
    unit=any_to_plain,
    points=points.free,
    shape=_arranged,
    dtype=dtypes.index,
    derivative=DISCRETE,
    batching=_batch,
    cost=costs.per_input(8),
    array_api=("argsort", picking.in_order("argsort")),
    torch="argsort",
    domain=_sort_samples,
)


def _lexsorted(shapes: Any, params: Any) -> Any:
    if not shapes:
        raise ShapeMismatch("lexsort", "one key or more", "none")
    return broadcast_shapes(shapes)


primitive(
    "lexsort",
    doc="The indices that put elements in order by several keys; the last key counts first.",
    signature="keys, /, axis=-1",
    variadic="keys",
    unit=any_to_plain,
    points=points.free,
    shape=_lexsorted,
    dtype=dtypes.index,
    derivative=DISCRETE,
    batching=batching.looped,
    cost=costs.per_input(16),
    definition=definitions.lexsort,
    domain=lambda rng: [
        Sample((_apart(rng, 6), rng.integers(0, 3, 6)), {"axis": -1}),
        Sample((_apart(rng, 3, 4), rng.integers(0, 2, (3, 4)) * 1.5), {"axis": 0}),
    ],
)


def _partition_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """By rank, since in what order parts come out is up to the library."""
    (x, axis), (t, _) = _flat(args[0], params), _flat(tangents[0], params)
    ranks = ops.argsort(ops.argsort(out, axis=axis), axis=axis)
    order = ops.take_along_axis(ops.argsort(x, axis=axis), ranks, axis=axis)
    return ops.take_along_axis(t, order, axis=axis)


def _partition_samples(rng: Any) -> list[Sample]:
    return [
        Sample((_apart(rng, 3, 6),), {"kth": 2, "axis": -1}),
        Sample((_apart(rng, 5, 2),), {"kth": (1, 3), "axis": 0}),
        Sample((_apart(rng, 2, 3),), {"kth": -2, "axis": None}),
    ]


primitive(
    "partition",
    doc="Element kth where sorting would put it, smaller ones before it and larger ones after.",
    signature="x, /, kth, axis=-1",
    unit=same,
    points=points.keep,
    shape=_arranged,
    dtype=dtypes.first,
    derivative=Jvp(_partition_jvp),
    batching=_batch,
    cost=costs.per_input(4),
    definition=definitions.partition,
    domain=_partition_samples,
)

primitive(
    "argpartition",
    doc="The indices that part an array as `partition` does.",
    signature="x, /, kth, axis=-1",
    unit=any_to_plain,
    points=points.free,
    shape=_arranged,
    dtype=dtypes.index,
    derivative=DISCRETE,
    batching=_batch,
    cost=costs.per_input(4),
    definition=definitions.argpartition,
    domain=_partition_samples,
)


@composite(
    outputs=("values", "indices"),
    torch="topk",
    onnx="TopK",
    domain=lambda rng: (
        [
            Sample((_apart(rng, 3, 5),), {"k": 2, "axis": -1, "largest": largest})
            for largest in (True, False)
        ]
        + [Sample((_apart(rng, 3, 5),), {"k": 3, "axis": 0, "largest": True})]
    ),
)
def topk(x: Any, /, k: int, axis: int = -1, *, largest: bool = True) -> Any:
    """The k largest (or smallest) elements along an axis, in order, and their indices."""
    shape = static_shape(x, "topk")
    (axis,) = normalized(axis, len(shape))
    if not 0 <= k <= shape[axis]:
        raise ShapeMismatch("topk", f"k from 0 to {shape[axis]}", k)
    order = ops.argsort(x, axis=axis, stable=True, descending=largest)
    places = ops.index(order, key=(*([slice(None)] * axis), slice(0, k)))
    return ops.topk.result_type(ops.take_along_axis(x, places, axis=axis), places)


# Sets. How many values differ only the data knows.

UNKNOWN = "how many values differ depends on the values"


def _repeated(rng: Any) -> list[Sample]:
    equal = [Sample((rng.integers(0, 4, s) * 0.5,), smooth=False) for s in ((7,), (2, 4))]
    return [*equal, Sample((_apart(rng, 2, 3),))]


def _unique_shapes(shapes: Any, params: Any) -> Any:
    axis = params["axis"]
    inverse = (
        tuple(shapes[0]) if axis is None else (shapes[0][normalized(axis, len(shapes[0]))[0]],)
    )
    return (None,), inverse, (None,)


primitive(
    "unique_index",
    doc="Where each different value first stands, which of them each element is, and how often.",
    signature="x, /, axis=None, *, equal_nan=True",
    outputs=("indices", "inverse_indices", "counts"),
    unit=any_to_plain,
    points=points.free,
    shape=_unique_shapes,
    dtype=lambda given, params: (dtypes.index(given, params),) * 3,
    derivative=DISCRETE,
    batching=batching.impossible(UNKNOWN),
    cost=costs.per_input(8),
    numpy="",
    definition=definitions.unique_index,
    domain=lambda rng: [
        Sample((rng.integers(0, 4, 7) * 0.5,), {"axis": None}),
        Sample((rng.integers(0, 2, (4, 2)) * 0.5,), {"axis": 0}),
    ],
)


def _picked(x: Any, found: Any) -> Any:
    return ops.take(ops.reshape(x, shape=(-1,)), found.indices)


@composite(
    outputs=("values", "indices", "inverse_indices", "counts"),
    numpy="unique_all",
    array_api="unique_all",
    domain=_repeated,
)
def unique_all(x: Any, /) -> Any:
    """The values that differ, in order, and all about them; every nan is one of its own."""
    found = ops.unique_index(x, equal_nan=False)
    return ops.unique_all.result_type(_picked(x, found), *found)


@composite(
    outputs=("values", "counts"),
    numpy="unique_counts",
    array_api="unique_counts",
    domain=_repeated,
)
def unique_counts(x: Any, /) -> Any:
    """The values that differ, in order, and how often each comes."""
    found = ops.unique_index(x, equal_nan=False)
    return ops.unique_counts.result_type(_picked(x, found), found.counts)


@composite(
    outputs=("values", "inverse_indices"),
    numpy="unique_inverse",
    array_api="unique_inverse",
    domain=_repeated,
)
def unique_inverse(x: Any, /) -> Any:
    """The values that differ, in order, and which of them each element is."""
    found = ops.unique_index(x, equal_nan=False)
    return ops.unique_inverse.result_type(_picked(x, found), found.inverse_indices)


@composite(
    numpy="unique_values",
    array_api="unique_values",
    unit=same,
    points=points.keep,
    domain=_repeated,
)
def unique_values(x: Any, /) -> Any:
    """The values that differ, in order."""
    return _picked(x, ops.unique_index(x, equal_nan=False))


@unit_rule(params=True)
def _values_and_places(call: Call) -> Resolved:
    """The unit for the values; places and counts have none."""
    asked = sum(bool(call.params[f"return_{n}"]) for n in ("index", "inverse", "counts"))
    unit = unit_of(call, 0)
    return Resolved((None,), (unit, *[None] * asked) if asked else unit)


@composite(
    numpy="unique",
    onnx="Unique",
    unit=_values_and_places,
    points=points.keep,
    domain=lambda rng: (
        [
            Sample((rng.integers(0, 4, (2, 4)) * 0.5,), params, smooth=False)
            for params in (
                {},
                {"return_index": True},
                {"return_inverse": True, "return_counts": True},
                {"return_index": True, "axis": 1},
            )
        ]
        + [Sample((_apart(rng, 4, 2),), {"axis": axis}) for axis in (0, None)]
    ),
)
def unique(
    x: Any,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
) -> Any:
    """The values that differ, in order, or the slices along an axis; then what was asked for."""
    found = ops.unique_index(x, axis=axis, equal_nan=equal_nan)
    values = _picked(x, found) if axis is None else ops.take(x, found.indices, axis=axis)
    asked = zip((return_index, return_inverse, return_counts), found, strict=True)
    more = tuple(part for wanted, part in asked if wanted)
    return (values, *more) if more else values


def _two(rng: Any) -> list[Sample]:
    return [
        Sample((rng.integers(0, 6, 5) * 0.5, rng.integers(0, 6, 4) * 0.5), smooth=False),
        Sample((_apart(rng, 5), _apart(rng, 4))),
    ]


@composite(numpy="union1d", domain=_two)
def union1d(x: Any, y: Any, /) -> Any:
    """The values of both arrays, in order, each once."""
    return ops.unique(ops.concat([x, y], axis=None))


def _distinct(x: Any, assume_unique: bool) -> Any:
    return ops.reshape(x, shape=(-1,)) if assume_unique else ops.unique(x)


def _found_in(x: Any, y: Any, invert: bool) -> Any:
    return ops.index(x, ops.isin(x, y, invert=invert), key=(MASK,))


@composite(numpy="intersect1d", domain=_two)
def intersect1d(x: Any, y: Any, /, assume_unique: bool = False) -> Any:
    """The values that both arrays have, in order."""
    return ops.sort(_found_in(_distinct(x, assume_unique), y, False))


@composite(numpy="setdiff1d", domain=_two)
def setdiff1d(x: Any, y: Any, /, assume_unique: bool = False) -> Any:
    """The values of x that y does not have."""
    return _found_in(_distinct(x, assume_unique), y, True)


@composite(numpy="setxor1d", domain=_two)
def setxor1d(x: Any, y: Any, /, assume_unique: bool = False) -> Any:
    """The values that only one of the arrays has, in order."""
    left, right = (_distinct(z, assume_unique) for z in (x, y))
    return ops.sort(ops.concat([_found_in(left, right, True), _found_in(right, left, True)]))
