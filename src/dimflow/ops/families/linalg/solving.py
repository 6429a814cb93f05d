"""Linear systems: inverses and solutions."""

from math import prod
from typing import Any

from dimflow import ops
from dimflow.errors import ShapeMismatch
from dimflow.ops.definitions import linalg as definitions
from dimflow.ops.domain import Sample
from dimflow.ops.families.linalg.matrices import (
    adjoint,
    batch_of_matrices,
    checked,
    cubic,
    equal_lengths,
    floating,
    from_triangle,
    ndim,
    real_floating,
    regular,
    side,
    square,
    square_samples,
    with_phases,
)
from dimflow.ops.rules import batching, points
from dimflow.ops.rules.costs import Cost, Work, moved
from dimflow.ops.rules.derivatives import Jvp
from dimflow.ops.rules.shapes import broadcast_shapes
from dimflow.ops.rules.transposition import shape_of, unbroadcast
from dimflow.ops.rules.units import (
    PURE,
    Call,
    Resolved,
    pure,
    to,
    unit_of,
    unit_rule,
)
from dimflow.ops.standard import adapters
from dimflow.ops.table import composite, primitive

# Inverses


@unit_rule
def _reciprocal(call: Call) -> Resolved:
    return Resolved(to(call, None), unit_of(call, 0) ** -1)


primitive(
    "inv",
    doc="The inverse of each matrix.",
    signature="x, /",
    namespace="linalg",
    numpy="linalg.inv",
    array_api=("linalg.inv", adapters.on_fractions("linalg.inv")),
    torch="linalg.inv",
    unit=_reciprocal,
    shape=lambda shapes, params: square("inv", shapes[0]),
    dtype=floating,
    derivative=Jvp(
        lambda tangents, out, args, params: -ops.matmul(ops.matmul(out, tangents[0]), out)
    ),
    batching=batching.leading,
    cost=cubic(2),
    laws=("involution",),
    domain=square_samples,
)


def _pinv_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """Golub and Pereyra 1973, for matrices of constant rank."""
    x, t = args[0], tangents[0]
    if params["hermitian"]:
        x, t = from_triangle(x, lower=True), from_triangle(t, lower=True)
    back, down = adjoint(out), adjoint(t)
    left = ops.matmul(ops.matmul(out, back), down)
    right = ops.matmul(down, ops.matmul(back, out))
    return (
        left
        - ops.matmul(ops.matmul(left, x), out)
        + right
        - ops.matmul(out, ops.matmul(x, right))
        - ops.matmul(ops.matmul(out, t), out)
    )


def _pinv_shape(shapes: Any, params: Any) -> Any:
    *batch, m, n = checked("pinv", shapes[0])
    return (*batch, n, m)


primitive(
    "pinv",
    doc="The pseudo-inverse. `rcond` is relative to the largest singular value.",
    signature="x, /, rcond=None, hermitian=False",
    namespace="linalg",
    numpy="linalg.pinv",
    array_api=("linalg.pinv", adapters.pinv),
    unit=_reciprocal,
    shape=_pinv_shape,
    dtype=floating,
    derivative=Jvp(_pinv_tangent),
    batching=batching.leading,
    cost=cubic(26),
    domain=lambda rng: [
        Sample((regular(rng, 3, 3),)),
        Sample((rng.normal(size=(2, 4, 3)),)),
        Sample((rng.normal(size=(2, 5)),)),
        Sample((with_phases(rng, rng.normal(size=(4, 2))),)),
        Sample((regular(rng, 3, 3),), {"hermitian": True}),
    ],
)


@composite(
    numpy="linalg.tensorinv",
    torch="linalg.tensorinv",
    namespace="linalg",
    unit=_reciprocal,
    points=points.refuse,
    domain=lambda rng: [
        Sample((regular(rng, 6, 6).reshape(2, 3, 3, 2),), {"ind": 2}),
        Sample((regular(rng, 4, 4).reshape(4, 2, 2),), {"ind": 1}),
    ],
)
def tensorinv(x: Any, /, ind: int = 2) -> Any:
    """The inverse of a tensor as a map from its last axes to its first `ind` ones."""
    shape = shape_of(x)
    if not 0 < ind < len(shape) or prod(shape[:ind]) != prod(shape[ind:]):
        raise ShapeMismatch("tensorinv", f"as many elements before axis {ind} as after", shape)
    flat = ops.reshape(x, shape=(prod(shape[:ind]), -1))
    return ops.reshape(ops.inv(flat), shape=(*shape[ind:], *shape[:ind]))


# Solutions


@unit_rule
def _solution(call: Call) -> Resolved:
    return Resolved((None, None), unit_of(call, 1) / unit_of(call, 0))


def _solve_shape(op: str) -> Any:
    def shape(shapes: Any, params: Any) -> Any:
        a, b = square(op, shapes[0]), shapes[1]
        if not b:
            raise ShapeMismatch(op, "a right side of one axis or more", b)
        rows = b[0] if len(b) == 1 else b[-2]
        if not equal_lengths(a[-1], rows):
            raise ShapeMismatch(op, f"{a[-1]} rows on the right side", rows)
        known = rows if a[-1] is None else a[-1]
        if len(b) == 1:
            return (*a[:-2], known)
        return (*broadcast_shapes([a[:-2], b[:-2]]), known, b[-1])

    return shape


def _solve_cost(numerator: int, denominator: int) -> Cost:
    """The factorisation, if any, and two operations for each element and right side."""

    def cost(shapes: Any, results: Any, params: Any) -> Work:
        n = shapes[0][-1]
        flops = prod(shapes[0]) * n * numerator // denominator + 2 * n * prod(results[0])
        return Work(flops, moved(shapes, results))

    return cost


def _as_columns(x: Any, is_vector: bool) -> Any:
    return x[..., None] if is_vector else x


def right_side(tangents: Any, out: Any, args: Any, change: Any) -> Any:
    """db - da x, as columns: what is solved for the tangent of a solution."""
    is_vector = ndim(args[1]) == 1
    by_b = None if tangents[1] is None else _as_columns(tangents[1], is_vector)
    if change is None:
        return by_b
    by_a = ops.matmul(change, _as_columns(out, is_vector))
    return -by_a if by_b is None else by_b - by_a


def _solve_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    result = ops.solve(args[0], right_side(tangents, out, args, tangents[0]))
    return result[..., 0] if ndim(args[1]) == 1 else result


def _solve_transpose(ct: Any, args: Any, params: Any) -> Any:
    a, b = args
    is_vector = ndim(b) == 1
    back = ops.solve(ops.matrix_transpose(a), _as_columns(ct, is_vector))
    return unbroadcast(back[..., 0] if is_vector else back, b)


def _systems(rng: Any, matrix: Any) -> list[tuple[Any, Any]]:
    return [
        (matrix(rng, 3, 3), rng.normal(size=3)),
        (matrix(rng, 3, 3), rng.normal(size=(3, 2))),
        (matrix(rng, 2, 3, 3), rng.normal(size=3)),
        (matrix(rng, 2, 1, 3, 3), rng.normal(size=(4, 3, 2))),
    ]


primitive(
    "solve",
    doc="The x of a x = b, for a vector b or columns of them.",
    signature="a, b, /",
    namespace="linalg",
    numpy="linalg.solve",
    array_api=("linalg.solve", adapters.solve),
    unit=_solution,
    shape=_solve_shape("solve"),
    dtype=floating,
    derivative=Jvp(_solve_tangent, (None, _solve_transpose)),
    batching=batch_of_matrices,
    cost=_solve_cost(2, 3),
    domain=lambda rng: [
        *(Sample(s) for s in _systems(rng, regular)),
        Sample((with_phases(rng, regular(rng, 3, 3)), with_phases(rng, rng.normal(size=3)))),
    ],
)


_TRANSPOSED = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}


def triangle(x: Any, lower: bool, unit_diagonal: bool) -> Any:
    """The elements that a triangular matrix is read from."""
    offset = int(unit_diagonal)
    return ops.tril(x, k=-offset) if lower else ops.triu(x, k=offset)


def _triangular_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    change = tangents[0]
    if change is not None:
        change = triangle(change, params["lower"], params["unit_diagonal"])
        trans = _TRANSPOSED[params["trans"]]
        change = (change, ops.matrix_transpose(change), adjoint(change))[trans]
    rest = right_side(tangents, out, args, change)
    result = ops.solve_triangular(args[0], rest, **params)
    return result[..., 0] if ndim(args[1]) == 1 else result


def _triangular_transpose(ct: Any, args: Any, params: Any) -> Any:
    a, b = args
    is_vector = ndim(b) == 1
    trans = _TRANSPOSED[params["trans"]]
    a = ops.conj(a) if trans == 2 else a
    back = ops.solve_triangular(
        a, _as_columns(ct, is_vector), **{**params, "trans": 0 if trans else 1}
    )
    return unbroadcast(back[..., 0] if is_vector else back, b)


@unit_rule(params=True)
def _triangular_solution(call: Call) -> Resolved:
    """A diagonal of ones is one of pure numbers, and so is the rest."""
    if call.params["unit_diagonal"]:
        pure(call, 0)
        return Resolved((PURE, None), unit_of(call, 1))
    return _solution(call)


primitive(
    "solve_triangular",
    doc="The x of a x = b for a triangular a; its other elements are not read.",
    signature="a, b, /, trans=0, lower=False, unit_diagonal=False",
    namespace="linalg",
    numpy="",
    unit=_triangular_solution,
    shape=_solve_shape("solve_triangular"),
    dtype=floating,
    derivative=Jvp(_triangular_tangent, (None, _triangular_transpose)),
    batching=batch_of_matrices,
    cost=lambda shapes, results, params: Work(
        shapes[0][-1] * prod(results[0]), moved(shapes, results)
    ),
    definition=definitions.solve_triangular,
    domain=lambda rng: (
        [
            Sample(s, {"trans": i % 3, "lower": i % 2 == 0, "unit_diagonal": i == 3})
            for i, s in enumerate(_systems(rng, regular) + _systems(rng, regular)[:2])
        ]
        + [Sample((with_phases(rng, regular(rng, 3, 3)), rng.normal(size=3) + 1j), {"trans": 2})]
    ),
)


@composite(
    numpy="linalg.tensorsolve",
    namespace="linalg",
    unit=_solution,
    points=points.refuse,
    domain=lambda rng: [
        Sample((regular(rng, 6, 6).reshape(2, 3, 3, 2), rng.normal(size=(2, 3)))),
        Sample(
            (regular(rng, 6, 6).reshape(2, 3, 6).transpose(0, 2, 1), rng.normal(size=(2, 3))),
            {"axes": (1,)},
        ),
    ],
)
def tensorsolve(a: Any, b: Any, /, axes: Any = None) -> Any:
    """The x of tensordot(a, x, x.ndim) = b; `axes` of a are moved to its end first."""
    if axes is not None:
        last = tuple(range(ndim(a) - len(axes), ndim(a)))
        a = ops.moveaxis(a, source=tuple(axes), destination=last)
    shape = shape_of(a)[ndim(b) :]
    count = prod(shape_of(b))
    if prod(shape) != count:
        raise ShapeMismatch("tensorsolve", f"{count} unknowns", shape)
    flat = ops.reshape(a, shape=(count, prod(shape)))
    return ops.reshape(ops.solve(flat, ops.reshape(b, shape=(count,))), shape=shape)


@unit_rule
def _leastsquare_samples(call: Call) -> Resolved:
    a, b = unit_of(call, 0), unit_of(call, 1)
    return Resolved((None, None), (b / a, b**2, None, a))


def _lstsq_shape(shapes: Any, params: Any) -> Any:
    (m, n), b = checked("lstsq", shapes[0]), shapes[1]
    if not equal_lengths(m, b[0]):
        raise ShapeMismatch("lstsq", f"{m} rows on the right side", b[0])
    # residuals are left out where the matrix has no full column rank, which only the data knows
    return (n, *b[1:]), (None,), (), (side(m, n),)


def _lstsq_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    (a, b), (da, db) = args, tangents
    x, residuals, *_ = out
    inverse = ops.pinv(a)
    terms = []
    if db is not None:
        terms.append(ops.matmul(inverse, db))
    if da is not None:
        terms.append(ops.matmul(_pinv_tangent((da,), inverse, (a,), {"hermitian": False}), b))
    solution = terms[0] if len(terms) == 1 else terms[0] + terms[1]
    spread = singular_tangent(ops.svd(a, full_matrices=False), da) if da is not None else None
    if not shape_of(residuals)[0]:
        return solution, None, None, spread
    is_vector = ndim(b) == 1
    change = right_side((None, db), x, (a, b), da)
    left = _as_columns(b - ops.matmul(a, x), is_vector)
    # the solution's own change does not count: what is left is orthogonal to the columns
    return solution, 2 * ops.real(ops.sum(ops.conj(left) * change, axis=0)), None, spread


def singular_tangent(factors: Any, t: Any) -> Any:
    """The tangents of singular values: the diagonal of Uᴴ t V, its real part."""
    u, _, vh = factors
    return ops.real(ops.sum(ops.conj(u) * ops.matmul(t, adjoint(vh)), axis=-2))


primitive(
    "lstsq",
    doc="The x for which a x comes nearest to b. `rcond` is relative to the largest of the "
    "singular values.",
    signature="a, b, /, rcond=None",
    namespace="linalg",
    numpy="linalg.lstsq",
    outputs=("x", "residuals", "rank", "singular_values"),
    unit=_leastsquare_samples,
    shape=_lstsq_shape,
    dtype=lambda given, params: (
        floating(given, params),
        real_floating(given, params),
        "int32",
        real_floating(given, params),
    ),
    derivative=Jvp(_lstsq_tangent),
    batching=batching.looped,
    cost=cubic(22),
    definition=definitions.lstsq,
    domain=lambda rng: [
        Sample((rng.normal(size=(5, 3)), rng.normal(size=5))),
        Sample((rng.normal(size=(5, 3)), rng.normal(size=(5, 2)))),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=2))),
    ],
)
