"""The numbers of arrays that were put into blocks, where they are known: positions, coordinates."""

from typing import Any

import numpy as np


def noted(raw: Any, numbers: Any) -> Any:
    """The array, with a note of the numbers that it was made from."""
    if isinstance(numbers, np.ndarray):
        raw.__dict__["_dimflow_numbers"] = raw.name, numbers
    return raw


def numbers_of(raw: Any) -> Any:
    """NumPy's array that an array was made from; None if it has to be computed."""
    if isinstance(raw, np.ndarray):
        return raw
    name, numbers = getattr(raw, "__dict__", {}).get("_dimflow_numbers", (None, None))
    return numbers if name == getattr(raw, "name", None) else None  # assignment gives another name
