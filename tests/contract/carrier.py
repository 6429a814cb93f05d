"""A value that carries something along: Python's operators on it are ops of the table."""

from collections.abc import Callable
from typing import Any

from dimflow import ops


def _operator(name: str, *, reflected: bool = False) -> Callable[..., Any]:
    def method(self: Any, *others: Any) -> Any:
        args = (*others, self) if reflected else (self, *others)
        return ops.get(name)(*args)

    return method


class Carrier:
    """What an interpreter of the table hands to rules and definitions in place of an array."""

    __slots__ = ("value",)
    __array_ufunc__ = None  # NumPy's operators leave the work to ours
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(getattr(self.value, "shape", ()))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(self.value.size)

    @property
    def dtype(self) -> Any:
        return self.value.dtype

    def __getitem__(self, key: Any) -> Any:
        return ops.getitem(self, key=key)

    def __len__(self) -> int:
        return self.shape[0]

    __neg__ = _operator("negative")
    __pos__ = _operator("positive")
    __abs__ = _operator("abs")
    __invert__ = _operator("bitwise_invert")
    __add__ = _operator("add")
    __radd__ = _operator("add", reflected=True)
    __sub__ = _operator("subtract")
    __rsub__ = _operator("subtract", reflected=True)
    __mul__ = _operator("multiply")
    __rmul__ = _operator("multiply", reflected=True)
    __truediv__ = _operator("divide")
    __rtruediv__ = _operator("divide", reflected=True)
    __floordiv__ = _operator("floor_divide")
    __mod__ = _operator("remainder")
    __matmul__ = _operator("matmul")
    __rmatmul__ = _operator("matmul", reflected=True)
    __pow__ = _operator("pow")
    __rpow__ = _operator("pow", reflected=True)
    __lt__ = _operator("less")
    __le__ = _operator("less_equal")
    __gt__ = _operator("greater")
    __ge__ = _operator("greater_equal")
    __eq__ = _operator("equal")
    __ne__ = _operator("not_equal")


def primal(value: Any) -> Any:
    """The value without what it carries."""
    return value.value if isinstance(value, Carrier) else value


def as_result(op: ops.Op, out: Any, parts: list[Any]) -> Any:
    """Parts in the form of a result: one, a named tuple, a list."""
    if not isinstance(out, (tuple, list)):
        return parts[0]
    return op.result_type(*parts) if op.outputs else type(out)(parts)
