"""`out=` of functions that are lazy: the unit of a target never changes, nor anything on an error.

A target takes over the blocks of the result, as Dask has it; arrays that were made from what it
held before do not change.
"""

from typing import Any

import dask.array as da
from dask.array.core import handle_out

from dimflow.array.core import Core
from dimflow.array.numpy_host.out import into
from dimflow.errors import NotANumber, ShapeMismatch
from dimflow.ops.rules.shapes import same_shape
from dimflow.ops.rules.values import uncut


def written(out: Any, result: Any, name: str) -> Any:
    """A finished result in a target, in the unit and the dtype of that."""
    if isinstance(out, tuple):
        (out,) = out
    raw, unit = (result._raw, result._unit) if isinstance(result, Core) else (result, None)
    target = out._raw if isinstance(out, Core) else out
    if not isinstance(target, da.Array):
        got = f"{type(target).__name__}, into which nothing lazy can be written"
        raise NotANumber(f"out= of {name}", got)
    convert = into(out, unit, name)
    value = raw if convert is None else convert(raw)
    if not same_shape(value.shape, target.shape):
        raise ShapeMismatch(f"{name} with out=", value.shape, target.shape)
    handle_out(target, uncut(value, target.dtype))
    return out
