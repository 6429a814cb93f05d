"""Stencils: sums of neighbours with weights, such as finite differences."""

from itertools import product
from typing import Any

import numpy as np
from dask.base import normalize_token

from dimflow.array.core import Core
from dimflow.dask.blocks.call import spelled, with_unit
from dimflow.dask.blocks.overlapping import map_overlap
from dimflow.errors import NotANumber, ShapeMismatch, UnitError
from dimflow.units import Unit


def stencil(x: Any, weights: Any, boundary: Any, **kwargs: Any) -> Any:
    """Every element's neighbours times weights, added up: the middle weight is the element's own.

        stencil(T, DimArray([1, -2, 1], "1/m**2"), boundary="periodic")  # a second derivative

    `weights` have as many axes as `x`, of odd lengths, and may have a unit. `boundary` says what
    is beyond the ends, as for `map_overlap`, which takes all else.
    """
    raw, unit = (weights._raw, weights._unit) if isinstance(weights, Core) else (weights, None)
    raw = np.asarray(raw)
    if raw.dtype.kind not in "biufc":
        raise NotANumber("stencil", f"weights of {raw.dtype}")
    if raw.ndim != x.ndim or any(n % 2 == 0 for n in raw.shape):
        raise ShapeMismatch("stencil", f"weights of {x.ndim} axes of odd lengths", raw.shape)
    if boundary is None or (isinstance(boundary, str) and boundary == "none"):
        hint = '"periodic", "reflect", "nearest", or a quantity'
        raise UnitError("stencil needs a boundary: the neighbours at the ends count", hint)
    depth = tuple(n // 2 for n in raw.shape)
    options = {"depth": depth, "boundary": boundary, "trim": False}
    return map_overlap(Stencil(raw, unit), x, **options, **kwargs)


class Stencil:
    """A weighted sum of neighbours, for all elements of a block that have them."""

    __slots__ = ("unit", "weights")

    def __init__(self, weights: Any, unit: Unit | None) -> None:
        self.weights = weights
        self.unit = unit

    def __call__(self, block: Any) -> Any:
        """The sums, in a block that is shorter by the depth on every side."""
        total: Any = None
        for place in product(*map(range, self.weights.shape)):
            weight = self.weights[place]
            if weight or total is None:
                ends = zip(place, block.shape, self.weights.shape, strict=True)
                window = tuple(slice(i, max(i + n - size + 1, 0)) for i, n, size in ends)
                term = block[window] * with_unit(weight, self.unit)
                total = term if total is None else total + term
        return total

    @property
    def __name__(self) -> str:
        return "stencil"

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "dimflow.dask.Stencil", spelled(self.unit), normalize_token(self.weights)
