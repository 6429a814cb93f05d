"""Shape: the same elements, otherwise arranged. The unit stays, and points stay points."""

from typing import Any

from dimflow import ops
from dimflow.errors import ShapeMismatch
from dimflow.ops.domain import Sample
from dimflow.ops.families.reduce.parts import arrayed
from dimflow.ops.rules import batching, costs, dtypes, points
from dimflow.ops.rules.derivatives import Linear
from dimflow.ops.rules.shapes import broadcast_shapes, normalized, size
from dimflow.ops.rules.transposition import shape_of, unbroadcast
from dimflow.ops.rules.units import Call, Resolved, common, same, to, unit_rule
from dimflow.ops.standard import adapters
from dimflow.ops.table import composite, primitive
from dimflow.units import Unit


def as_shape(shape: Any) -> tuple[Any, ...]:
    """A shape as a tuple; a bare length is that of one axis."""
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


def static_shape(x: Any, op: str, axis: int | None = None) -> tuple[int, ...]:
    """The shape, where an op cannot do without its lengths, or without that of one axis."""
    shape = shape_of(x)
    needed: Any = shape if axis is None else [shape[i] for i in normalized(axis, len(shape))]
    if any(n is None or n != n for n in needed):  # nan is Dask's word for it
        raise ShapeMismatch(op, "lengths that are known without data", shape)
    return shape


@unit_rule
def into_first(call: Call) -> Resolved:
    """What goes into an array takes its unit, as an assignment would: rad stays rad."""
    unit = common(call)
    own = call.units[0]
    unit = own if isinstance(own, Unit) else unit
    return Resolved(to(call, unit), unit)


def _reshaped(shapes: Any, params: Any) -> Any:
    shape, total = as_shape(params["shape"]), size(shapes[0])
    if shape.count(-1) > 1 or any(n is not None and n < -1 for n in shape):
        raise ShapeMismatch("reshape", "lengths of 0 or more, and one -1 at most", shape)
    rest = size([n for n in shape if n != -1])
    if total is None or rest is None:
        return tuple(None if n == -1 else n for n in shape)
    if -1 not in shape:
        fits = rest == total
    else:
        fits = total % rest == 0 if rest else False
    if not fits:
        raise ShapeMismatch("reshape", f"a shape of {total} elements", shape)
    return tuple(total // rest if n == -1 else n for n in shape)


def _reshape_batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    x = batching.to_front(args[0], dims[0])
    return op.run((x,), {**params, "shape": (x.shape[0], *as_shape(params["shape"]))}), 0


primitive(
    "reshape",
    doc='The same elements in another shape; one length may be -1. Order "F": first axis fastest.',
    signature="x, /, shape, order='C'",
    unit=same,
    points=points.free,
    shape=_reshaped,
    dtype=dtypes.first,
    derivative=Linear(
        lambda ct, args, params: (
            ops.reshape(ct, shape=shape_of(args[0]), order=params.get("order", "C")),
        )
    ),
    batching=_reshape_batch,
    cost=costs.view,
    array_api=("reshape", adapters.reshape),
    torch="reshape",
    onnx="Reshape",
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 6)),), {"shape": (3, 4), "order": "C"}),
        Sample((rng.normal(size=(2, 6)),), {"shape": (-1, 3), "order": "C"}),
        Sample((rng.normal(size=(2, 2, 3)),), {"shape": (3, 4), "order": "F"}),
        Sample((rng.normal(size=(2, 3)),), {"shape": 6, "order": "C"}),
    ],
)


def _order(params: Any, ndim: int) -> tuple[int, ...]:
    axes = params["axes"]
    if axes is None:
        return tuple(reversed(range(ndim)))
    order = normalized(axes, ndim)
    if len(order) != ndim:
        raise ShapeMismatch("permute_dims", f"{ndim} axes", axes)
    return order


def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def _permute_batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    x = batching.to_front(args[0], dims[0])
    order = _order(params, batching.ndim(x) - 1)
    return op.run((x,), {"axes": (0, *(a + 1 for a in order))}), 0


primitive(
    "permute_dims",
    doc="The axes in another order; reversed if none is given.",
    signature="x, /, axes=None",
    unit=same,
    points=points.free,
    shape=lambda shapes, params: tuple(shapes[0][i] for i in _order(params, len(shapes[0]))),
    dtype=dtypes.first,
    derivative=Linear(
        lambda ct, args, params: (
            ops.permute_dims(ct, axes=_inverse(_order(params, len(shape_of(args[0]))))),
        )
    ),
    batching=_permute_batch,
    cost=costs.view,
    numpy="transpose",
    array_api=("permute_dims", adapters.permute_dims),
    torch="permute",
    onnx="Transpose",
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3, 4)),), {"axes": None}),
        Sample((rng.normal(size=(2, 3, 4)),), {"axes": (1, -1, 0)}),
        Sample((rng.normal(size=3),), {"axes": None}),
    ],
)


def _broadcast_shape(shapes: Any, params: Any) -> Any:
    target = as_shape(params["shape"])
    given = shapes[0]
    own = target[len(target) - len(given) :]
    pairs = zip(given, own, strict=True) if len(given) <= len(target) else [(0, 1)]
    if any(n not in (1, m) and n is not None and m is not None for n, m in pairs):
        raise ShapeMismatch("broadcast_to", f"a shape that {given} stretches to", target)
    return target


def _broadcast_batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    x = batching.to_front(args[0], dims[0])
    target = as_shape(params["shape"])
    missing = len(target) + 1 - batching.ndim(x)
    x = ops.reshape(x, shape=(x.shape[0], *([1] * missing), *x.shape[1:]))
    return op.run((x,), {"shape": (x.shape[0], *target)}), 0


primitive(
    "broadcast_to",
    doc="The array stretched to a shape, without a copy where the library can.",
    signature="x, /, shape",
    unit=same,
    points=points.free,
    shape=_broadcast_shape,
    dtype=dtypes.first,
    derivative=Linear(lambda ct, args, params: (unbroadcast(ct, args[0]),)),
    batching=_broadcast_batch,
    cost=costs.view,
    array_api=("broadcast_to", adapters.broadcast_to),
    torch="broadcast_to",
    onnx="Expand",
    domain=lambda rng: [
        Sample((rng.normal(size=3),), {"shape": (2, 3)}),
        Sample((rng.normal(size=(2, 1, 3)),), {"shape": (4, 2, 5, 3)}),
        Sample((rng.normal(size=()),), {"shape": (2,)}),
    ],
)


def _move_order(ndim: int, params: Any) -> list[int]:
    source, target = (normalized(params[k], ndim) for k in ("source", "destination"))
    if len(source) != len(target):
        raise ShapeMismatch("moveaxis", f"{len(source)} places for the axes", target)
    order = [i for i in range(ndim) if i not in source]
    for where, axis in sorted(zip(target, source, strict=True)):
        order.insert(where, axis)
    return order


def _moveaxis_batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    x = batching.to_front(args[0], dims[0])
    n = batching.ndim(x) - 1
    source, target = (
        tuple(a + 1 for a in normalized(params[k], n)) for k in ("source", "destination")
    )
    return op.run((x,), {"source": source, "destination": target}), 0


primitive(
    "moveaxis",
    doc="The array with some axes moved to other places.",
    signature="x, /, source, destination",
    unit=same,
    points=points.free,
    shape=lambda shapes, params: tuple(shapes[0][i] for i in _move_order(len(shapes[0]), params)),
    dtype=dtypes.first,
    derivative=Linear(
        lambda ct, args, params: (
            ops.moveaxis(ct, source=params["destination"], destination=params["source"]),
        )
    ),
    batching=_moveaxis_batch,
    cost=costs.view,
    array_api=("moveaxis", adapters.moveaxis),
    torch="movedim",
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3, 4)),), {"source": 0, "destination": -1}),
        Sample((rng.normal(size=(2, 3, 4)),), {"source": (0, 1), "destination": (-1, 0)}),
    ],
)


@composite(
    array_api="matrix_transpose",
    numpy="matrix_transpose",
    unit=same,
    points=points.free,
    domain=lambda rng: [Sample((rng.normal(size=s),)) for s in ((2, 3), (4, 2, 3))],
)
def matrix_transpose(x: Any, /) -> Any:
    """The last two axes swapped."""
    n = len(shape_of(x))
    if n < 2:
        raise ShapeMismatch("matrix_transpose", "two axes or more", shape_of(x))
    return ops.permute_dims(x, axes=(*range(n - 2), n - 1, n - 2))


@composite(
    numpy="squeeze",
    array_api=("squeeze", None),
    torch="squeeze",
    onnx="Squeeze",
    unit=same,
    points=points.free,
    domain=lambda rng: [
        Sample((rng.normal(size=(1, 3, 1)),), {"axis": None}),
        Sample((rng.normal(size=(1, 3, 1)),), {"axis": 0}),
        Sample((rng.normal(size=(1, 3, 1)),), {"axis": (0, -1)}),
    ],
)
def squeeze(x: Any, /, axis: Any = None) -> Any:
    """Without axes of length 1: those given, or all of them."""
    shape = shape_of(x)
    if axis is None:
        dropped = tuple(i for i, n in enumerate(static_shape(x, "squeeze")) if n == 1)
    else:
        dropped = normalized(axis, len(shape))
        if any(shape[i] not in (1, None) for i in dropped):
            raise ShapeMismatch("squeeze", f"length 1 along axis {axis}", shape)
    return ops.index(x, key=tuple(0 if i in dropped else slice(None) for i in range(len(shape))))


@composite(
    numpy="expand_dims",
    array_api=("expand_dims", None),
    torch="unsqueeze",
    onnx="Unsqueeze",
    unit=same,
    points=points.free,
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)),), {"axis": 0}),
        Sample((rng.normal(size=(2, 3)),), {"axis": -1}),
        Sample((rng.normal(size=(2, 3)),), {"axis": (0, 2)}),
    ],
)
def expand_dims(x: Any, /, axis: Any = 0) -> Any:
    """With new axes of length 1, at the places that they have in the result."""
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    n = len(shape_of(x)) + count
    added = normalized(axis, n)
    return ops.index(x, key=tuple(None if i in added else slice(None) for i in range(n)))


@composite(
    numpy="swapaxes",
    torch="swapaxes",
    unit=same,
    points=points.free,
    domain=lambda rng: [Sample((rng.normal(size=(2, 3, 4)),), {"axis1": 0, "axis2": -1})],
)
def swapaxes(x: Any, /, axis1: int, axis2: int) -> Any:
    """Two axes in each other's place."""
    n = len(shape_of(x))
    order = list(range(n))
    i, j = (normalized(a, n)[0] for a in (axis1, axis2))
    order[i], order[j] = j, i
    return ops.permute_dims(x, axes=tuple(order))


@composite(
    numpy="rollaxis",
    unit=same,
    points=points.free,
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3, 4)),), {"axis": 2, "start": 0}),
        Sample((rng.normal(size=(2, 3, 4)),), {"axis": 0, "start": 3}),
        Sample((rng.normal(size=(2, 3, 4)),), {"axis": -2, "start": -1}),
    ],
)
def rollaxis(x: Any, /, axis: int, start: int = 0) -> Any:
    """One axis moved to before another."""
    n = len(shape_of(x))
    (axis,) = normalized(axis, n)
    (start,) = (n,) if start == n else normalized(start, n)
    return ops.moveaxis(x, source=axis, destination=start - (axis < start))


@composite(
    numpy="ravel",
    torch="ravel",
    unit=same,
    points=points.free,
    domain=lambda rng: [Sample((rng.normal(size=(2, 3)),), {"order": o}) for o in "CF"],
)
def ravel(x: Any, /, order: str = "C") -> Any:
    """All elements along one axis."""
    return ops.reshape(x, shape=(-1,), order=order)


@composite(
    unit=same,
    points=points.free,
    domain=lambda rng: [Sample((rng.normal(size=(2, 3)),), {"order": o}) for o in "CF"],
)
def flatten(x: Any, /, order: str = "C") -> Any:
    """All elements along one axis, in an array of their own."""
    return ops.copy(ops.reshape(x, shape=(-1,), order=order))


def _few_axes(rng: Any) -> list[Sample]:
    return [Sample((rng.normal(size=s),)) for s in ((), (3,), (2, 3), (2, 3, 4))]


@composite(
    numpy="atleast_1d",
    torch="atleast_1d",
    unit=same,
    points=points.free,
    domain=_few_axes,
)
def atleast_1d(x: Any, /) -> Any:
    """With one axis or more."""
    return x if shape_of(x) else ops.reshape(x, shape=(1,))


@composite(numpy="atleast_2d", torch="atleast_2d", unit=same, points=points.free, domain=_few_axes)
def atleast_2d(x: Any, /) -> Any:
    """With two axes or more: one axis becomes a row."""
    n = len(shape_of(x))
    return x if n >= 2 else ops.expand_dims(x, axis=tuple(range(2 - n)))


@composite(numpy="atleast_3d", torch="atleast_3d", unit=same, points=points.free, domain=_few_axes)
def atleast_3d(x: Any, /) -> Any:
    """With three axes or more: one axis becomes the middle one, two the first."""
    n = len(shape_of(x))
    return x if n >= 3 else ops.expand_dims(x, axis=((0, 1, 2), (0, 2), (2,))[n])


def _flipped(rng: Any) -> list[Sample]:
    x = rng.normal(size=(2, 3, 4))
    return [Sample((x,), {"axis": axis}) for axis in (None, 0, -1, (0, 2))]


@composite(
    numpy="flip", array_api="flip", torch="flip", unit=same, points=points.free, domain=_flipped
)
def flip(x: Any, /, axis: Any = None) -> Any:
    """The other way round along some axes, or all."""
    n = len(shape_of(x))
    turned = normalized(axis, n)
    back = slice(None, None, -1)
    return ops.index(x, key=tuple(back if i in turned else slice(None) for i in range(n)))


@composite(
    numpy="flipud",
    torch="flipud",
    unit=same,
    points=points.free,
    domain=lambda rng: [Sample((rng.normal(size=s),)) for s in ((3,), (2, 3))],
)
def flipud(x: Any, /) -> Any:
    """The first axis the other way round."""
    return ops.flip(x, axis=0)


@composite(
    numpy="fliplr",
    torch="fliplr",
    unit=same,
    points=points.free,
    domain=lambda rng: [Sample((rng.normal(size=s),)) for s in ((2, 3), (2, 3, 4))],
)
def fliplr(x: Any, /) -> Any:
    """The second axis the other way round."""
    return ops.flip(x, axis=1)


@composite(
    numpy="rot90",
    torch="rot90",
    unit=same,
    points=points.free,
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3, 4)),), {"k": k, "axes": axes})
        for k in (0, 1, 2, -1)
        for axes in ((0, 1), (2, 0))
    ],
)
def rot90(x: Any, /, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Turned by k right angles in the plane of two axes."""
    i, j = normalized(axes, len(shape_of(x)))
    turns = k % 4
    if turns == 0:
        return ops.copy(x)
    if turns == 2:
        return ops.flip(x, axis=(i, j))
    if turns == 1:
        return ops.swapaxes(ops.flip(x, axis=j), axis1=i, axis2=j)
    return ops.flip(ops.swapaxes(x, axis1=i, axis2=j), axis=j)


@composite(
    numpy="broadcast_arrays",
    array_api=("broadcast_arrays", None),
    torch="broadcast_tensors",
    domain=lambda rng: [Sample((rng.normal(size=(2, 1)), rng.normal(size=3), rng.normal(size=())))],
)
def broadcast_arrays(*arrays: Any) -> Any:
    """Each array stretched to the shape that all meet in; each keeps its own unit."""
    arrays = tuple(map(arrayed, arrays))
    shape = broadcast_shapes([shape_of(x) for x in arrays])
    return tuple(ops.broadcast_to(x, shape=shape) for x in arrays)


@composite(
    numpy="meshgrid",
    array_api=("meshgrid", None),
    torch="meshgrid",
    domain=lambda rng: [
        Sample(
            (rng.normal(size=2), rng.normal(size=3), rng.normal(size=4)),
            {"indexing": indexing, "sparse": sparse},
        )
        for indexing in ("xy", "ij")
        for sparse in (False, True)
    ],
)
def meshgrid(*arrays: Any, indexing: str = "xy", sparse: bool = False, copy: bool = True) -> Any:
    """The coordinates of a grid, an array for each axis; each keeps its own unit."""
    if indexing not in ("xy", "ij"):
        raise ShapeMismatch("meshgrid", "indexing 'xy' or 'ij'", repr(indexing))
    n = len(arrays)
    places = [1, 0, *range(2, n)] if indexing == "xy" and n > 1 else list(range(n))
    flat = [ops.reshape(x, shape=(-1,)) for x in arrays]
    open_grid = [
        ops.reshape(x, shape=tuple(-1 if i == place else 1 for i in range(n)))
        for x, place in zip(flat, places, strict=True)
    ]
    if not sparse:
        shape = broadcast_shapes([shape_of(x) for x in open_grid])
        open_grid = [ops.broadcast_to(x, shape=shape) for x in open_grid]
    return tuple(ops.copy(x) if copy else x for x in open_grid)
