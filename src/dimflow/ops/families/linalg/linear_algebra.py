"""Linear algebra: products of vectors, matrices and tensors. The units multiply."""

from math import prod
from typing import Any

from dimflow import ops
from dimflow.errors import ShapeMismatch
from dimflow.ops.definitions import linalg as definitions
from dimflow.ops.domain import Sample
from dimflow.ops.families.linalg import contraction
from dimflow.ops.families.linalg.matrices import (
    aligned,
    checked,
    equal_lengths,
    identity,
    ndim,
    side,
)
from dimflow.ops.rules import dtypes, points
from dimflow.ops.rules.batching import to_front
from dimflow.ops.rules.costs import Work, moved
from dimflow.ops.rules.derivatives import Linear, Multilinear, VariadicMultilinear
from dimflow.ops.rules.shapes import broadcast_shapes, normalized, without
from dimflow.ops.rules.transposition import shape_of, unbroadcast
from dimflow.ops.rules.units import product, same
from dimflow.ops.standard import adapters
from dimflow.ops.table import composite, primitive


def _matmul_shape(shapes: Any, params: Any) -> Any:
    a, b = shapes
    if not a or not b:
        raise ShapeMismatch("matmul", "arrays of one axis or more", shapes)
    inner = a[-1], b[-2] if len(b) > 1 else b[0]
    if not equal_lengths(*inner):
        raise ShapeMismatch("matmul", f"{inner[0]} rows on the right", inner[1])
    rows = a[-2:-1]
    columns = b[-1:] if len(b) > 1 else ()
    return (*broadcast_shapes([a[:-2], b[:-2]]), *rows, *columns)


def _left(ct: Any, args: Any, params: Any) -> Any:
    a, b = args
    if b.ndim == 1:
        outer = ct[..., None] * b if a.ndim > 1 else ct * b
        return unbroadcast(outer, a)
    ct = ct[..., None, :] if a.ndim == 1 else ct
    back = ops.matmul(ct, ops.matrix_transpose(b))
    return unbroadcast(back[..., 0, :] if a.ndim == 1 else back, a)


def _right(ct: Any, args: Any, params: Any) -> Any:
    a, b = args
    if a.ndim == 1:
        outer = a[:, None] * ct[..., None, :] if b.ndim > 1 else ct * a
        return unbroadcast(outer, b)
    if a.ndim > 2 and b.ndim <= 2:  # one product of all rows, not a matrix for each of a batch
        rows, inner = prod(a.shape[:-1]), a.shape[-1]
        ct = ops.reshape(ct, shape=(rows, *ct.shape[a.ndim - 1 :]))
        a = ops.reshape(a, shape=(rows, inner))
    ct = ct[..., None] if b.ndim == 1 else ct
    back = ops.matmul(ops.matrix_transpose(a), ct)
    return unbroadcast(back[..., 0] if b.ndim == 1 else back, b)


def _matmul_cost(shapes: Any, results: Any, params: Any) -> Work:
    return Work(2 * prod(results[0]) * shapes[0][-1], moved(shapes, results))


def _matmul_batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    """Vectors become rows or columns, so that leading axes are a batch on both sides."""
    x, y = (to_front(a, d) for a, d in zip(args, dims, strict=True))
    is_batched = [d is not None for d in dims]
    is_row, is_column = (ndim(a) - b == 1 for a, b in zip((x, y), is_batched, strict=True))
    x = x[..., None, :] if is_row else x
    y = y[..., None] if is_column else y
    inner = max(ndim(a) - b for a, b in zip((x, y), is_batched, strict=True))
    result = op.run((aligned(x, is_batched[0], inner), aligned(y, is_batched[1], inner)), params)
    result = result[..., 0, :] if is_row else result
    return result[..., 0] if is_column else result, 0


primitive(
    "matmul",
    doc="The matrix product; leading axes are a batch.",
    signature="x, y, /",
    unit=product,
    shape=_matmul_shape,
    dtype=dtypes.ufunc("matmul"),
    derivative=Multilinear((_left, _right)),
    batching=_matmul_batch,
    cost=_matmul_cost,
    array_api=("matmul", adapters.matmul),
    torch="matmul",
    onnx="MatMul",
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 4)), rng.normal(size=(4, 2)))),
        Sample((rng.normal(size=(5, 3, 4)), rng.normal(size=(4,)))),
        Sample((rng.normal(size=(5, 3, 4)), rng.normal(size=(4, 2)))),
        Sample((rng.normal(size=(4,)), rng.normal(size=(2, 4, 3)))),
        Sample((rng.normal(size=(4,)), rng.normal(size=(4,)))),
        Sample((rng.normal(size=(2, 1, 3, 4)), rng.normal(size=(5, 4, 2)))),
    ],
)


primitive(
    "einsum",
    doc="Sums of products over the axes that subscripts name: einsum('ij,jk->ik', x, y).",
    signature="subscripts, /, *operands",
    arrays=("operands",),
    unit=product,
    shape=contraction.shape,
    dtype=dtypes.promoted,
    derivative=VariadicMultilinear(contraction.transpose),
    batching=contraction.batch,
    cost=contraction.cost,
    torch="einsum",
    onnx="Einsum",
    definition=definitions.einsum,
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 4)), rng.normal(size=(4, 2))), {"subscripts": "ij,jk->ik"}),
        Sample((rng.normal(size=(3, 3)),), {"subscripts": "ii"}),
        Sample((rng.normal(size=(3, 3, 2)),), {"subscripts": "iij->ji"}),
        Sample((rng.normal(size=(3, 4)),), {"subscripts": "ij->j"}),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=4)), {"subscripts": "ij, k"}),
        Sample(
            (rng.normal(size=(2, 3, 4)), rng.normal(size=(4, 2)), rng.normal(size=2)),
            {"subscripts": "...ij,...jk,k->...i"},
            units=("m", "s", "kg"),
        ),
        Sample(
            (rng.normal(size=(5, 1, 3)), rng.normal(size=(2, 3))), {"subscripts": "...i,...i->..."}
        ),
        Sample((rng.normal(size=(1, 3)), rng.normal(size=(2, 3))), {"subscripts": "ij,ij->ij"}),
        Sample((rng.normal(size=(2, 3)) + 1j, rng.normal(size=3) - 2j), {"subscripts": "ij,j"}),
    ],
)


def _pairs(axes: Any, x: Any, y: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of both arrays that tensordot sums over, in the forms that NumPy takes."""
    if isinstance(axes, int):
        axes = range(ndim(x) - axes, ndim(x)), range(axes)
    left, right = ((a,) if isinstance(a, int) else a for a in axes)
    pairs = normalized(tuple(left), ndim(x)), normalized(tuple(right), ndim(y))
    lengths = [tuple(shape_of(a)[i] for i in p) for a, p in zip((x, y), pairs, strict=True)]
    if lengths[0] != lengths[1]:
        raise ShapeMismatch("tensordot", f"axes of lengths {lengths[0]} on the right", lengths[1])
    return pairs


@composite(
    numpy="tensordot",
    array_api="tensordot",
    unit=product,
    points=points.refuse,
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3, 4)), rng.normal(size=(3, 4, 2))), {"axes": 2}),
        Sample((rng.normal(size=(2, 3, 4)), rng.normal(size=(4, 3))), {"axes": ((1, 2), (1, 0))}),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(4,))), {"axes": 0}),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(4, 2))), {"axes": (0, -1)}),
    ],
)
def tensordot(x: Any, y: Any, /, axes: Any = 2) -> Any:
    """The sum of products over pairs of axes."""
    left, right = _pairs(axes, x, y)
    x_letters, y_letters, rest = contraction.pair(ndim(x), ndim(y), left, right)
    return ops.einsum(f"{x_letters},{y_letters}->{rest}", x, y)


def _vectors(rng: Any) -> list[Sample]:
    """Dot products of every combination of ranks."""
    return [
        Sample((rng.normal(size=3), rng.normal(size=3))),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=3))),
        Sample((rng.normal(size=(4, 2, 3)), rng.normal(size=(2, 3, 5)))),
        Sample((rng.normal(size=(2, 3)), rng.normal())),
    ]


@composite(numpy="dot", unit=product, points=points.refuse, domain=_vectors)
def dot(x: Any, y: Any, /) -> Any:
    """The sum of products over the last axis of x and the last but one of y."""
    if not ndim(x) or not ndim(y):
        return x * y
    return ops.tensordot(x, y, axes=(ndim(x) - 1, max(0, ndim(y) - 2)))


@composite(
    numpy="inner",
    torch="inner",
    unit=product,
    points=points.refuse,
    domain=lambda rng: [
        Sample((rng.normal(size=3), rng.normal(size=3))),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(4, 3)))),
        Sample((rng.normal(size=(2, 3)), rng.normal())),
    ],
)
def inner(x: Any, y: Any, /) -> Any:
    """The sum of products over the last axes of both."""
    if not ndim(x) or not ndim(y):
        return x * y
    return ops.tensordot(x, y, axes=(ndim(x) - 1, ndim(y) - 1))


@composite(
    numpy="vdot",
    unit=product,
    points=points.refuse,
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))),
        Sample((rng.normal(size=3) + 1j * rng.normal(size=3), rng.normal(size=3) + 2j)),
    ],
)
def vdot(x: Any, y: Any, /) -> Any:
    """The dot product of all elements; those of x are conjugated."""
    return ops.sum(ops.conj(ops.reshape(x, shape=(-1,))) * ops.reshape(y, shape=(-1,)))


@composite(
    numpy="outer",
    array_api=("linalg.outer", None),
    torch="outer",
    unit=product,
    points=points.refuse,
    domain=lambda rng: [
        Sample((rng.normal(size=3), rng.normal(size=4))),
        Sample((rng.normal(size=(2, 2)), rng.normal(size=3))),
    ],
)
def outer(x: Any, y: Any, /) -> Any:
    """Every product of an element of x and one of y, as a matrix."""
    return ops.reshape(x, shape=(-1, 1)) * ops.reshape(y, shape=(1, -1))


@composite(
    numpy="vecdot",
    array_api="vecdot",
    torch="linalg.vecdot",
    unit=product,
    points=points.refuse,
    domain=lambda rng: [
        Sample((rng.normal(size=(4, 3)), rng.normal(size=3)), {"axis": -1}),
        Sample((rng.normal(size=(4, 3)) + 1j, rng.normal(size=(4, 3)) - 2j), {"axis": -2}),
    ],
)
def vecdot(x: Any, y: Any, /, *, axis: int = -1) -> Any:
    """The dot product along an axis; x is conjugated."""
    return ops.sum(ops.conj(x) * y, axis=axis)


@composite(
    numpy="matvec",
    unit=product,
    points=points.refuse,
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)), rng.normal(size=3))),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(4, 3)))),
    ],
)
def matvec(x: Any, y: Any, /) -> Any:
    """Matrices times vectors; leading axes are a batch on both sides."""
    return ops.matmul(x, y[..., None])[..., 0]


@composite(
    numpy="vecmat",
    unit=product,
    points=points.refuse,
    domain=lambda rng: [
        Sample((rng.normal(size=2), rng.normal(size=(2, 3)))),
        Sample((rng.normal(size=(4, 2)) + 1j, rng.normal(size=(2, 3)) - 1j)),
    ],
)
def vecmat(x: Any, y: Any, /) -> Any:
    """Vectors, conjugated, times matrices; leading axes are a batch on both sides."""
    return ops.matmul(ops.conj(x)[..., None, :], y)[..., 0, :]


@composite(
    numpy="kron",
    torch="kron",
    unit=product,
    points=points.refuse,
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(4, 2)))),
        Sample((rng.normal(size=3), rng.normal(size=(2, 2)))),
    ],
)
def kron(x: Any, y: Any, /) -> Any:
    """The Kronecker product: a copy of y, scaled, in place of each element of x."""
    rank = max(ndim(x), ndim(y))
    left, right = ((1,) * (rank - ndim(a)) + shape_of(a) for a in (x, y))
    blocks = ops.reshape(x, shape=tuple(n for k in left for n in (k, 1))) * ops.reshape(
        y, shape=tuple(n for k in right for n in (1, k))
    )
    return ops.reshape(blocks, shape=tuple(m * n for m, n in zip(left, right, strict=True)))


@composite(
    numpy="cross",
    array_api=("linalg.cross", None),
    unit=product,
    points=points.refuse,
    domain=lambda rng: [
        Sample((rng.normal(size=3), rng.normal(size=3))),
        Sample((rng.normal(size=(4, 3)), rng.normal(size=3))),
        Sample((rng.normal(size=(3, 4)), rng.normal(size=(3, 4))), {"axis": 0}),
        Sample((rng.normal(size=(3, 4)), rng.normal(size=(4, 3))), {"axisa": 0}),
    ],
)
def cross(
    x: Any, y: Any, /, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    """The vector product of vectors of three components along an axis."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a = ops.moveaxis(x, source=axisa, destination=-1)
    b = ops.moveaxis(y, source=axisb, destination=-1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ShapeMismatch("cross", "vectors of 3 components", (a.shape[-1], b.shape[-1]))
    parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return ops.moveaxis(ops.stack(parts, axis=-1), source=-1, destination=axisc)


def _planes(params: Any, rank: int) -> tuple[int, int]:
    first, second = normalized((params["axis1"], params["axis2"]), rank)
    return first, second


def _trace_shape(shapes: Any, params: Any) -> Any:
    shape = checked("trace", shapes[0])
    return without(shape, _planes(params, len(shape)))


def _trace_dtype(given: Any, params: Any) -> Any:
    import numpy as np

    return np.trace(np.empty((1, 1), given[0])).dtype


def _trace_transpose(ct: Any, args: Any, params: Any) -> Any:
    """The cotangent on the diagonal, zero elsewhere."""
    shape = shape_of(args[0])
    planes = _planes(params, len(shape))
    mask = identity(shape[planes[0]], shape[planes[1]], params["offset"])
    spread = ops.multiply(ops.reshape(ct, shape=(*shape_of(ct), 1, 1)), mask)
    return (ops.moveaxis(spread, source=(-2, -1), destination=planes),)


def _trace_batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    x = to_front(args[0], dims[0])
    first, second = _planes(params, ndim(x) - 1)
    return op.run((x,), {**params, "axis1": first + 1, "axis2": second + 1}), 0


primitive(
    "trace",
    doc="The sum of the elements on a diagonal.",
    array_api=("linalg.trace", adapters.trace),
    signature="x, /, offset=0, axis1=0, axis2=1",
    unit=same,
    shape=_trace_shape,
    dtype=_trace_dtype,
    derivative=Linear(_trace_transpose),
    batching=_trace_batch,
    cost=lambda shapes, results, params: Work(
        prod(results[0]) * (side(*(shapes[0][a] for a in _planes(params, len(shapes[0])))) or 0),
        moved(shapes, results),
    ),
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 3)),), {"offset": 0, "axis1": 0, "axis2": 1}),
        Sample((rng.normal(size=(2, 3, 4)),), {"offset": 1, "axis1": -2, "axis2": -1}),
        Sample((rng.normal(size=(3, 2, 4)),), {"offset": -1, "axis1": 2, "axis2": 0}),
    ],
)


def _cheapest(lengths: list[int]) -> dict[tuple[int, int], int]:
    """Where to split each run of a chain of matrices so that the fewest products are needed."""
    count = len(lengths) - 1
    costs = {(i, i): 0 for i in range(count)}
    splits: dict[tuple[int, int], int] = {}
    for width in range(1, count):
        for i in range(count - width):
            j = i + width
            costs[i, j], splits[i, j] = min(
                (
                    costs[i, k] + costs[k + 1, j] + lengths[i] * lengths[k + 1] * lengths[j + 1],
                    k,
                )
                for k in range(i, j)
            )
    return splits


@composite(
    numpy="linalg.multi_dot",
    torch="linalg.multi_dot",
    namespace="linalg",
    variadic="arrays",
    unit=product,
    points=points.refuse,
    domain=lambda rng: [
        Sample(tuple(rng.normal(size=s) for s in ((2, 3), (3, 5), (5, 2)))),
        Sample(tuple(rng.normal(size=s) for s in ((3,), (3, 5), (5, 2), (2,)))),
        Sample(tuple(rng.normal(size=s) for s in ((2, 3), (3, 5)))),
    ],
)
def multi_dot(arrays: Any, /) -> Any:
    """The product of a chain of matrices, in the cheapest order; the ends may be vectors."""
    if len(arrays) < 2:
        raise ShapeMismatch("multi_dot", "two arrays or more", len(arrays))
    is_row, is_column = ndim(arrays[0]) == 1, ndim(arrays[-1]) == 1
    chain = list(arrays)
    if is_row:
        chain[0] = chain[0][None, :]
    if is_column:
        chain[-1] = chain[-1][:, None]
    splits = _cheapest([*(a.shape[0] for a in chain), chain[-1].shape[1]])

    def run(i: int, j: int) -> Any:
        if i == j:
            return chain[i]
        return ops.matmul(run(i, splits[i, j]), run(splits[i, j] + 1, j))

    result = run(0, len(chain) - 1)
    result = result[0, ...] if is_row else result
    return result[..., 0] if is_column else result
