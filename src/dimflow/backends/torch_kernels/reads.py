"""Reads of tensors that are being differentiated: errors, where PyTorch takes a constant."""

from contextlib import nullcontext
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch._functorch.pyfunctorch import temporarily_pop_interpreter_stack
from torch._ops import OpOverloadPacket
from torch.autograd import forward_ad
from torch.compiler import is_compiling
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack

from dimflow.backends.reading import refused
from dimflow.ops.dispatch import wrappers

_functorch: Any = torch._C._functorch
# What takes numbers out of a tensor; int(x) and a branch are steps, whose derivative is zero.
READS: dict[Any, str] = {
    Tensor.item: "x.item()",
    Tensor.tolist: "x.tolist()",
    Tensor.__float__: "float(x)",
    Tensor.__complex__: "complex(x)",
    Tensor.__array__: "np.asarray(x)",
    Tensor.numpy: "x.numpy()",
    Tensor.__dlpack__: "DLPack",
    Tensor.__deepcopy__: "copy.deepcopy(x)",
    Tensor.__reduce_ex__: "a pickle",
    Tensor.untyped_storage: "the memory of x, which a pickle or copy.copy(x) asks for,",
    Tensor.new_tensor: "y.new_tensor(x)",
    torch.tensor: "torch.tensor(x)",
    torch.as_tensor: "torch.as_tensor([x])",
    torch.asarray: "torch.asarray([x])",
    torch.linspace: "torch.linspace",
    torch.logspace: "torch.logspace",
}
_OF_LISTS = (torch.as_tensor, torch.asarray)  # one tensor they leave as it is

_TENSORS = frozenset(("Tensor", "Optional[Tensor]"))
_SPACES = (torch.linspace, torch.logspace)  # they take tensors, and read them


class _RefusedReads(TorchFunctionMode):
    """A read of a tensor that is being differentiated is an error, and no constant."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        options = kwargs or {}
        if func in READS and not options.get("force"):
            given = args[1 if func is Tensor.new_tensor else 0 :][:1] or (options.get("data"),)
            if func in _SPACES:
                given = (*args, *options.values())
            is_kept = func in _OF_LISTS and isinstance(given[0], Tensor)
            if not is_kept and _holds_differentiated(given):
                raise refused(READS[func])
        elif forward_ad._current_level >= 0:
            refuse_numbers(func, (*enumerate(args), *options.items()))
        return func(*args, **options)


def refuse_numbers(func: Any, arguments: Any) -> None:
    """Refuse a tensor where PyTorch reads a number: it does so itself in reverse mode alone."""
    for place, value in arguments:
        if (
            isinstance(value, Tensor)
            and value.ndim == 0
            and not _takes_tensors(func, place)
            and is_differentiated(value)
        ):
            raise refused(f"torch.{func.__name__}")


def _takes_tensors(func: Any, place: int | str) -> bool:
    kinds = _kinds(func, place)
    return not kinds or not _TENSORS.isdisjoint(kinds)


@cache
def _kinds(func: Any, place: int | str) -> frozenset[str]:
    """What the forms of a function take at a place, by PyTorch's own schemas."""
    name = getattr(func, "__name__", "")
    found = (getattr(torch.ops.aten, n, None) for n in (name, name.removeprefix("_")))
    forms: Any = next((f for f in found if type(f) is OpOverloadPacket), None)
    schemas = (
        [getattr(forms, form)._schema.arguments for form in forms.overloads()] if forms else []
    )
    if getattr(Tensor, name, None) is func:  # `__getitem__` there is that of lists
        schemas = [arguments for arguments in schemas if str(arguments[0].type) in _TENSORS]
    return frozenset(
        str(argument.type)
        for arguments in schemas
        for i, argument in enumerate(arguments)
        if place in (i, argument.name)
    )


def number_of(value: Any, call: str, func: Any = None, place: int | str = 0) -> Any:
    """A number for a function of PyTorch that reads one, from a tensor or a number.

    A tensor that is being differentiated is none. It stays one where the function takes tensors.
    """
    if not isinstance(value, Tensor) or value.shape:
        return value
    if is_compiling() or not is_differentiated(value):
        return value.item()
    if not _TENSORS.isdisjoint(_kinds(func, place)):
        return value
    raise refused(call)


def _holds_differentiated(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_holds_differentiated, value))
    if type(value) in wrappers and not isinstance(value, Tensor):
        value = value.data  # of a quantity
    return is_differentiated(value)


def refusing_reads() -> Any:
    """A block in which such a read is an error. One is enough; compilers do without."""
    return nullcontext() if is_compiling() or _is_active() else _RefusedReads()


def is_refusing(tensor: Any) -> bool:
    """Whether a transform follows a tensor, and not PyTorch's own record alone."""
    return _is_active() or _functorch.is_functorch_wrapped_tensor(tensor)


def _is_active() -> bool:
    modes = _get_current_function_mode_stack()  # type: ignore[no-untyped-call]
    return any(type(mode) is _RefusedReads for mode in modes)


def is_differentiated(tensor: Any) -> bool:
    """Whether autograd or torch.func differentiates by a tensor, backward or forward."""
    if not torch.is_grad_enabled() or not isinstance(tensor, Tensor):
        return False
    while not tensor.requires_grad and not _has_tangent(tensor):
        if not _functorch.is_functorch_wrapped_tensor(tensor):
            return False
        tensor = _functorch.get_unwrapped(tensor)
    return True


def _has_tangent(tensor: Any) -> bool:
    is_inexact = tensor.is_floating_point() or tensor.is_complex()
    if forward_ad._current_level < 0 or not is_inexact:
        return False
    if forward_ad.unpack_dual(tensor).tangent is not None:  # type: ignore[no-untyped-call]
        return True
    innermost = _functorch.peek_interpreter_stack()
    if innermost is None or _functorch.maybe_get_level(tensor) >= innermost.level():
        return False
    with temporarily_pop_interpreter_stack():  # which does not see the tangents of outer ones
        return _has_tangent(tensor)
