"""The methods that Dask's arrays have, with units: those of a DimArray that take more, and others.

A method that a DimArray has takes its arguments in the same order here, and those that only Dask
knows by name: `x.sum(axis=0, split_every=4)`.
"""

from typing import Any, NoReturn

from dimflow.array import DimArray
from dimflow.dask.host.blindness import refuse_blind
from dimflow.dask.host.patches import with_units
from dimflow.dask.host.refused import REFUSED
from dimflow.errors import UnsupportedFunction


class Reductions(DimArray):
    """Sums, extremes, moments. `split_every` says how many blocks are joined at once."""

    __slots__ = ()

    def _folded(
        self, name: str, axis: Any, *, out: Any = None, split_every: Any = None, **options: Any
    ) -> Any:
        """By the op, which is planned once; by Dask's function where it is asked for more."""
        if split_every is out is None:
            return getattr(super(), name)(axis, **options)
        given = {"axis": axis, "split_every": split_every, "out": out, **options}
        return with_units(name, self, **given)

    def sum(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        *,
        keepdims: bool = False,
        split_every: Any = None,
    ) -> Any:
        """The sum along axes."""
        options = {"dtype": dtype, "keepdims": keepdims}
        return self._folded("sum", axis, out=out, split_every=split_every, **options)

    def prod(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        *,
        keepdims: bool = False,
        split_every: Any = None,
    ) -> Any:
        """The product along axes, in a power of the unit."""
        options = {"dtype": dtype, "keepdims": keepdims}
        return self._folded("prod", axis, out=out, split_every=split_every, **options)

    def mean(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        *,
        keepdims: bool = False,
        split_every: Any = None,
    ) -> Any:
        """The mean along axes."""
        options = {"dtype": dtype, "keepdims": keepdims}
        return self._folded("mean", axis, out=out, split_every=split_every, **options)

    def std(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        *,
        keepdims: bool = False,
        split_every: Any = None,
    ) -> Any:
        """The standard deviation along axes."""
        options = {"dtype": dtype, "ddof": ddof, "keepdims": keepdims}
        return self._folded("std", axis, out=out, split_every=split_every, **options)

    def var(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        *,
        keepdims: bool = False,
        split_every: Any = None,
    ) -> Any:
        """The variance along axes, in the square of the unit."""
        options = {"dtype": dtype, "ddof": ddof, "keepdims": keepdims}
        return self._folded("var", axis, out=out, split_every=split_every, **options)

    def moment(
        self,
        order: int,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        *,
        keepdims: bool = False,
        split_every: Any = None,
    ) -> Any:
        """The central moment of an order, in that power of the unit."""
        options = {"keepdims": keepdims, "split_every": split_every, "out": out}
        return with_units("moment", self, order, axis=axis, dtype=dtype, ddof=ddof, **options)

    def max(
        self, axis: Any = None, out: Any = None, *, keepdims: bool = False, split_every: Any = None
    ) -> Any:
        """The largest element along axes."""
        return self._folded("max", axis, keepdims=keepdims, split_every=split_every, out=out)

    def min(
        self, axis: Any = None, out: Any = None, *, keepdims: bool = False, split_every: Any = None
    ) -> Any:
        """The smallest element along axes."""
        return self._folded("min", axis, keepdims=keepdims, split_every=split_every, out=out)

    def any(
        self, axis: Any = None, *, keepdims: bool = False, split_every: Any = None, out: Any = None
    ) -> Any:
        """Whether an element is not zero."""
        return self._folded("any", axis, keepdims=keepdims, split_every=split_every, out=out)

    def all(
        self, axis: Any = None, *, keepdims: bool = False, split_every: Any = None, out: Any = None
    ) -> Any:
        """Whether no element is zero."""
        return self._folded("all", axis, keepdims=keepdims, split_every=split_every, out=out)

    def argmax(
        self, axis: Any = None, *, keepdims: bool = False, split_every: Any = None, out: Any = None
    ) -> Any:
        """Where the largest element is."""
        return self._folded("argmax", axis, keepdims=keepdims, split_every=split_every, out=out)

    def argmin(
        self, axis: Any = None, *, keepdims: bool = False, split_every: Any = None, out: Any = None
    ) -> Any:
        """Where the smallest element is."""
        return self._folded("argmin", axis, keepdims=keepdims, split_every=split_every, out=out)

    def cumsum(
        self, axis: Any = None, dtype: Any = None, out: Any = None, method: str = "sequential"
    ) -> Any:
        """Running sums. The method "blelloch" sums in a tree, which more workers can share."""
        return with_units("cumsum", self, axis, dtype=dtype, out=out, method=method)

    def cumprod(
        self, axis: Any = None, dtype: Any = None, out: Any = None, method: str = "sequential"
    ) -> Any:
        """Running products of pure numbers."""
        return with_units("cumprod", self, axis, dtype=dtype, out=out, method=method)


class Functions(Reductions):
    """What else Dask's arrays do by a method."""

    __slots__ = ()

    def _elemwise(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """What Dask's ufuncs call: NumPy's ufunc, which asks the arrays."""
        return function(*args, **kwargs)

    def tolist(self) -> Any:
        """The numbers as nested lists, in the array's unit, which computes them.

        Dask asks for them where a plain array is indexed by this one: an index has no unit.
        """
        refuse_blind(self)
        return super().tolist()

    @property
    def A(self) -> Any:
        """The array itself."""
        return self

    def topk(self, k: int, axis: int = -1, split_every: Any = None) -> Any:
        """The k largest elements along an axis, sorted; the smallest for a negative k."""
        return with_units("topk", self, k, axis, split_every)

    def argtopk(self, k: int, axis: int = -1, split_every: Any = None) -> Any:
        """Where the k largest elements are along an axis."""
        return with_units("argtopk", self, k, axis, split_every)

    def choose(self, choices: Any) -> Any:
        """Elements of several arrays, picked by these indices."""
        return with_units("choose", self, choices)

    def shuffle(self, indexer: list[list[int]], axis: int, chunks: Any = "auto") -> Any:
        """Elements along an axis in another order, which lists those of every block."""
        return with_units("shuffle", self, indexer, axis, chunks)

    def reshape(
        self, *shape: Any, order: str = "C", merge_chunks: bool = True, limit: Any = None
    ) -> Any:
        """The same elements in another shape. `merge_chunks` and `limit` are Dask's."""
        if merge_chunks and limit is None:
            return super().reshape(*shape, order=order)
        if order != "C":
            reason = f"order={order!r} and the choice of chunks do not go together"
            raise UnsupportedFunction("DaskDimArray.reshape", reason, "use one of them")
        wanted = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return with_units("reshape", self, wanted, merge_chunks, limit)

    def to_tiledb(self, uri: Any, *args: Any, **kwargs: Any) -> NoReturn:
        """Refused: it stores no unit."""
        reason = REFUSED["to_tiledb"]
        raise UnsupportedFunction("DaskDimArray.to_tiledb", reason, "x.to_zarr(url)")

    def to_svg(self, size: int = 500) -> str:
        """A picture of the blocks."""
        return self._raw.to_svg(size)  # type: ignore[no-any-return]
