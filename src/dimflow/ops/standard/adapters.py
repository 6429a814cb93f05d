"""The array API's functions called as ops are, where signature or meaning differ.

Each takes a library's namespace and then what the op takes. Dtypes are the library's own.
"""

from math import prod as product
from typing import Any

from dimflow import ops
from dimflow.errors import MissingRule
from dimflow.ops.families.linalg.matrices import from_triangle
from dimflow.ops.rules.dtypes import kind, kind_of, result_type
from dimflow.ops.rules.shapes import is_by_columns, normalized
from dimflow.ops.rules.values import RANK, complexed, counted, floated, refuse_cut, widened
from dimflow.ops.rules.values import extreme as beyond


def beside(x: Any) -> dict[str, Any]:
    """Where a new array is to lie, for libraries whose arrays tell."""
    device = getattr(x, "device", None)
    return {} if device is None else {"device": device}


# Elementwise


def truth(x: Any) -> Any:
    """A mask of what is not zero; the standard's logic takes nothing else."""
    return x if kind_of(x) == "b" else ops.not_equal(x, 0)


def logical_and(xp: Any, x: Any, y: Any) -> Any:
    """Of any numbers."""
    return xp.logical_and(truth(x), truth(y))


def logical_or(xp: Any, x: Any, y: Any) -> Any:
    """Of any numbers."""
    return xp.logical_or(truth(x), truth(y))


def logical_xor(xp: Any, x: Any, y: Any) -> Any:
    """Of any numbers."""
    return xp.logical_xor(truth(x), truth(y))


def logical_not(xp: Any, x: Any) -> Any:
    """Of any numbers."""
    return xp.logical_not(truth(x))


def imag(xp: Any, x: Any) -> Any:
    """Of real numbers too, which the standard leaves out."""
    return xp.imag(x) if kind_of(x) == "c" else xp.zeros_like(x)


def real(xp: Any, x: Any) -> Any:
    """Of real numbers too."""
    return xp.real(x) if kind_of(x) == "c" else x


def where(xp: Any, condition: Any, x: Any, y: Any) -> Any:
    """On any condition; two bare numbers become arrays, and kinds may differ."""
    condition = truth(condition)
    if not (hasattr(x, "dtype") or hasattr(y, "dtype")):
        x, y = (xp.asarray(value, **beside(condition)) for value in (x, y))
    x, y = _of_one_kind(x, y)
    return xp.where(condition, x, y)


def _of_one_kind(x: Any, y: Any) -> tuple[Any, Any]:
    """Two values that the standard lets meet: kinds that differ meet in what NumPy has for both."""
    left, right = (RANK[kind_of(value)] for value in (x, y))
    if left == right:
        return x, y
    if hasattr(x, "dtype") and hasattr(y, "dtype"):
        target = joint(x.dtype, y.dtype)
        return ops.astype(x, target, copy=False), ops.astype(y, target, copy=False)
    return (_raised(x, y), y) if left < right else (x, _raised(y, x))


def joint(left: Any, right: Any) -> Any:
    """The dtype that two meet in; the higher kind of one that NumPy has no name for."""
    try:
        return result_type((left, right))
    except TypeError:
        return max(left, right, key=lambda dtype: RANK[kind(dtype)])


def _raised(low: Any, high: Any) -> Any:
    """The lower of two kinds as the higher one, where one is a bare number, which adapts."""
    if not hasattr(low, "dtype"):
        return int(low) if kind_of(low) == "b" else low
    return {"i": counted, "f": floated, "c": complexed}[kind_of(high)](low)


def static_power(xp: Any, x: Any, exponent: Any) -> Any:
    """With the exponent as a number; integers to a fraction or below 0 become fractions."""
    if not isinstance(exponent, (int, float)):
        exponent = float(exponent)
    x = floated(x) if isinstance(exponent, float) or exponent < 0 else counted(x)
    return xp.pow(x, exponent)


def rounded(xp: Any, x: Any, decimals: int = 0) -> Any:
    """To decimals by way of a power of ten, as NumPy does."""
    if not decimals:
        return xp.round(x)
    if decimals > 0:
        return x if kind_of(x) in "iu" else xp.round(x * 10.0**decimals) / 10.0**decimals
    if kind_of(x) in "iu":
        step = 10**-decimals
        return ops.astype(xp.round(floated(x) / step), x.dtype) * step
    return xp.round(x / 10.0**-decimals) * 10.0**-decimals


# Reductions


def fold(name: str, neutral: int, join: str) -> Any:
    """Sums and products: a mask puts the neutral element elsewhere, a start is joined last."""

    def adapter(
        xp: Any,
        x: Any,
        axis: Any,
        dtype: Any,
        keepdims: bool,
        initial: Any = None,
        where: Any = None,
    ) -> Any:
        x = counted(x)
        if where is not None:
            x = ops.where(where, x, neutral)
        result = getattr(xp, name)(x, axis=axis, dtype=dtype, keepdims=keepdims)
        return result if initial is None else ops.get(join)(result, initial)

    return adapter


def extreme(name: str, sign: int, join: str) -> Any:
    """The largest or smallest: a mask puts what none exceeds elsewhere."""

    def adapter(
        xp: Any, x: Any, axis: Any, keepdims: bool, initial: Any = None, where: Any = None
    ) -> Any:
        if kind_of(x) == "b":
            return getattr(ops, "any" if sign > 0 else "all")(x, axis=axis, keepdims=keepdims)
        if where is not None:
            x = ops.where(where, x, beyond(x, -sign) if initial is None else initial)
        x = widened(x, initial, xp.result_type)
        if initial is not None and 0 in x.shape:
            lengths = [1 if n == 0 else n for n in x.shape]
            x = ops.broadcast_to(ops.astype(xp.asarray(initial), x.dtype), shape=tuple(lengths))
        result = getattr(xp, name)(x, axis=axis, keepdims=keepdims)
        return result if initial is None else ops.get(join)(result, initial)

    return adapter


def mean(xp: Any, x: Any, axis: Any, dtype: Any, keepdims: bool, where: Any = None) -> Any:
    """With a mask the sum over the count."""
    x = floated(x) if dtype is None else ops.astype(x, dtype)
    if where is None and kind_of(x) == "f":
        return xp.mean(x, axis=axis, keepdims=keepdims)
    total = ops.sum(x, axis=axis, keepdims=keepdims, where=where)
    return ops.divide(total, _count(xp, x, axis, keepdims, where))


def _count(xp: Any, x: Any, axis: Any, keepdims: bool, where: Any) -> Any:
    if where is None:
        return product(x.shape[a] for a in normalized(axis, len(x.shape)))
    picked = xp.broadcast_to(where, x.shape)
    return ops.astype(ops.count_nonzero(picked, axis=axis, keepdims=keepdims), real_dtype(x))


def real_dtype(x: Any) -> Any:
    """The dtype of the parts of an array's elements."""
    return ops.real(x).dtype


def var(
    xp: Any,
    x: Any,
    axis: Any,
    dtype: Any,
    ddof: Any,
    keepdims: bool,
    mean: Any = None,
    where: Any = None,
) -> Any:
    """`ddof` is the standard's correction; masks, means and complex numbers by the formula."""
    x = floated(x) if dtype is None else ops.astype(x, dtype)
    if mean is None and where is None and kind_of(x) == "f":
        return xp.var(x, axis=axis, correction=ddof, keepdims=keepdims)
    if mean is None:
        mean = ops.mean(x, axis=axis, keepdims=True, where=where)
    off = x - mean
    squares = ops.square(ops.abs(off)) if kind_of(x) == "c" else off * off
    total = ops.sum(squares, axis=axis, keepdims=keepdims, where=where)
    return total / (_count(xp, x, axis, keepdims, where) - ddof)


def std(xp: Any, x: Any, **options: Any) -> Any:
    """The root of the variance."""
    return ops.sqrt(ops.var(x, **options))


def every(xp: Any, x: Any, axis: Any, keepdims: bool, where: Any = None) -> Any:
    """What a mask leaves out counts as true."""
    x = truth(x) if where is None else ops.logical_or(x, ops.logical_not(where))
    return xp.all(x, axis=axis, keepdims=keepdims)


def some(xp: Any, x: Any, axis: Any, keepdims: bool, where: Any = None) -> Any:
    """What a mask leaves out counts as false."""
    x = truth(x) if where is None else ops.logical_and(x, where)
    return xp.any(x, axis=axis, keepdims=keepdims)


def arg_extreme(name: str) -> Any:
    """Of truth values too."""
    return lambda xp, x, axis, keepdims: getattr(xp, name)(counted(x), axis=axis, keepdims=keepdims)


def scan(name: str) -> Any:
    """Running sums and products; without an axis, of the flat array."""

    def adapter(xp: Any, x: Any, axis: Any, dtype: Any, include_initial: bool) -> Any:
        x = counted(x)
        if axis is None:
            x, axis = xp.reshape(x, (-1,)), 0
        return getattr(xp, name)(x, axis=axis, dtype=dtype, include_initial=include_initial)

    return adapter


# Shape


def reshape(xp: Any, x: Any, shape: Any, order: str = "C") -> Any:
    """In order F by way of reversed axes."""
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if -1 in shape and 0 in x.shape:  # which the standard does not ask a library to work out
        shape = tuple(0 if n == -1 else n for n in shape)
    if not is_by_columns(order):
        return xp.reshape(x, shape)
    turned = xp.permute_dims(x, tuple(reversed(range(x.ndim))))
    return ops.permute_dims(xp.reshape(turned, shape[::-1]), axes=None)


def permute_dims(xp: Any, x: Any, axes: Any) -> Any:
    """Reversed where none are given."""
    n = len(x.shape)
    return xp.permute_dims(x, tuple(reversed(range(n))) if axes is None else normalized(axes, n))


def broadcast_to(xp: Any, x: Any, shape: Any) -> Any:
    """A bare length is that of one axis."""
    return xp.broadcast_to(x, tuple(shape) if isinstance(shape, (tuple, list)) else (shape,))


def moveaxis(xp: Any, x: Any, source: Any, destination: Any) -> Any:
    """By position."""
    return xp.moveaxis(x, source, destination)


def concat(xp: Any, arrays: Any, axis: Any) -> Any:
    """Of any number of axes where none is given, and of kinds that differ."""
    return xp.concat(of_one_kind(_as_arrays(xp, arrays)), axis=axis)


def stack(xp: Any, arrays: Any, axis: Any) -> Any:
    """Of kinds that differ."""
    return xp.stack(of_one_kind(_as_arrays(xp, arrays)), axis=axis)


def _as_arrays(xp: Any, arrays: Any) -> list[Any]:
    """Numbers, which the standard joins to nothing, as arrays that lie beside the others."""
    places = [beside(a) for a in arrays if hasattr(a, "dtype")]
    return [a if hasattr(a, "dtype") else xp.asarray(a, **places[0]) for a in arrays]


def of_one_kind(arrays: Any) -> list[Any]:
    """Arrays that the standard lets meet."""
    if len({RANK[kind_of(a)] for a in arrays}) == 1:
        return list(arrays)
    target = arrays[0].dtype
    for other in arrays[1:]:
        target = joint(target, other.dtype)
    return [ops.astype(a, target, copy=False) for a in arrays]


def filled(name: str) -> Any:
    """Zeros or ones, of another shape too."""

    def adapter(xp: Any, x: Any, dtype: Any, shape: Any) -> Any:
        if shape is None:
            return getattr(xp, f"{name}_like")(x, dtype=dtype)
        dtype = x.dtype if dtype is None else dtype
        return getattr(xp, name)(shape, dtype=dtype, **beside(x))

    return adapter


def full_like(xp: Any, x: Any, fill_value: Any, dtype: Any, shape: Any) -> Any:
    """Of another shape too, and with an array that stretches to it."""
    dtype = x.dtype if dtype is None else dtype
    shape = x.shape if shape is None else shape
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    refuse_cut(fill_value, dtype)
    value = fill_value if hasattr(fill_value, "dtype") else xp.asarray(fill_value, **beside(x))
    return ops.copy(xp.broadcast_to(ops.astype(value, dtype, copy=False), shape))


def cast(xp: Any, x: Any, dtype: Any, copy: Any = True, unit: Any = None) -> Any:
    """Complex numbers lose their imaginary part first, which the standard refuses to do."""
    if kind_of(x) == "c" and kind(dtype) not in "cb":
        x = xp.real(x)
    return xp.astype(x, dtype, copy=bool(copy))


def copy(xp: Any, x: Any) -> Any:
    """By a cast to its own dtype."""
    return xp.astype(x, x.dtype, copy=True)


def cast_truth(xp: Any, x: Any, copy: Any = True) -> Any:
    """To the standard's truth values."""
    return xp.astype(x, xp.bool, copy=bool(copy))


# Linear algebra


def diagonal(xp: Any, x: Any, offset: int, axis1: int, axis2: int) -> Any:
    """Of any two axes, moved to the end."""
    x = xp.moveaxis(x, (axis1, axis2), (-2, -1))
    return xp.linalg.diagonal(x, offset=offset)


def trace(xp: Any, x: Any, offset: int, axis1: int, axis2: int) -> Any:
    """Of any two axes, moved to the end."""
    x = xp.moveaxis(counted(x), (axis1, axis2), (-2, -1))
    return xp.linalg.trace(x, offset=offset)


def matmul(xp: Any, x: Any, y: Any) -> Any:
    """Of kinds that differ."""
    return xp.matmul(*_of_one_kind(x, y))


def solve(xp: Any, a: Any, b: Any) -> Any:
    """Of integers too, in floating point."""
    return xp.linalg.solve(*_of_one_kind(floated(a), floated(b)))


def on_fractions(name: str) -> Any:
    """A function of linear algebra or of Fourier's, of integers too."""
    module, _, leaf = name.rpartition(".")
    return lambda xp, x, **options: getattr(getattr(xp, module), leaf)(floated(x), **options)


def pinv(xp: Any, x: Any, rcond: Any, hermitian: bool) -> Any:
    """`rcond` is the standard's rtol."""
    x = from_triangle(floated(x), lower=True) if hermitian else floated(x)
    return xp.linalg.pinv(x, rtol=rcond)


def svd(xp: Any, x: Any, full_matrices: bool, compute_uv: bool, hermitian: bool) -> Any:
    """Values alone by the standard's other function."""
    x = from_triangle(floated(x), lower=True) if hermitian else floated(x)
    if not compute_uv:
        return xp.linalg.svdvals(x)
    if hermitian:
        return _by_eigenvectors(x)
    return xp.linalg.svd(x, full_matrices=full_matrices)


def _by_eigenvectors(x: Any) -> Any:
    """Of a Hermitian matrix, as NumPy does: V has the signs of the eigenvalues."""
    values, vectors = ops.eigh(x)
    sizes = ops.abs(values)
    order = ops.flip(ops.argsort(sizes, axis=-1), axis=-1)
    values, sizes = (ops.take_along_axis(a, order, axis=-1) for a in (values, sizes))
    u = ops.take_along_axis(vectors, order[..., None, :], axis=-1)
    return u, sizes, ops.conj(ops.matrix_transpose(u * ops.sign(values)[..., None, :]))


def eigh(xp: Any, x: Any, UPLO: str) -> Any:
    """The standard may read either triangle: the one that counts is mirrored first."""
    return xp.linalg.eigh(from_triangle(floated(x), lower=UPLO in ("L", "l")))


def cholesky(xp: Any, x: Any, upper: bool) -> Any:
    """One triangle is read."""
    return xp.linalg.cholesky(from_triangle(floated(x), lower=not upper), upper=upper)


def qr(xp: Any, x: Any, mode: str) -> Any:
    """R alone by the reduced form; LAPACK's own form is not in the standard."""
    if mode == "raw":
        raise MissingRule("qr(mode='raw')", "function in the array API", "use mode='reduced'")
    found = xp.linalg.qr(floated(x), mode="complete" if mode == "complete" else "reduced")
    return found[1] if mode == "r" else found


def fourier(name: str) -> Any:
    """A transform that the standard has for complex numbers alone; no `norm` is its default."""

    def adapter(xp: Any, x: Any, n: Any, axis: int, norm: Any) -> Any:
        x = floated(x)
        if name in ("fft", "ifft", "irfft", "hfft") and kind_of(x) != "c":
            x = complexed(x)
        return getattr(xp.fft, name)(x, n=n, axis=axis, norm=norm or "backward")

    return adapter


def fourier_in_several(name: str) -> Any:
    """The same along several axes."""

    def adapter(xp: Any, x: Any, s: Any, axes: Any, norm: Any) -> Any:
        x = floated(x) if name == "rfftn" else complexed(x)
        if s is not None and axes is None:
            axes = tuple(range(-len(s), 0))
        return getattr(xp.fft, name)(x, s=s, axes=axes, norm=norm or "backward")

    return adapter
