"""Eigenvalues, which keep the unit, and eigenvectors, which are pure numbers of length 1.

A derivative exists where the eigenvalues differ. It is that of the vectors as they come: of length
1, with signs and phases held as the algorithms hold them.
"""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.ops.domain import Sample
from dimflow.ops.families.linalg.decompositions import gaps, symmetric
from dimflow.ops.families.linalg.matrices import (
    adjoint,
    cubic,
    floating,
    from_triangle,
    on_diagonal,
    real_floating,
    square,
)
from dimflow.ops.rules import batching, points
from dimflow.ops.rules.derivatives import Jvp
from dimflow.ops.rules.units import PURE, Call, Resolved, same, to, unit_of, unit_rule
from dimflow.ops.standard import adapters
from dimflow.ops.table import composite, primitive


@unit_rule
def _eigen_unit(call: Call) -> Resolved:
    return Resolved(to(call, None), (unit_of(call, 0), PURE))


def _eigen_shape(op: str) -> Any:
    def shape(shapes: Any, params: Any) -> Any:
        given = square(op, shapes[0])
        return given[:-1], given

    return shape


def _eigh_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    values, vectors = out
    t = from_triangle(tangents[0], lower=params["UPLO"] in ("L", "l"))
    inner = ops.matmul(ops.matmul(adjoint(vectors), t), vectors)
    change = ops.real(ops.sum(on_diagonal(inner), axis=-1))
    return change, ops.matmul(vectors, gaps(values) * inner)


primitive(
    "eigh",
    doc="Eigenvalues, the smallest first, and eigenvectors of Hermitian matrices, of which one "
    "triangle is read.",
    signature="x, /, UPLO='L'",
    namespace="linalg",
    numpy="linalg.eigh",
    array_api=("linalg.eigh", adapters.eigh),
    torch="linalg.eigh",
    outputs=("eigenvalues", "eigenvectors"),
    unit=_eigen_unit,
    shape=_eigen_shape("eigh"),
    dtype=lambda given, params: (real_floating(given, params), floating(given, params)),
    derivative=Jvp(_eigh_tangent),
    batching=batching.leading,
    cost=cubic(9),
    domain=lambda rng: [
        Sample((symmetric(rng, 3, 3),)),
        Sample((symmetric(rng, 2, 4, 4),), {"UPLO": "U"}),
    ],
)


@composite(
    numpy="linalg.eigvalsh",
    array_api=("linalg.eigvalsh", None),
    torch="linalg.eigvalsh",
    namespace="linalg",
    unit=same,
    points=points.refuse,
    domain=lambda rng: [
        Sample((symmetric(rng, 3, 3),)),
        Sample((symmetric(rng, 2, 4, 4),), {"UPLO": "U"}),
    ],
)
def eigvalsh(x: Any, /, UPLO: str = "L") -> Any:
    """The eigenvalues of Hermitian matrices, the smallest first."""
    return ops.eigh(x, UPLO=UPLO)[0]


def _eig_tangent(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    values, vectors = out
    inner = ops.solve(vectors, ops.matmul(tangents[0], vectors))
    change = ops.sum(on_diagonal(inner), axis=-1)
    turn = ops.matmul(vectors, gaps(values) * inner)
    return change, _normalized(vectors, turn)


def _normalized(vectors: Any, turn: Any) -> Any:
    """The turn that leaves each vector of length 1, and its largest component real, as LAPACK."""
    if 0 in vectors.shape:
        return turn
    sizes = ops.abs(vectors)
    is_largest = ops.equal(sizes, ops.max(sizes, axis=-2, keepdims=True))
    overlap = ops.conj(vectors) * turn
    along = ops.real(ops.sum(overlap, axis=-2, keepdims=True))
    phase = overlap - ops.real(overlap)
    largest = ops.sum(ops.where(is_largest, sizes * sizes, 0.0), axis=-2, keepdims=True)
    drift = ops.sum(ops.where(is_largest, phase, 0.0), axis=-2, keepdims=True) / largest
    return turn - vectors * (along + drift)


def _spinning(rng: Any, *shape: int) -> Any:
    """Real matrices whose eigenvalues differ and are not all real."""
    n = shape[-1]
    turning = np.zeros((n, n))
    turning[0, 1], turning[1, 0] = -9.0, 7.0
    return rng.normal(size=shape) + turning + np.diag(5.0 * np.arange(n))


def _complex_of(dtype: Any) -> Any:
    return np.result_type(dtype, np.complex64)


primitive(
    "eig",
    doc="Eigenvalues and eigenvectors; real ones where NumPy finds that all are.",
    signature="x, /",
    namespace="linalg",
    numpy="linalg.eig",
    torch="linalg.eig",
    outputs=("eigenvalues", "eigenvectors"),
    unit=_eigen_unit,
    shape=_eigen_shape("eig"),
    dtype=lambda given, params: (_complex_of(floating(given, params)),) * 2,
    derivative=Jvp(_eig_tangent),
    batching=batching.leading,
    cost=cubic(25),
    domain=lambda rng: [
        Sample((_spinning(rng, 3, 3),)),
        Sample((_spinning(rng, 2, 4, 4),)),
        Sample((_spinning(rng, 3, 3) + 1j * rng.normal(size=(3, 3)),)),
    ],
)


@composite(
    numpy="linalg.eigvals",
    torch="linalg.eigvals",
    namespace="linalg",
    unit=same,
    points=points.refuse,
    domain=lambda rng: [Sample((_spinning(rng, 2, 3, 3),))],
)
def eigvals(x: Any, /) -> Any:
    """The eigenvalues, in no order."""
    return ops.eig(x)[0]
