"""The methods that arrays have in NumPy, PyTorch and JAX. Each is an op of the table."""

from typing import Any, Self

import numpy as np

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.indexing import Flat
from dimflow.backends import backend_of
from dimflow.errors import NotANumber, ShapeMismatch, UnsupportedFunction
from dimflow.ops.rules.units import PURE


def _into(out: Any, result: Any) -> Any:
    """A result as it is, or written into `out`, in the unit of `out`."""
    if out is None:
        return result
    from dimflow.array.in_place import write_result

    target = result._like(out, PURE) if isinstance(out, np.ndarray) else out
    if not isinstance(target, Core) or not backend_of(target._raw).is_mutable(target._raw):
        raise NotANumber("out=", f"{type(out).__name__}, which cannot be written into")
    if target.shape != result.shape:
        raise ShapeMismatch("out=", result.shape, target.shape)
    write_result(target, result)
    return out


def bits_refused(function: str) -> UnsupportedFunction:
    """The error for bits that would be read as numbers of another dtype, with a unit."""
    reason = "the bits of a number, read as another, are no quantity"
    hint = "x.astype(dtype) converts; x.data.view(dtype) reads the bits of the numbers"
    return UnsupportedFunction(function, reason, hint)


def _axes(axes: tuple[Any, ...]) -> Any:
    """`x.reshape(2, 3)` and `x.reshape((2, 3))` are the same."""
    return axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes


class Methods(Core):
    """Reductions, shapes, sorting and what else arrays do by a method."""

    __slots__ = ()

    # Parts and shapes

    @property
    def T(self) -> Any:
        """The axes in reverse order."""
        return ops.permute_dims(self)

    @property
    def mT(self) -> Any:
        """The last two axes exchanged."""
        return ops.matrix_transpose(self)

    @property
    def real(self) -> Any:
        """The real part."""
        return ops.real(self)

    @property
    def imag(self) -> Any:
        """The imaginary part."""
        return ops.imag(self)

    @property
    def flat(self) -> Any:
        """The elements one after another, to loop over, to index and to write."""
        return Flat(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        self.flat[:] = value

    def conj(self) -> Any:
        """The complex conjugate."""
        return ops.conj(self)

    conjugate = conj

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        """The same elements in another shape."""
        return ops.reshape(self, shape=_axes(shape), order=order)

    def ravel(self, order: str = "C") -> Any:
        """The elements along one axis, shared where possible."""
        return ops.reshape(self, shape=(-1,), order=order)

    def flatten(self, order: str = "C") -> Any:
        """A copy of the elements along one axis."""
        return ops.flatten(self, order)

    def transpose(self, *axes: Any) -> Any:
        """The axes in another order; in reverse without one."""
        order = _axes(axes) if axes else None
        return ops.permute_dims(self, axes=order or None)

    def swapaxes(self, axis1: int, axis2: int) -> Any:
        """Two axes exchanged."""
        return ops.swapaxes(self, axis1, axis2)

    def squeeze(self, axis: Any = None) -> Any:
        """Without axes of length 1."""
        return ops.squeeze(self, axis)

    def repeat(self, repeats: Any, axis: int | None = None) -> Any:
        """Every element several times."""
        return ops.repeat(self, repeats, axis)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        """The diagonal of two axes."""
        return ops.diagonal(self, offset, axis1, axis2)

    def trace(
        self,
        offset: int = 0,
        axis1: int = 0,
        axis2: int = 1,
        dtype: Any = None,
        out: Any = None,
    ) -> Any:
        """The sum of the diagonal."""
        if dtype is None:
            return _into(out, ops.trace(self, offset, axis1, axis2))
        parts = ops.diagonal(self, offset, axis1, axis2)
        return _into(out, ops.sum(parts, -1, dtype=dtype))

    def view(self, dtype: Any = None, order: str = "C") -> Any:
        """The same elements in an array of its own. Bits that are read as a dtype are refused."""
        if dtype is None:
            return ops.reshape(self, shape=self.shape)
        raise bits_refused(f"{type(self).__name__}.view")

    # Reductions

    def sum(
        self, axis: Any = None, dtype: Any = None, out: Any = None, *, keepdims: bool = False
    ) -> Any:
        """The sum along axes."""
        raw = self._raw
        if (
            type(raw) is np.ndarray
            and dtype is out is None
            and not keepdims
            and self._unit.key.law is None
        ):
            return self._like(raw.sum(axis), self._unit)
        return _into(out, ops.sum(self, axis, dtype=dtype, keepdims=keepdims))

    def prod(
        self, axis: Any = None, dtype: Any = None, out: Any = None, *, keepdims: bool = False
    ) -> Any:
        """The product along axes; the unit to the power of their length."""
        return _into(out, ops.prod(self, axis, dtype=dtype, keepdims=keepdims))

    def mean(
        self, axis: Any = None, dtype: Any = None, out: Any = None, *, keepdims: bool = False
    ) -> Any:
        """The mean along axes."""
        return _into(out, ops.mean(self, axis, dtype=dtype, keepdims=keepdims))

    def var(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        *,
        keepdims: bool = False,
    ) -> Any:
        """The variance, in the square of the unit."""
        return _into(out, ops.var(self, axis, dtype=dtype, ddof=ddof, keepdims=keepdims))

    def std(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        *,
        keepdims: bool = False,
    ) -> Any:
        """The standard deviation."""
        return _into(out, ops.std(self, axis, dtype=dtype, ddof=ddof, keepdims=keepdims))

    def max(self, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
        """The largest element along axes."""
        return _into(out, ops.max(self, axis, keepdims=keepdims))

    def min(self, axis: Any = None, out: Any = None, *, keepdims: bool = False) -> Any:
        """The smallest element along axes."""
        return _into(out, ops.min(self, axis, keepdims=keepdims))

    def ptp(self, axis: Any = None, *, keepdims: bool = False) -> Any:
        """The largest element less the smallest."""
        return ops.ptp(self, axis, keepdims=keepdims)

    def argmax(self, axis: Any = None, *, keepdims: bool = False) -> Any:
        """Where the largest element is."""
        return ops.argmax(self, axis, keepdims=keepdims)

    def argmin(self, axis: Any = None, *, keepdims: bool = False) -> Any:
        """Where the smallest element is."""
        return ops.argmin(self, axis, keepdims=keepdims)

    def any(self, axis: Any = None, *, keepdims: bool = False) -> Any:
        """Whether an element is not zero."""
        return ops.any(self, axis, keepdims=keepdims)

    def all(self, axis: Any = None, *, keepdims: bool = False) -> Any:
        """Whether no element is zero."""
        return ops.all(self, axis, keepdims=keepdims)

    def cumsum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Running sums."""
        return _into(out, ops.cumulative_sum(self, axis, dtype=dtype))

    def cumprod(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """Running products of pure numbers."""
        return _into(out, ops.cumulative_prod(self, axis, dtype=dtype))

    def norm(self, ord: Any = None, axis: Any = None, *, keepdims: bool = False) -> Any:
        """The norm of a vector or matrix."""
        return ops.norm(self, ord, axis, keepdims=keepdims)

    # Elements

    def clip(self, min: Any = None, max: Any = None, out: Any = None) -> Any:
        """Elements within limits, which carry a unit."""
        return _into(out, ops.clip(self, min, max))

    def round(self, decimals: int = 0, *, unit: Any = None) -> Any:
        """Rounded to decimals in a unit."""
        return ops.round(self, decimals, unit=unit)

    def sqrt(self) -> Any:
        """The square root."""
        return ops.sqrt(self)

    def dot(self, other: Any) -> Any:
        """The product of vectors or matrices, as np.dot."""
        return ops.dot(self, other)

    def matmul(self, other: Any) -> Any:
        """The product of matrices, and of stacks of them: `x @ other`."""
        return ops.matmul(self, other)

    def take(
        self, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise"
    ) -> Any:
        """Elements at indices along an axis."""
        return _into(out, ops.take(self, indices, axis, mode=mode))

    def nonzero(self) -> Any:
        """Where elements are not zero."""
        return ops.nonzero(self)

    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> Any:
        """Where values would be inserted to keep the order, as an array of pure numbers.

        Such a method gives an array of its own class, as xarray asks of what it wraps; the function
        `dimflow.searchsorted` gives a plain one.
        """
        return self._like(ops.searchsorted(self, v, side=side, sorter=sorter), PURE)

    def argsort(self, axis: int | None = -1, kind: Any = None) -> Any:
        """The order that sorts along an axis, as an array of pure numbers: an index like any.

        It is stable, whatever the `kind`.
        """
        return self._like(ops.argsort(self, axis), PURE)

    # In place

    def sort(self, axis: int = -1) -> None:
        """Sort along an axis, in place."""
        backend_of(self._raw).assign(self._raw, ..., ops.sort(self._raw, axis))

    def fill(self, value: Any) -> None:
        """Set every element to a value, in place."""
        self[...] = value  # type: ignore[index]

    # Checks

    def validate(
        self,
        *,
        finite: bool = False,
        positive: bool = False,
        nonnegative: bool = False,
        minimum: Any = None,
        maximum: Any = None,
        unit: Any = None,
        shape: tuple[int | None, ...] | None = None,
    ) -> Self:
        """This array, if it is as asked for; ComputationError that counts what is not.

        `minimum` and `maximum` carry a unit; `unit` asks for a unit of that dimension; None in
        `shape` stands for any length.
        """
        from dimflow.array.validation import validate

        if shape is not None and (
            len(shape) != self.ndim
            or any(n not in (None, m) for n, m in zip(shape, self.shape, strict=True))
        ):
            raise ShapeMismatch("validate", shape, self.shape)
        validate(self, finite, positive, nonnegative, minimum, maximum, unit)
        return self
