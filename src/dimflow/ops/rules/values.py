"""Values brought to another kind of number, whichever library holds them."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import NotANumber
from dimflow.ops.rules import dtypes
from dimflow.ops.rules.dtypes import kind_of

RANK = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}  # kinds of numbers; each holds those below it


def floated(x: Any) -> Any:
    """Integers and truth values as the fractions that the library divides them to."""
    if kind_of(x) in "fc":
        return x
    return ops.divide(x, 1) if hasattr(x, "dtype") else float(x)


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


def uncut(values: Any, dtype: Any) -> Any:
    """An array in the dtype of one that it is written into; see `refuse_cut`."""
    refuse_cut(values, dtype)
    return ops.astype(values, dtype, copy=False)


def refuse_cut(values: Any, dtype: Any) -> None:
    """An error where values are of a kind that a dtype cannot hold: fractions beside integers.

    The one rule for `x[i] = y`, `x.at[i].set(y)`, `x += y`, `full_like` and the like, on every
    library. The dtypes alone decide, so that nothing is waited for and traced code answers alike:
    2.0 is a fraction, and so is 1 km in an array of m, since what is converted is one. A bare
    Python integer has no dtype, so it has to be within the range; others wrap as the library does.
    """
    if getattr(values, "dtype", None) is dtype:
        return
    if isinstance(values, (list, tuple)):
        values = np.asarray(values)
    given, target = kind_of(values), dtypes.kind(dtype)
    if RANK[given] > RANK[target]:
        found = getattr(values, "dtype", type(values).__name__)
        raise NotANumber(f"an array of {dtype}", f"values of {found}, which it would cut")
    if type(values) is int and target in "iu":
        limits = np.iinfo(dtypes.named(dtype))
        if not limits.min <= values <= limits.max:
            raise NotANumber(f"an array of {dtype}", f"{values}, which it would cut")
