"""An array library that is not NumPy: it takes no array of NumPy's, and never becomes one.

Its kernels are NumPy's, so whatever fails on it is a rule, a definition or a derivative that took
its values for NumPy's: an operator between a value and a NumPy array, `float(x)`, a branch on data.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow.backends import Backend
from dimflow.backends.numpy import BACKEND as NUMPY
from dimflow.ops import Op, dispatch


def _refused(what: str, read: Callable[..., Any] | None = None) -> Callable[..., Any]:
    def method(self: "Strict", *args: Any, **kwargs: Any) -> Any:
        if Strict.may_be_read and read is not None:
            return read(self.numbers)
        raise RuntimeError(f"{what} of an array of this library")

    return method


def _operator(function: Callable[..., Any]) -> Any:
    return lambda self: Strict(function(self.numbers))


def _operators(function: Callable[..., Any]) -> tuple[Any, Any]:
    return (
        lambda self, other: Strict(function(self.numbers, _operand(other))),
        lambda self, other: Strict(function(_operand(other), self.numbers)),
    )


def _operand(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        raise TypeError("this library takes no arrays of NumPy's: use an op, which lifts them")
    return value.numbers if isinstance(value, Strict) else value


class Strict:
    """An array of the library."""

    may_be_read = False  # a test may allow it to definitions whose result depends on the values

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]
    __array__ = _refused("np.asarray")
    __bool__ = _refused("bool", bool)
    __float__ = _refused("float", float)
    __int__ = _refused("int", int)
    __index__ = _refused("index")
    __iter__ = _refused("iteration")

    def __init__(self, numbers: Any) -> None:
        self.numbers = np.asarray(numbers)
        self.shape = self.numbers.shape
        self.ndim = self.numbers.ndim
        self.size = self.numbers.size
        self.dtype = self.numbers.dtype

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, key: Any) -> "Strict":
        parts = key if isinstance(key, tuple) else (key,)
        return Strict(self.numbers[tuple(_operand(part) for part in parts)])

    def __repr__(self) -> str:
        return f"<strict {self.numbers!r}>"


_TWO = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift")
_BITS = ("and_", "or_", "xor")
for _name in (*_TWO, *_BITS):
    _plain, _turned = _operators(getattr(operator, _name))
    setattr(Strict, f"__{_name.strip('_')}__", _plain)
    setattr(Strict, f"__r{_name.strip('_')}__", _turned)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Strict, f"__{_name}__", _operators(getattr(operator, _name))[0])
for _name in ("neg", "pos", "abs", "invert"):
    setattr(Strict, f"__{_name}__", _operator(getattr(operator, _name)))


def strict(value: Any) -> Any:
    """NumPy's arrays as arrays of the library; anything else as it is."""
    if isinstance(value, (np.ndarray, np.generic)):
        return Strict(value)
    if isinstance(value, (tuple, list)):
        parts = [strict(v) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def numbers(value: Any) -> Any:
    """The arrays of the library as NumPy's again."""
    if isinstance(value, (tuple, list)):
        parts = [numbers(v) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value.numbers if isinstance(value, Strict) else value


class StrictLibrary(Backend):
    """Runs NumPy's kernels on the library's arrays; definitions come first if so asked."""

    name = "strict"

    def __init__(self, *, by_definition: bool = False) -> None:
        super().__init__()
        self.by_definition = by_definition

    def native(self, op: Op) -> Callable[..., Any] | None:
        kernel = NUMPY.native(op)
        if kernel is None or (self.by_definition and op.definition is not None):
            return None
        return lambda *args, **kwargs: strict(
            kernel(*numbers(args), **{k: numbers(v) for k, v in kwargs.items()})
        )

    def host_function(self, op: Op) -> Callable[..., Any] | None:
        return None

    def asarray(self, data: Any, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
        assert device in (None, "strict:0")
        return Strict(np.array(numbers(data), dtype=dtype))

    def to_numpy(self, raw: Any) -> Any:
        return raw.numbers

    def device(self, raw: Any) -> str:
        return "strict:0"

    def is_mutable(self, raw: Any) -> bool:
        return False


BY_KERNEL, BY_DEFINITION = StrictLibrary(), StrictLibrary(by_definition=True)
dispatch.interpreters[Strict] = BY_KERNEL
