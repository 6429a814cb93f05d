"""The methods that tensors have in PyTorch.

Those that a DimArray has under the same name do what they do for every DimArray. PyTorch's own
keywords (`dim=`, `keepdim=`, `descending=`, ...) give PyTorch's meaning. All others are PyTorch's.
"""

import sys
from typing import Any, Self

import torch
from torch import Tensor

from dimflow.array import DimArray
from dimflow.array.core import Core
from dimflow.ops.dispatch import is_traced
from dimflow.torch import functions, gradients, tracing
from dimflow.torch.operators import Operators
from dimflow.units import Unit

_KEYWORDS = frozenset(
    (
        *("dim", "keepdim", "descending", "stable", "dims", "correction", "unbiased", "dim0"),
        *("dim1", "dim2", "start_dim", "end_dim", "p", "other", "sorted", "return_inverse"),
        "as_tuple",
    )
)


class Size(int):
    """The number of elements; called as in PyTorch, the lengths of the axes."""

    shape: torch.Size

    def __call__(self, dim: int | None = None) -> Any:
        """The lengths of the axes, or that of one."""
        return self.shape if dim is None else self.shape[dim]


class Methods(Operators):
    """What PyTorch's users call on a tensor."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """A method of `torch.Tensor` that no DimArray has, with units."""
        function = None if name.startswith("__") else getattr(Tensor, name, None)
        if function is None:
            kind = type(self).__name__
            raise AttributeError(f"{kind!r} object has no attribute {name!r}", name=name, obj=self)
        if not callable(function):  # a property
            return functions.torch_function(function.__get__, (self,), {})
        return _bound(function, self)

    @property
    def size(self) -> Size:
        """The number of elements; `x.size()` are the lengths of the axes, as in PyTorch."""
        shape = self._raw.shape
        size = Size(shape.numel())
        size.shape = shape
        return size

    @property
    def shape(self) -> torch.Size:
        """The lengths of the axes."""
        return self._raw.shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._raw.ndim  # type: ignore[no-any-return]

    @property
    def dtype(self) -> torch.dtype:
        """The dtype."""
        return self._raw.dtype  # type: ignore[no-any-return]

    # Elsewhere: units, dtypes, devices

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """The same quantities in another unit, of another dtype, or on another device.

        `x.to("km")`, `x.to("spectral unit", via=...)` convert; `x.to(torch.float32)`,
        `x.to("cuda:0")`, `x.to(other)` and PyTorch's keywords move, and keep the unit. A text is a
        device if PyTorch knows one of that name; no unit is called so.
        """
        if args and _is_unit(args[0]):
            if is_traced(0):
                return tracing.convert(self, args[0], *args[1:], **kwargs)
            return DimArray.to(self, *args, **kwargs)
        if kwargs.get("unit") is not None:
            return self.to(kwargs.pop("unit"), *args, **kwargs)
        plain = [gradients.raw_of(a) for a in args]
        raw = self._raw.to(*plain, **{key: gradients.raw_of(v) for key, v in kwargs.items()})
        tracing.refuse_cast("to", raw.dtype, (self._raw,), self._unit)
        return self._like(raw, self._unit)

    def _cast(self, name: str, dtype: torch.dtype, **options: Any) -> Self:
        operation = f"x.{name}()"
        if self.is_dimensionless:
            return self._like(self._pure(operation).to(dtype, **options), Unit(""))
        raw = self._raw.to(dtype, **options)
        tracing.refuse_cast(operation, raw.dtype, (self._raw,), self._unit)
        return self._like(raw, self._unit)

    def int(self, **options: Any) -> Self:
        """Whole numbers of 32 bits, of pure numbers."""
        return self._cast("int", torch.int32, **options)

    def long(self, **options: Any) -> Self:
        """Whole numbers of 64 bits, of pure numbers."""
        return self._cast("long", torch.int64, **options)

    def short(self, **options: Any) -> Self:
        """Whole numbers of 16 bits, of pure numbers."""
        return self._cast("short", torch.int16, **options)

    def char(self, **options: Any) -> Self:
        """Whole numbers of 8 bits, of pure numbers."""
        return self._cast("char", torch.int8, **options)

    def byte(self, **options: Any) -> Self:
        """Whole numbers from 0 to 255, of pure numbers."""
        return self._cast("byte", torch.uint8, **options)

    def bool(self, **options: Any) -> Any:
        """Where elements are not zero: a plain tensor, since that is so in every unit."""
        if self._unit.law is not None:
            return bool(self)  # raises, with its hint
        return self._raw.bool(**options)

    def type(self, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        """The name of the type; with a dtype, the tensor of that dtype."""
        if dtype is None:
            return self._raw.type()
        raw = self._raw.type(dtype, *args, **kwargs)
        tracing.refuse_cast("type", raw.dtype, (self._raw,), self._unit)
        return self._like(raw, self._unit)

    def type_as(self, other: Any) -> Self:
        """In the dtype of another tensor, whose unit does not matter."""
        return self.type(gradients.raw_of(other).type())  # type: ignore[no-any-return]

    def view(self, *shape: Any, **kwargs: Any) -> Any:
        """The same elements in another shape."""
        return functions.torch_function(Tensor.view, (self, *shape), kwargs)

    def numpy(self, *, force: Any = False) -> Any:
        """A DimArray on NumPy, which shares its memory with this tensor. The unit stays."""
        from dimflow.array.dimarray import wrap

        return wrap(self._raw.numpy(force=force), self._unit)

    def item(self, *index: Any) -> Any:
        """The one element as a Python number, in the array's unit."""
        return self._raw[index].item() if index else self._raw.item()

    def tolist(self) -> Any:
        """The numbers as nested lists, in the array's unit."""
        return self._raw.tolist()

    def sum(self, *args: Any, **kwargs: Any) -> Any:
        """The sum, of all elements or along axes."""
        if args or kwargs or self._unit.key.law is not None:
            return _sum(self, *args, **kwargs)
        return self._like(self._raw.sum(), self._unit)

    def share_memory_(self) -> Self:
        """In shared memory from now on, for other processes."""
        self._raw.share_memory_()
        return self

    def __len__(self) -> Any:
        return len(self._raw) if self._raw.ndim else DimArray.__len__(self)

    def __reversed__(self) -> Self:
        return self._like(self._raw.__reversed__(), self._unit)

    # The record for gradients

    @property
    def grad(self) -> Any:
        """What has gathered from backward passes, in [output] / [input]; None if nothing has."""
        return gradients.gathered(self)

    @grad.setter
    def grad(self, gradient: Any) -> None:
        gradients.put(self, gradient)

    @grad.deleter
    def grad(self) -> None:
        self._raw.grad = None

    @property
    def requires_grad(self) -> Any:
        """Whether what is done with this tensor is recorded, to be differentiated."""
        return self._raw.requires_grad

    @requires_grad.setter
    def requires_grad(self, flag: Any) -> None:
        self.requires_grad_(flag)

    def requires_grad_(self, requires_grad: Any = True) -> Self:
        """Record what is done with this tensor from now on, or no longer."""
        self._raw.requires_grad_(requires_grad)
        gradients.watch(self._raw)
        return self

    @property
    def is_leaf(self) -> Any:
        """Whether this was not computed from tensors that are recorded."""
        return self._raw.is_leaf

    def retain_grad(self) -> None:
        """Gather the gradient here too, though this is no leaf."""
        gradients.watch(self._raw)
        self._raw.retain_grad()

    def backward(
        self,
        gradient: Any = None,
        retain_graph: Any = None,
        create_graph: Any = False,
        inputs: Any = None,
    ) -> None:
        """Differentiate by all leaves. A gradient is in the unit of this over that of the leaf.

        `gradient` (for other outputs than a single number) multiplies: its unit counts too.
        """
        gradients.backward(self, gradient, retain_graph, create_graph, inputs)

    def register_hook(self, hook: Any) -> Any:
        """Call a function with each gradient: its numbers, as PyTorch computes them.

        Which output is differentiated is not known while a pass of PyTorch's own runs, so the
        hook gets a DimTensor in our passes and an error elsewhere.
        """
        return gradients.hooked(self, hook)

    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        """Call a function with this tensor, after its gradient has grown."""
        gradients.watch(self._raw)
        return self._raw.register_post_accumulate_grad_hook(lambda _: hook(self))

    def detach_(self) -> Self:
        """Forget how the values came about, in place."""
        self._raw.detach_()
        return self

    def cpu(self, **options: Any) -> Self:
        """On the host."""
        return self._like(self._raw.cpu(**options), self._unit)

    def clone(self, **kwargs: Any) -> Self:
        """A copy, which autograd records."""
        return self._like(self._raw.clone(**kwargs), self._unit)


def _is_unit(value: Any) -> bool:
    """Whether the argument of `.to` names a unit, rather than a device or dtype."""
    if type(value) is Unit:
        return True
    if not isinstance(value, str):
        return False
    return not _is_device(value)


def _is_device(text: str) -> bool:
    if is_traced(0):
        return text.partition(":")[0] in ("cpu", "cuda", "mps", "xpu", "meta", "xla", "mtia")
    try:
        torch.device(text)
    except RuntimeError:
        return False
    return True


def _bound(function: Any, array: Any) -> Any:
    def method(*args: Any, **kwargs: Any) -> Any:
        return functions.torch_function(function, (array, *args), kwargs)

    method.__name__ = method.__qualname__ = getattr(function, "__name__", "method")
    method.__doc__ = f"As `torch.Tensor.{method.__name__}`, with units."
    return method


# What NumPy has not among the arguments of a method: mean(0, True) is PyTorch's keepdim, and
# flatten(1), max(y), repeat(2, 1, 1) mean what they mean there.
_THEIRS = {"flatten": (int,), "max": (bool, Tensor, Core), "min": (bool, Tensor, Core)}
_MOST = {"repeat": 2}


def _is_asked_by_torch() -> bool:
    """Whether a method is called in PyTorch's own code, such as that of its layers."""
    caller = sys._getframe(2).f_globals.get("__name__", "")
    return isinstance(caller, str) and caller.startswith("torch.")


def _either(name: str) -> Any:
    """A method of every DimArray, which has PyTorch's meaning with its arguments or in its code."""
    own, theirs = getattr(DimArray, name), getattr(Tensor, name)
    kinds, most = _THEIRS.get(name, (bool,)), _MOST.get(name, 9)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if (
            (kwargs and not _KEYWORDS.isdisjoint(kwargs))
            or len(args) > most
            or any([isinstance(a, kinds) for a in args])  # noqa: C419  traced
            or (not is_traced(0) and _is_asked_by_torch())
        ):
            return functions.torch_function(theirs, (self, *args), kwargs)
        return own(self, *args, **kwargs)

    method.__name__, method.__doc__ = name, own.__doc__
    return method


_sum = _either("sum")
for _name in (
    *("prod", "mean", "var", "std", "max", "min", "argmax", "argmin", "any", "all"),
    *("cumsum", "cumprod", "norm", "squeeze", "sort", "argsort", "flatten", "transpose"),
    *("diagonal", "swapaxes", "repeat", "nonzero"),
):
    setattr(Methods, _name, _either(_name))
