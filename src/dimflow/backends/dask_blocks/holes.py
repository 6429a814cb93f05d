"""Arrays whose blocks have holes, and say so: a reduction of Dask's, or one element, forgets it."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from dask.array.core import Array  # not that of expressions, which makes its graph when asked

from dimflow.backends.holes import WITHOUT, has_holes
from dimflow.ops import Op


def with_holes(result: Any, sources: Iterable[Any]) -> Any:
    """Results of arrays: if one of these has holes, the smallest block of each has a mask too."""
    return _marked(result) if any(map(has_holes, sources)) else result


def of_op(op: Op, result: Any, arrays: Iterable[Any]) -> Any:
    """Results of an op, with holes if its arrays have some, unless they are places."""
    return result if op.name in WITHOUT else with_holes(result, arrays)


def _marked(result: Any) -> Any:
    if isinstance(result, (tuple, list)):
        parts = map(_marked, result)
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    if type(result) is not Array or has_holes(result):
        return result
    marked = Array(result.dask, result.name, result.chunks, meta=result._meta)
    marked._meta = np.ma.MaskedArray(result._meta)  # Dask would make a number of one without axes
    return marked
