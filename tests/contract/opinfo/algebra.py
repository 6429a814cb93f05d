"""PyTorch's linear algebra and Fourier transforms by our ops.

Vectors of decompositions are given up to a phase. PyTorch's samples bring functions of them that do
not depend on it, and so do ours.
"""

from typing import Any

import numpy as np

from dimflow import ops
from tests.contract.opinfo.reducing import axis_of
from tests.contract.opinfo.registry import adapts, enter_direct

enter_direct(
    {
        "bmm": "matmul",
        "bmm/triton_optimized": "matmul",
        "dot": "dot",
        "inner": "inner",
        "kron": "kron",
        "linalg.det": "det",
        "linalg.inv": "inv",
        "matmul": "matmul",
        "matrix_exp": "expm",
        "mm": "matmul",
        "mv": "matmul",
        "outer": "outer",
        "trace": "trace",
        "vdot": "vdot",
    }
)


def _sum(beta: Any, input: Any, alpha: Any, product: Any) -> Any:
    """beta * input + alpha * product; an input times 0 is not looked at."""
    product = product if alpha == 1 else ops.multiply(product, alpha)
    if beta == 0:
        shape = np.broadcast_shapes(input.shape, product.shape)
        return ops.broadcast_to(product, shape=shape)
    return ops.add(input if beta == 1 else ops.multiply(input, beta), product)


@adapts("addmm", "addmm/decomposed", "addmv", "baddbmm")
def _addmm(input: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _sum(beta, input, alpha, ops.matmul(a, b))


@adapts("addbmm")
def _addbmm(input: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _sum(beta, input, alpha, ops.sum(ops.matmul(a, b), axis=0))


@adapts("addr")
def _addr(input: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return _sum(beta, input, alpha, ops.outer(a, b))


@adapts("einsum")
def _einsum(operands: Any, equation: str) -> Any:
    return ops.einsum(equation, *operands)


@adapts("tensordot")
def _tensordot(a: Any, b: Any, dims: Any = 2) -> Any:
    return ops.tensordot(a, b, axes=dims)


@adapts("linalg.vecdot")
def _vecdot(x: Any, y: Any, *, dim: int = -1) -> Any:
    return ops.vecdot(x, y, axis=dim)


@adapts("cross")
def _cross(input: Any, other: Any, dim: Any = None) -> Any:
    shape = np.broadcast_shapes(input.shape, other.shape)
    axis = shape.index(3) if dim is None else dim
    return ops.cross(input, other, axis=axis)


@adapts("linalg.cross")
def _linalg_cross(input: Any, other: Any, *, dim: int = -1) -> Any:
    return ops.cross(input, other, axis=dim)


@adapts("linalg.multi_dot")
def _multi_dot(tensors: Any) -> Any:
    return ops.multi_dot(list(tensors))


@adapts("linalg.matrix_power")
def _matrix_power(A: Any, n: int) -> Any:
    return ops.matrix_power(A, n=n)


@adapts("linalg.vander")
def _vander(x: Any, *, N: Any = None) -> Any:
    count = N if N is not None else x.shape[-1]
    x = ops.atleast_1d(x)
    return ops.stack([ops.static_power(x, exponent=k) for k in range(count)], axis=-1)


# Norms


@adapts("linalg.vector_norm")
def _vector_norm(
    x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    x = x if dtype is None else ops.astype(x, dtype)
    return ops.vector_norm(x, axis=axis_of(x, dim), keepdims=keepdim, ord=ord)


@adapts("linalg.matrix_norm")
def _matrix_norm(
    A: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Any:
    A = A if dtype is None else ops.astype(A, dtype)
    rank = len(A.shape)
    places = tuple(d % rank for d in dim)
    front = ops.moveaxis(A, source=places, destination=(-2, -1))
    norm = ops.matrix_norm(front, ord=ord)
    return ops.expand_dims(norm, axis=tuple(sorted(places))) if keepdim else norm


@adapts("linalg.norm", "linalg.norm/subgradients_at_zero")
def _norm(
    A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    if dtype is not None:
        A = ops.astype(A, dtype)
    if dim is None and (ord is None or len(A.shape) == 1):
        return _vector_norm(A, 2 if ord is None else ord, None, keepdim)
    axes = (
        tuple(range(len(A.shape)))
        if dim is None
        else (dim,)
        if isinstance(dim, int)
        else tuple(dim)
    )
    if len(axes) == 2 and ord is not None:
        return _matrix_norm(A, ord, axes, keepdim)
    return _vector_norm(A, 2 if ord is None else ord, axes, keepdim)


@adapts("norm", "norm/fro", "norm/inf", "norm/nuc")
def _old_norm(
    input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Any:
    if p == "nuc":
        return _matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return _vector_norm(input, 2 if p == "fro" else p, dim, keepdim, dtype=dtype)


@adapts("dist")
def _dist(input: Any, other: Any, p: float = 2) -> Any:
    return ops.vector_norm(ops.subtract(input, other), ord=p)


@adapts("linalg.cond")
def _cond(A: Any, p: Any = None) -> Any:
    return ops.cond(A, p=p)


@adapts("renorm")
def _renorm(input: Any, p: float, dim: int, maxnorm: float) -> Any:
    axes = tuple(i for i in range(len(input.shape)) if i != dim % len(input.shape))
    norm = ops.vector_norm(input, axis=axes, keepdims=True, ord=p)
    factor = ops.where(ops.greater(norm, maxnorm), ops.divide(maxnorm, ops.add(norm, 1e-7)), 1.0)
    return ops.multiply(input, factor)


# Solving


@adapts("linalg.inv_ex")
def _inv_ex(A: Any, *, check_errors: bool = False) -> Any:
    return ops.inv(A), None


@adapts("linalg.solve_ex")
def _solve_ex(A: Any, B: Any, **fields: Any) -> Any:
    return _solve(A, B, **fields), None


@adapts("linalg.solve")
def _solve(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    is_vector = len(B.shape) == 1 or (
        len(B.shape) == len(A.shape) - 1 and tuple(B.shape) == tuple(A.shape[:-1])
    )
    if is_vector:
        shape = np.broadcast_shapes(tuple(B.shape), tuple(A.shape[:-1]))
        column = ops.expand_dims(ops.broadcast_to(B, shape=shape), axis=-1)
        return ops.solve(A, column)[..., 0]
    if left:
        return ops.solve(A, B)
    turn = ops.matrix_transpose
    return turn(ops.solve(turn(A), turn(B)))


@adapts("linalg.solve_triangular")
def _solve_triangular(
    A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Any:
    fields = {"unit_diagonal": unitriangular}
    if left:
        return ops.solve_triangular(A, B, lower=not upper, **fields)
    turn = ops.matrix_transpose
    return turn(ops.solve_triangular(turn(A), turn(B), lower=upper, **fields))


@adapts("triangular_solve")
def _triangular_solve(
    b: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    found = ops.solve_triangular(
        A, b, trans=int(transpose), lower=not upper, unit_diagonal=unitriangular
    )
    return found, None


@adapts("cholesky_solve")
def _cholesky_solve(B: Any, L: Any, upper: bool = False) -> Any:
    half = ops.matrix_transpose(ops.conj(L)) if upper else L
    first = ops.solve_triangular(half, B, lower=True)
    return ops.solve_triangular(half, first, lower=True, trans=2)


@adapts("cholesky_inverse")
def _cholesky_inverse(L: Any, upper: bool = False) -> Any:
    eye = np.broadcast_to(np.eye(L.shape[-1]), tuple(L.shape))
    half = ops.triu(L) if upper else ops.tril(L)
    return _cholesky_solve(eye, half, upper)


@adapts("linalg.lstsq")
def _lstsq(a: Any, b: Any, rcond: Any = None, *, driver: Any = None) -> Any:
    return ops.lstsq(a, b, rcond=rcond)[0], None, None, None


@adapts("linalg.lstsq/grad_oriented")
def _lstsq_of(a: Any, b: Any, driver: Any) -> Any:
    return ops.lstsq(a, b)[0], None


@adapts("linalg.pinv", "linalg.pinv/hermitian", "pinverse")
def _pinv(A: Any, rcond: Any = None, *, rtol: Any = None, hermitian: bool = False) -> Any:
    return ops.pinv(A, rcond=rcond if rtol is None else rtol, hermitian=hermitian)


@adapts("linalg.pinv/singular")
def _pinv_of_product(a: Any, b: Any) -> Any:
    return ops.pinv(ops.matmul(a, ops.matrix_transpose(b)))


@adapts("linalg.tensorinv")
def _tensorinv(A: Any, ind: int = 2) -> Any:
    return ops.tensorinv(A, ind=ind)


@adapts("linalg.tensorsolve")
def _tensorsolve(A: Any, B: Any, dims: Any = None) -> Any:
    return ops.tensorsolve(A, B, axes=dims)


@adapts("linalg.matrix_rank", "linalg.matrix_rank/hermitian")
def _matrix_rank(
    A: Any, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Any:
    if atol is not None and rtol is not None:
        raise TypeError("one tolerance")
    tol = atol if tol is None else tol
    return ops.matrix_rank(A, tol=tol, hermitian=hermitian, rtol=rtol)


@adapts("linalg.slogdet")
def _slogdet(A: Any) -> Any:
    return tuple(ops.slogdet(A))


@adapts("logdet")
def _logdet(A: Any) -> Any:
    return ops.log(ops.det(A))


# Decompositions


@adapts("linalg.cholesky", "cholesky")
def _cholesky(A: Any, upper: bool = False) -> Any:
    return ops.cholesky(A, upper=upper)


@adapts("linalg.cholesky_ex")
def _cholesky_ex(A: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    return ops.cholesky(A, upper=upper), None


@adapts("linalg.qr")
def _qr(A: Any, mode: str = "reduced") -> Any:
    if mode == "r":
        return None, ops.qr(A, mode="r")
    return tuple(ops.qr(A, mode=mode))


@adapts("qr")
def _old_qr(input: Any, some: bool = True) -> Any:
    return _qr(input, "reduced" if some else "complete")


@adapts("linalg.lu")
def _lu(A: Any, *, pivot: bool = True) -> Any:
    if not pivot:
        raise TypeError("always with pivots")
    return tuple(ops.lu(A))


@adapts("linalg.svd")
def _svd(A: Any, full_matrices: bool = True, *, driver: Any = None) -> Any:
    u, s, vh = ops.svd(A, full_matrices=full_matrices)
    return u, s, vh


@adapts("svd")
def _old_svd(input: Any, some: bool = True, compute_uv: bool = True) -> Any:
    u, s, vh = ops.svd(input, full_matrices=not some)
    return u, s, ops.matrix_transpose(ops.conj(vh))


@adapts("linalg.svdvals")
def _svdvals(A: Any, *, driver: Any = None) -> Any:
    return ops.svdvals(A)


@adapts("linalg.eigh")
def _eigh(A: Any, UPLO: str = "L") -> Any:
    return tuple(ops.eigh(A, UPLO=UPLO))


@adapts("linalg.eigvalsh")
def _eigvalsh(A: Any, UPLO: str = "L") -> Any:
    return ops.eigvalsh(A, UPLO=UPLO)


@adapts("linalg.eig")
def _eig(A: Any) -> Any:
    return tuple(ops.eig(A))


@adapts("linalg.eigvals")
def _eigvals(A: Any) -> Any:
    return ops.eigvals(A)


# Fourier transforms


def _line(op: Any) -> Any:
    return lambda input, n=None, dim=-1, norm=None: op(input, n=n, axis=dim, norm=norm)


def _plane(op: Any) -> Any:
    return lambda input, s=None, dim=(-2, -1), norm=None: op(input, s=s, axes=_many(dim), norm=norm)


def _many(given: Any) -> Any:
    return (given,) if isinstance(given, int) else given


def _space(op: Any) -> Any:
    def call(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Any:
        s = _many(s)
        if s is not None and dim is None:
            dim = tuple(range(-len(s), 0))
        return op(input, s=s, axes=_many(dim), norm=norm)

    return call


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    adapts(f"fft.{_name}")(_line(ops.get(_name)))
for _name in ("fft", "ifft", "rfft", "irfft"):
    adapts(f"fft.{_name}2")(_plane(ops.get(f"{_name}2")))
    adapts(f"fft.{_name}n")(_space(ops.get(f"{_name}n")))


@adapts("fft.fftshift")
def _fftshift(input: Any, dim: Any = None) -> Any:
    return ops.fftshift(input, axes=dim)


@adapts("fft.ifftshift")
def _ifftshift(input: Any, dim: Any = None) -> Any:
    return ops.ifftshift(input, axes=dim)
