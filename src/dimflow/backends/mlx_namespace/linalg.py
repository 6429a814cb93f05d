"""Linear algebra. MLX decomposes matrices on the CPU alone, whichever device is the default."""

from typing import Any, NamedTuple

import mlx.core as mx

from dimflow.backends.mlx_namespace.elementwise import sign as sign_of
from dimflow.backends.mlx_namespace.folds import INDEX
from dimflow.errors import MissingRule

_CPU = mx.cpu


class _Eigh(NamedTuple):
    eigenvalues: mx.array
    eigenvectors: mx.array


class _QR(NamedTuple):
    Q: mx.array
    R: mx.array


class _SVD(NamedTuple):
    U: mx.array
    S: mx.array
    Vh: mx.array


class _Slogdet(NamedTuple):
    sign: mx.array
    logabsdet: mx.array


def matmul(x1: mx.array, x2: mx.array, /) -> mx.array:
    """Of integers too, which MLX has no kernel for, by sums of products."""
    if not (x1.ndim and x2.ndim):
        raise ValueError("matmul needs arrays of one axis at least")
    dtype = mx.result_type(x1, x2)
    if mx.issubdtype(dtype, mx.inexact):
        return mx.matmul(x1.astype(dtype), x2.astype(dtype))
    if x2.ndim == 1:
        return mx.sum(x1 * x2, -1).astype(dtype)
    if x1.ndim == 1:
        return mx.sum(x1[:, None] * x2, -2).astype(dtype)
    return mx.sum(x1[..., :, :, None] * x2[..., None, :, :], -2).astype(dtype)


def tensordot(x1: mx.array, x2: mx.array, /, *, axes: Any = 2) -> mx.array:
    """Sums over axes of both."""
    if isinstance(axes, int):
        axes = range(x1.ndim - axes, x1.ndim), range(axes)
    pairs = ((pair,) if isinstance(pair, int) else pair for pair in axes)
    left, right = ([int(a) % x.ndim for a in pair] for pair, x in zip(pairs, (x1, x2), strict=True))
    kept = [i for i in range(x1.ndim) if i not in left]
    others = [i for i in range(x2.ndim) if i not in right]
    rows, columns = [x1.shape[i] for i in kept], [x2.shape[i] for i in others]
    length = 1
    for i in left:
        length *= x1.shape[i]
    first = mx.reshape(mx.transpose(x1, [*kept, *left]), (_product(rows), length))
    second = mx.reshape(mx.transpose(x2, [*right, *others]), (length, _product(columns)))
    return mx.reshape(matmul(first, second), (*rows, *columns))


def _product(lengths: list[int]) -> int:
    result = 1
    for n in lengths:
        result *= n
    return result


def vecdot(x1: mx.array, x2: mx.array, /, *, axis: int = -1) -> mx.array:
    """Sums of products along an axis, the first conjugated."""
    first = mx.conj(x1) if x1.dtype == mx.complex64 else x1
    dtype = mx.result_type(x1, x2)
    return mx.sum(first * x2, axis).astype(dtype)


def matrix_transpose(x: mx.array, /) -> mx.array:
    """With the last two axes swapped."""
    return mx.swapaxes(x, -1, -2)


def outer(x1: mx.array, x2: mx.array, /) -> mx.array:
    """Products of each with each."""
    return x1[:, None] * x2[None, :]


def cross(x1: mx.array, x2: mx.array, /, *, axis: int = -1) -> mx.array:
    """The vector product."""
    x1, x2 = mx.broadcast_arrays(x1, x2)
    parts = [[mx.take(x, i, axis=axis) for i in range(3)] for x in (x1, x2)]
    (a, b, c), (d, e, f) = parts
    return mx.stack([b * f - c * e, c * d - a * f, a * e - b * d], axis=axis)


def diagonal(x: mx.array, /, *, offset: int = 0) -> mx.array:
    """Of the last two axes; empty where the diagonal lies outside."""
    rows, columns = x.shape[-2:]
    length = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
    steps = mx.arange(length)
    return x[..., steps + max(0, -offset), steps + max(0, offset)]


def trace(x: mx.array, /, *, offset: int = 0, dtype: Any = None) -> mx.array:
    """The sum of a diagonal."""
    found = diagonal(x, offset=offset)
    return mx.sum(found if dtype is None else found.astype(dtype), -1)


def _refuse_complex(x: mx.array, operation: str) -> None:
    if x.dtype == mx.complex64:
        hint = "x.to_backend('numpy') has one"
        raise MissingRule(operation, "kernel for complex64 arrays of mlx", hint)


def cholesky(x: mx.array, /, *, upper: bool = False) -> mx.array:
    """The root of a positive matrix."""
    _refuse_complex(x, "cholesky")
    return mx.linalg.cholesky(x, upper=upper, stream=_CPU)


def _lu(x: mx.array) -> tuple[mx.array, mx.array]:
    """The diagonal of the upper factor, and the sign of the permutation."""
    factors, pivots = mx.linalg.lu_factor(x, stream=_CPU)
    swaps = mx.sum((pivots.astype(INDEX) != mx.arange(x.shape[-1])).astype(INDEX), -1)
    return diagonal(factors), 1 - 2 * (swaps % 2)


def det(x: mx.array, /) -> mx.array:
    """By factors, which singular matrices have too."""
    if not x.shape[-1]:
        return mx.ones(x.shape[:-2], x.dtype)
    if x.dtype == mx.complex64:
        return mx.prod(mx.linalg.eigvals(x, stream=_CPU), -1)
    parts, sign = _lu(x)
    return mx.prod(parts, -1) * sign.astype(x.dtype)


def slogdet(x: mx.array, /) -> _Slogdet:
    """Sign and logarithm of the determinant."""
    if not x.shape[-1]:
        size = mx.zeros(x.shape[:-2], mx.float32 if x.dtype == mx.complex64 else x.dtype)
        return _Slogdet(mx.ones(x.shape[:-2], x.dtype), size)
    if x.dtype == mx.complex64:
        parts = mx.linalg.eigvals(x, stream=_CPU)
        total = mx.prod(sign_of(parts), -1)
    else:
        parts, sign = _lu(x)
        total = mx.prod(mx.sign(parts), -1) * sign.astype(x.dtype)
    return _Slogdet(total, mx.sum(mx.log(mx.abs(parts)), -1))


def inv(x: mx.array, /) -> mx.array:
    """The inverse."""
    if x.dtype == mx.complex64:
        return solve(x, mx.broadcast_to(mx.eye(x.shape[-1], dtype=x.dtype), x.shape))
    return mx.linalg.inv(x, stream=_CPU)


def pinv(x: mx.array, /, *, rtol: Any = None) -> mx.array:
    """By singular values; those below `rtol` of the largest count as zero."""
    left, values, right = svd(x, full_matrices=False)
    if rtol is None:
        rtol = max(x.shape[-2:]) * mx.finfo(values.dtype).eps
    limit = mx.array(rtol, values.dtype) if not isinstance(rtol, mx.array) else rtol[..., None]
    is_kept = values > limit * mx.max(values, -1, keepdims=True)
    inverse = mx.where(is_kept, 1 / mx.where(is_kept, values, 1), 0)
    adjoint = mx.conj if x.dtype == mx.complex64 else mx.array
    scaled = adjoint(matrix_transpose(right)) * inverse[..., None, :]
    return mx.matmul(scaled, adjoint(matrix_transpose(left)))


def qr(x: mx.array, /, *, mode: str = "reduced") -> _QR:
    """MLX has the reduced form alone; with unit columns beside x that is the complete one."""
    _refuse_complex(x, "qr")
    rows, columns = x.shape[-2:]
    if mode == "reduced" or rows <= columns:
        return _QR(*mx.linalg.qr(x, stream=_CPU))
    unit = mx.broadcast_to(mx.eye(rows, dtype=x.dtype), (*x.shape[:-1], rows))
    left, right = mx.linalg.qr(mx.concatenate([x, unit], -1), stream=_CPU)
    return _QR(left, right[..., :columns])


def svd(x: mx.array, /, *, full_matrices: bool = True) -> _SVD:
    """Singular values and vectors."""
    left, values, right = mx.linalg.svd(x, stream=_CPU)
    if not full_matrices:
        left, right = left[..., : values.shape[-1]], right[..., : values.shape[-1], :]
    return _SVD(left, values, right)


def svdvals(x: mx.array, /) -> mx.array:
    """Singular values alone."""
    return mx.linalg.svd(x, compute_uv=False, stream=_CPU)  # type: ignore[return-value]


def eigh(x: mx.array, /, UPLO: str = "L") -> _Eigh:
    """Of a hermitian matrix."""
    return _Eigh(*mx.linalg.eigh(x, UPLO, stream=_CPU))


def eigvalsh(x: mx.array, /, UPLO: str = "L") -> mx.array:
    """Eigenvalues of a hermitian matrix."""
    return mx.linalg.eigvalsh(x, UPLO, stream=_CPU)


def solve(x1: mx.array, x2: mx.array, /) -> mx.array:
    """A vector on the right is one whatever the batch is."""
    if x2.ndim == 1:
        return solve(x1, x2[:, None])[..., 0]
    batch = mx.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    dtype = mx.result_type(x1, x2)
    x1, x2 = (mx.broadcast_to(x.astype(dtype), (*batch, *x.shape[-2:])) for x in (x1, x2))
    if dtype == mx.complex64:
        return _solve_in_parts(x1, x2)
    return mx.linalg.solve(x1, x2, stream=_CPU)


def _solve_in_parts(x1: mx.array, x2: mx.array) -> mx.array:
    """A complex system as a real one of twice the size, since MLX solves no others."""
    real, imaginary = mx.real(x1), mx.imag(x1)
    above, below = mx.concatenate([real, -imaginary], -1), mx.concatenate([imaginary, real], -1)
    right = mx.concatenate([mx.real(x2), mx.imag(x2)], -2)
    both = mx.linalg.solve(mx.concatenate([above, below], -2), right, stream=_CPU)
    half = x1.shape[-1]
    return both[..., :half, :] + 1j * both[..., half:, :]


def matrix_norm(
    x: mx.array,
    /,
    *,
    keepdims: bool = False,
    ord: Any = "fro",
) -> mx.array:
    """A norm of the last two axes."""
    if ord in (2, -2, "nuc"):
        values = svdvals(x)
        fold = {2: mx.max, -2: mx.min, "nuc": mx.sum}[ord]
        return mx.reshape(fold(values, -1), (*x.shape[:-2], *((1, 1) if keepdims else ())))
    x = mx.abs(x) if x.dtype == mx.complex64 else x
    return mx.linalg.norm(x, ord, axis=[-2, -1], keepdims=keepdims)


def matrix_rank(x: mx.array, /, *, rtol: Any = None) -> mx.array:
    """How many singular values are not next to nothing."""
    values = svdvals(x)
    if rtol is None:
        rtol = max(x.shape[-2:]) * mx.finfo(values.dtype).eps
    limit = rtol[..., None] if isinstance(rtol, mx.array) else rtol
    return mx.sum((values > limit * mx.max(values, -1, keepdims=True)).astype(INDEX), -1)


def vector_norm(
    x: mx.array,
    /,
    *,
    axis: Any = None,
    keepdims: bool = False,
    ord: Any = 2,
) -> mx.array:
    """A norm over axes taken as one."""
    size = mx.abs(x)
    if ord == mx.inf:
        return mx.max(size, axis, keepdims)
    if ord == -mx.inf:
        return mx.min(size, axis, keepdims)
    if ord == 0:
        return mx.sum((size != 0).astype(size.dtype), axis, keepdims)
    total = mx.sum(mx.power(size, ord), axis, keepdims)
    return mx.power(total, 1 / ord)
