"""Which generator a draw beside arrays is made by, for libraries that draw where blocks are made.

Elsewhere a seed and a generator of NumPy's give NumPy's numbers, which the library then takes in.
"""

from collections.abc import Callable
from typing import Any

from dimflow.ops import dispatch

# By type of array: a generator of its library, to draw numbers that meet such an array.
own_generators: dict[type, Callable[[Any, Any], Any]] = {}


def generator_beside(generator: Any, *values: Any) -> Any:
    """The generator as it is, or that of the library of the first value that has its own."""
    if own_generators:
        for value in values:
            raw = getattr(value, "_raw", value)
            while type(raw) in dispatch.followed:
                raw = raw.value
            make = own_generators.get(type(raw))
            if make is not None:
                return make(generator, raw)
    return generator
