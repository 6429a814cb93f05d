"""DimTensor: a tensor of PyTorch and a unit."""

import sys
from copy import deepcopy
from typing import Any

import torch

from dimflow.array import DimArray
from dimflow.array.persistence import _restore_value
from dimflow.constants.constant import Constant
from dimflow.errors import BackendMismatch, UnitError
from dimflow.ops.dispatch import is_traced
from dimflow.torch import gradients, tracing
from dimflow.torch.functions import torch_function
from dimflow.torch.methods import Methods
from dimflow.units import Unit, encode

_new = object.__new__
_ONLY_HERE = frozenset((torch.bfloat16, torch.complex32))  # NumPy has none of these


class DimTensor(Methods):
    """A tensor with a physical unit: a DimArray whose numbers are a tensor of PyTorch.

        DimTensor([1.0, 2.0], "m/s", requires_grad=True)
        torch.arange(3.0) * units.kg

    It has all that a DimArray has, and the methods of `torch.Tensor` with units. PyTorch's
    functions take it: each is supported, or refused with a reason.
    """

    __slots__ = ()

    def __init__(
        self,
        data: Any,
        unit: Unit | str | None = None,
        *,
        dtype: Any = None,
        backend: str | None = None,
        device: Any = None,
        copy: bool | None = None,
        requires_grad: bool = False,
    ) -> None:
        if is_traced(0):
            self._raw = torch.as_tensor(data, dtype=dtype, device=device)
            self._unit = tracing.unit_named(unit if unit is not None else "")
            return
        if backend not in (None, "torch"):
            hint = f"DimArray(data, unit, backend={backend!r})"
            raise BackendMismatch("DimTensor", "torch", backend, hint)
        if isinstance(data, DimArray) and data.backend != "torch":
            data = data.to_backend("torch")
        DimArray.__init__(
            self,
            data,
            unit,
            dtype=dtype,
            backend=None if _is_ours(data) else "torch",
            device=device,
            copy=copy,
        )
        if requires_grad:
            self.requires_grad_()
        else:
            gradients.watch(self._raw)

    def _adopted(self) -> None:
        gradients.watch(self._raw)

    @classmethod
    def _like_of(cls, raw: Any, unit: Unit) -> "DimTensor":
        """A tensor in a unit: nothing is checked or copied."""
        array = _new(cls)
        array._raw = raw
        array._unit = unit
        return array

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """What any reader understands; by PyTorch's own means what only PyTorch has."""
        raw = self._raw
        is_kept = raw.requires_grad or isinstance(raw, torch.nn.Parameter)
        # torch.save keeps storages that tensors share, and torch.load moves them
        is_kept = is_kept or sys._getframe(1).f_globals.get("__name__") == "torch.serialization"
        if is_kept or raw.device.type != "cpu" or raw.dtype in _ONLY_HERE:
            return _restore_value, (type(self), raw, encode(self._unit))
        return super().__reduce_ex__(protocol)

    def __deepcopy__(self, memo: Any) -> "DimTensor":
        raw = self._raw
        if not raw.is_leaf:
            return self.copy()
        copied = self._like(deepcopy(raw, memo), self._unit)
        gradients.watch(copied._raw)
        gradients.inherit(copied._raw, raw)
        memo[id(self)] = copied
        return copied

    # What `nn.Parameter(x)` and `nn.Buffer(x)` write on a tensor that is not PyTorch's own

    @property
    def _is_param(self) -> bool:
        return isinstance(self._raw, torch.nn.Parameter)

    @_is_param.setter
    def _is_param(self, _: bool) -> None:
        self._raw = torch.nn.Parameter(self._raw.detach(), self._raw.requires_grad)
        gradients.watch(self._raw)

    @property
    def _is_buffer(self) -> bool:
        return getattr(self._raw, "_is_buffer", False)

    @_is_buffer.setter
    def _is_buffer(self, value: bool) -> None:
        self._raw._is_buffer = value

    @property
    def persistent(self) -> bool:
        """Whether `state_dict` has this `nn.Buffer`."""
        return self._raw.persistent  # type: ignore[no-any-return]

    @persistent.setter
    def persistent(self, value: bool) -> None:
        self._raw.persistent = value


def _torch_function(
    cls: type, function: Any, types: Any, args: Any = (), kwargs: Any = None
) -> Any:
    """PyTorch's functions, with units."""
    return torch_function(function, args, kwargs or {})


def _marked(kind: str, hint: str) -> property:
    """`nn.Parameter` marks what is no tensor of PyTorch's own, as it marks a DimTensor."""

    def refuse(self: DimArray, _: Any) -> None:
        raise UnitError(f"nn.{kind} got a quantity of {self.backend}", hint)

    return property(None, refuse, doc=f"What `nn.{kind}` sets on what it registers.")


def _refuse_data(_: DimTensor, __: Any) -> None:
    problem = "x.data = y would say nothing of the unit of the numbers in y"
    raise UnitError(problem, "write into it: with torch.no_grad(): x.copy_(DimTensor(y, unit))")


setattr(DimTensor, "data", DimArray.data.setter(_refuse_data))  # type: ignore[attr-defined]  # noqa: B010
setattr(DimArray, "_is_param", _marked("Parameter", "DimParameter(x)"))  # noqa: B010  mypy
setattr(DimArray, "persistent", _marked("Buffer", "nn.Buffer(DimTensor(x))"))  # noqa: B010

# Of all arrays with units and of constants: `1 * u.m` beside a tensor holds a number of NumPy's.
for _kind in (DimArray, Constant):
    setattr(_kind, "__torch_function__", classmethod(_torch_function))  # noqa: B010  mypy


def _is_ours(data: Any) -> bool:
    """Whether this carries a unit, so that making an array of it needs no library by name."""
    return isinstance(data, DimArray)
