"""A plain `nn.Module` keeps a parameter with a unit as it keeps any other: patches of `nn.Module`.

PyTorch registers what is an `nn.Parameter`, and stores anything else as an attribute that no
optimizer and no `state_dict` sees. A DimTensor is no tensor of PyTorch's, so the methods by which
a module takes a parameter or a buffer, and finds one, are wrapped. A module that is given one with
a unit becomes a UnitModule of its own class, as `torch.nn.utils.parametrize` makes a class of its
own for a module; all others run PyTorch's code. `ParameterList` and `ParameterDict` are modules.
"""

from collections.abc import Callable
from copyreg import __newobj__  # type: ignore[attr-defined]
from functools import wraps
from typing import Any

from torch import nn

from dimflow.array.core import Core
from dimflow.errors import UnitError
from dimflow.torch.modules import CONTAINERS, DimParameter, UnitModule, refuse_untrained

PATCHED = ("__setattr__", "register_buffer", "register_parameter", "get_parameter")
_KEPT = "_class_with_units"


class _Adopted(UnitModule):
    """What the class of an adopted module has beside its own class."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "__class__" and not issubclass(value, UnitModule):  # as of lazy modules
            value = with_units(value)
        super().__setattr__(name, value)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """By the class that can be imported: the one that is made here has no name of its own."""
        made = super().__reduce_ex__(protocol)
        if isinstance(made, tuple) and made[0] is __newobj__:
            return (_new, (type(self).__bases__[1], *made[1][1:]), *made[2:])
        return made


def _new(base: type[nn.Module], *args: Any) -> nn.Module:
    """An empty module of a class with units."""
    kind: Any = with_units(base)
    made: nn.Module = kind.__new__(kind, *args)
    return made


def with_units(base: type[nn.Module]) -> type[nn.Module]:
    """The class of modules of a class that keep units: one for each, so that compilers know it."""
    found: type[nn.Module] | None = base.__dict__.get(_KEPT)
    if found is None:
        names = {
            "__module__": base.__module__,
            "__qualname__": base.__qualname__,
            "__doc__": base.__doc__,
        }
        kind: Any = type(base)
        found = kind(base.__name__, (_Adopted, base), names)
        setattr(base, _KEPT, found)
    return found


def _adopt(module: nn.Module) -> None:
    """Make a module one that keeps units."""
    if "_parameters" not in module.__dict__:
        raise AttributeError("call super().__init__() before a parameter is assigned")
    try:
        module.__class__ = with_units(type(module))
    except TypeError as error:  # a class with slots, or one that cannot be derived from
        problem = f"a {type(module).__name__} cannot keep units: {error}"
        raise UnitError(problem, "let its class derive from dimflow.torch.UnitModule") from None
    module.__dict__.setdefault("_units", {})


def _is_registered(module: nn.Module, name: str, value: Any) -> bool:
    """Whether PyTorch would register a tensor of this kind, or has one of this name."""
    return (
        isinstance(value, DimParameter)
        or isinstance(module, CONTAINERS)
        or getattr(value, "_is_buffer", False)
        or name in module.__dict__.get("_parameters", ())
        or name in module.__dict__.get("_buffers", ())
    )


def _patched(name: str, original: Callable[..., None]) -> Callable[..., None]:
    @wraps(original)
    def run(self: Any, key: str, value: Any, *args: Any, **kwargs: Any) -> None:
        if not isinstance(value, Core) or isinstance(self, UnitModule):
            original(self, key, value, *args, **kwargs)
        elif name == "__setattr__" and not _is_registered(self, key, value):
            refuse_untrained(self, key, value)
            original(self, key, value)
        else:
            _adopt(self)
            getattr(self, name)(key, value, *args, **kwargs)

    patched: Any = run
    patched.__module__ = __name__  # who reads a traceback finds us
    patched.__code__ = patched.__code__.replace(co_name=name)  # Dynamo knows methods by their code
    return patched  # type: ignore[no-any-return]


def _found(_: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """`get_parameter`, which takes what it finds for no parameter if it has a unit."""

    @wraps(original)
    def run(self: Any, target: str) -> Any:
        path, _, own = target.rpartition(".")
        module = self.get_submodule(path)
        if own in module._parameters and own in module.__dict__.get("_units", ()):
            return getattr(module, own)
        return original(self, target)

    run.__module__ = __name__
    return run


def install() -> None:
    """Wrap the methods of `nn.Module`, once."""
    for name in PATCHED:
        original = getattr(nn.Module, name)
        if original.__module__ != __name__:
            wrap = _found if name == "get_parameter" else _patched
            setattr(nn.Module, name, wrap(name, original))
