"""Carriers: raw values that a trace follows. Whatever is done with one, the trace does with it.

A carrier stands where a raw array stands, also inside a DimArray. Traces nest: the newest runs an
op first, on the values within its own carriers, and takes those of older traces for constants.
When a trace is over its carriers count as the values they hold.
"""

import operator
from collections.abc import Callable, Iterable, Iterator
from math import prod
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.autodiff.trace import Differentiation, Trace
from dimflow.backends import Backend, backend_of
from dimflow.backends.reading import refused
from dimflow.errors import MissingRule, NotANumber, TracedValueError
from dimflow.ops import Op, dispatch
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.families.index.keys import split_key
from dimflow.ops.rules.layout import layouts

_INDEX = ops.get("index")


def _operator(name: str, *, reflected: bool = False) -> Any:
    op = ops.get(name)

    def method(self: "Carrier", other: Any) -> Any:
        if is_foreign(type(other)):
            return NotImplemented
        return CARRIERS.run(op, (other, self) if reflected else (self, other), {})

    method.__doc__ = op.doc
    return method


def _unary(name: str) -> Any:
    op = ops.get(name)

    def method(self: "Carrier") -> Any:
        return CARRIERS.run(op, (self,), {})

    method.__doc__ = op.doc
    return method


def _refused(operation: str, convert: Callable[[Any], Any]) -> Any:
    """Something that would take a number out of sight of the trace."""

    def method(self: "Carrier", *args: Any, **kwargs: Any) -> Any:
        value = settled(self)
        if isinstance(value, Carrier):
            raise refused(operation, value.trace.verb, value.trace.hint)
        return convert(value, *args, **kwargs)

    return method


def is_foreign(kind: type) -> bool:
    """Whether values of a type are not for carriers to meet: Python then asks the other side."""
    try:
        return (dispatch.interpreters.get(kind) or interpreter_of(kind)).rank > CARRIERS.rank
    except NotANumber:
        return True


class Carrier:
    """A raw value and the trace that follows it."""

    __slots__ = ("trace", "value")

    value: Any
    trace: Trace

    is_beginning = False  # whether a tape begins here
    array_class: str | None = None  # "module:name" of a DimArray of its own
    __array_ufunc__ = None  # NumPy's operators leave the work to ours
    __hash__ = None  # type: ignore[assignment]

    def __init_subclass__(cls) -> None:
        dispatch.interpreters[cls] = CARRIERS
        dispatch.followed.add(cls)
        dispatch.wrappers.add(cls)
        layouts[cls] = _laid_out

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return tuple(getattr(self.value, "shape", ()))

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def dtype(self) -> Any:
        """The dtype, as the array's library names it."""
        value = self.value
        return value.dtype if hasattr(value, "dtype") else backend_of(value).dtype(value)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return int(self.dtype.itemsize)

    @property
    def T(self) -> Any:
        """With the axes in reverse order."""
        return ops.permute_dims(self, axes=tuple(reversed(range(self.ndim))))

    @property
    def real(self) -> Any:
        """The real parts."""
        return ops.real(self)

    @property
    def imag(self) -> Any:
        """The imaginary parts."""
        return ops.imag(self)

    def __getitem__(self, key: Any) -> Any:
        return ops.getitem(self, key=key)

    def __setitem__(self, key: Any, value: Any) -> None:
        CARRIERS.assign(self, key, value)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("iteration over an array without axes")
        return iter(ops.unstack(self, axis=0))

    def __repr__(self) -> str:
        return f"<{self.trace.verb} {self.value!r}>"

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)

    def __reduce_ex__(self, protocol: Any) -> Any:
        value = alive(self)
        if isinstance(value, Carrier):
            raise refused("a pickle", value.trace.verb, value.trace.hint)
        return value.__reduce_ex__(protocol)

    __float__ = _refused("float(x)", float)
    __complex__ = _refused("complex(x)", complex)
    __array__ = _refused("np.asarray(x)", lambda value, *_, **__: _numpy(value))
    to_numpy = _refused("x.to_numpy()", lambda value: _numpy(value))
    __dlpack__ = _refused("DLPack", lambda value, **options: value.__dlpack__(**options))
    __dlpack_device__ = _refused("DLPack", lambda value: value.__dlpack_device__())
    to_dask_array = _refused("a function of Dask's", lambda value: value)  # how it takes arrays in
    item = _refused("x.item()", lambda value, *args: _numpy(value).item(*args))
    tolist = _refused("x.tolist()", lambda value: _numpy(value).tolist())

    def astype(self, dtype: Any, *, copy: bool = True) -> Any:
        """With another dtype."""
        return ops.astype(self, dtype, copy=copy)

    __neg__, __pos__ = _unary("negative"), _unary("positive")
    __abs__, __invert__ = _unary("abs"), _unary("bitwise_invert")
    __add__, __radd__ = _operator("add"), _operator("add", reflected=True)
    __sub__, __rsub__ = _operator("subtract"), _operator("subtract", reflected=True)
    __mul__, __rmul__ = _operator("multiply"), _operator("multiply", reflected=True)
    __truediv__, __rtruediv__ = _operator("divide"), _operator("divide", reflected=True)
    __floordiv__ = _operator("floor_divide")
    __rfloordiv__ = _operator("floor_divide", reflected=True)
    __mod__, __rmod__ = _operator("remainder"), _operator("remainder", reflected=True)
    __matmul__, __rmatmul__ = _operator("matmul"), _operator("matmul", reflected=True)
    __pow__, __rpow__ = _operator("pow"), _operator("pow", reflected=True)
    __and__, __rand__ = _operator("bitwise_and"), _operator("bitwise_and", reflected=True)
    __or__, __ror__ = _operator("bitwise_or"), _operator("bitwise_or", reflected=True)
    __xor__, __rxor__ = _operator("bitwise_xor"), _operator("bitwise_xor", reflected=True)
    __lshift__ = _operator("bitwise_left_shift")
    __rlshift__ = _operator("bitwise_left_shift", reflected=True)
    __rshift__ = _operator("bitwise_right_shift")
    __rrshift__ = _operator("bitwise_right_shift", reflected=True)
    __lt__, __le__ = _operator("less"), _operator("less_equal")
    __gt__, __ge__ = _operator("greater"), _operator("greater_equal")
    __eq__, __ne__ = _operator("equal"), _operator("not_equal")


def _laid_out(value: Any, like: Any) -> Any:
    from dimflow.autodiff.layout import followed_laid_out

    return followed_laid_out(value, like)


def alive(value: Any) -> Any:
    """The value without carriers whose trace is over."""
    while isinstance(value, Carrier) and value.trace.is_over:
        value = value.value
    return value


def evened(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """NumPy's arrays as those of the library beside them, as an op lifts them.

    Rules are written with operators, which other libraries do not take NumPy's arrays in.
    """
    if not any(type(value) is np.ndarray for value in values):
        return values
    for value in map(innermost, values):
        library = None if value is None else interpreter_of(type(value))
        if isinstance(library, Backend) and library.rank:
            beside = [value]  # of a copy: the library may share NumPy's memory
            return tuple(
                library.lift(v.copy(), beside) if type(v) is np.ndarray else v for v in values
            )
    return values


def settled(value: Any) -> Any:
    """The value without carriers that nobody follows here and now."""
    while isinstance(value, Carrier) and value.trace.is_silent():
        value = value.value
    return value


def innermost(value: Any) -> Any:
    """The raw array of a library that is within all carriers."""
    while isinstance(value, Carrier):
        value = value.value
    return value


def newest(values: Iterable[Any]) -> Trace | None:
    """The newest trace that follows a value."""
    traces = [v.trace for v in values if isinstance(v, Carrier)]
    return max(traces, key=lambda trace: trace.level, default=None)


def is_differentiated(value: Any) -> bool:
    """Whether a trace that differentiates follows a value."""
    while isinstance(value, Carrier):
        if isinstance(value.trace, Differentiation) and not value.trace.is_over:
            return True
        value = value.value
    return False


def by_definition(op: Op, args: tuple[Any, ...], params: dict[str, Any], rule: str) -> Any:
    """What an op without a rule gives: its parts have one. MissingRule if it has no parts."""
    if op.definition is None:
        raise MissingRule(op.name, rule)
    return op.call(op.definition, shielded(args), params)


def _numpy(value: Any) -> Any:
    """NumPy's array of a value that a record may still need: nobody is to write into it."""
    array = backend_of(value).to_numpy(value).view()
    array.flags.writeable = False
    return array


def _by_its_parts(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """An op with a traced value among its parameters, which its rules take for constant.

    To its definition it is a number like others, unless the unit of the result depends on it.
    """
    params = {name: alive(value) for name, value in params.items()}
    traced = {name: value.trace for name, value in params.items() if isinstance(value, Carrier)}
    if not traced:
        return dispatch.run(op, args, params)
    if op.definition is None or (op.unit is not None and op.unit.needs_params):
        (name, trace), *_ = traced.items()
        raise TracedValueError(f"{op.name}(..., {name}=x)", trace.verb, trace.hint)
    return op.call(op.definition, shielded(args), params)


class Carriers(Backend):
    """Runs ops on carriers: by the newest trace among those of the arguments."""

    name = "traced"
    follows = True
    meets_numpy = True
    rank = 6  # above every library and abstract values, below units

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """What the newest trace makes of the op."""
        newest: Trace | None = None
        has_list = False
        for value in args:
            if isinstance(value, Carrier):
                trace = value.trace
                if trace.is_over:
                    return shielded(dispatch.run(op, tuple(map(alive, args)), params))
                if newest is None or trace.level > newest.level:
                    newest = trace
            elif type(value) is list:
                has_list = True
        assert newest is not None
        if has_list:  # rules and definitions ask for shapes
            beside = [innermost(value) for value in args if isinstance(value, Carrier)]
            library = backend_of(beside[0])
            args = tuple(library.lift(v, beside) if type(v) is list else v for v in args)
        for value in params.values():
            if isinstance(value, Carrier):
                return _by_its_parts(op, args, params)
        return newest.run(op, args, params)

    run_with = staticmethod(_by_its_parts)

    def host_function(self, op: Op) -> Callable[..., Any] | None:
        """None: the libraries are within the carriers."""
        return None

    def beneath(self, raw: Any) -> Backend:
        """The library of the values within."""
        return backend_of(innermost(raw))

    @property
    def namespace(self) -> Any:
        """That of NumPy, for its dtypes and constants."""
        from dimflow.backends import backend

        return backend("numpy").namespace

    def asarray(self, data: Any, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
        """A carrier as it is, in another dtype if one is given; else an array of its library."""
        if not isinstance(data, Carrier):
            from dimflow.backends import backend

            known = interpreter_of(type(data)) if hasattr(data, "dtype") else None
            library = known if isinstance(known, Backend) else backend("numpy")
            return library.asarray(data, dtype=dtype, device=device, copy=copy)
        return data if dtype is None or dtype == data.dtype else ops.astype(data, dtype)

    def to_numpy(self, raw: Any) -> Any:
        """NumPy's array of a value whose trace is over; TracedValueError before."""
        return raw.to_numpy()

    def device(self, raw: Any) -> str:
        """That of the values within."""
        return self.beneath(raw).device(innermost(raw))

    def dtype(self, raw: Any) -> Any:
        """That of the values within."""
        return raw.dtype

    def requires_grad(self, raw: Any) -> bool:
        """Whether a trace that differentiates follows the value."""
        inner = innermost(raw)
        return is_differentiated(raw) or backend_of(inner).requires_grad(inner)

    def is_mutable(self, raw: Any) -> bool:
        """No: others may have seen the value, as it was."""
        return False

    def getitem(self, raw: Any, key: Any) -> Any:
        """x[key]."""
        static, arrays = split_key(key)
        return self.run(_INDEX, (raw, *arrays), {"key": static})

    def copy(self, raw: Any) -> Any:
        """A value of its own, which stands on record as well."""
        value = alive(raw)
        if not isinstance(value, Carrier):
            return backend_of(value).copy(value)
        return ops.positive(value)

    def detach(self, raw: Any) -> Any:
        """The value, that no derivative goes through; a copy, since the record needs its own."""
        value = alive(ops.stop_gradient(raw))
        return backend_of(value).copy(value)

    def assign(self, raw: Any, key: Any, value: Any) -> None:
        """Refused: views and the record of the array would still have what was there before."""
        verb = raw.trace.verb if isinstance(raw, Carrier) else value.trace.verb
        raise TracedValueError("x[key] = y", verb, "make a new array: x = x.at[key].set(y)")


CARRIERS = Carriers()


class Shielded(Carrier):
    """A plain array whose own operators would raise beside a carrier: here they are ops."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.value, name)


class _Nobody(Trace):
    """Over from the start, so that a value that it holds counts as the value."""

    __slots__ = ()

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """What the values give."""
        return dispatch.run(op, tuple(map(alive, args)), params)


_nobody = _Nobody(0)
_nobody.over()


def shielded(value: Any) -> Any:
    """Values that may stand beside carriers in operators; one or several."""
    kind = type(value)
    if kind in dispatch.stubborn:
        carrier = object.__new__(Shielded)
        carrier.value, carrier.trace = value, _nobody
        return carrier
    if dispatch.stubborn and isinstance(value, (tuple, list)):
        parts = map(shielded, value)
        return kind(*parts) if hasattr(kind, "_fields") else kind(parts)
    return value
