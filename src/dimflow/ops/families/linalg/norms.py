"""Norms, condition and rank: the size of vectors and matrices."""

from fractions import Fraction
from math import inf
from typing import Any

from dimflow import ops
from dimflow.errors import ShapeMismatch, UnitError
from dimflow.ops.definitions import linalg as definitions
from dimflow.ops.domain import Sample
from dimflow.ops.families.elementwise.complex_numbers import is_complex
from dimflow.ops.families.linalg.decompositions import distinct, symmetric
from dimflow.ops.families.linalg.matrices import checked, cubic, ndim, regular
from dimflow.ops.rules import batching, dtypes, points
from dimflow.ops.rules.derivatives import DISCRETE
from dimflow.ops.rules.shapes import normalized
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import PURE, Call, Resolved, same_to_plain, to, unit_of, unit_rule
from dimflow.ops.standard import adapters
from dimflow.ops.table import composite, primitive


@unit_rule(params=True)
def _size(call: Call) -> Resolved:
    """The unit; none for the order 0, which counts."""
    return Resolved((None,), None if call.params["ord"] == 0 else unit_of(call, 0))


def _unknown(op: str, order: Any) -> UnitError:
    return UnitError(f"{op} has no order {order!r}", "it is a number, 'fro' or 'nuc'")


@composite(
    numpy="linalg.vector_norm",
    array_api=("linalg.vector_norm", adapters.on_fractions("linalg.vector_norm")),
    namespace="linalg",
    unit=_size,
    points=points.refuse,
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 4)),), {"axis": axis, "keepdims": keep, "ord": order})
        for axis, keep, order in (
            (None, False, 2),
            (None, True, 3),
            (0, False, 1),
            (-1, True, inf),
            ((0, 1), False, -inf),
            (1, False, 2.5),
            (0, False, 0),
            (0, False, -1),
        )
    ],
)
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """The size of vectors: the root of the sum of powers; of order 0 how many are not zero."""
    reduced: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
    if isinstance(ord, str):
        raise _unknown("vector_norm", ord)
    if ord == 0:
        return ops.sum(ops.astype(ops.not_equal(x, 0), dtype=_real_dtype(x)), **reduced)
    if ord == 2:
        squares = ops.real(ops.conj(x) * x) if is_complex(x) else x * x
        return _root(ops.sum(squares, **reduced), Fraction(2))
    sizes = ops.abs(x)
    if ord == inf:
        return ops.max(sizes, **reduced)
    if ord == -inf:
        return ops.min(sizes, **reduced)
    if ord == 1:
        return ops.sum(sizes, **reduced)
    order = Fraction(ord).limit_denominator(10**6)
    return _root(ops.sum(ops.static_power(sizes, exponent=order), **reduced), order)


def _root(powers: Any, order: Fraction) -> Any:
    """A root of sums, whose derivative at 0 is 0, as that of abs(x) is."""
    is_zero = powers == 0
    inner = ops.where(is_zero, inf, powers)
    root = ops.sqrt(inner) if order == 2 else ops.static_power(inner, exponent=1 / order)
    return ops.where(is_zero, 0, root)


def _real_dtype(x: Any) -> Any:
    """The dtype of the sizes of x, by NumPy's name."""
    return ops.abs(x).dtype


_MATRIX_ORDERS = ("fro", "nuc", 1, -1, 2, -2, inf, -inf)


@composite(
    numpy="linalg.matrix_norm",
    array_api=("linalg.matrix_norm", adapters.on_fractions("linalg.matrix_norm")),
    namespace="linalg",
    unit=_size,
    points=points.refuse,
    domain=lambda rng: [
        Sample((distinct(rng, 2, 4, 3),), {"keepdims": i % 2 == 1, "ord": order})
        for i, order in enumerate(_MATRIX_ORDERS)
    ],
)
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """The size of matrices, the last two axes: Frobenius, nuclear, or that of a map."""
    checked("matrix_norm", shape_of(x))
    if ord not in _MATRIX_ORDERS or ord is True:
        raise _unknown("matrix_norm", ord)
    if ord == "fro":
        return ops.vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord in ("nuc", 2, -2):
        values = ops.svdvals(x)
        result = ops.sum(values, axis=-1) if ord == "nuc" else values[..., 0 if ord == 2 else -1]
        return result[..., None, None] if keepdims else result
    along = -2 if abs(ord) == 1 else -1
    sums = ops.sum(ops.abs(x), axis=along, keepdims=True)
    pick = ops.max if ord > 0 else ops.min
    return pick(sums, axis=(-2, -1), keepdims=keepdims)


@composite(
    numpy="linalg.norm",
    namespace="linalg",
    unit=_size,
    points=points.refuse,
    domain=lambda rng: [
        Sample((distinct(rng, 3, 4),), {"ord": order, "axis": axis, "keepdims": keep})
        for order, axis, keep in (
            (None, None, False),
            (2, None, False),
            ("nuc", (1, 0), True),
            (3, 1, False),
            (1, (0, 1), False),
            (None, 0, True),
            (inf, None, True),
            (0, 0, False),
        )
    ],
)
def norm(x: Any, /, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The size of vectors along one axis or of matrices along two; by default of all elements."""
    if axis is None and ord is None:
        return ops.vector_norm(x, axis=None, keepdims=keepdims)
    if axis is None and ndim(x) not in (1, 2):
        raise ShapeMismatch("norm", "a vector or a matrix, or an axis", shape_of(x))
    axes = normalized(axis, ndim(x))
    if len(axes) == 1:
        return ops.vector_norm(x, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ShapeMismatch("norm", "one axis or two", axis)
    moved = ops.moveaxis(x, source=axes, destination=(-2, -1))
    result = ops.matrix_norm(moved, keepdims=keepdims, ord="fro" if ord is None else ord)
    return ops.moveaxis(result, source=(-2, -1), destination=axes) if keepdims else result


@composite(
    numpy="linalg.cond",
    namespace="linalg",
    unit=unit_rule(params=True)(lambda call: Resolved(to(call, None), PURE)),
    points=points.refuse,
    domain=lambda rng: [
        Sample((regular(rng, 2, 3, 3),), {"p": p}) for p in (None, 2, -2, 1, inf, "fro")
    ],
)
def cond(x: Any, /, p: Any = None) -> Any:
    """How much a relative error may grow in solving with the matrix: a pure number."""
    if p in (None, 2, -2):
        values = ops.svdvals(x)
        first, last = values[..., 0], values[..., -1]
        return last / first if p == -2 else first / last
    return ops.matrix_norm(x, ord=p) * ops.matrix_norm(ops.inv(x), ord=p)


primitive(
    "matrix_rank",
    doc="How many singular values are above `tol`, which has the unit of x, or above `rtol` "
    "times the largest.",
    signature="x, /, tol=None, hermitian=False, *, rtol=None",
    arrays=("x", "tol"),
    namespace="linalg",
    numpy="linalg.matrix_rank",
    array_api=("linalg.matrix_rank", None),
    unit=same_to_plain,
    shape=lambda shapes, params: checked("matrix_rank", shapes[0])[:-2],
    dtype=dtypes.index,
    derivative=DISCRETE,
    batching=batching.looped,
    cost=cubic(4),
    definition=definitions.matrix_rank,
    domain=lambda rng: [
        Sample((distinct(rng, 4, 3),)),
        Sample((distinct(rng, 2, 4, 3), 2.0)),
        Sample((symmetric(rng, 3, 3), 1e-6), {"hermitian": True}),
        Sample((distinct(rng, 4, 3),), {"rtol": 0.5}),
    ],
)
