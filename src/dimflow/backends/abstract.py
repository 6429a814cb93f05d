"""Abstract values: a shape and a dtype, and no data. Ops run on them by shape and dtype rules.

A function of arrays that runs on these has been checked without any number being computed.
"""

import operator
from collections.abc import Callable, Iterator
from math import prod
from typing import Any, Self

import numpy as np

from dimflow import ops
from dimflow.backends.backend import Backend
from dimflow.errors import DimflowError, NoDataError, NotANumber, ShapeMismatch, UnitError
from dimflow.ops import Op, dispatch
from dimflow.ops.rules.dtypes import real_of
from dimflow.ops.rules.index_shapes import indexed
from dimflow.ops.rules.shapes import Shape, broadcast_shapes

_NUMBERS = frozenset("biufc")


def _binary(name: str) -> Any:
    op = ops.get(name)

    def method(self: "Abstract", other: Any) -> Any:
        return NotImplemented if _is_foreign(other) else op.run((self, other), {})

    return method


def _reflected(name: str) -> Any:
    op = ops.get(name)

    def method(self: "Abstract", other: Any) -> Any:
        return NotImplemented if _is_foreign(other) else op.run((other, self), {})

    return method


def _unary(name: str) -> Any:
    op = ops.get(name)
    return lambda self: op.run((self,), {})


def _in_place(name: str) -> Any:
    op = ops.get(name)

    def method(self: "Abstract", other: Any) -> Any:
        if _is_foreign(other):
            return NotImplemented
        self._must_hold(op.run((self, other), {}), f"in-place {name}")
        return self

    return method


def _method(name: str) -> Any:
    """A method of NumPy's arrays that is an op of the table, if there is one by then."""

    def method(self: "Abstract", *args: Any, **kwargs: Any) -> Any:
        return ops.get(name)(self, *args, **kwargs)

    return method


def _unknown(operation: str, hint: str | None = None) -> Any:
    def method(self: "Abstract", *args: Any, **kwargs: Any) -> Any:
        raise NoDataError(operation, hint)

    return method


_AS_IT_IS = "compute with the array itself; what is only known with data cannot be checked"


class Abstract:
    """An array of which the shape and the dtype are known. A length of None is not known."""

    __slots__ = ("dtype", "shape")

    shape: Shape
    dtype: Any

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, shape: Any = (), dtype: Any = np.float64) -> None:
        lengths = tuple(None if n is None else operator.index(n) for n in shape)
        if any(n is not None and n < 0 for n in lengths):
            raise ShapeMismatch("a shape", "lengths of 0 or more", lengths)
        self.shape = lengths
        self.dtype = np.dtype(dtype)
        if self.dtype.kind not in _NUMBERS:
            raise NotANumber("an array", f"the dtype {self.dtype}")

    def __repr__(self) -> str:
        lengths = ", ".join("?" if n is None else str(n) for n in self.shape)
        return f"<{self.dtype}[{lengths}]>"

    # What is known

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements; NoDataError if a length is not known."""
        if None in self.shape:
            raise NoDataError(f"the size of {self!r}", _AS_IT_IS)
        return prod(self.shape)  # type: ignore[arg-type]

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """Bytes that the elements would take."""
        return self.size * self.itemsize

    @property
    def T(self) -> "Abstract":
        """With the axes in reverse order."""
        return Abstract(self.shape[::-1], self.dtype)

    @property
    def real(self) -> "Abstract":
        """The real parts."""
        return Abstract(self.shape, real_of(self.dtype))

    imag = real

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        if self.shape[0] is None:
            raise NoDataError(f"len() of {self!r}", _AS_IT_IS)
        return self.shape[0]

    def __iter__(self) -> Iterator["Abstract"]:
        if not self.shape:
            raise TypeError("iteration over an array without axes")
        if self.shape[0] is None:
            raise NoDataError(f"a loop over {self!r}", _AS_IT_IS)
        rest = self.shape[1:]
        return (Abstract(rest, self.dtype) for _ in range(self.shape[0]))

    def __getitem__(self, key: Any) -> "Abstract":
        return Abstract(indexed(self.shape, key), self.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        self[key]._must_hold(value, "an assignment")

    def _must_hold(self, value: Any, operation: str) -> None:
        """Raise unless a value could be written into this array."""
        shape = shape_of(value)
        if not _fits(broadcast_shapes([self.shape, shape]), self.shape):
            raise ShapeMismatch(operation, self.shape, shape)
        dtype = dtype_of(value)
        if isinstance(dtype, np.dtype) and not np.can_cast(dtype, self.dtype, "same_kind"):
            raise NotANumber(f"{operation} to an array of {self.dtype}", f"values of {dtype}")

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> "Abstract":
        """With another dtype."""
        return Abstract(self.shape, dtype)

    def copy(self, order: str = "C") -> Self:
        """Itself: there is nothing that anybody could write into."""
        return self

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        """In another shape, given as one tuple or as lengths."""
        lengths = shape[0] if len(shape) == 1 else shape
        return ops.get("reshape")(self, lengths)

    def transpose(self, *axes: Any) -> Any:
        """With the axes in another order, given as one tuple or as numbers."""
        if not axes or axes == (None,):
            return self.T
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return Abstract([self.shape[a] for a in order], self.dtype)

    def ravel(self, order: str = "C") -> "Abstract":
        """In one axis."""
        return Abstract((None if None in self.shape else self.size,), self.dtype)

    flatten = ravel

    # What is not

    __bool__ = _unknown("a branch on an array's value")
    __float__ = _unknown("float(x)", _AS_IT_IS)
    __int__ = _unknown("int(x)", _AS_IT_IS)
    __complex__ = _unknown("complex(x)", _AS_IT_IS)
    __index__ = _unknown("an array as an index of a list", _AS_IT_IS)
    __round__ = _unknown("round(x)", _AS_IT_IS)
    __array__ = _unknown("np.asarray(x)", _AS_IT_IS)
    __contains__ = _unknown("the test `y in x`", _AS_IT_IS)
    item = _unknown("x.item()", _AS_IT_IS)
    tolist = _unknown("x.tolist()", _AS_IT_IS)
    tobytes = _unknown("x.tobytes()", _AS_IT_IS)

    # What the table knows

    __add__, __radd__ = _binary("add"), _reflected("add")
    __sub__, __rsub__ = _binary("subtract"), _reflected("subtract")
    __mul__, __rmul__ = _binary("multiply"), _reflected("multiply")
    __truediv__, __rtruediv__ = _binary("divide"), _reflected("divide")
    __floordiv__, __rfloordiv__ = _binary("floor_divide"), _reflected("floor_divide")
    __mod__, __rmod__ = _binary("remainder"), _reflected("remainder")
    __matmul__, __rmatmul__ = _binary("matmul"), _reflected("matmul")
    __pow__, __rpow__ = _binary("pow"), _reflected("pow")
    __and__, __rand__ = _binary("bitwise_and"), _reflected("bitwise_and")
    __or__, __ror__ = _binary("bitwise_or"), _reflected("bitwise_or")
    __xor__, __rxor__ = _binary("bitwise_xor"), _reflected("bitwise_xor")
    __lshift__, __rlshift__ = _binary("bitwise_left_shift"), _reflected("bitwise_left_shift")
    __rshift__, __rrshift__ = _binary("bitwise_right_shift"), _reflected("bitwise_right_shift")
    __neg__, __pos__ = _unary("negative"), _unary("positive")
    __abs__, __invert__ = _unary("abs"), _unary("bitwise_invert")
    __lt__, __le__ = _binary("less"), _binary("less_equal")
    __gt__, __ge__ = _binary("greater"), _binary("greater_equal")
    __eq__, __ne__ = _binary("equal"), _binary("not_equal")
    __iadd__, __isub__ = _in_place("add"), _in_place("subtract")
    __imul__, __itruediv__ = _in_place("multiply"), _in_place("divide")
    __ifloordiv__, __imod__ = _in_place("floor_divide"), _in_place("remainder")
    __imatmul__, __ipow__ = _in_place("matmul"), _in_place("pow")
    __iand__, __ior__ = _in_place("bitwise_and"), _in_place("bitwise_or")
    __ixor__, __ilshift__ = _in_place("bitwise_xor"), _in_place("bitwise_left_shift")
    __irshift__ = _in_place("bitwise_right_shift")

    sum, prod, mean = _method("sum"), _method("prod"), _method("mean")
    std, var, ptp = _method("std"), _method("var"), _method("ptp")
    min, max, clip = _method("min"), _method("max"), _method("clip")
    argmin, argmax = _method("argmin"), _method("argmax")
    any, all, nonzero = _method("any"), _method("all"), _method("nonzero")
    cumsum, cumprod = _method("cumsum"), _method("cumprod")
    conj, conjugate, round = _method("conj"), _method("conj"), _method("round")
    swapaxes, squeeze, repeat = _method("swapaxes"), _method("squeeze"), _method("repeat")
    take, compress, diagonal = _method("take"), _method("compress"), _method("diagonal")
    dot, trace, searchsorted = _method("dot"), _method("trace"), _method("searchsorted")

    # NumPy's functions on it

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from dimflow.backends.abstract_numpy import call_ufunc

        return call_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from dimflow.backends.abstract_numpy import call_function

        return call_function(function, args, kwargs)


def shape_of(value: Any) -> Shape:
    """The shape of anything that an op takes."""
    if isinstance(value, (list, tuple)):
        return np.shape(value)
    return tuple(getattr(value, "shape", ()))


def dtype_of(value: Any) -> Any:
    """The dtype of anything that an op takes; the class of a bare Python number."""
    if type(value) in (bool, int, float, complex):
        return type(value)
    dtype = getattr(value, "dtype", None)
    return np.asarray(value).dtype if dtype is None else dtype


def _fits(shape: Shape, target: Shape) -> bool:
    return len(shape) == len(target) and all(
        n == m or n is None or m is None for n, m in zip(shape, target, strict=True)
    )


def _is_foreign(value: Any) -> bool:
    """Whether no interpreter knows a value: Python then asks the other operand."""
    try:
        dispatch.interpreter_of(type(value))
    except NotANumber:
        return True
    return False


class AbstractBackend(Backend):
    """Runs ops by their shape and dtype rules; one that has none runs its definition."""

    name = "abstract"
    rank = 5

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The shapes and dtypes of the results, as abstract values."""
        try:
            if op.shape is None or op.dtype is None:
                return op.call(op.rule("definition"), args, params)
            shapes = tuple(None if a is None else shape_of(a) for a in args)
            dtypes = tuple(None if a is None else dtype_of(a) for a in args)
            return _results(op, op.shape(shapes, params), op.dtype(dtypes, params))
        except TypeError as error:
            if isinstance(error, DimflowError) or not _has_unknown_length(args):
                raise
            raise unknown_length(op.name) from error

    def host_function(self, op: Op) -> Callable[..., Any] | None:
        """None: there is no library behind it."""
        return None

    def asarray(self, data: Any, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
        """An abstract value of the shape and dtype of anything array-like."""
        if device not in (None, "none"):
            raise UnitError("an abstract value lives on no device")
        if not isinstance(data, Abstract):
            data = np.asarray(data)
        return Abstract(data.shape, data.dtype if dtype is None else dtype)

    def to_numpy(self, raw: Any) -> Any:
        """NoDataError."""
        raise NoDataError("the numbers of an array", _AS_IT_IS)

    def basis(self, count: int, like: Any) -> Any:
        """As little is known of it as of all others."""
        return Abstract((count, count), like.dtype)

    def device(self, raw: Any) -> str:
        """None that could be named."""
        return "none"


def _results(op: Op, shape: Any, dtype: Any) -> Any:
    """One abstract value, or several where the rules give several shapes."""
    is_many = isinstance(shape, (tuple, list)) and any(isinstance(s, (tuple, list)) for s in shape)
    if not is_many and not isinstance(shape, list):  # of several some parameter may leave one
        return Abstract(shape, dtype)
    dtypes = dtype if isinstance(dtype, (tuple, list)) else [dtype] * len(shape)
    parts = [Abstract(s, d) for s, d in zip(shape, dtypes, strict=True)]
    return op.result_type(*parts) if op.outputs else type(shape)(parts)


def _has_unknown_length(args: tuple[Any, ...]) -> bool:
    return any(None in shape_of(a) for a in args if isinstance(a, Abstract))


def unknown_length(operation: str) -> NoDataError:
    """For arithmetic with a length that is None."""
    hint = "give every length a number: 'm[1000]' instead of 'm[?]'"
    return NoDataError(f"{operation} with a length that is not known", hint)


BACKEND = AbstractBackend()
dispatch.interpreters[Abstract] = BACKEND
