"""Calls that take functions, as functions of PyTorch's autograd that run under torch.func too."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils.checkpoint import checkpoint as _native_checkpoint
from torch.utils.checkpoint import create_selective_checkpoint_contexts

from dimflow.backends.programs import Followed, plain
from dimflow.backends.torch_kernels.reads import READS, refusing_reads
from dimflow.backends.torch_kernels.ruled import refuse_forward_twice
from dimflow.errors import ComputationError, MissingRule

_functorch: Any = torch._C._functorch
_vjp: Any = torch.func.vjp


class _Call:
    """A function of flat tensors, and the derivative that comes with it.

    No tuple, which PyTorch would take apart.
    """

    def __init__(self, function: Callable[..., Any], pull: Any, push: Any) -> None:
        self.function, self.pull, self.push = function, pull, push
        self.is_followed = torch.is_grad_enabled()


class _ClosedOver(Exception):
    """A function uses a tensor that is differentiated, and that it was not given."""


class _Watch(TorchFunctionMode):
    """Looks for tensors that autograd follows, in a function that it does not see into."""

    def __init__(self, given: Sequence[Any]) -> None:
        super().__init__()
        self.given = {id(value) for value in given}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        for value in _tensors((args, kwargs)):
            if id(value) not in self.given and _is_followed(value) and _is_used(func, found):
                raise _ClosedOver
        return found


def _tensors(tree: Any) -> list[Tensor]:
    return [x for x in torch.utils._pytree.tree_leaves(tree) if isinstance(x, Tensor)]


def _is_used(func: Any, found: Any) -> bool:
    """Whether a function used a tensor's values, rather than ask for its shape and the like."""
    return found is None or func in READS or bool(_tensors(found))


def _is_followed(value: Tensor) -> bool:
    """Whether a derivative is taken by a tensor, in one of PyTorch's two ways."""
    return bool(_functorch.is_gradtrackingtensor(value)) or (
        value.requires_grad and not _functorch.is_batchedtensor(value)
    )


class _Custom(torch.autograd.Function):
    """One call, whose derivative comes with it."""

    generate_vmap_rule = True

    @staticmethod
    def forward(call: _Call, *tensors: Any) -> Any:
        with _Watch(tensors) if call.is_followed else nullcontext():
            outs = tuple(call.function(*tensors))
        given = {id(t) for t in tensors}
        return tuple(o.clone() if id(o) in given else o for o in outs)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        call, *tensors = inputs
        ctx.call, ctx.count = call, len(tensors)
        ctx.others = [None if isinstance(t, Tensor) else t for t in tensors]
        kept = [t for t in tensors if isinstance(t, Tensor)]
        ctx.mark_non_differentiable(*[o for o in output if not _is_inexact(o)])
        ctx.save_for_backward(*kept, *output)
        ctx.save_for_forward(*kept, *output)

    @staticmethod
    def backward(ctx: Any, *cts: Any) -> Any:
        args, outs = _kept(ctx)
        given = [
            _conjugated(ct) if _is_inexact(o) else None for ct, o in zip(cts, outs, strict=True)
        ]
        wanted = [i for i, a in enumerate(args) if _is_inexact(a) and ctx.needs_input_grad[i + 1]]
        if ctx.call.pull is not None:
            found = ctx.call.pull(given, outs, args)
        else:
            found = _transposed_push(ctx.call.push, given, outs, args, wanted)
        return (
            None,
            *[
                _like(_conjugated(ct), args[i]) if i in wanted else None
                for i, ct in enumerate(found)
            ],
        )

    @staticmethod
    def jvp(ctx: Any, _call: Any, *tangents: Any) -> Any:
        args, outs = _kept(ctx)
        given = [t if _is_inexact(a) else None for t, a in zip(tangents, args, strict=True)]
        if ctx.call.push is not None:
            moved = ctx.call.push(given, outs, args)
        else:
            moved = _transposed_pull(ctx.call.pull, given, outs, args)
        pairs = zip(moved, outs, strict=True)
        return tuple(_filled(t, o) if _is_inexact(o) else None for t, o in pairs)


def _kept(ctx: Any) -> tuple[list[Any], tuple[Any, ...]]:
    """The arguments and the results of a call."""
    # a transform that is over leaves its layer behind, which the next would take for its own
    saved = iter([_functorch.unwrap_if_dead(t) for t in ctx.saved_tensors])
    args = [next(saved) if other is None else other for other in ctx.others]
    return args, tuple(saved)


def _transposed_push(push: Any, cts: Any, outs: Any, args: Any, wanted: list[int]) -> list[Any]:
    """Cotangents by the transpose of the way forward."""

    def forward(*tangents: Any) -> tuple[Any, ...]:
        every: list[Any] = [None] * len(args)
        for i, tangent in zip(wanted, tangents, strict=True):
            every[i] = tangent
        moved = zip(push(every, outs, args), outs, cts, strict=True)
        return tuple(_filled(t, o) for t, o, ct in moved if ct is not None)

    _, back = _vjp(forward, *(torch.zeros_like(args[i]) for i in wanted))
    backs = back(tuple(_conjugated(ct) for ct in cts if ct is not None))
    found: list[Any] = [None] * len(args)
    for i, ct in zip(wanted, backs, strict=True):
        found[i] = _conjugated(ct)
    return found


def _transposed_pull(pull: Any, tangents: Any, outs: Any, args: Any) -> list[Any]:
    """Tangents by the transpose of the way back."""
    places = [i for i, t in enumerate(tangents) if t is not None]
    inexact = [i for i, o in enumerate(outs) if _is_inexact(o)]

    def back(*cts: Any) -> tuple[Any, ...]:
        every: list[Any] = [None] * len(outs)
        for i, ct in zip(inexact, cts, strict=True):
            every[i] = ct
        found = pull(every, outs, args)
        return tuple(_filled(found[i], args[i]) for i in places)

    _, forward = _vjp(back, *(torch.zeros_like(outs[i]) for i in inexact))
    moved = forward(tuple(_conjugated(tangents[i]) for i in places))
    every: list[Any] = [None] * len(outs)
    for i, tangent in zip(inexact, moved, strict=True):
        every[i] = _conjugated(tangent)
    return every


def _is_inexact(value: Any) -> bool:
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def _conjugated(value: Any) -> Any:
    """Cotangents pair without conjugation here, and with it in PyTorch."""
    return value.conj() if isinstance(value, Tensor) and value.is_complex() else value


def _filled(found: Any, like: Tensor) -> Any:
    """A tangent or cotangent as a tensor of the shape and dtype of its value."""
    if not isinstance(found, Tensor):
        return torch.zeros_like(like) + (found or 0.0)
    if found.is_complex() and not like.is_complex():
        found = torch.real(found)
    return found.to(like.dtype).expand(like.shape)


def _like(found: Any, value: Tensor) -> Any:
    return None if found is None else _filled(found, value)


def custom_call(
    *arrays: Any, function: Callable[..., Any], pull: Any = None, push: Any = None
) -> tuple[Any, ...]:
    """By an autograd function, which has both modes and goes under torch.func and vmap."""
    try:
        return _applied(_Call(plain(function), pull, push), arrays)
    except Followed:
        return tuple(function(*arrays))  # by a batch of the own engine: it has the derivative
    except _ClosedOver:
        raise ComputationError(
            "custom_call",
            "it uses a tensor that is being differentiated and is not among its arguments",
            "pass it as an argument, or take it out of the derivative: dimflow.stop_gradient(x)",
        ) from None


def _applied(call: _Call, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    refuse_forward_twice("a custom function")
    return tuple(_Custom.apply(call, *arrays))  # type: ignore[no-untyped-call]


def checkpoint(*arrays: Any, function: Callable[..., Any], policy: Any = None) -> tuple[Any, ...]:
    """PyTorch's own in eager mode; under torch.func, which it does not know, one by autograd.

    There a function that closes over tensors that are differentiated runs as if it were none.
    """
    if policy == "everything":
        return tuple(function(*arrays))
    if _functorch.peek_interpreter_stack() is None:
        context = {} if policy is None else {"context_fn": _keeping(policy)}
        found = _native_checkpoint(function, *arrays, use_reentrant=False, **context)
        return tuple(found)
    try:
        return _applied(_again(plain(function)), arrays)
    except (Followed, _ClosedOver):
        return tuple(function(*arrays))


def _again(function: Callable[..., Any]) -> _Call:
    """A call whose derivative runs the function a second time."""

    def pull(cts: Any, outs: Any, args: Any) -> list[Any]:
        places, inner = _of_inexact(function, args)
        results, back = _vjp(inner, *(args[i] for i in places))
        pairs = zip(cts, results, strict=True)
        given = tuple(torch.zeros_like(o) if ct is None else _conjugated(ct) for ct, o in pairs)
        found: list[Any] = [None] * len(args)
        for i, ct in zip(places, back(given), strict=True):
            found[i] = _conjugated(ct)
        return found

    def push(tangents: Any, outs: Any, args: Any) -> Any:
        places, inner = _of_inexact(function, args)
        values = tuple(args[i] for i in places)
        moved = tuple(_filled(tangents[i], args[i]) for i in places)
        return torch.func.jvp(inner, values, moved)[1]

    return _Call(function, pull, push)


def _of_inexact(function: Callable[..., Any], args: Sequence[Any]) -> tuple[list[int], Any]:
    """The places of arguments that there is a derivative by, and the function of these."""
    places = [i for i, a in enumerate(args) if _is_inexact(a)]

    def inner(*values: Any) -> tuple[Any, ...]:
        full = list(args)
        for i, value in zip(places, values, strict=True):
            full[i] = value
        with refusing_reads():  # the first run was not differentiated
            return tuple(function(*full))

    return places, inner


def _keeping(policy: Any) -> Any:
    """PyTorch's context for results that are kept."""
    if policy != "dots":
        raise MissingRule(
            "checkpoint",
            "policy by op for PyTorch's engine",
            "give policy=None, 'dots' or 'everything', or differentiate with engine='own'",
        )
    aten = torch.ops.aten
    dots = [aten.mm, aten.bmm, aten.addmm, aten.baddbmm, aten.convolution, aten.dot, aten.mv]
    kept = [op.default for op in dots]
    return partial(create_selective_checkpoint_contexts, kept)
