"""Arrays with units for property tests."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dimflow import DimArray, Unit

# Groups of units of one dimension.
FAMILIES = {
    "length": ["m", "km", "mm", "inch", "mile"],
    "time": ["s", "min", "h", "ms"],
    "mass": ["kg", "g", "lb"],
    "speed": ["m/s", "km/h", "mile/hour"],
    "pure": ["", "percent", "km/m"],
}

values = st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda v: round(v, 6))


def raws(max_dims: int = 2, max_side: int = 3) -> st.SearchStrategy[Any]:
    """Arrays of doubles of moderate size."""
    shapes = hnp.array_shapes(min_dims=0, max_dims=max_dims, min_side=0, max_side=max_side)
    return hnp.arrays(np.float64, shapes, elements=values)


@st.composite
def arrays(draw: Any, family: str | None = None) -> DimArray:
    """An array in a unit of a family of units, or of any."""
    name = family or draw(st.sampled_from(sorted(FAMILIES)))
    return DimArray(draw(raws()), Unit(draw(st.sampled_from(FAMILIES[name]))))


def si(x: DimArray) -> Any:
    """The numbers in SI base units, by the unit's scale alone."""
    return np.asarray(x.data) * x.unit.scale
