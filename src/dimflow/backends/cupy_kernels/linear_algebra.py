"""Products."""

from typing import Any

import cupy


def einsum(subscripts: str, *operands: Any) -> Any:
    """By CuPy's own, which contracts by matrix products."""
    return cupy.einsum(subscripts, *operands)
