"""Joining and splitting: arrays of one dimension put together, in the first one's unit."""

import itertools
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import ShapeMismatch
from dimflow.ops.domain import Sample
from dimflow.ops.families.shape.shaping import static_shape
from dimflow.ops.rules import batching, costs, dtypes, points
from dimflow.ops.rules.derivatives import Linear
from dimflow.ops.rules.shapes import normalized, size
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import same
from dimflow.ops.standard import adapters
from dimflow.ops.table import composite, primitive


def _some(op: str, shapes: Any) -> None:
    if not shapes:
        raise ShapeMismatch(op, "one array or more", "none")


def _agreed(op: str, shapes: Any, free: int | None) -> tuple[Any, ...]:
    """The shape that all have, but for the length along one axis."""
    first = shapes[0]
    result = list(first)
    for i, shape in enumerate(shapes):
        if len(shape) != len(first):
            raise ShapeMismatch(op, f"{len(first)} axes in arrays[{i}]", shape)
        for axis, n in enumerate(shape):
            if axis == free or n is None:
                continue
            if result[axis] is None:
                result[axis] = n
            elif result[axis] != n:
                expected = f"length {result[axis]} along axis {axis} in arrays[{i}]"
                raise ShapeMismatch(op, expected, shape)
    return tuple(result)


def _joined(shapes: Any, params: Any) -> Any:
    _some("concat", shapes)
    if params["axis"] is None:
        sizes: list[Any] = [size(s) for s in shapes]
        return (None if None in sizes else sum(sizes),)
    if not shapes[0]:
        raise ShapeMismatch("concat", "one axis or more", "a single number")
    (axis,) = normalized(params["axis"], len(shapes[0]))
    shape = _agreed("concat", shapes, axis)
    lengths = [s[axis] for s in shapes]
    return (*shape[:axis], None if None in lengths else sum(lengths), *shape[axis + 1 :])


def _cut(ct: Any, args: Any, params: Any) -> tuple[Any, ...]:
    """The part of a cotangent that belongs to each array."""
    flat = params["axis"] is None
    axis = 0 if flat else normalized(params["axis"], len(shape_of(ct)))[0]
    parts, start = [], 0
    for x in args:
        shape = shape_of(x)
        stop = start + (size(shape) if flat else shape[axis])  # type: ignore[operator]
        part = ops.index(ct, key=(*([slice(None)] * axis), slice(start, stop)))
        parts.append(ops.reshape(part, shape=shape) if flat else part)
        start = stop
    return tuple(parts)


def all_batched(args: Any, dims: Any) -> tuple[Any, ...]:
    """Every array with the batch axis first, repeated where it has none."""
    (n,) = {x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None}
    return tuple(
        ops.broadcast_to(x, shape=(n, *shape_of(x))) if d is None else batching.to_front(x, d)
        for x, d in zip(args, dims, strict=True)
    )


def _concat_batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    arrays = all_batched(args, dims)
    if params["axis"] is None:
        arrays = tuple(ops.reshape(x, shape=(x.shape[0], -1)) for x in arrays)
        return op.run(arrays, {"axis": 1}), 0
    (axis,) = normalized(params["axis"], batching.ndim(arrays[0]) - 1)
    return op.run(arrays, {"axis": axis + 1}), 0


primitive(
    "concat",
    doc="Arrays one after the other along an axis that they have; None flattens them first.",
    signature="arrays, /, axis=0",
    variadic="arrays",
    unit=same,
    points=points.keep,
    shape=_joined,
    dtype=dtypes.promoted,
    derivative=Linear(_cut),
    batching=_concat_batch,
    cost=costs.copying,
    numpy="concatenate",
    array_api=("concat", adapters.concat),
    torch="concat",
    onnx="Concat",
    domain=lambda rng: [
        Sample((rng.normal(size=3), rng.normal(size=2)), {"axis": 0}),
        Sample(tuple(rng.normal(size=(2, n, 2)) for n in (1, 3, 2)), {"axis": 1}),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(2, 1))), {"axis": -1}),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=2)), {"axis": None}),
    ],
)


def _stacked(shapes: Any, params: Any) -> Any:
    _some("stack", shapes)
    shape = _agreed("stack", shapes, None)
    (axis,) = normalized(params["axis"], len(shape) + 1)
    return (*shape[:axis], len(shapes), *shape[axis:])


def _unstack(ct: Any, args: Any, params: Any) -> tuple[Any, ...]:
    (axis,) = normalized(params["axis"], len(shape_of(ct)))
    return tuple(ops.unstack(ct, axis=axis))


def _stack_batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    arrays = all_batched(args, dims)
    (axis,) = normalized(params["axis"], batching.ndim(arrays[0]))
    return op.run(arrays, {"axis": axis + 1}), 0


primitive(
    "stack",
    doc="Arrays of one shape side by side, along a new axis.",
    signature="arrays, /, axis=0",
    variadic="arrays",
    unit=same,
    points=points.keep,
    shape=_stacked,
    dtype=dtypes.promoted,
    derivative=Linear(_unstack),
    batching=_stack_batch,
    cost=costs.copying,
    array_api=("stack", adapters.stack),
    torch="stack",
    domain=lambda rng: [
        Sample((rng.normal(size=3), rng.normal(size=3)), {"axis": 0}),
        Sample(tuple(rng.normal(size=(2, 3)) for _ in range(3)), {"axis": 1}),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(2, 3))), {"axis": -1}),
    ],
)


def _rows(rng: Any) -> list[Sample]:
    return [
        Sample((rng.normal(size=3), rng.normal(size=3))),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))),
        Sample((rng.normal(size=(2, 3, 2)), rng.normal(size=(2, 3, 2)))),
    ]


@composite(
    variadic="arrays", numpy="vstack", torch="vstack", unit=same, points=points.keep, domain=_rows
)
def vstack(arrays: Any, /) -> Any:
    """Below each other: arrays of one axis are rows."""
    return ops.concat([ops.atleast_2d(x) for x in arrays], axis=0)


@composite(
    variadic="arrays", numpy="hstack", torch="hstack", unit=same, points=points.keep, domain=_rows
)
def hstack(arrays: Any, /) -> Any:
    """Beside each other: along the second axis, or the only one."""
    whole = [ops.atleast_1d(x) for x in arrays]
    return ops.concat(whole, axis=0 if whole and len(shape_of(whole[0])) == 1 else 1)


@composite(
    variadic="arrays", numpy="dstack", torch="dstack", unit=same, points=points.keep, domain=_rows
)
def dstack(arrays: Any, /) -> Any:
    """Behind each other: along the third axis."""
    return ops.concat([ops.atleast_3d(x) for x in arrays], axis=2)


@composite(
    variadic="arrays",
    numpy="column_stack",
    torch="column_stack",
    unit=same,
    points=points.keep,
    domain=lambda rng: [Sample((rng.normal(size=3), rng.normal(size=(3, 2))))],
)
def column_stack(arrays: Any, /) -> Any:
    """Beside each other: arrays of one axis are columns."""
    return ops.concat(
        [x if len(shape_of(x)) > 1 else ops.reshape(x, shape=(-1, 1)) for x in arrays], axis=1
    )


@composite(
    numpy="append",
    unit=same,
    points=points.keep,
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)), rng.normal(size=2)), {"axis": None}),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(1, 3))), {"axis": 0}),
    ],
)
def append(x: Any, values: Any, /, axis: Any = None) -> Any:
    """An array and values after it, as a new array."""
    return ops.concat([x, values], axis=axis)


# Parts


def _part(x: Any, axis: int, start: Any, stop: Any) -> Any:
    return ops.index(x, key=(*([slice(None)] * axis), slice(start, stop)))


def _bounds(n: int, at: Any, even: bool) -> list[tuple[Any, Any]]:
    """Where parts start and stop: by number of parts, or by the indices between them."""
    if len(np.shape(at)):
        cuts = [0, *(int(i) for i in at), n]
        return list(itertools.pairwise(cuts))
    count = int(at)
    if count < 1 or (even and n % count):
        expected = f"a number of equal parts for {n} elements" if even else "one part or more"
        raise ShapeMismatch("split", expected, count)
    each, extra = divmod(n, count)
    cuts = [i * each + min(i, extra) for i in range(count + 1)]
    return list(itertools.pairwise(cuts))


def _parted(x: Any, at: Any, axis: int, even: bool) -> list[Any]:
    shape = static_shape(x, "split", axis)
    (axis,) = normalized(axis, len(shape))
    return [_part(x, axis, i, j) for i, j in _bounds(shape[axis], at, even)]


@composite(
    numpy="split",
    domain=lambda rng: [
        Sample((rng.normal(size=(4, 6)),), {"indices_or_sections": 3, "axis": 1}),
        Sample((rng.normal(size=(4, 6)),), {"indices_or_sections": (1, 3), "axis": 0}),
        Sample((rng.normal(size=6),), {"indices_or_sections": (2, -1, 9), "axis": 0}),
    ],
)
def split(x: Any, /, indices_or_sections: Any, axis: int = 0) -> Any:
    """A list of parts along an axis: so many equal ones, or cut at indices."""
    return _parted(x, indices_or_sections, axis, even=True)


@composite(
    numpy="array_split",
    torch="tensor_split",
    domain=lambda rng: [
        Sample((rng.normal(size=(4, 7)),), {"indices_or_sections": 3, "axis": 1}),
        Sample((rng.normal(size=2),), {"indices_or_sections": 3, "axis": 0}),
    ],
)
def array_split(x: Any, /, indices_or_sections: Any, axis: int = 0) -> Any:
    """A list of parts along an axis; the first ones are longer by one if they cannot be equal."""
    return _parted(x, indices_or_sections, axis, even=False)


def _split_samples(rng: Any) -> list[Sample]:
    x = rng.normal(size=(2, 4, 6))
    return [Sample((x,), {"indices_or_sections": at}) for at in (2, (1,))]


@composite(numpy="vsplit", torch="vsplit", domain=_split_samples)
def vsplit(x: Any, /, indices_or_sections: Any) -> Any:
    """A list of parts along the first axis."""
    return ops.split(x, indices_or_sections, axis=0)


@composite(numpy="hsplit", torch="hsplit", domain=_split_samples)
def hsplit(x: Any, /, indices_or_sections: Any) -> Any:
    """A list of parts along the second axis, or the only one."""
    return ops.split(x, indices_or_sections, axis=min(1, len(shape_of(x)) - 1))


@composite(numpy="dsplit", torch="dsplit", domain=_split_samples)
def dsplit(x: Any, /, indices_or_sections: Any) -> Any:
    """A list of parts along the third axis."""
    return ops.split(x, indices_or_sections, axis=2)


@composite(
    numpy="unstack",
    array_api="unstack",
    torch="unbind",
    derivative=Linear(lambda ct, args, params: (ops.stack(list(ct), axis=params["axis"]),)),
    domain=lambda rng: [Sample((rng.normal(size=(2, 3)),), {"axis": axis}) for axis in (0, -1)],
)
def unstack(x: Any, /, axis: int = 0) -> Any:
    """The slices along an axis, as a tuple."""
    shape = static_shape(x, "unstack", axis)
    (axis,) = normalized(axis, len(shape))
    return tuple(ops.index(x, key=(*([slice(None)] * axis), i)) for i in range(shape[axis]))
