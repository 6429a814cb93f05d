"""PyTorch's functions on DimTensors: torch.mean(x), torch.cat([x, y]), torch.linalg.solve(a, b).

Every function has one of five places: an op of the table or a rule beside it, which plans the units
while PyTorch's own function works; a definition; the questions that no unit answers; or a reason
why it is refused. `classified` says which.
"""

from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.overrides import resolve_name

from dimflow.array.dimarray import wrap
from dimflow.array.interpreter import remembered
from dimflow.errors import UnsupportedFunction
from dimflow.ops import TABLE
from dimflow.ops.dispatch import is_traced
from dimflow.torch import tracing
from dimflow.torch.host.defined import FUNCTIONS, UNITLESS, unitless
from dimflow.torch.host.entries import ENTRIES, Entry
from dimflow.torch.host.planned import Planned, dressed
from dimflow.torch.host.refused import REFUSED
from dimflow.torch.host.rules import RULES
from dimflow.units import Unit

Handler = Callable[..., Any]

_HINT = "give it the numbers in a unit of your choice: x.to_value(...)"
_UNKNOWN = "dimflow does not know what it does to units"
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
    if not kwargs and type(handler) is Planned and handler.arity == len(args):
        plan = remembered(handler.op, args)
        if plan is not None and type(plan.result) is Unit:
            raw = function(*[array._raw for array in args])
            return wrap(raw, plan.result) if isinstance(raw, Tensor) else dressed(raw, plan.result)
    return handler(*args, **kwargs)


def name_of(function: Any) -> str:
    """What a function is called below torch, whether it is a method or not: "add", "nn.linear"."""
    name: str | None = resolve_name(function)
    if name is None:
        module = str(getattr(function, "__module__", ""))
        name = f"{module}.{getattr(function, '__name__', function)}"
    name = name.removeprefix("torch.")
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
    name = name_of(function)
    kind, what = classified(name)
    if kind == "unknown" or not _is_torchs(function):
        raise UnsupportedFunction(f"torch.{name}", _UNKNOWN, _HINT)
    if kind == "refused":
        raise UnsupportedFunction(f"torch.{name}", what, _HINT)
    if kind == "defined":
        return FUNCTIONS[what]
    if kind == "asked":
        return unitless(function)
    entry = ENTRIES[what]
    op = TABLE.get(entry.rule) or RULES[entry.rule]
    return Planned(function, name, op, entry, writes=is_in_place(name))


def _is_torchs(function: Any) -> bool:
    """Whether a function is one of PyTorch's own, and not of another library under its name."""
    return resolve_name(function) is not None or str(
        getattr(function, "__module__", None) or "torch"
    ).startswith("torch")


@tracing.constant
def traced_handler(function: Any) -> Handler:
    """The handler of a function, for a compiled program."""
    return handler_of(function)
