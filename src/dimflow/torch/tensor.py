"""DimTensor: a tensor of PyTorch and a unit."""

from copy import deepcopy
from typing import Any

import torch

from dimflow.array import DimArray
from dimflow.array.persistence import _restore_value
from dimflow.errors import BackendMismatch
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
        if raw.requires_grad or raw.device.type != "cpu" or raw.dtype in _ONLY_HERE:
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

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """PyTorch's functions, with units."""
        return torch_function(function, args, kwargs or {})


def _is_ours(data: Any) -> bool:
    """Whether this carries a unit, so that making an array of it needs no library by name."""
    return isinstance(data, DimArray)
