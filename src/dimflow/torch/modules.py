"""Modules whose parameters have units. PyTorch holds raw parameters, the module knows their units.

So optimizers, `state_dict`, `.to(device)`, compilation and distributed training see what they know;
the attribute of the module is a DimTensor.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from dimflow.array.core import Core
from dimflow.errors import FileFormatError, UnitConversionError, UnitError
from dimflow.ops.dispatch import is_traced
from dimflow.ops.rules.convert import checked_converter
from dimflow.torch import gradients, tracing
from dimflow.torch.tensor import DimTensor
from dimflow.units import Unit, decode, encode

_EXTRA = "_extra_state"
_FORMAT = "dimflow.units/1"


class _ParameterMeta(type):
    """A DimTensor whose numbers are an `nn.Parameter` counts as a DimParameter."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, DimTensor) and isinstance(instance._raw, nn.Parameter)


class DimParameter(metaclass=_ParameterMeta):
    """A parameter with a unit: `self.k = DimParameter(1.0, "N/m")` in a `UnitModule`.

    What is made is a DimTensor on an `nn.Parameter`.
    """

    def __new__(  # type: ignore[misc]
        cls, data: Any, unit: Unit | str | None = None, requires_grad: bool = True, **options: Any
    ) -> DimTensor:
        """The parameter, as a DimTensor."""
        values = DimTensor(data, unit, **options)
        raw = values._raw.detach()
        if requires_grad and not (raw.is_floating_point() or raw.is_complex()):
            raw = raw.to(torch.get_default_dtype())
        made = values._like(nn.Parameter(raw, requires_grad), values._unit)
        gradients.watch(made._raw)
        return made


class UnitModule(nn.Module):
    """A module that keeps the units of its parameters and buffers.

        class Spring(UnitModule):
            def __init__(self):
                super().__init__()
                self.k = DimParameter(1.0, "N/m")

            def forward(self, x):
                return -self.k * x

    `parameters()` are the raw ones, as optimizers take them; `module.k` is a DimTensor. The units
    are stored in `state_dict`; what is loaded is converted into the module's own units.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._units: dict[str, Unit] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        if not isinstance(value, Core):
            units = self.__dict__.get("_units", {})
            if name in units and isinstance(value, nn.Parameter):
                problem = f"{name} has the unit {units[name]}, but got a parameter without one"
                raise UnitError(problem, f"DimParameter(data, {str(units[name])!r})")
            super().__setattr__(name, value)
            if value is None and name in units:
                del units[name]
            return
        if "_units" not in self.__dict__:
            raise AttributeError("call super().__init__() before a parameter is assigned")
        if isinstance(value, DimParameter):
            self.register_parameter(name, value._raw)
            self._units[name] = value._unit
        elif name in self._units and name in self._buffers:
            self._buffers[name] = self._in_own_unit(name, value)
        elif name in self._units:
            problem = f"{name} is a parameter, and cannot be replaced by a tensor"
            raise UnitError(problem, f"write into it: module.{name}.data.copy_(...)")
        else:
            object.__setattr__(self, name, value)

    def _in_own_unit(self, name: str, value: Core) -> Any:
        convert = checked_converter(value._unit, self._units[name])
        return value._raw if convert is None else convert(value._raw)

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Add a buffer, which may have a unit."""
        if isinstance(tensor, Core):
            super().register_buffer(name, tensor._raw, persistent)
            self._units[name] = tensor._unit
        else:
            super().register_buffer(name, tensor, persistent)

    def register_parameter(self, name: str, param: Any) -> None:
        """Add a parameter, which may have a unit."""
        if isinstance(param, Core):
            setattr(self, name, param)
        else:
            super().register_parameter(name, param)

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        unit = self.__dict__["_units"].get(name) if "_units" in self.__dict__ else None
        if unit is None or not isinstance(value, Tensor):
            return value
        if is_traced(0):
            return tracing.made(value, unit)
        gradients.watch(value)
        return DimTensor._like_of(value, unit)

    def __delattr__(self, name: str) -> None:
        self._units.pop(name, None)
        super().__delattr__(name)

    def named_units(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Unit]]:
        """The names of parameters and buffers with units, and these, as `named_parameters`."""
        modules = self.named_modules(prefix=prefix) if recurse else [(prefix, self)]
        for path, module in modules:
            if isinstance(module, UnitModule):
                yield from ((f"{path}.{n}" if path else n, u) for n, u in module._units.items())

    def extra_repr(self) -> str:
        """The units, for `print(module)`."""
        return ", ".join(f"{name}: {unit}" for name, unit in self._units.items())

    # Storing and loading

    def get_extra_state(self) -> dict[str, Any]:
        """The units, as texts."""
        return {"format": _FORMAT, "units": {n: encode(u) for n, u in self._units.items()}}

    def set_extra_state(self, state: Any) -> None:
        """Nothing is left to do: numbers are converted before they are loaded."""
        _stored_units(state)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any
    ) -> None:
        stored = {}
        if (state := state_dict.get(prefix + _EXTRA)) is not None:
            stored = _stored_units(state)
        ready = {}
        for name, unit in self._units.items():
            key = prefix + name
            if key not in state_dict or name not in stored:
                continue
            if stored[name].dimension is not unit.dimension:
                hint = f"the module has {key} in {unit}, what is loaded has it in {stored[name]}"
                raise UnitConversionError(stored[name], unit, hint)
            convert = checked_converter(stored[name], unit)
            if convert is not None:
                ready[key] = convert(state_dict[key])
        state_dict.update(ready)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


def _stored_units(state: Any) -> dict[str, Unit]:
    """The units of a stored module, checked."""
    try:
        if state["format"] != _FORMAT:
            raise ValueError(f"the format is {state['format']!r:.40}, not {_FORMAT!r}")
        return {name: decode(text) for name, text in state["units"].items()}
    except (LookupError, TypeError, AttributeError) as error:
        raise FileFormatError("the units of a module", f"{type(error).__name__}: {error}") from None


def named_units(module: nn.Module) -> Iterator[tuple[str, Unit]]:
    """The names and units of all parameters with units in a module, ordinary modules included."""
    for path, part in module.named_modules():
        if isinstance(part, UnitModule):
            yield from part.named_units(path, recurse=False)
