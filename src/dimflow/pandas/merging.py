"""Keys of `merge` and `join` that are quantities, in one unit or two.

Each function here takes the place of one of pandas, see `dimflow.pandas.patches`.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from dimflow.ops.rules.units import PURE, unlike
from dimflow.pandas.column import DimExtensionArray
from dimflow.pandas.dtype import DimDtype
from dimflow.units.alike import are_alike

Function = Callable[..., Any]


def get_merge_keys(original: Function) -> Function:
    """Every `merge` takes its keys from here: those of the right come in the unit of the left."""

    @wraps(original)
    def keys(merging: Any) -> Any:
        lefts, rights, *others = original(merging)
        rights = [_in_one_unit(*pair)[1] for pair in zip(lefts, rights, strict=True)]
        return lefts, rights, *others

    return keys


def factorize_keys(original: Function) -> Function:
    """And the labels of an index from here."""

    @wraps(original)
    def factorize(left: Any, right: Any, *args: Any, **options: Any) -> Any:
        return original(*_in_one_unit(left, right), *args, **options)

    return factorize


def validate_tolerance(original: Function) -> Function:
    """`merge_asof` takes a plain number as its tolerance: ours is converted to the keys' unit."""

    @wraps(original)
    def validate(merging: Any, left_keys: Any) -> None:
        keys = merging.left.index.array if merging.left_index else left_keys[-1]
        if isinstance(keys, DimExtensionArray) and merging.tolerance is not None:
            merging.tolerance = keys._difference(merging.tolerance, "a tolerance").item()
        original(merging, left_keys)

    return validate


def convert_values_for_libjoin(original: Function) -> Function:
    """And plain numbers as its keys, which have one unit by then."""

    @wraps(original)
    def convert(merging: Any, values: Any, side: str) -> Any:
        found = original(merging, values, side)
        return values._raw if isinstance(values, DimExtensionArray) else found

    return convert


def _in_one_unit(left: Any, right: Any) -> tuple[Any, Any]:
    units = [getattr(key.dtype, "unit", PURE) for key in (left, right)]
    ours = [isinstance(key.dtype, DimDtype) for key in (left, right)]
    if not any(ours) or (all(ours) and left.dtype == right.dtype):
        return left, right
    if not are_alike(units[0], units[1]):
        raise unlike("merge", units[0], units[1], ("left", "right"))
    first, second = (DimExtensionArray(key) for key in (left, right))
    return first, DimExtensionArray(first._as_keys(second.quantities), first._unit)
