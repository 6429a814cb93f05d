"""Arrays with holes whose hidden numbers are chosen, so that a look under the mask shows."""

from typing import Any

import dask
import dask.array as da
import numpy as np

from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.units import Unit

HUGE, OTHER = 1e25, -3.0  # what may stand under a mask


def holes_of(shape: Any, seed: int = 0) -> Any:
    """Where the holes are: about a third of the elements, and never all of a row."""
    rng = np.random.default_rng([seed, *shape])
    holes = rng.random(shape) < 0.35
    holes[..., -1] = False
    return holes


def hidden(values: Any, holes: Any, under: float) -> Any:
    """An array with holes, and a number under each."""
    numbers = np.array(values)
    if numbers.dtype.kind in "iu":
        under = abs(int(under)) % 97
    numbers[holes] = under
    return np.ma.MaskedArray(numbers, holes)


def in_blocks(array: Any) -> Any:
    """The same in small blocks."""
    return da.from_array(array, chunks=2, name=False)


class Holed:
    """Makes quantities with holes, in memory or in blocks, for the recipes of functions."""

    is_raw = False
    factor = 1.0

    def __init__(self, unit: str, under: float, *, is_lazy: bool) -> None:
        self.unit = Unit(unit)
        self.under = under
        self.is_lazy = is_lazy
        self.like = {"like": self(np.ones(2))}

    def __call__(self, values: Any) -> Any:
        values = np.asarray(values)
        if not values.ndim:
            return wrap(values, self.unit)
        array = hidden(values, holes_of(values.shape), self.under)
        return wrap(in_blocks(array) if self.is_lazy else array, self.unit)

    def number(self, value: Any) -> Any:
        return wrap(np.asarray(value), self.unit)

    def numbers(self, values: Any) -> Any:
        return wrap(np.asarray(values), self.unit)

    def indices(self, values: Any) -> Any:
        return da.from_array(np.asarray(values), chunks=2)


def leaves(result: Any) -> list[Any]:
    """The numbers of results, however they are packed; what was lazy is computed."""
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in leaves(part)]
    raw = result._raw if isinstance(result, Core) else result
    if isinstance(raw, da.Array):
        with dask.config.set(scheduler="sync"):
            raw = raw.compute()
    return [raw]


def assert_alike(found: Any, wanted: Any, name: str) -> None:
    """Holes in the same places, and the same numbers in all others."""
    assert np.shape(found) == np.shape(wanted), name
    holes = np.ma.getmaskarray(wanted)
    np.testing.assert_array_equal(np.ma.getmaskarray(found), holes, err_msg=name)
    left, right = (np.where(holes, 0, np.ma.getdata(a)) for a in (found, wanted))
    np.testing.assert_allclose(left, right, rtol=1e-9, err_msg=name)
