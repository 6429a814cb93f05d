"""Which of PyTorch's functions run an op as they are, and the casts that all kernels share."""

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from dimflow.ops import Op

# Python's operators take a bare number on either side, and are the shortest way into PyTorch.
_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "array_power": operator.pow,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
}
# Functions for floating point alone, or that keep integers where the op gives fractions.
_OF_FRACTIONS = frozenset(
    {
        *("celu", "elu", "gelu_erf", "hardshrink", "leaky_relu"),
        *("mish", "selu", "silu", "softshrink", "softsign", "tanhshrink"),
        *("hypot", "logaddexp", "logaddexp2"),
    }
)

# Functions that CUDA runs with a constant in single precision: the definition is exact.
_INEXACT = frozenset({"hard_sigmoid", "hard_swish"})


def named(name: str) -> Any:
    """The function of a name below `torch`; None if there is none."""
    found: Any = torch
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def host_function(op: Op) -> Callable[..., Any] | None:
    """PyTorch's function for an elementwise op; it takes static parameters under the same names."""
    if op.name in _OPERATORS:
        return _OPERATORS[op.name]
    if op.kind != "elementwise" or op.hosts.torch is None or op.name in _INEXACT:
        return None
    found: Callable[..., Any] | None = named(op.hosts.torch)
    if found is None:
        return None
    if len(op.array_names) == 1:
        return on_fractions(found) if op.name in _OF_FRACTIONS else found
    return of_two(found, op.name in _OF_FRACTIONS)


def on_fractions(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of floating point, of integers too."""

    def call(x: Any, **options: Any) -> Any:
        return function(floated(x), **options)

    return call


def of_two(function: Callable[..., Any], fractions: bool = False) -> Callable[..., Any]:
    """A function of two tensors, of bare numbers too: they adapt to the other."""

    def call(x: Any, y: Any) -> Any:
        x, y = as_tensor(x, y), as_tensor(y, x)
        if fractions:
            x, y = promoted_fractions(x, y)
        return function(x, y)

    return call


def as_tensor(value: Any, like: Any) -> Any:
    """A bare number as a tensor in the dtype that it makes with another; tensors as they are."""
    if isinstance(value, Tensor):
        return value
    return torch.full((), value, dtype=adapted(value, like.dtype), device=like.device)


def adapted(value: Any, dtype: Any) -> Any:
    """The dtype of a bare number beside a tensor: that of the tensor if it is of no lower kind.

    As `torch.result_type` has it, which `torch.compile` does not follow.
    """
    if isinstance(value, complex) and not dtype.is_complex:
        return (dtype if dtype.is_floating_point else torch.get_default_dtype()).to_complex()
    if isinstance(value, float) and not (dtype.is_floating_point or dtype.is_complex):
        return torch.get_default_dtype()
    if not isinstance(value, bool) and dtype is torch.bool:
        return torch.int64
    return dtype


def tensors(*values: Any) -> tuple[Any, ...]:
    """Bare numbers among tensors as tensors."""
    like = next(v for v in values if isinstance(v, Tensor))
    return tuple(as_tensor(v, like) for v in values)


def floated(x: Any) -> Any:
    """Integers and truth values in PyTorch's usual precision of fractions."""
    if x.is_floating_point() or x.is_complex():
        return x
    return x.to(torch.get_default_dtype())


_LONG = frozenset((torch.int32, torch.int64, torch.uint32, torch.uint64))


def exact_fractions(x: Any) -> Any:
    """Integers in a precision that holds their digits; not on Apple's GPUs, which have none such.

    PyTorch takes the usual precision beside a number of Python, and so loses those past 24 bits.
    """
    return x.to(torch.float64) if x.dtype in _LONG and not x.is_mps else x


def counted(x: Any) -> Any:
    """Truth values as whole numbers."""
    return x.to(torch.int64) if x.dtype is torch.bool else x


def promoted(x: Any, y: Any) -> tuple[Any, Any]:
    """Two tensors in the dtype that they meet in."""
    if x.dtype is y.dtype:
        return x, y
    dtype = torch.promote_types(x.dtype, y.dtype)
    return x.to(dtype), y.to(dtype)


def promoted_fractions(x: Any, y: Any) -> tuple[Any, Any]:
    """Two tensors in the fractions that they meet in: integers beside them keep their digits."""
    x, y = promoted(x, y)
    return floated(x), floated(y)


def flat_along(x: Any, axis: Any) -> tuple[Any, int]:
    """The array and an axis of it; the flat array where there is none."""
    return (x.reshape(-1), 0) if axis is None else (x, axis)


def mirrored(x: Any, triangle: str) -> Any:
    """The hermitian matrix of one triangle of another: a derivative then knows which one counts.

    Of the diagonal only the real parts do.
    """
    outside = torch.tril(x, -1) if triangle.upper() == "L" else torch.triu(x, 1)
    if x.is_complex():
        diagonal = torch.diagonal(x, dim1=-2, dim2=-1)
        return outside + outside.mH + torch.diag_embed(diagonal.real).to(x.dtype)
    return (torch.tril(x) if triangle.upper() == "L" else torch.triu(x)) + outside.mH
