"""Linear systems on CuPy."""

from typing import Any

import cupy

from dimflow.ops.rules.shapes import broadcast_shapes
from dimflow.ops.standard import adapters


def solve(a: Any, b: Any) -> Any:
    """CuPy's, which stretches no matrix over a batch of the other."""
    if b.ndim > 1:
        batch = broadcast_shapes([a.shape[:-2], b.shape[:-2]])
        a = cupy.broadcast_to(a, (*batch, *a.shape[-2:]))
        b = cupy.broadcast_to(b, (*batch, *b.shape[-2:]))
    return adapters.solve(cupy, a, b)
