"""PyTorch's functions on DimTensors: torch.mean(x), torch.cat([x, y]), torch.linalg.solve(a, b).

Every function has one of five places: an op of the table or a rule beside it, which plans the units
while PyTorch's own function works; a definition; the questions that no unit answers; or a reason
why it is refused. `classified` says which.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import torch
from torch import Tensor
from torch.overrides import resolve_name
from torch.utils._pytree import tree_leaves

import dimflow
from dimflow.array.core import Core, is_followed
from dimflow.array.dimarray import wrap
from dimflow.array.interpreter import remembered
from dimflow.errors import DimflowError, UnsupportedFunction
from dimflow.ops import TABLE, Op
from dimflow.ops.dispatch import is_traced
from dimflow.torch import tracing
from dimflow.torch.host.defined import FUNCTIONS, UNITLESS, unitless
from dimflow.torch.host.entries import ENTRIES, Entry
from dimflow.torch.host.planned import Planned, as_tensors, dressed
from dimflow.torch.host.refused import REFUSED
from dimflow.torch.host.rules import RULES
from dimflow.units import Unit

Handler = Callable[..., Any]

_HINT = "give it the numbers in a unit of your choice: x.to_value(...)"
_UNKNOWN = "dimflow does not know what it does to units"
_OURS = "our own engine, which differentiates here, follows dimflow's functions alone"
_PREFIXES = ("nn.functional.", "special.", "linalg.", "fft.")
_WRITES = frozenset(
    f"__i{word}__"
    for word in (
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor"),
        *("lshift", "rshift"),
    )
)

_found: dict[Any, Handler] = {}


def torch_function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What PyTorch calls: `DimTensor.__torch_function__`."""
    if is_traced(0):
        return traced_handler(function)(*args, **kwargs)
    handler = _found.get(function)
    if handler is None:
        handler = _found[function] = handler_of(function)
    try:
        if not kwargs and type(handler) is Planned and handler.arity == len(args):
            plan = remembered(handler.op, args)
            if plan is not None and type(plan.result) is Unit:
                raws = as_tensors([array._raw for array in args])
                raw = function(*raws)
                handler.refuse_cut(raw, raws, plan.result)
                is_one = isinstance(raw, Tensor)
                return wrap(raw, plan.result) if is_one else dressed(raw, plan.result)
        return handler(*args, **kwargs)
    except DimflowError as error:
        error.of_call(f"torch.{name_of(function)}")
        raise
    except (TypeError, AttributeError) as error:
        if any(is_followed(leaf) for leaf in tree_leaves((args, kwargs), is_leaf=_is_array)):
            name = name_of(function)
            ours = _advice(name)
            hint = "write it with those" if ours is _HINT else ours
            raise UnsupportedFunction(f"torch.{name}", _OURS, hint) from error
        raise


def _is_array(value: Any) -> bool:
    return isinstance(value, Core)


def _public(function: Any) -> Any:
    """What users call, of a part of PyTorch's that a function of theirs runs."""
    if getattr(function, "__module__", None) != "torch._C._nn":
        return function
    places = (torch.nn.functional, torch.nn.utils.rnn)
    return next((found for p in places if (found := getattr(p, function.__name__, None))), function)


def name_of(function: Any) -> str:
    """What a function is called below torch, whether it is a method or not: "add", "nn.linear"."""
    function = _public(function)
    name: str | None = resolve_name(function)
    if name is None:
        module = str(getattr(function, "__module__", ""))
        name = f"{module}.{getattr(function, '__name__', function)}"
    name = name.removeprefix("torch.")
    if name in FUNCTIONS:
        return name  # a method that takes its arguments in another order: Tensor.where
    for prefix in ("Tensor.", "functional.", "_C.TensorBase."):
        name = name.removeprefix(prefix)
    return name


def classified(name: str) -> tuple[str, str]:
    """The place of a function: ("op", its op), ("rule", ...), ("defined", ""), ("asked", ""),
    ("refused", why); ("unknown", "") for one that PyTorch has gained since.
    """
    for known in _names(name):
        if known in REFUSED:
            return "refused", REFUSED[known]
        if known in FUNCTIONS:
            return "defined", known
        if known in UNITLESS:
            return "asked", known
        if known in ENTRIES:
            return ("rule" if _is_beside(ENTRIES[known]) else "op"), known
    return "unknown", ""


def _names(name: str) -> list[str]:
    """The names under which a function may stand in the data, the most exact first."""
    found = [name]
    found += [name.removeprefix(prefix) for prefix in _PREFIXES if name.startswith(prefix)]
    if is_in_place(name):
        found += [known.removesuffix("_") for known in list(found)]
    return found


def is_in_place(name: str) -> bool:
    """Whether a function writes into its first argument, as its name says."""
    return name in _WRITES or (name.endswith("_") and not name.endswith("__"))


def _is_beside(entry: Entry) -> bool:
    return entry.rule not in TABLE


def handler_of(function: Any) -> Handler:
    """What runs instead of a function of PyTorch; an error if nothing does."""
    function = _public(function)
    name = name_of(function)
    kind, what = classified(name)
    if kind == "unknown" or not _is_torchs(function):
        raise UnsupportedFunction(f"torch.{name}", _UNKNOWN, _advice(name))
    if kind == "refused":
        raise UnsupportedFunction(f"torch.{name}", what, _HINT)
    if kind == "defined":
        return FUNCTIONS[what]
    if kind == "asked":
        return unitless(function)
    entry = ENTRIES[what]
    op = TABLE.get(entry.rule) or RULES[entry.rule]
    return Planned(function, name, op, entry, writes=is_in_place(name))


def _advice(name: str) -> str:
    """The function of ours under the same name, if there is one: they make arrays with units."""
    try:
        found = attrgetter(name)(dimflow)
    except AttributeError:
        return _HINT
    rest = "" if isinstance(found, Op) else ", backend='torch'"
    return f"dimflow.{name}(...{rest})"


def _is_torchs(function: Any) -> bool:
    """Whether a function is one of PyTorch's own, and not of another library under its name."""
    return resolve_name(function) is not None or str(
        getattr(function, "__module__", None) or "torch"
    ).startswith("torch")


@tracing.constant
def traced_handler(function: Any) -> Handler:
    """The handler of a function, for a compiled program."""
    return handler_of(function)
