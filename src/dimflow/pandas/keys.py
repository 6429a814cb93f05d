"""When two quantities are one key: in `merge`, `join`, `isin`, lookups of an index and dicts.

In one unit they are, if their numbers are equal, as pandas has it. In two units they are, if they
differ by no more than the rounding of a conversion: 1250 ft are 0.381 km, in either order.
"""

from typing import Any

import numpy as np

from dimflow.array import DimArray
from dimflow.units import Unit

NEAR = 1e-14  # relative, in the base unit; a conversion and a decimal on each side err by 1e-15


def are_near(left: DimArray, right: DimArray) -> Any:
    """Whether quantities differ by the rounding of a conversion alone, in which 1 µK is 273.15 K
    from 0 °C.
    """
    base = left.unit.to_base()
    one, other = left.to_value(base), right.to_value(base)
    zeros = [abs(DimArray(0.0, q.unit).to_value(base)) for q in (left, right)]
    return np.abs(one - other) <= NEAR * (np.abs(one) + max(zeros))


def in_keys_of(column: DimArray, other: DimArray) -> Any:
    """The numbers of other quantities in the unit of a column; near ones are its very numbers."""
    unit: Unit = column.unit
    found = np.array(other.to_value(unit), dtype=np.float64)
    if other.unit is unit or not len(column):
        return found
    known = np.sort(column.to_value(unit).astype(np.float64))
    known = known[~np.isnan(known)]
    if not len(known):
        return found
    places = np.searchsorted(known, found)
    for shift in (-1, 0):  # the neighbours on both sides
        near = np.clip(places + shift, 0, len(known) - 1)
        is_near = are_near(other, DimArray(known[near], unit))
        found = np.where(is_near, known[near], found)
    return found
