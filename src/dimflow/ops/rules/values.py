"""Values brought to another kind of number, whichever library holds them."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import NotANumber, UnitCutError
from dimflow.ops.rules import dtypes
from dimflow.ops.rules.convert import exact_fraction
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit

RANK = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}  # kinds of numbers; each holds those below it


def floated(x: Any) -> Any:
    """Integers and truth values as the fractions that a conversion makes of them."""
    if kind_of(x) in "fc":
        return x
    return ops.divide(exact_fraction(x), 1) if hasattr(x, "dtype") else float(x)


def complexed(x: Any) -> Any:
    """Real numbers as complex ones of the same precision."""
    if kind_of(x) == "c":
        return x
    if not hasattr(x, "dtype"):
        return complex(x)
    x = floated(x)
    return ops.astype(x, "complex128" if "64" in str(x.dtype) else "complex64")


def counted(x: Any) -> Any:
    """Truth values as the library's usual integers."""
    return ops.where(x, 1, 0) if kind_of(x) == "b" else x


def extreme(x: Any, sign: int) -> Any:
    """What no element of such an array exceeds, or with -1 what none is below."""
    kind = kind_of(x)
    if kind == "b":
        return sign > 0
    if kind in "iu":
        limits = np.iinfo(dtypes.named(x.dtype))
        return int(limits.max if sign > 0 else limits.min)
    return sign * float("inf")


def constant(values: Any, like: Any) -> Any:
    """Numbers known without data, in the precision of an array that they meet."""
    dtype = dtypes.named(getattr(like, "dtype", type(like)))
    is_named = isinstance(dtype, np.dtype) and dtype.kind in "fc"
    return np.asarray(values, dtype if is_named else None)


def widened(x: Any, value: Any, result_type: Any = np.result_type) -> Any:
    """An array in a dtype that holds a value of a wider kind, such as a fraction among integers.

    For functions that bring an `initial` to the dtype of the array, and so cut it off.
    """
    if value is None or RANK.get(kind_of(value), 0) <= RANK.get(kind_of(x), 0):
        return x
    return ops.astype(x, result_type(x, value))


def refuse_cast(operation: str, dtype: Any, values: Iterable[Any], unit: Any) -> None:
    """An error where a dtype of integers or truth values would cut a quantity.

    1.5 km are 1 km, or 1500 m: what is cut off depends on the unit, so the result would. The one
    rule for `dtype=` of every function that takes or makes a quantity, on every library. As in
    `refuse_cut` the dtypes alone decide: 2.0 is a fraction, and integers wrap as the library's do.
    A dtype of texts, dates or objects is refused whatever the unit: it holds no quantities.
    """
    if dtype is not None and dtypes.kind(dtype) not in RANK:
        raise NotANumber(operation, f"dtype={_shown(dtype)}")
    quantity = depends_on_unit(dtype, unit)
    if quantity is None:
        return
    for value in values:
        value = np.asarray(value) if isinstance(value, (list, tuple)) else value
        if value is not None and RANK.get(kind_of(value), 0) > RANK[dtypes.kind(dtype)]:
            raise UnitCutError(operation, _shown(dtype), quantity)
        refuse_overflow(value, dtype)


def depends_on_unit(dtype: Any, unit: Any) -> Unit | None:
    """The unit, among those of results, that a cast to this dtype would depend on."""
    if dtype is None or dtypes.kind(dtype) not in "biu":
        return None
    units = unit if type(unit) is tuple else (unit,)
    return next((u for u in units if isinstance(u, Unit) and u.key is not PURE.key), None)


def _shown(dtype: Any) -> str:
    """What a dtype is called in every library: "int64"."""
    name = dtypes.named(dtype)
    return str(np.dtype(name)) if isinstance(name, (type, np.dtype)) else str(name)


def uncut(values: Any, dtype: Any) -> Any:
    """An array in the dtype of one that it is written into; see `refuse_cut`."""
    refuse_cut(values, dtype)
    return ops.astype(values, dtype, copy=False)


def would_cut(target: str, found: Any) -> NotANumber:
    """The error for values of a dtype that an array does not hold."""
    wanted = "complex" if "complex" in str(found) else "float"
    hint = f"an array of another dtype holds them: x = x.astype({wanted})"
    return NotANumber(target, f"values of {found}, which it would cut", hint)


def refuse_cut(values: Any, dtype: Any) -> None:
    """An error where values are of a kind that a dtype cannot hold: fractions beside integers.

    The one rule for `x[i] = y`, `x.at[i].set(y)`, `x += y`, `full_like` and the like, on every
    library. The dtypes alone decide, so that nothing is waited for and traced code answers alike:
    2.0 is a fraction, and so is 1 km in an array of m, since what is converted is one. A single
    integer that is known has to be within the range, as NumPy asks of Python's; others wrap as the
    library does.
    """
    if getattr(values, "dtype", None) is dtype:
        return
    if isinstance(values, (list, tuple)):
        values = np.asarray(values)
    given, target = kind_of(values), dtypes.kind(dtype)
    if RANK[given] > RANK[target]:
        found = getattr(values, "dtype", type(values).__name__)
        raise would_cut(f"an array of {dtype}", found)
    refuse_overflow(values, dtype)


def refuse_overflow(value: Any, dtype: Any) -> None:
    """An error for a single integer, if it is known, that a dtype of integers does not hold."""
    if type(value) is np.ndarray and not value.ndim:
        value = value[()]
    if isinstance(value, (int, np.integer)) and dtypes.kind(dtype) in "iu":
        limits = np.iinfo(dtypes.named(dtype))
        if not limits.min <= int(value) <= limits.max:
            raise NotANumber(f"an array of {_shown(dtype)}", f"{value}, which it would cut")


def refuse_cut_like(name: str, dtype: Any, value: Any) -> None:
    """The same for a function that fills an array like another one, in the dtype of that."""
    try:
        refuse_cut(value, dtype)
    except NotANumber as error:
        kind = dtypes.kind(dtype)
        held = {"b": "truth values", "f": "real numbers"}.get(kind, "integers")
        wanted = "complex" if kind_of(value) == "c" else "float"
        hint = f"the array holds {held}; for others: {name}(x, fill_value, dtype={wanted})"
        raise NotANumber(f"{name} of an array of {_shown(dtype)}", error.actual, hint) from None
