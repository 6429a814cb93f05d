"""What decompositions leave open: PyTorch and NumPy may choose otherwise.

Arguments that are Hermitian or triangular are made so before the call, so that there is one
derivative; results are turned into what does not depend on the phases of vectors. These functions
are made of ops, which run on PyTorch's graph and on the own engine's carriers alike.
"""

from collections.abc import Callable
from typing import Any

from dimflow import ops

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def _hermitian(input: Any, *args: Any, **kwargs: Any) -> Arguments:
    return (ops.add(input, ops.conj(ops.matrix_transpose(input))), *args), kwargs


def _triangular(input: Any, upper: bool = False) -> Arguments:
    return (ops.triu(input) if upper else ops.tril(input), upper), {}


def _triangular_second(b: Any, a: Any, upper: bool = False, **kwargs: Any) -> Arguments:
    return (b, ops.triu(a) if upper else ops.tril(a)), {"upper": upper, **kwargs}


ARGUMENTS: dict[str, Callable[..., Arguments]] = {
    "cholesky": _hermitian,
    "cholesky_inverse": _triangular,
    "cholesky_solve": _triangular_second,
    "linalg.cholesky": _hermitian,
    "linalg.cholesky_ex": _hermitian,
    "linalg.eigh": _hermitian,
    "linalg.eigvalsh": _hermitian,
    "linalg.pinv/hermitian": _hermitian,
}


def _singular(found: Any) -> list[Any]:
    """Singular values; the sizes of the vectors that belong to them, and their product."""
    u, s, vh = found
    k = s.shape[-1]
    u, vh = u[..., :k], vh[..., :k, :]
    return [ops.abs(u), s, ops.abs(vh), ops.matmul(u, vh)]


def _old_singular(found: Any) -> list[Any]:
    u, s, v = found
    return _singular((u, s, ops.conj(ops.matrix_transpose(v))))


def _eigen(found: Any) -> list[Any]:
    values, vectors = found
    return [values, ops.abs(vectors)]


RESULTS: dict[str, Callable[[Any], list[Any]]] = {
    "linalg.svd": _singular,
    "svd": _old_singular,
    "linalg.eigh": _eigen,
    "linalg.eig": _eigen,
}
