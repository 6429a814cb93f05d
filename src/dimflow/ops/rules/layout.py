"""How the numbers of an array are laid out, for libraries that have more than one way: in blocks.

What belongs to an array, as a cotangent does, is laid out as the array is: else one number that is
spread over all elements would be one block, as large as all blocks together.
"""

from collections.abc import Callable
from typing import Any

from dimflow.ops import dispatch

UNKNOWN_LENGTHS = (
    "how long an array is that it depends on is known only when that is computed",
    "write zeros instead of picking: dimflow.where(mask, x, 0) for x[mask]",
)

# By type of array: how one is laid out as another. It may be smaller, and is then spread.
layouts: dict[type, Callable[[Any, Any], Any]] = {}


def laid_out(value: Any, like: Any) -> Any:
    """The same numbers, laid out as those of another array; as they are in most libraries."""
    lay = layouts.get(type(value))
    if lay is None:
        if type(raw := getattr(value, "_raw", None)) in layouts:  # with a unit, which stays
            return value._like(laid_out(raw, getattr(like, "_raw", like)), value._unit)
        return value
    while type(like) in dispatch.followed:
        like = like.value
    return lay(value, like)
