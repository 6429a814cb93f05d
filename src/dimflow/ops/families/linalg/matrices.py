"""Parts of the rules of linear algebra: shapes, dtypes, batches and masks of matrices."""

from math import prod
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import ShapeMismatch
from dimflow.ops.domain import Sample
from dimflow.ops.rules.batching import ndim, to_front
from dimflow.ops.rules.costs import Cost, Work, moved
from dimflow.ops.rules.dtypes import as_floating, real_of, result_type
from dimflow.ops.rules.transposition import shape_of

__all__ = [
    "adjoint",
    "aligned",
    "batch_of_matrices",
    "checked",
    "cubic",
    "equal_lengths",
    "floating",
    "from_triangle",
    "identity",
    "inner_product",
    "ndim",
    "on_diagonal",
    "real_floating",
    "regular",
    "side",
    "square",
    "square_samples",
    "with_phases",
]


def adjoint(x: Any) -> Any:
    """The conjugate transpose of each matrix."""
    return ops.conj(ops.matrix_transpose(x))


def identity(rows: int, columns: int | None = None, offset: int = 0) -> Any:
    """Where a diagonal lies, as a mask: a factor of booleans leaves every dtype as it is."""
    return np.eye(rows, columns, offset, dtype=np.bool_)


def on_diagonal(x: Any) -> Any:
    """Each square matrix with zeros beside its diagonal."""
    return ops.multiply(x, identity(shape_of(x)[-1]))


def from_triangle(t: Any, lower: bool) -> Any:
    """The Hermitian matrix that a routine sees which reads one triangle of its argument only."""
    strict = ops.tril(t, k=-1) if lower else ops.triu(t, k=1)
    return strict + on_diagonal(ops.real(t)) + adjoint(strict)


def inner_product(x: Any, y: Any) -> Any:
    """The sum of x * y over the elements of each matrix."""
    return ops.sum(x * y, axis=(-2, -1))


def checked(op: str, shape: Any) -> Any:
    """A shape of two axes or more."""
    if len(shape) < 2:
        raise ShapeMismatch(op, "matrices: two axes or more", shape)
    return shape


def square(op: str, shape: Any) -> Any:
    """A shape whose last two lengths agree, as far as they are known."""
    rows, columns = checked(op, shape)[-2:]
    if not equal_lengths(rows, columns):
        raise ShapeMismatch(op, "square matrices", shape)
    return shape


def equal_lengths(m: int | None, n: int | None) -> bool:
    """Whether two lengths agree; one that is not known may."""
    return m is None or n is None or m == n


def side(m: int | None, n: int | None) -> int | None:
    """The smaller of two lengths."""
    return None if m is None or n is None else min(m, n)


def floating(dtypes: tuple[Any, ...], params: dict[str, Any]) -> np.dtype[Any]:
    """As NumPy's linear algebra: single precision only if every argument is."""
    return result_type(tuple(as_floating(result_type((d,))) for d in dtypes if d is not None))


def real_floating(dtypes: tuple[Any, ...], params: dict[str, Any]) -> np.dtype[Any]:
    """The same for results that are real: singular values, eigenvalues, norms."""
    return real_of(floating(dtypes, params))


def aligned(x: Any, is_batched: bool, inner: int) -> Any:
    """An array with its batch axis first and `inner` axes after it."""
    missing = inner + 1 - ndim(x)
    if not is_batched or not missing:
        return x
    return ops.reshape(x, shape=(x.shape[0], *([1] * missing), *x.shape[1:]))


def batch_of_matrices(op: Any, args: Any, dims: Any, params: Any) -> Any:
    """A rule for `f(a, b)` where a single vector b stands for a column."""
    a, b = (to_front(x, d) for x, d in zip(args, dims, strict=True))
    a_batched, b_batched = (d is not None for d in dims)
    is_vector = ndim(b) - b_batched == 1
    b = b[..., None] if is_vector else b
    inner = max(ndim(a) - a_batched, ndim(b) - b_batched)
    result = op.run((aligned(a, a_batched, inner), aligned(b, b_batched, inner)), params)
    return result[..., 0] if is_vector else result, 0


def cubic(numerator: int, denominator: int = 1) -> Cost:
    """So many thirds, halves or wholes of n³ operations for each matrix: m²n for m < n."""

    def cost(shapes: Any, results: Any, params: Any) -> Work:
        *batch, m, n = shapes[0]
        flops = prod(batch) * min(m, n) * m * n * numerator // denominator
        return Work(flops, moved(shapes, results))

    return cost


def regular(rng: Any, *shape: int) -> Any:
    """Square matrices far from singular ones, whose diagonals stand out."""
    return 0.7 * rng.normal(size=shape) + 4 * identity(shape[-1])


def square_samples(rng: Any) -> list[Sample]:
    """Calls with one matrix, with a batch of them, and with complex ones."""
    return [
        Sample((regular(rng, 3, 3),)),
        Sample((regular(rng, 2, 4, 4),)),
        Sample((with_phases(rng, regular(rng, 3, 3)),)),
    ]


def with_phases(rng: Any, x: Any) -> Any:
    """Complex numbers near real ones."""
    return x + 0.5j * rng.normal(size=x.shape)
