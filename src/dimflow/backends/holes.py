"""Arrays with holes (np.ma), in memory and in blocks: which ops are known to honour the mask.

An elementwise op has a hole wherever one of its arguments has one. All else is in one of the lists
below, each entry of which the tests hold against np.ma, with huge numbers under the masks. What is
in none would look under the mask, and is refused.
"""

import inspect
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from dimflow.errors import UnsupportedFunction
from dimflow.ops import TABLE, Op

HINT = "fill the holes first: da.ma.filled(x, value)"


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Functions of np.ma that are called as NumPy's; others of its names look under the mask, or differ.
OWN = _names(
    "all any argmax argmin argsort concatenate cumprod cumsum diag max mean median min prod ptp"
    " sort stack std sum trace var"
)
# Functions of NumPy that call the array's own method, or are made of indexing.
KEPT = _names(
    "copy diagonal empty_like expand_dims flip fliplr flipud full_like moveaxis ones_like ravel"
    " repeat reshape roll rot90 squeeze swapaxes transpose zeros_like"
)
# Ops whose elements each depend on those at the same place, though they are no elementwise ones.
BENEATH = _names(
    "astype cast_discrete cast_floating cast_truth clip divmod float_power frexp isclose modf pow"
)
# Ops that move elements, and holes with them.
MOVED = _names(
    "append array_split at_set atleast_1d atleast_2d atleast_3d column_stack delete dsplit dstack"
    " flatten getitem hsplit hstack index index_set matrix_transpose resize rollaxis split take"
    " unstack vsplit vstack"
)
# Ops that are made of such.
_DEFINED = _names("average count_nonzero diff ediff1d select trapezoid")

# How many arrays of these may have holes, the first ones: places and numbers of times have none.
FIRST = {
    **dict.fromkeys(_names("delete full_like getitem index repeat take"), 1),
    **dict.fromkeys(_names("at_set index_set"), 2),
}
# Beside an array with holes these take no other: `where=`, `initial=` and the like know no masks.
_ALONE = _names("all any average max mean min prod ptp std sum trace var")
# Their results are places, and have no holes.
WITHOUT = _names("argmax argmin argsort")


def has_holes(value: Any) -> bool:
    """Whether this is an array with a mask, or one whose blocks have some.

    There is none before somebody has imported np.ma, which NumPy itself does not.
    """
    ma = sys.modules.get("numpy.ma")
    return ma is not None and isinstance(getattr(value, "_meta", value), ma.MaskedArray)


def honours_masks(op: Op) -> bool:
    """Whether an op is known to leave the numbers under a mask out."""
    if TABLE.get(op.name) is not op:  # a rule of one host's function
        return False
    if op.kind == "elementwise" or (op.hosts.numpy or "") in OWN | KEPT:
        return True
    return op.name in BENEATH | MOVED | _DEFINED


def refuse_holes(op: Op, arrays: Sequence[Any], params: dict[str, Any]) -> None:
    """An error where arrays have holes that the op would look under."""
    found = [has_holes(array) for array in arrays]
    if not any(found):
        return
    if not honours_masks(op) or any(found[FIRST.get(op.name, len(found)) :]):
        refuse_blind(op.name)
    for name, array in zip(op.array_names[1:], arrays[1:], strict=False):
        if op.name in _ALONE and array is not None:
            raise UnsupportedFunction(op.name, f"{name}= has no meaning beside holes", HINT)
    refuse_key(params.get("key"))
    for key in unknown_to(op) & params.keys():
        if params[key] not in (None, op.signature.parameters[key].default):
            raise UnsupportedFunction(op.name, f"{key}= has no meaning beside holes", HINT)


def function_of(op: Op) -> Callable[..., Any] | None:
    """The function of np.ma, or of NumPy's, that runs an op on arrays with holes."""
    name = op.hosts.numpy or ""
    if op.kind == "elementwise" or name not in OWN | KEPT:
        return None
    return getattr(sys.modules["numpy.ma" if name in OWN else "numpy"], name)  # type: ignore[no-any-return]


@cache
def unknown_to(op: Op) -> frozenset[str]:
    """The static parameters of an op that the function has not which runs it."""
    function = function_of(op)
    if function is None:
        return frozenset()
    is_method = str(function.__module__).startswith("numpy.ma")  # np.ma's functions call one
    method = getattr(sys.modules["numpy.ma"].MaskedArray, function.__name__, function)
    known = inspect.signature(method if is_method else function).parameters.keys() - {"stable"}
    return frozenset(op.signature.parameters) - {*op.array_names} - known


def refuse_blind(name: str) -> None:
    """The error of a function that is not known to honour masks."""
    raise UnsupportedFunction(name, "it would look at the numbers under a mask", HINT)


def refuse_written(raw: Any, value: Any) -> None:
    """An error for holes that are written into an array which would not take the mask over."""
    if has_holes(value) and not has_holes(raw):
        reason = "the array would take the numbers under the mask of the values"
        raise UnsupportedFunction("an assignment of holes", reason, HINT)


def refuse_key(key: Any) -> None:
    """An error for an index with holes: nobody knows whether it picks the elements there."""
    found = [part for part in (key if isinstance(key, tuple) else (key,)) if has_holes(part)]
    if found:
        reason = "the condition would be asked for elements under a mask too"
        library = "da" if hasattr(found[0], "_meta") else "np"
        hint = f"say what holds there: {library}.ma.filled(condition, False)"
        raise UnsupportedFunction("an index with holes", reason, hint)
