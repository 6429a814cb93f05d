"""Modules whose parameters have units. PyTorch holds raw parameters, the module knows their units.

So optimizers, `state_dict`, `.to(device)`, compilation and distributed training see what they know;
the attribute of the module is a DimTensor. A plain `nn.Module` that is given a parameter with a
unit becomes a UnitModule of its own class; `dimflow.torch.registration` sees to that.
"""

from collections.abc import Iterator
from typing import Any, cast

import torch
from torch import Tensor, nn

from dimflow.array.core import Core
from dimflow.errors import FileFormatError, UnitConversionError, UnitError
from dimflow.ops.dispatch import is_traced
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.units import PURE
from dimflow.torch import gradients, tracing
from dimflow.torch.tensor import DimTensor
from dimflow.units import Unit, decode, encode
from dimflow.units.alike import are_alike

_EXTRA = "_extra_state"
_FORMAT = "dimflow.units/1"
_OWN = "own"  # what the module's own get_extra_state returned
CONTAINERS = (nn.ParameterList, nn.ParameterDict)  # which make a parameter of every tensor


class _ParameterMeta(type):
    """A DimTensor whose numbers are an `nn.Parameter` counts as a DimParameter."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, DimTensor) and isinstance(instance._raw, nn.Parameter)


class DimParameter(metaclass=_ParameterMeta):
    """A parameter with a unit: `self.k = DimParameter(1.0, "N/m")` in any module.

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
        gradients.watch(made._raw, made._unit)
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

    _units: dict[str, Unit]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.__dict__["_units"] = {}  # before another class of the module makes its parameters
        super().__init__(*args, **kwargs)

    def __setattr__(self, name: str, value: Any) -> None:
        units = self.__dict__.get("_units", {})
        if isinstance(value, Core):
            self._put(name, value)
            return
        if name in units and isinstance(value, Tensor):
            if name in self._parameters or name in self._buffers:
                raise _bare(name, units[name], value)
            # a replica of DataParallel has plain tensors in the place of parameters
            object.__setattr__(self, name, DimTensor._like_of(value, units[name]))
            return
        super().__setattr__(name, value)
        if name in units and all(
            self.__dict__.get(kept, {}).get(name) is None for kept in ("_parameters", "_buffers")
        ):
            del units[name]

    def _put(self, name: str, value: Any) -> None:
        """Keep a quantity where PyTorch keeps such a tensor: as parameter, buffer or attribute."""
        if isinstance(self, CONTAINERS) and not isinstance(value, DimParameter):
            value = nn.Parameter(cast(Any, DimTensor(value)))  # as they do with every tensor
        if isinstance(value, DimParameter):
            if "_parameters" not in self.__dict__:
                raise AttributeError("call super().__init__() before a parameter is assigned")
            self._units.pop(name, None)
            quantity: Any = value
            super().__setattr__(name, quantity._raw)
            self._units[name] = quantity._unit
        elif getattr(value._raw, "_is_buffer", False):
            self.__dict__.pop(name, None)
            self.register_buffer(name, value, value._raw.persistent)
        elif name in self.__dict__.get("_buffers", ()):
            if self._buffers[name] is None:  # it has no unit yet
                self._units[name] = value._unit
            self._buffers[name] = self._in_own_unit(name, DimTensor(value))
        elif name in self.__dict__.get("_parameters", ()):
            problem = f"{name} is a parameter, and cannot be replaced by a tensor"
            raise UnitError(problem, f"with torch.no_grad(): module.{name}.copy_(x)")
        else:
            if name in self._units:  # a parameter that was taken out of the module's own records
                checked_converter(value._unit, self._units[name])
            refuse_untrained(self, name, value)
            super().__setattr__(name, value)

    def _in_own_unit(self, name: str, value: Core) -> Any:
        own = self._units.get(name, PURE)
        if not are_alike(own, value._unit):
            hint = f"the buffer {name} is in {own}" if str(own) else f"{name} has no unit"
            raise UnitConversionError(value._unit, own, hint)
        convert = checked_converter(value._unit, own)
        return value._raw if convert is None else convert(value._raw)

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Add a buffer, which may have a unit."""
        if isinstance(tensor, Core):
            super().register_buffer(name, DimTensor(tensor)._raw, persistent)
            self._units[name] = tensor._unit
        else:
            super().register_buffer(name, tensor, persistent)
            self._units.pop(name, None)

    def register_parameter(self, name: str, param: Any) -> None:
        """Add a parameter, which may have a unit."""
        if not isinstance(param, Core):
            if param is not None and name in self._units:
                raise _bare(name, self._units[name], param)
            super().register_parameter(name, param)
            return
        if not isinstance(param, DimParameter):
            problem = f"register_parameter({name!r}, ...) takes a DimParameter, but got a DimTensor"
            raise UnitError(problem, f"register_parameter({name!r}, nn.Parameter(x))")
        super().register_parameter(name, param._raw)
        self._units[name] = param._unit

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        unit = self.__dict__["_units"].get(name) if "_units" in self.__dict__ else None
        if unit is None or not isinstance(value, Tensor):
            return value
        if is_traced(0):
            return tracing.made(value, unit)
        gradients.watch(value, unit)
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
        units = ", ".join(f"{name}: {unit}" for name, unit in self._units.items())
        return "\n".join(part for part in (super().extra_repr(), units) if part)

    # Storing and loading

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        key = prefix + _EXTRA
        units = {name: encode(unit) for name, unit in self._units.items()}
        own = {_OWN: destination[key]} if key in destination else {}
        destination[key] = {"format": _FORMAT, "units": units, **own}

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        *rest: Any,
    ) -> None:
        """Load numbers into the module's own units; PyTorch's method sees raw tensors alone."""
        key = prefix + _EXTRA
        state = state_dict.pop(key, None)
        stored = self._units if state is None else _stored_units(state)
        bare = [prefix + n for n in self._units if isinstance(state_dict.get(prefix + n), Tensor)]
        if state is None and bare:
            raise _unknown(bare[0], self._units[bare[0].removeprefix(prefix)])
        state_dict.update(self._converted(state_dict, prefix, stored))
        if state is not None and _OWN in state:
            state_dict[key] = state[_OWN]
        units, self.__dict__["_units"] = self._units, {}
        try:
            super()._load_from_state_dict(
                state_dict, prefix, local_metadata, strict, missing_keys, *rest
            )
        finally:
            self.__dict__["_units"] = units
            state_dict.pop(key, None)

    def _converted(self, state_dict: Any, prefix: str, stored: dict[str, Unit]) -> dict[str, Any]:
        """The tensors of a stored module that are in other units, in the module's own."""
        ready = {}
        for name in {**self._units, **stored}:
            key = prefix + name
            if key not in state_dict:
                continue
            unit, theirs = self._units.get(name, PURE), stored.get(name, PURE)
            value = state_dict[key]
            if isinstance(value, Core):
                ready[key], theirs = value._raw, value._unit
            if not are_alike(theirs, unit):
                hint = f"the module has {key} in {_shown(unit)}, the state in {_shown(theirs)}"
                raise UnitConversionError(theirs, unit, hint)
            convert = checked_converter(theirs, unit)
            if convert is not None:
                ready[key] = convert(ready.get(key, value))
        return ready


def refuse_untrained(module: nn.Module, name: str, value: Core) -> None:
    """An error for `self.k = nn.Parameter(x) * unit`: the product is no parameter.

    One that a module keeps already may be given a unit anywhere, as in `forward`.
    """
    node = None if is_traced(0) else getattr(value._raw, "grad_fn", None)
    while node is not None and node.name() == "CloneBackward0":
        node = node.next_functions[0][0]
    source = getattr(node, "variable", None)
    if not isinstance(source, nn.Parameter) or any(source is p for p in module.parameters()):
        return
    problem = f"{name} is made of an nn.Parameter, and is none: it would not be trained or stored"
    hint = f"DimParameter(data, {str(value._unit)!r}); or x.detach(), to keep the numbers alone"
    raise UnitError(problem, hint)


def _bare(name: str, unit: Unit, value: Any) -> UnitError:
    problem = f"{name} has the unit {unit}, but got a tensor without one"
    kind = "DimParameter" if isinstance(value, nn.Parameter) else "DimTensor"
    return UnitError(problem, f"{kind}(data, {str(unit)!r})")


def _unknown(key: str, unit: Unit) -> UnitError:
    problem = f"the state has no units, so that nobody knows the unit of {key}"
    return UnitError(problem, f"state[{key!r}] = DimTensor(state[{key!r}], {str(unit)!r})")


def _shown(unit: Unit) -> str:
    return str(unit) or "pure numbers"


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
