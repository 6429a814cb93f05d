"""Decompositions: the factors that only turn are pure numbers, the others keep the unit.

A derivative exists where the factors are smooth: singular values and eigenvalues that differ. It
is that of the factors as they come: signs and phases are held as the algorithms hold them.
"""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import MissingRule, ShapeMismatch, UnitError
from dimflow.ops.definitions import linalg as definitions
from dimflow.ops.domain import Sample
from dimflow.ops.families.linalg.matrices import (
    adjoint,
    checked,
    cubic,
    floating,
    from_triangle,
    identity,
    on_diagonal,
    real_floating,
    regular,
    side,
    square,
    with_phases,
)
from dimflow.ops.rules import batching, points
from dimflow.ops.rules.derivatives import Jvp
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import PURE, Call, Resolved, power, same, unit_of, unit_rule
from dimflow.ops.standard import adapters
from dimflow.ops.table import composite, primitive
from dimflow.units.alike import is_number


def symmetric(rng: Any, *shape: int) -> Any:
    """Symmetric matrices with eigenvalues that differ."""
    x = rng.normal(size=shape)
    return (x + np.swapaxes(x, -1, -2)) / 2 + 4 * np.diag(np.arange(shape[-1]))


def positive(rng: Any, *shape: int) -> Any:
    """Symmetric matrices with eigenvalues above 1."""
    x = rng.normal(size=shape)
    return np.matmul(x, np.swapaxes(x, -1, -2)) + 2 * np.eye(shape[-1])


def _hermitian(rng: Any, side: int) -> Any:
    """A complex one of those."""
    return from_triangle(with_phases(rng, positive(rng, side, side)), lower=True)


def distinct(rng: Any, *shape: int) -> Any:
    """Matrices of full rank with singular values that differ."""
    m, n = shape[-2:]
    return 0.7 * rng.normal(size=shape) + np.eye(m, n) * np.arange(4, 4 + 3 * n, 3)


def gaps(values: Any) -> Any:
    """1 / (values[j] - values[i]) as a matrix, and zero on the diagonal."""
    diagonal = identity(shape_of(values)[-1])
    differences = values[..., None, :] - values[..., :, None]
    # the ones keep the diagonal, and what is derived from it, finite
    steps = ops.where(diagonal, ops.ones_like(differences), differences)
    return ops.divide(~diagonal, steps)


# Cholesky


def _half_diagonal(x: Any) -> Any:
    """The lower triangle with half the diagonal."""
    return ops.tril(x, k=-1) + 0.5 * on_diagonal(x)


def _cholesky_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    lower = adjoint(out) if params["upper"] else out
    t = from_triangle(tangents[0], lower=not params["upper"])
    inner = ops.solve_triangular(lower, t, lower=True)
    inner = adjoint(ops.solve_triangular(lower, adjoint(inner), lower=True))
    result = ops.matmul(lower, _half_diagonal(inner))
    return adjoint(result) if params["upper"] else result


primitive(
    "cholesky",
    doc="The triangular L of L Lᴴ = x, for Hermitian positive x, of which one triangle is read.",
    signature="x, /, *, upper=False",
    namespace="linalg",
    numpy="linalg.cholesky",
    array_api=("linalg.cholesky", adapters.cholesky),
    torch="linalg.cholesky",
    unit=power("1/2"),
    shape=lambda shapes, params: square("cholesky", shapes[0]),
    dtype=floating,
    derivative=Jvp(_cholesky_tangent),
    batching=batching.leading,
    cost=cubic(1, 3),
    domain=lambda rng: [
        Sample((positive(rng, 3, 3),)),
        Sample((positive(rng, 2, 4, 4),), {"upper": True}),
        Sample((_hermitian(rng, 3),)),
        Sample((_hermitian(rng, 3),), {"upper": True}),
    ],
)


# QR


@unit_rule(params=True)
def _qr_unit(call: Call) -> Resolved:
    unit, mode = unit_of(call, 0), call.params["mode"]
    if mode == "r":
        return Resolved((None,), unit)
    if mode not in ("reduced", "complete", "raw"):
        raise UnitError(f"qr has no mode {mode!r}", "it is 'reduced', 'complete', 'r' or 'raw'")
    if mode == "raw":
        if not is_number(unit):
            raise UnitError(
                f"qr(mode='raw') of {unit} would mix reflectors, which are pure, with {unit}",
                "use mode='reduced' or 'complete'",
            )
        return Resolved((PURE,), (PURE, PURE))
    return Resolved((None,), (PURE, unit))


def _qr_shape(shapes: Any, params: Any) -> Any:
    *batch, m, n = checked("qr", shapes[0])
    k, mode = side(m, n), params["mode"]
    if mode == "r":
        return (*batch, k, n)
    if mode == "raw":
        return (*batch, n, m), (*batch, k)
    if mode == "complete":
        return (*batch, m, m), (*batch, m, n)
    if mode != "reduced":
        raise ShapeMismatch("qr", "a mode of reduced, complete, r or raw", mode)
    return (*batch, m, k), (*batch, k, n)


def _qr_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    x, t, mode = args[0], tangents[0], params["mode"]
    m, n = shape_of(x)[-2:]
    if mode == "raw" or (mode == "complete" and m > n):
        raise MissingRule(f"qr(mode={mode!r})", "derivative", "use mode='reduced'")
    q, r = ops.qr(x) if mode == "r" else out
    k = min(m, n)
    # the first k columns of x fix Q; the others only project on it
    scaled = ops.solve_triangular(
        ops.matrix_transpose(r[..., :k]), ops.matrix_transpose(t[..., :k]), lower=True
    )
    scaled = ops.matrix_transpose(scaled)
    inner = ops.matmul(adjoint(q), scaled)
    below = ops.tril(inner, k=-1)
    phases = on_diagonal(inner - ops.real(inner))
    turn = below - adjoint(below) + phases
    by_q = ops.matmul(q, turn - inner) + scaled
    by_r = ops.triu(ops.matmul(adjoint(q), t - ops.matmul(by_q, r)))
    return by_r if mode == "r" else (by_q, by_r)


def _several(op: Any, args: Any, dims: Any, params: Any) -> Any:
    """Leading axes as a batch, for an op whose parameters say how many results it has."""
    result = op.run((batching.to_front(args[0], dims[0]),), params)
    return result, (0,) * len(result) if isinstance(result, tuple) else 0


primitive(
    "qr",
    doc="Orthonormal Q and triangular R of Q R = x; only R for mode 'r'.",
    signature="x, /, mode='reduced'",
    namespace="linalg",
    numpy="linalg.qr",
    array_api=("linalg.qr", adapters.qr),
    torch="linalg.qr",
    outputs=("Q", "R"),
    unit=_qr_unit,
    shape=_qr_shape,
    dtype=floating,
    derivative=Jvp(_qr_tangent),
    batching=_several,
    cost=cubic(4),
    domain=lambda rng: [
        Sample((regular(rng, 3, 3),)),
        Sample((distinct(rng, 2, 4, 3),)),
        Sample((distinct(rng, 3, 4),)),
        Sample((distinct(rng, 3, 4),), {"mode": "complete"}),
        Sample((distinct(rng, 4, 3),), {"mode": "complete"}, smooth=False),
        Sample((with_phases(rng, distinct(rng, 4, 3)),)),
    ],
)


# Singular values


@unit_rule(params=True)
def _svd_unit(call: Call) -> Resolved:
    unit = unit_of(call, 0)
    return Resolved((None,), (PURE, unit, PURE) if call.params["compute_uv"] else unit)


def _svd_shape(shapes: Any, params: Any) -> Any:
    *batch, m, n = checked("svd", shapes[0])
    k = side(m, n)
    if not params["compute_uv"]:
        return (*batch, k)
    if params["full_matrices"]:
        return (*batch, m, m), (*batch, k), (*batch, n, n)
    return (*batch, m, k), (*batch, k), (*batch, k, n)


def _svd_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    x, t = args[0], tangents[0]
    if params["hermitian"]:
        t = from_triangle(t, lower=True)
    m, n = shape_of(x)[-2:]
    if params["compute_uv"] and params["full_matrices"] and m != n:
        raise MissingRule("svd(full_matrices=True)", "derivative", "use full_matrices=False")
    hermitian = params["hermitian"]
    u, s, vh = out if params["compute_uv"] else _thin(x, hermitian)
    inner = ops.matmul(ops.matmul(adjoint(u), t), adjoint(vh))
    values = ops.real(ops.sum(on_diagonal(inner), axis=-1))
    if not params["compute_uv"]:
        return values
    by_u, by_v = _turns(inner, s)
    left = ops.matmul(u, by_u) + _outside(u, ops.matmul(t, adjoint(vh)), s, m > n)
    right = ops.matmul(adjoint(vh), by_v)
    right = right + _outside(adjoint(vh), ops.matmul(adjoint(t), u), s, n > m)
    return left, values, adjoint(right)


def _thin(x: Any, hermitian: bool) -> Any:
    return ops.svd(x, full_matrices=False, hermitian=hermitian)


def _turns(inner: Any, s: Any) -> tuple[Any, Any]:
    """How U and V turn within themselves, from Uᴴ t V; phases are shared between them."""
    row, column = s[..., None, :], s[..., :, None]
    factors = gaps(s) / (row + column)
    phases = on_diagonal(inner - ops.real(inner)) / (2 * row)
    by_u = factors * (inner * row + column * adjoint(inner)) + phases
    by_v = factors * (column * inner + adjoint(inner) * row) - phases
    return by_u, by_v


def _outside(basis: Any, image: Any, s: Any, is_tall: bool) -> Any:
    """The turn out of the span of a basis, where there is room outside it."""
    if not is_tall:
        return 0
    rest = image - ops.matmul(basis, ops.matmul(adjoint(basis), image))
    return rest / s[..., None, :]


primitive(
    "svd",
    doc="U, the singular values S and Vh of (U * S) Vh = x; only S if not `compute_uv`.",
    signature="x, /, full_matrices=True, compute_uv=True, hermitian=False",
    namespace="linalg",
    numpy="linalg.svd",
    array_api=("linalg.svd", adapters.svd),
    outputs=("U", "S", "Vh"),
    unit=_svd_unit,
    shape=_svd_shape,
    dtype=lambda given, params: (
        (floating(given, params), real_floating(given, params), floating(given, params))
        if params["compute_uv"]
        else real_floating(given, params)
    ),
    derivative=Jvp(_svd_tangent),
    batching=_several,
    cost=cubic(22),
    domain=lambda rng: [
        Sample((distinct(rng, 3, 3),)),
        Sample((distinct(rng, 2, 4, 3),), {"full_matrices": False}),
        Sample((distinct(rng, 3, 5),), {"full_matrices": False}),
        Sample((distinct(rng, 3, 5),), smooth=False),
        Sample((symmetric(rng, 3, 3),), {"hermitian": True}),
    ],
)


@composite(
    numpy="linalg.svdvals",
    array_api=("linalg.svdvals", adapters.on_fractions("linalg.svdvals")),
    torch="linalg.svdvals",
    namespace="linalg",
    unit=same,
    points=points.refuse,
    domain=lambda rng: [
        Sample((distinct(rng, 3, 3),)),
        Sample((distinct(rng, 2, 4, 3),)),
        Sample((with_phases(rng, distinct(rng, 3, 4)),)),
    ],
)
def svdvals(x: Any, /) -> Any:
    """The singular values, the largest first."""
    return ops.svd(x, full_matrices=False)[1]


# LU


def _lu_shape(shapes: Any, params: Any) -> Any:
    *batch, m, n = checked("lu", shapes[0])
    k = side(m, n)
    return (*batch, m, m), (*batch, m, k), (*batch, k, n)


def _lu_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """From the leading square block; what stands below or beside it follows."""
    p, lower, upper = out
    t = ops.matmul(ops.matrix_transpose(p), tangents[0])
    m, n = shape_of(t)[-2:]
    k = min(m, n)
    first, right = lower[..., :k, :], upper[..., :, :k]
    inner = ops.solve_triangular(first, t[..., :k, :k], lower=True, unit_diagonal=True)
    inner = _over(inner, right)
    by_lower = ops.matmul(first, ops.tril(inner, k=-1))
    by_upper = ops.matmul(ops.triu(inner), right)
    if m > n:
        rest = t[..., k:, :] - ops.matmul(lower[..., k:, :], by_upper)
        by_lower = ops.concat([by_lower, _over(rest, right)], axis=-2)
    if n > m:
        rest = t[..., :, k:] - ops.matmul(by_lower, upper[..., :, k:])
        rest = ops.solve_triangular(first, rest, lower=True, unit_diagonal=True)
        by_upper = ops.concat([by_upper, rest], axis=-1)
    return None, by_lower, by_upper


def _over(x: Any, upper: Any) -> Any:
    """x times the inverse of an upper triangle."""
    turned = ops.solve_triangular(ops.matrix_transpose(upper), ops.matrix_transpose(x), lower=True)
    return ops.matrix_transpose(turned)


primitive(
    "lu",
    doc="A permutation P, and triangles L with ones on the diagonal and U of P L U = x.",
    signature="x, /",
    namespace="linalg",
    numpy="",
    torch="linalg.lu",
    outputs=("P", "L", "U"),
    unit=unit_rule(lambda call: Resolved((None,), (PURE, PURE, unit_of(call, 0)))),
    shape=_lu_shape,
    dtype=lambda given, params: (
        real_floating(given, params),
        floating(given, params),
        floating(given, params),
    ),
    derivative=Jvp(_lu_tangent),
    batching=batching.leading,
    cost=cubic(2, 3),
    definition=definitions.lu,
    domain=lambda rng: [
        Sample((regular(rng, 3, 3),)),
        Sample((distinct(rng, 2, 5, 3),)),
        Sample((distinct(rng, 2, 4),)),
        Sample((regular(rng, 3, 3)[::-1],)),
        Sample((with_phases(rng, regular(rng, 3, 3)),)),
    ],
)
