"""NumPy's functions on DimArrays: np.mean(x), np.concatenate([x, y]), np.linalg.solve(a, b).

Every function has one of four places: an op of the table, whose rule plans the units while NumPy's
own function does the work with every keyword that it was given; a rule of its own in `rules`;
a definition in one of the modules of `_DEFINITIONS`; or a reason why it is refused. `classified`
says which.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from dimflow.array.core import is_followed
from dimflow.array.holes import without_holes
from dimflow.array.numpy_host.by_op import ByOp
from dimflow.array.numpy_host.parts import are_labels, mapped
from dimflow.array.numpy_host.refused import FUNCTIONS as REFUSED
from dimflow.array.numpy_host.rules import RULES
from dimflow.array.operators import is_foreign
from dimflow.backends.holes import has_holes
from dimflow.errors import DimflowError, NotANumber, UnsupportedFunction
from dimflow.ops import TABLE
from dimflow.ops.rules.units import PURE
from dimflow.units.alike import is_number

Handler = Callable[..., Any]

_DEFINITIONS = (
    "plain",
    "making",
    "arranging",
    "choosing",
    "comparing",
    "writing",
    "algebra",
)

# Functions that follow the rule of an op of another name.
_OPS = {
    "amax": "max",
    "amin": "min",
    "around": "round",
    "cumulative_prod": "cumulative_prod",
    "cumulative_sum": "cumulative_sum",
    "linalg.cross": "cross",
    "linalg.diagonal": "diagonal",
    "linalg.matmul": "matmul",
    "linalg.matrix_transpose": "matrix_transpose",
    "linalg.outer": "outer",
    "linalg.tensordot": "tensordot",
    "linalg.trace": "trace",
    "linalg.vecdot": "vecdot",
    "lib.scimath.arccos": "acos",
    "lib.scimath.arcsin": "asin",
    "lib.scimath.arctanh": "atanh",
    "lib.scimath.log": "log",
    "lib.scimath.log10": "log10",
    "lib.scimath.log2": "log2",
    "lib.scimath.sqrt": "sqrt",
}

# Definitions that know arrays with holes: they ask for shapes, or are made of ops, which look.
_HONOURING = (
    *("allclose", "apply_over_axes", "array2string", "array_equal", "array_equiv", "array_repr"),
    *("array_str", "astype", "atleast_1d", "atleast_2d", "atleast_3d", "block", "can_cast", "clip"),
    *("common_type", "diag_indices_from", "isclose", "iscomplexobj", "isrealobj"),
    *("may_share_memory", "min_scalar_type", "ndim", "result_type", "shape", "shares_memory"),
    *("select", "size", "tril_indices_from", "triu_indices_from", "where"),
)

_HINT = "give it the numbers in a unit of your choice: x.to_value(...)"

_found: dict[Any, Handler] = {}


def array_function(array: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """What NumPy calls: `DimArray.__array_function__`."""
    handler = _found.get(function)
    if handler is None:
        handler = _found[function] = handler_of(function)
    try:
        return handler(*args, **kwargs)
    except DimflowError as error:
        if isinstance(error, NotANumber) and any(is_foreign(kind) for kind in types):
            return NotImplemented  # another library's array: its turn
        is_picked = isinstance(error, NotANumber) and any(map(are_labels, args))
        if is_picked and not _quantities(args, kwargs):
            given, named = mapped((args, kwargs), lambda array: array.to_numpy(PURE))
            return function(*given, **named)
        error.of_call(f"np.{name_of(function)}")
        raise


def _quantities(*values: Any) -> list[Any]:
    """The arrays that are no plain numbers: they have a unit, or a trace follows them."""
    found: list[Any] = []
    mapped(values, lambda array: found.append(array))
    return [x for x in found if is_followed(x) or not is_number(x._unit) or has_holes(x._raw)]


def name_of(function: Any) -> str:
    """What a function is called below numpy: "mean", "linalg.solve"."""
    module = str(function.__module__)
    module = module.replace("lib._scimath_impl", "lib.scimath")  # before NumPy 2.2
    inner = module.removeprefix("numpy").removeprefix(".")
    return f"{inner}.{function.__name__}" if inner else str(function.__name__)


def handler_of(function: Any) -> Handler:
    """What runs instead of a function of NumPy; an error if nothing does."""
    name = name_of(function)
    kind, what = classified(name)
    if str(function.__module__).partition(".")[0] != "numpy" or kind == "unknown":
        reason = "dimflow does not know what it does to units"
        raise UnsupportedFunction(_shown(name), reason, _HINT)
    if kind == "refused":
        raise UnsupportedFunction(_shown(name), what, _HINT)
    if kind == "defined":
        found = definitions()[name]
        return found if name in _HONOURING else without_holes(_shown(name), found)
    if kind == "op":
        return ByOp(function, name, TABLE[what])
    op = _by_host().get(name)  # it runs on other libraries' arrays, with fewer keywords
    other = None if op is None else ByOp(function, name, TABLE[op])
    return ByOp(function, name, RULES[name], other)


def _shown(name: str) -> str:
    return f"np.{name}"


def classified(name: str) -> tuple[str, str]:
    """The place of a function: ("op", its op), ("rule", ...), ("defined", where), ("refused", why).

    ("unknown", "") for one that NumPy has gained since.
    """
    if name in REFUSED:
        return "refused", REFUSED[name]
    if name in definitions():
        return "defined", definitions()[name].__module__
    if name in RULES:
        return "rule", RULES[name].name
    op = _OPS.get(name) or _by_host().get(name)
    return ("op", op) if op in TABLE else ("unknown", "")


@cache
def definitions() -> dict[str, Handler]:
    """Functions written over DimArrays, by NumPy's name."""
    found: dict[str, Handler] = {}
    for module in _DEFINITIONS:
        found.update(import_module(f"dimflow.array.numpy_host.{module}").FUNCTIONS)
    return found


@cache
def _by_host() -> dict[str, str]:
    """The op of each of NumPy's names; one with a unit rule of its own comes first."""
    found: dict[str, str] = {}
    for op in TABLE.values():
        name = op.hosts.numpy
        if name and (name not in found or op.unit is not None):
            found[name] = op.name
    return found
