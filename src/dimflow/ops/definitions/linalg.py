"""Linear algebra from products, solutions and singular values."""

from math import comb, factorial, prod
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import ShapeMismatch
from dimflow.ops.rules import dtypes
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.shapes import broadcast_shapes
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.values import complexed, constant, floated

# Sums of products


def einsum(subscripts: str, *operands: Any) -> Any:
    """Operands one after the other, each by one matrix product; then what is left is summed."""
    from dimflow.ops.families.linalg.contraction import parsed

    inputs, output = parsed(subscripts, [len(shape_of(x)) for x in operands])
    lengths: dict[str, int] = {}
    terms: list[tuple[Any, str]] = []
    for x, letters in zip(operands, inputs, strict=True):
        x, letters = _without_repeats(x, letters)
        terms.append((x, letters))
        for letter, n in zip(letters, shape_of(x), strict=True):
            lengths[letter] = max(n, lengths.get(letter, 1)) if n != 0 else 0
    x, letters = terms[0]
    for i, (y, others) in enumerate(terms[1:], 2):
        needed = set(output).union(*(t for _, t in terms[i:]))
        x, letters = _contracted(x, letters, y, others, needed, lengths)
    x, letters = _summed(x, letters, set(output))
    x = ops.permute_dims(x, axes=tuple(letters.index(c) for c in output)) if output else x
    return ops.broadcast_to(x, shape=tuple(lengths[c] for c in output)) if output else x


def _without_repeats(x: Any, letters: str) -> tuple[Any, str]:
    """A letter that stands twice means the diagonal of its axes."""
    for letter in dict.fromkeys(letters):
        while letters.count(letter) > 1:
            i = letters.index(letter)
            j = letters.index(letter, i + 1)
            x = ops.diagonal(x, offset=0, axis1=i, axis2=j)
            letters = "".join(c for k, c in enumerate(letters) if k not in (i, j)) + letter
    return x, letters


def _summed(x: Any, letters: str, needed: set[str]) -> tuple[Any, str]:
    axes = tuple(i for i, c in enumerate(letters) if c not in needed)
    rest = "".join(c for c in letters if c in needed)
    return (ops.sum(x, axis=axes, dtype=x.dtype), rest) if axes else (x, letters)


def _contracted(
    x: Any, left: str, y: Any, right: str, needed: set[str], lengths: dict[str, int]
) -> tuple[Any, str]:
    """The product of two operands, summed over letters that nobody needs any more."""
    x, left = _summed(x, left, needed | set(right))
    y, right = _summed(y, right, needed | set(left))
    both = [c for c in left if c in right and c in needed]
    inner = [c for c in left if c in right and c not in needed]
    rows, columns = [c for c in left if c not in right], [c for c in right if c not in left]
    x = _as_matrices(x, left, (both, rows, inner), lengths)
    y = _as_matrices(y, right, (both, inner, columns), lengths)
    product = ops.matmul(x, y) if inner else ops.multiply(x, y)
    letters = "".join((*both, *rows, *columns))
    return ops.reshape(product, shape=tuple(lengths[c] for c in letters)), letters


def _as_matrices(x: Any, letters: str, groups: Any, lengths: dict[str, int]) -> Any:
    """Axes put into three groups, of which the last two are one axis each."""
    order = [c for group in groups for c in group]
    x = ops.permute_dims(x, axes=tuple(letters.index(c) for c in order)) if order else x
    full = [[lengths[c] for c in group] for group in groups]
    x = ops.broadcast_to(x, shape=tuple(n for group in full for n in group))
    return ops.reshape(x, shape=(*full[0], prod(full[1]), prod(full[2])))


# Triangles


def solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False
) -> Any:
    """An upper triangle needs no elimination, so a dense solver only substitutes back."""
    a, b = floated(a), floated(b)
    if trans in (2, "C"):
        a = ops.conj(a)
    if trans in (1, 2, "T", "C"):
        a, lower = ops.matrix_transpose(a), not lower
    n = shape_of(a)[-1]
    if unit_diagonal:
        one = constant(np.eye(n), a)
        a = ops.add(ops.tril(a, k=-1) if lower else ops.triu(a, k=1), one)
    else:
        a = ops.tril(a) if lower else ops.triu(a)
    columns = b[:, None] if len(shape_of(b)) == 1 else b
    if lower:  # turned round, it is an upper one
        a = ops.flip(a, axis=(-2, -1))
        result = ops.flip(ops.solve(a, ops.flip(columns, axis=-2)), axis=-2)
    else:
        result = ops.solve(a, columns)
    return result[..., 0] if len(shape_of(b)) == 1 else result


def lu(x: Any) -> Any:
    """Gaussian elimination with partial pivoting, a column at a time for a whole batch."""
    x = floated(x)
    *batch, m, n = shape_of(x)
    k = min(m, n)
    row, column = np.arange(m)[:, None], np.arange(n)
    order = ops.broadcast_to(
        ops.add(ops.zeros_like(ops.argmax(ops.real(x), axis=-1)), np.arange(m)), shape=(*batch, m)
    )
    for step in range(k):
        below = ops.abs(ops.real(x[..., step])) + ops.abs(ops.imag(x[..., step]))
        below = ops.where(ops.less(np.arange(m), step), -1.0, below)
        pivot = ops.argmax(below, axis=-1, keepdims=True)
        places = ops.where(ops.equal(np.arange(m), pivot), step, np.arange(m))
        places = ops.where(ops.equal(np.arange(m), step), pivot, places)
        order = ops.take_along_axis(order, places, axis=-1)
        rows = ops.broadcast_to(places[..., None], shape=(*batch, m, n))
        x = ops.take_along_axis(x, rows, axis=-2)
        first = x[..., step : step + 1, :]
        head = first[..., step : step + 1]
        factors = x[..., step : step + 1] / ops.where(ops.equal(head, 0), 1.0, head)
        reduced = x - factors * first
        reduced = ops.where(ops.equal(column, step), factors, reduced)
        inside = ops.logical_and(ops.greater(row, step), ops.greater_equal(column, step))
        x = ops.where(inside, reduced, x)
    lower = ops.add(ops.tril(x[..., :k], k=-1), constant(np.eye(m, k), x))
    upper = ops.triu(x[..., :k, :])
    turned = ops.equal(order[..., None, :], row)
    return ops.astype(turned, ops.real(x).dtype), lower, upper


# Singular values


def adjugate(x: Any) -> Any:
    """adj(U S Vᴴ) = det(U) det(Vᴴ) V adj(S) Uᴴ, exact for singular x too."""
    u, s, vh = ops.svd(floated(x))
    phase = ops.det(u) * ops.det(vh)
    others = ops.prod_of_others(s, axis=-1)[..., None, :]
    scaled = ops.conj(ops.matrix_transpose(vh)) * (phase[..., None, None] * others)
    return ops.matmul(scaled, ops.conj(ops.matrix_transpose(u)))


def _precision(x: Any) -> float:
    return float(np.finfo(dtypes.named(x.dtype)).eps)


def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """By singular values; residuals are left out where the data shows no full column rank."""
    a, b = floated(a), floated(b)
    m, n = shape_of(a)
    columns = b[:, None] if len(shape_of(b)) == 1 else b
    u, s, vh = ops.svd(a, full_matrices=False)
    least = _precision(a) * max(m, n) if rcond is None else rcond
    counts = ops.greater(s, ops.multiply(ops.max(s, initial=0.0), least))
    inverse = ops.where(counts, 1 / ops.where(counts, s, 1.0), 0.0)
    inner = ops.matmul(ops.conj(ops.matrix_transpose(u)), columns)
    x = ops.matmul(ops.conj(ops.matrix_transpose(vh)), inverse[:, None] * inner)
    rank = ops.count_nonzero(counts)
    left = columns - ops.matmul(a, x)
    residuals = ops.sum(ops.real(left * ops.conj(left)), axis=0)
    if m <= n or int(rank) < n:
        residuals = residuals[:0]
    solution = x[:, 0] if len(shape_of(b)) == 1 else x
    return ops.lstsq.result_type(solution, residuals, ops.astype(rank, "int32"), s)


def matrix_rank(x: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """Singular values above a bound, by default that of rounding."""
    x = floated(x)
    s = ops.abs(ops.eigvalsh(x)) if hermitian else ops.svdvals(x)
    if tol is None:
        share = _precision(x) * max(shape_of(x)[-2:]) if rtol is None else rtol
        bound = ops.multiply(ops.max(s, axis=-1, keepdims=True, initial=0.0), share)
    else:
        bound = ops.expand_dims(tol, axis=-1) if hasattr(tol, "dtype") else tol
    return ops.count_nonzero(ops.greater(s, bound), axis=-1)


# Functions of matrices

# N. J. Higham, The scaling and squaring method for the matrix exponential revisited, SIAM J.
# Matrix Anal. Appl. 26 (2005), table 2.3: the largest 1-norm for which the Padé approximant of
# degree 13 is exact to double precision.
_REACH = 5.371920351148152
_DEGREE = 13
_WEIGHTS = tuple(
    float(comb(_DEGREE, k) * factorial(2 * _DEGREE - k) // factorial(_DEGREE))
    for k in range(_DEGREE + 1)
)


def expm(x: Any) -> Any:
    """Scaling and squaring, as often as the data's largest norm asks for."""
    x = floated(x)
    if not prod(shape_of(x)):
        return ops.copy(x)
    norms = ops.max(ops.sum(ops.abs(x), axis=-2), axis=-1)
    finite = ops.isfinite(norms)
    x = ops.where(finite[..., None, None], x, 0.0)
    norms = ops.where(finite, norms, 0.0)
    squarings = ops.ceil(ops.log2(ops.maximum(norms / _REACH, 1.0)))
    result = _pade(x * ops.exp2(-squarings)[..., None, None])
    for step in range(int(ops.max(squarings))):
        squared = ops.matmul(result, result)
        result = ops.where(ops.greater(squarings, step)[..., None, None], squared, result)
    return ops.where(finite[..., None, None], result, float("nan"))


def _pade(x: Any) -> Any:
    """The diagonal Padé approximant of the exponential, divided by its largest weight."""
    top = _WEIGHTS[0]
    one = ops.broadcast_to(constant(np.eye(shape_of(x)[-1]), x), shape=shape_of(x))
    square = ops.matmul(x, x)
    power = even = one
    odd = ops.multiply(one, _WEIGHTS[1] / top)
    for k in range(2, _DEGREE + 1, 2):
        power = ops.matmul(power, square) if k > 2 else square
        even = ops.add(even, power * (_WEIGHTS[k] / top))
        odd = ops.add(odd, power * (_WEIGHTS[k + 1] / top))
    odd = ops.matmul(x, odd)
    return ops.solve(even - odd, even + odd)


def expm_frechet(x: Any, t: Any) -> Any:
    """The upper right block of exp([[x, t], [0, x]]), with a t as small as x."""
    x, t = floated(x), floated(t)
    if "c" in (kind_of(x), kind_of(t)):
        x, t = complexed(x), complexed(t)
    n = shape_of(x)[-1]
    if shape_of(x)[-2] != n:
        raise ShapeMismatch("expm_frechet", "square matrices", shape_of(x))
    size = ops.max(ops.abs(t), initial=0.0)
    plain = ops.logical_and(ops.isfinite(size), ops.greater(size, 0))
    size = ops.where(plain, size, 1.0)
    shape = broadcast_shapes([shape_of(x), shape_of(t)])
    x, t = (ops.broadcast_to(a, shape=shape) for a in (x, t / size))
    upper = ops.concat([x, t], axis=-1)
    lower = ops.concat([ops.zeros_like(x), x], axis=-1)
    return ops.expm(ops.concat([upper, lower], axis=-2))[..., :n, n:] * size
