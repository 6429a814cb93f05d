"""Indexing: elements picked by keys, and new arrays with elements put in their place."""

from math import prod
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import ShapeMismatch
from dimflow.ops.definitions import scattering
from dimflow.ops.domain import Sample
from dimflow.ops.families.index.keys import (
    INDEX,
    MASK,
    Layout,
    filled,
    has_mask,
    layout,
    split_key,
    within,
)
from dimflow.ops.families.shape.shaping import static_shape
from dimflow.ops.rules import batching, costs, dtypes, points
from dimflow.ops.rules.derivatives import Jvp, Linear
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.layout import laid_out, layouts
from dimflow.ops.rules.shapes import broadcast_shapes, normalized, same_shape
from dimflow.ops.rules.transposition import shape_of, unbroadcast
from dimflow.ops.rules.units import PURE, Call, Resolved, common, first, pure, unit_rule
from dimflow.ops.standard import adapters, picking
from dimflow.ops.table import composite, elementwise, primitive
from dimflow.units import Unit


@unit_rule
def _where(call: Call) -> Resolved:
    """The two values in one unit; the condition is a mask or a pure number."""
    pure(call, 0)
    unit = common(call, (1, 2))
    return Resolved((PURE, unit, unit), unit)


def _where_points(rule: Any, call: Call) -> Resolved:
    return points.keep(unit_rule(lambda _: rule(call)), call._replace(units=call.units[1:]))


elementwise(
    "where",
    doc="x where the condition holds, y elsewhere.",
    signature="condition, x, y, /",
    unit=_where,
    points=_where_points,
    dtype=lambda given, params: dtypes.result_type(given[1:]),
    partials=Linear(
        lambda ct, args, params: (
            None,
            unbroadcast(ops.where(args[0], ct, 0), args[1]),
            unbroadcast(ops.where(args[0], 0, ct), args[2]),
        ),
        (1, 2),
    ),
    expr="y if x else z",
    domain=((0, 1, True), (-2.0, 2.0), (-2.0, 2.0)),
    array_api=("where", adapters.where),
    torch="where",
    onnx="Where",
)


# Picking


def indexed(shapes: Any, params: Any) -> Any:
    """The shape of x[key]."""
    return layout(shapes, params["key"]).shape


def zeros_like_x(ct: Any, x: Any) -> Any:
    """Zeros of an array's shape, in a cotangent's unit, laid out as the array is."""
    if type(ct) in layouts:
        zeros = laid_out(ops.zeros_like(ct, shape=()), x)
        if same_shape(shape_of(zeros), shape_of(x)):
            return zeros
    return ops.zeros_like(ct, shape=shape_of(x))


def _index_transpose(ct: Any, args: Any, params: Any) -> tuple[Any, ...]:
    x, *indices = args
    back = ops.index_add(zeros_like_x(ct, x), ct, *indices, key=params["key"])
    return (back, *([None] * len(indices)))


def _index_into(total: Any, ct: Any, args: Any, params: Any) -> None:
    indices = args[1:]
    key = filled(params["key"], indices)
    if indices:
        np.add.at(total, key, ct)
    else:
        total[key] += ct


def _aligned(indices: Any, dims: Any, ndim: int) -> list[Any]:
    """Arrays of a key with the batch axis first, and as many axes after it everywhere."""
    aligned = []
    for x, d in zip(indices, dims, strict=True):
        if d is not None:
            x = batching.to_front(x, d)
            missing = ndim + 1 - batching.ndim(x)
            x = ops.reshape(x, shape=(x.shape[0], *([1] * missing), *x.shape[1:]))
        aligned.append(x)
    return aligned


def _counted(n: int, ndim: int) -> Any:
    """Which call of the batch each place belongs to."""
    return np.arange(n).reshape([n] + [1] * ndim)


def _one_call(x: Any, dim: int | None, indices: Any, dims: Any, key: Any) -> Layout:
    """The layout of one call of a batch."""
    without = [
        tuple(n for i, n in enumerate(shape_of(a)) if i != d)
        for a, d in zip((x, *indices), (dim, *dims), strict=True)
    ]
    return layout(without, key)


def _moved(x: Any, source: int, target: int, count: int) -> Any:
    """So many axes in a row, moved together."""
    if source == target or not count:
        return x
    places = tuple(range(source, source + count)), tuple(range(target, target + count))
    return ops.moveaxis(x, source=places[0], destination=places[1])


def _index_batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    """One slice more if only x is batched; one array more, which counts the calls, if all are."""
    (x, *indices), key = args, params["key"]
    if all(d is None for d in dims[1:]):
        x = batching.to_front(x, dims[0])
        key = (slice(None), *key)
        many = layout([("batch", *x.shape[1:]), *map(shape_of, indices)], key)
        return op.run((x, *indices), {"key": key}), many.shape.index("batch")
    if has_mask(key):
        reason = "each mask of a batch may pick another number of elements"
        return batching.impossible(reason)(op, args, dims, params)
    one = _one_call(x, dims[0], indices, dims[1:], key)
    indices = _aligned(indices, dims[1:], len(one.block))
    if dims[0] is None:
        return op.run((x, *indices), params), one.at
    x = batching.to_front(x, dims[0])
    calls = _counted(x.shape[0], len(one.block))
    result = op.run((x, calls, *indices), {"key": (INDEX, *key)})
    return _moved(result, 1, 1 + one.at, len(one.block)), 0


def _index_samples(rng: Any) -> list[Sample]:
    x, y = rng.normal(size=(3, 4)), rng.normal(size=(2, 3, 4))
    picks = rng.integers(0, 3, 5)
    pairs = rng.integers(0, 2, (2, 2))
    return [
        Sample((x,), {"key": (1,)}),
        Sample((x,), {"key": (..., slice(None, None, -2))}),
        Sample((x,), {"key": (None, slice(1, None), 0)}),
        Sample((x, picks), {"key": (INDEX,)}),
        Sample((y, pairs), {"key": (slice(None), INDEX, slice(1, 3))}),
        Sample((y, pairs[:, :1], pairs), {"key": (INDEX, slice(None), INDEX)}),
        Sample((y, pairs), {"key": (1, INDEX)}),
        Sample((x, x > 0), {"key": (MASK,)}),
        Sample((x, x[:, 0] > 0), {"key": (MASK, slice(0, 2))}),
    ]


primitive(
    "index",
    doc="x[key], where arrays in the key follow x: `INDEX` and `MASK` stand in their places.",
    signature="x, /, *indices, key",
    unit=first,
    points=points.free,
    shape=indexed,
    dtype=dtypes.first,
    derivative=Linear(_index_transpose, (0,), _index_into),
    batching=_index_batch,
    cost=costs.copying,
    numpy="",
    array_api=("take", picking.index),
    domain=_index_samples,
)


@unit_rule
def _written(call: Call) -> Resolved:
    """What is written goes into the array's own unit; indices are pure numbers."""
    for i in range(2, len(call.units)):
        pure(call, i)
    unit = common(call, (0, 1))
    own = call.units[0]
    unit = own if isinstance(own, Unit) else unit
    return Resolved((unit, unit, *([PURE] * (len(call.units) - 2))), unit)


def _written_points(rule: Any, call: Call) -> Resolved:
    return points.keep(unit_rule(lambda _: rule(call)), call._replace(units=call.units[:2]))


def _written_shape(shapes: Any, params: Any) -> Any:
    x, values, *given = shapes
    place = indexed([x, *given], params)
    fits = broadcast_shapes([place, values])
    if len(fits) != len(place):
        raise ShapeMismatch("indexing", f"values that broadcast to {place}", values)
    return x


def _written_dtype(given: Any, params: Any) -> Any:
    return dtypes.result_type(given[:1])


def _written_samples(rng: Any) -> list[Sample]:
    x, y = rng.normal(size=(3, 4)), rng.normal(size=(2, 3, 4))
    picks = rng.permutation(3)[:2]
    return [
        Sample((x, rng.normal(size=4)), {"key": (1,)}),
        Sample((x, rng.normal(size=(2, 1))), {"key": (slice(1, None), slice(0, 3))}),
        Sample((x, rng.normal(size=(2, 4)), picks), {"key": (INDEX,)}),
        Sample((x, rng.normal(size=(3, 4)), np.array([1, 0, 1])), {"key": (INDEX,)}),
        Sample((y, rng.normal(size=(2, 2, 4)), picks), {"key": (slice(None), INDEX)}),
        Sample((x, rng.normal(size=()), x > 0), {"key": (MASK,)}),
    ]


def _written_batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    """One array more in the key, which counts the calls; masks of a batch are looped over."""
    (x, values, *indices), key = args, params["key"]
    if has_mask(key):
        return batching.looped(op, args, dims, params)
    one = _one_call(x, dims[0], indices, dims[2:], key)
    (n,) = {a.shape[d] for a, d in zip(args, dims, strict=True) if d is not None}
    if dims[0] is None:
        x = ops.broadcast_to(x, shape=(n, *shape_of(x)))
    x = batching.to_front(x, dims[0])
    count = len(one.block)
    indices = _aligned(indices, dims[2:], count)
    if dims[1] is None:
        values = ops.reshape(values, shape=(1, *shape_of(values)))
    values = batching.to_front(values, dims[1])
    missing = len(one.shape) + 1 - batching.ndim(values)
    values = ops.reshape(values, shape=(values.shape[0], *([1] * missing), *values.shape[1:]))
    values = _moved(values, 1 + one.at, 1, count)
    return op.run((x, values, _counted(n, count), *indices), {"key": (INDEX, *key)}), 0


def _set_transpose(ct: Any, args: Any, params: Any) -> tuple[Any, ...]:
    x, values, *indices = args
    picked = ops.index(ct, *indices, **params)
    if INDEX in filter(_is_array, params["key"]):
        picked = ops.where(_stayed(x, picked, indices, params), picked, 0)
    return (
        ops.index_set(ct, 0, *indices, **params),
        unbroadcast(picked, values),
        *([None] * len(indices)),
    )


def _is_array(part: Any) -> bool:
    return isinstance(part, str)


def _stayed(x: Any, picked: Any, indices: Any, params: Any) -> Any:
    """Which values are in the result: of those written to one place, the last."""
    shape = shape_of(picked)
    serial = np.arange(prod(shape)).reshape(shape)
    written = ops.index_set(np.full(shape_of(x), -1), serial, *indices, **params)
    return ops.equal(ops.index(written, *indices, **params), serial)


def _add_transpose(ct: Any, args: Any, params: Any) -> tuple[Any, ...]:
    _, values, *indices = args
    return (
        ct,
        unbroadcast(ops.index(ct, *indices, **params), values),
        *([None] * len(indices)),
    )


def _extreme_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """The tangent of what won; their mean where several are equal."""
    x, values, *indices = args
    own, theirs = x == out, values == ops.index(out, *indices, **params)
    votes = ops.index_add(ops.where(own, 1.0, 0.0), ops.where(theirs, 1.0, 0.0), *indices, **params)
    base, added = tangents[:2]
    if base is None:
        base = ops.zeros_like(added, shape=shape_of(x))
    total = ops.where(own, base, 0)
    if added is not None:
        shape = indexed([shape_of(x), *map(shape_of, indices)], params)
        added = ops.broadcast_to(added, shape=shape) if None not in shape else added
        total = ops.index_add(total, ops.where(theirs, added, 0), *indices, **params)
    return total / votes


_WRITERS: tuple[tuple[str, str, Any, Any], ...] = (
    (
        "index_set",
        "x with x[key] = values, as a new array; of places given twice the last counts.",
        Linear(_set_transpose, (0, 1)),
        _written_points,
    ),
    (
        "index_add",
        "x with values added at x[key], as a new array; places given twice get both.",
        Linear(_add_transpose, (0, 1)),
        points.moved,
    ),
    (
        "index_max",
        "x with the larger of x[key] and values there, as a new array.",
        Jvp(_extreme_jvp),
        _written_points,
    ),
    (
        "index_min",
        "x with the smaller of x[key] and values there, as a new array.",
        Jvp(_extreme_jvp),
        _written_points,
    ),
)

for name, doc, derivative, policy in _WRITERS:
    primitive(
        name,
        doc=doc,
        signature="x, values, /, *indices, key",
        unit=_written,
        points=policy,
        shape=_written_shape,
        dtype=_written_dtype,
        derivative=derivative,
        batching=_written_batch,
        cost=costs.copying,
        numpy="",
        definition=getattr(scattering, name),
        domain=_written_samples,
    )


@composite(
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 4)),), {"key": (1, slice(0, 2))}),
        Sample((rng.normal(size=(3, 4)),), {"key": rng.integers(0, 3, 5)}),
    ],
)
def getitem(x: Any, /, key: Any) -> Any:
    """x[key], for any key that Python takes: slices, integers, arrays, masks."""
    static, arrays = split_key(key)
    return ops.index(x, *arrays, key=static)


@composite(
    numpy="take",
    array_api=("take", picking.take),
    onnx="Gather",
    unit=first,
    points=points.free,
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 4)), rng.integers(0, 12, 5)), {"axis": None}),
        Sample((rng.normal(size=(3, 4)), rng.integers(-9, 9, 5)), {"axis": 1, "mode": "wrap"}),
        Sample((rng.normal(size=(3, 4)), rng.integers(-9, 9, 5)), {"axis": 0, "mode": "clip"}),
        Sample((rng.normal(size=(3, 4)), rng.integers(0, 3, (2, 2))), {"axis": 0}),
        Sample((rng.normal(size=(3, 4)), rng.integers(0, 3)), {"axis": -1}),
    ],
)
def take(x: Any, indices: Any, /, axis: Any = None, *, mode: str = "raise") -> Any:
    """The elements, or slices along an axis, at some indices; None counts through all of them.

    Indices beyond the ends raise, or go round (`mode="wrap"`), or stop there ("clip").
    """
    if axis is None:
        x = ops.reshape(x, shape=(-1,))
        axis = 0
    (axis,) = normalized(axis, len(shape_of(x)))
    n = shape_of(x)[axis] if mode == "raise" else static_shape(x, "take", axis)[axis]
    if kind_of(indices) == "b":  # numbers here, not a mask
        indices = ops.astype(indices, "int64")
    places = within(indices, n, mode)
    return ops.index(x, places, key=(*([slice(None)] * axis), INDEX))


def _set_samples(rng: Any) -> list[Sample]:
    x = rng.normal(size=(3, 4))
    return [
        Sample((x, rng.normal(size=2)), {"key": (1, slice(0, 2))}),
        Sample((x, rng.normal(size=(2, 4))), {"key": rng.permutation(3)[:2]}),
    ]


@composite(arrays=("x", "values"), domain=_set_samples)
def at_set(x: Any, /, key: Any, values: Any) -> Any:
    """x with x[key] = values, as a new array, for any key that Python takes."""
    static, arrays = split_key(key)
    return ops.index_set(x, values, *arrays, key=static)


@composite(arrays=("x", "values"), domain=_set_samples)
def at_add(x: Any, /, key: Any, values: Any) -> Any:
    """x with values added at x[key], as a new array; places given twice get both."""
    static, arrays = split_key(key)
    return ops.index_add(x, values, *arrays, key=static)


@composite(arrays=("x", "values"), domain=_set_samples)
def at_max(x: Any, /, key: Any, values: Any) -> Any:
    """x with the larger of x[key] and values there, as a new array."""
    static, arrays = split_key(key)
    return ops.index_max(x, values, *arrays, key=static)


@composite(arrays=("x", "values"), domain=_set_samples)
def at_min(x: Any, /, key: Any, values: Any) -> Any:
    """x with the smaller of x[key] and values there, as a new array."""
    static, arrays = split_key(key)
    return ops.index_min(x, values, *arrays, key=static)
