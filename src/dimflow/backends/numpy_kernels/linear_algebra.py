"""Linear algebra on NumPy."""

from typing import Any

import numpy as np

_SMALL = 1 << 20  # product of all sizes, up to which the search for a path costs more than it saves


def einsum(subscripts: str, /, *operands: Any) -> Any:
    """NumPy's, with matrix products inside where there is enough to do."""
    arrays = [np.asarray(x) for x in operands]
    work = 1
    for x in arrays:
        work *= max(1, x.size)
    is_large = len(arrays) > 1 and work > _SMALL
    return np.einsum(subscripts, *arrays, optimize=is_large)
