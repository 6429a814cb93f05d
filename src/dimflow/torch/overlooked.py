"""Where PyTorch looks for tensors of its own kind and passes over all others without a word.

A DimTensor is none, so a gradient or a unit would be lost there. PyTorch has no protocol for these
functions: each is wrapped, and refuses a quantity that it would overlook; an optimizer is given
its raw tensor.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any

import torch
from torch._functorch import functional_call
from torch.nn.parallel import scatter_gather
from torch.nn.utils import clip_grad, parametrizations, parametrize, prune, stateless
from torch.nn.utils.spectral_norm import SpectralNorm
from torch.nn.utils.weight_norm import WeightNorm
from torch.utils.hooks import BackwardHook

from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.array.in_place import in_unit
from dimflow.backends.torch_kernels.reads import is_differentiated
from dimflow.errors import UnitError, UnitLossError, UnsupportedFunction
from dimflow.ops.rules.units import PURE
from dimflow.torch.gradients import ledger_of
from dimflow.torch.modules import named_units
from dimflow.torch.tensor import DimTensor
from dimflow.units import Unit, decode, encode
from dimflow.units.alike import is_number

Function = Callable[..., Any]

_CUT = "PyTorch sees tensors of its own alone, and the gradient of a quantity would be lost"
_CUSTOM = "f = dimflow.custom_gradient(f); f.defvjp(rule)"
_REENTRANT = "checkpoint(f, x, use_reentrant=False)"
_WHOLE = "PyTorch cuts tensors of its own alone, and would give each device all of a quantity"
_NUMBERS = "give it the numbers: x.to_value(unit)"
_ONE = "it adds numbers of gradients that may be in several units"
_BARE = "parametrizations and pruning replace a parameter by bare numbers"
_FACTOR = "keep the parameter without a unit, and multiply by the unit where it is used"
_UNITS = "units"  # beside PyTorch's keys of an optimizer's state
_HOOK = "a hook of a tensor has units: x.register_hook(hook)"


def _arrays(values: Any) -> Iterator[Any]:
    """The arrays in arguments or results."""
    if isinstance(values, (Core, torch.Tensor)):
        yield values
    elif isinstance(values, (list, tuple)):
        for value in values:
            yield from _arrays(value)
    elif isinstance(values, dict):
        yield from _arrays(list(values.values()))


def _follows(values: Any) -> tuple[bool, bool]:
    """Whether there are quantities, and whether there is a derivative by any array."""
    arrays = list(_arrays(values))
    raws = [a._raw if isinstance(a, Core) else a for a in arrays]
    is_followed = any(isinstance(raw, torch.Tensor) and is_differentiated(raw) for raw in raws)
    return any(isinstance(a, Core) for a in arrays), is_followed


def _apply(original: Function) -> Any:
    @wraps(original)
    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        quantities = [a for a in _arrays((args, kwargs)) if isinstance(a, Core)]
        if quantities and _follows(quantities)[1]:
            raise _lost(cls)
        result = original(cls, *args, **kwargs)
        if _follows(result)[0] and _follows((args, kwargs))[1]:
            raise _lost(cls)
        return result

    return classmethod(apply)


def _lost(cls: type) -> UnsupportedFunction:
    if cls.__module__ == "torch.utils.checkpoint":
        name = "torch.utils.checkpoint.checkpoint(..., use_reentrant=True)"
        return UnsupportedFunction(name, _CUT, _REENTRANT)
    name = f"{cls.__qualname__}.apply of torch.autograd.Function"
    return UnsupportedFunction(name, _CUT, _CUSTOM)


def _hooked(original: Function) -> Function:
    @wraps(original)
    def run(self: Any, fn: Any, args: Any) -> Any:
        has_units, is_followed = _follows(args)
        if has_units and is_followed:
            name = f"a full backward hook of {type(self.module).__name__}"
            raise UnsupportedFunction(name, _CUT, _HOOK)
        return original(self, fn, args)

    return run


def _typed(original: Function) -> Function:
    """What attention asks of a mask, which may be the comparison of two quantities."""

    @wraps(original)
    def run(input: Any) -> Any:
        return original(input._raw if isinstance(input, Core) else input)

    return run


def _stacked(original: Function) -> Function:
    @wraps(original)
    def run(tensors: Any, name: str) -> Any:
        frame: Any = sys._getframe(1)
        while frame is not None and "models" not in frame.f_locals:
            frame = frame.f_back  # a comprehension has a frame of its own before Python 3.12
        units = [] if frame is None else [_unit(m, name) for m in frame.f_locals["models"]]
        if len({*units}) > 1:
            texts = ", ".join(str(unit) or "pure numbers" for unit in units)
            raise UnitError(
                f"torch.func.stack_module_state stacks numbers, but {name} is in {texts}",
                f"make each model's in one unit: DimParameter(k.to({str(units[0])!r}))",
            )
        return original(tensors, name)

    return run


def _scattered(original: Function) -> Function:
    @wraps(original)
    def run(obj: Any) -> bool:
        if isinstance(obj, Core):  # it would go to every device whole
            raise UnsupportedFunction("torch.nn.parallel", _WHOLE, _NUMBERS)
        return bool(original(obj))

    return run


def _grouped(original: Function) -> Function:
    @wraps(original)
    def run(tensors: Any, *args: Any, **kwargs: Any) -> Any:
        # one quantity is taken for a list of its elements, which have no gradients
        if _follows((tensors, sys._getframe(1).f_locals.get("parameters")))[0]:
            name = "torch.nn.utils.clip_grad_norm_ (or clip_grad_value_)"
            raise UnsupportedFunction(name, _ONE, "dimflow.clip_by_global_norm(...)")
        return original(tensors, *args, **kwargs)

    return run


def _replacing(original: Function) -> Function:
    """A function of a module and the name of a parameter, which it replaces by others."""

    @wraps(original)
    def run(module: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        if isinstance(getattr(module, name, None), Core):
            raise UnsupportedFunction(f"torch.nn.utils on {name}", _BARE, _FACTOR)
        return original(module, name, *args, **kwargs)

    return run


def _pruned(original: Function) -> Any:
    @wraps(original)
    def apply(cls: Any, module: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        def own(*given: Any, **named: Any) -> Any:
            return original(cls, *given, **named)

        return _replacing(own)(module, name, *args, **kwargs)

    return classmethod(apply)


def _normed(original: Function) -> Any:
    return staticmethod(_replacing(original))


def _optimized(original: Function) -> Function:
    """An optimizer holds the raw tensors of quantities, as a module does."""

    @wraps(original)
    def run(self: Any, param_group: Any) -> None:
        given = param_group["params"] if isinstance(param_group, dict) else None
        for name, value in {**self.defaults, **(param_group if given is not None else {})}.items():
            if name != "params" and isinstance(value, Core) and not is_number(value._unit):
                raise UnitLossError(f"{name}= of {type(self).__name__}", value._unit)
        if isinstance(given, Core):
            given = [given]
        if isinstance(given, Iterable) and not isinstance(given, (torch.Tensor, set)):
            param_group["params"] = [_raw_of_named(each) for each in given]
        original(self, param_group)

    return run


def _raw_of_named(parameter: Any) -> Any:
    """The raw tensor of a quantity, by itself or beside its name."""
    if isinstance(parameter, tuple):
        return tuple(map(_raw_of_named, parameter))
    return parameter._raw if isinstance(parameter, Core) else parameter


def _saved(original: Function) -> Function:
    """The state of an optimizer is numbers, in units that follow from those of its parameters."""

    @wraps(original)
    def run(self: Any) -> Any:
        state = original(self)
        units = _units_of(self)
        return state if not any(units) else {**state, _UNITS: units}

    return run


def _loaded(original: Function) -> Function:
    @wraps(original)
    def run(self: Any, state_dict: Any) -> None:
        for ours, theirs in zip(_units_of(self), state_dict.get(_UNITS, ()), strict=False):
            if ours and theirs and decode(ours) != decode(theirs):
                raise UnitError(
                    f"a parameter is in {decode(ours)}, but the state of the optimizer is of one "
                    f"in {decode(theirs)}",
                    f"make the parameter in its unit: DimParameter(k, {str(decode(theirs))!r})",
                )
        original(self, state_dict)

    return run


def _units_of(optimizer: Any) -> list[str]:
    """The units of its parameters, encoded; empty where none is known."""
    ledgers = (ledger_of(p) for group in optimizer.param_groups for p in group["params"])
    return [encode(each.own) if each is not None and each.own else "" for each in ledgers]


def _scaled(original: Function) -> Function:
    @wraps(original)
    def run(self: Any, outputs: Any) -> Any:
        if isinstance(outputs, Core):
            return wrap(original(self, outputs._raw), outputs._unit)
        if isinstance(outputs, (list, tuple)) and any(isinstance(out, Core) for out in outputs):
            return type(outputs)(run(self, each) for each in outputs)
        return original(self, outputs)

    return run


def _called(original: Function) -> Function:
    """A module that runs with other values in the place of its parameters."""

    @wraps(original)
    def run(module: Any, parameters_and_buffers: Any, *args: Any, **kwargs: Any) -> Any:
        given = parameters_and_buffers
        if any(isinstance(value, Core) for value in given.values()):
            units = dict(named_units(module))
            given = {
                name: in_unit(units.get(name, PURE), DimTensor(value), f"the parameter {name}")
                if isinstance(value, Core)
                else value
                for name, value in given.items()
            }
        return original(module, given, *args, **kwargs)

    return run


def _unit(model: Any, name: str) -> Unit:
    path, _, own = name.rpartition(".")
    units = model.get_submodule(path).__dict__.get("_units", {})
    unit: Unit = units.get(own, Unit(""))
    return unit


WRAPPED: tuple[tuple[Any, str, Function], ...] = (
    (torch.autograd.Function, "apply", _apply),
    (BackwardHook, "_apply_on_tensors", _hooked),
    (scatter_gather, "_is_namedtuple", _scattered),  # what it asks of all that is no tensor
    (torch.nn.functional, "_none_or_dtype", _typed),
    (functional_call, "construct_stacked_leaf", _stacked),
    (clip_grad, "_group_tensors_by_device_and_dtype", _grouped),
    (clip_grad, "_clip_grads_with_norm_", _grouped),
    (parametrize, "register_parametrization", _replacing),
    (parametrizations, "spectral_norm", _replacing),
    (parametrizations, "orthogonal", _replacing),
    (SpectralNorm, "apply", _normed),
    (WeightNorm, "apply", _normed),
    (prune.BasePruningMethod, "apply", _pruned),
    (torch.optim.Optimizer, "add_param_group", _optimized),
    (torch.optim.Optimizer, "state_dict", _saved),
    (torch.optim.Optimizer, "load_state_dict", _loaded),
    (torch.amp.GradScaler, "scale", _scaled),
    (stateless, "_functional_call", _called),
)


def install() -> None:
    """Wrap the functions, once."""
    for owner, name, wrapped in WRAPPED:
        original = vars(owner)[name]
        original = getattr(original, "__func__", original)
        if original.__module__ != __name__:
            made = wrapped(original)
            getattr(made, "__func__", made).__module__ = __name__
            setattr(owner, name, made)
