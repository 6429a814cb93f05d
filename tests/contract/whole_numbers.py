"""What a call gives when it is asked for integers: an error, or exactly what it gives without."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow import DimArray

WHOLE = ("int64", "int8", "bool")


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives; an exception where it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call()
        except Exception as error:  # most functions have no such argument
            return error


def assert_uncut(
    asked: Callable[[], Any], usual: Callable[[], Any], what: Any, *, drawn: bool = False
) -> bool:
    """Integers that were asked for are those of the quantity, or there is an error.

    True where there is a result, so that a law can count its calls. What is drawn at random is
    another quantity each time, and never one of integers.
    """
    found = outcome(asked)
    if isinstance(found, Exception):
        return False
    if drawn:
        arrays = [p for p in parts(found) if isinstance(p, DimArray) and not p.is_dimensionless]
        assert not any(str(p.dtype).rpartition(".")[2] in WHOLE for p in arrays), what
        return True
    known = outcome(usual)
    if isinstance(known, Exception) or found is NotImplemented:
        return False
    for mine, theirs in zip(parts(found), parts(known), strict=True):
        if isinstance(mine, DimArray) and "bool" in str(mine.dtype) and mine.is_dimensionless:
            continue  # whether each is not 0, whatever the unit
        if isinstance(mine, DimArray) and isinstance(theirs, DimArray):
            assert mine.dimension == theirs.dimension, what
        one, other = outcome(lambda: base_values(mine)), outcome(lambda: base_values(theirs))  # noqa: B023
        if isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and other.dtype != bool:
            np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-9, err_msg=str(what))
    return True


def parts(result: Any) -> list[Any]:
    """The arrays of a result, however they are packed."""
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in parts(part)]
    return [result]


def base_values(value: Any) -> Any:
    """The numbers of a quantity in base units; None for what is no number, or none of NumPy's."""
    if isinstance(value, DimArray):
        value = value.to_value(value.unit.to_base())
    value = value.compute() if hasattr(value, "compute") else value
    value = value.detach().numpy() if hasattr(value, "detach") else np.asarray(value)
    return value if value.dtype.kind in "biufc" else None
