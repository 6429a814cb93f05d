"""xarray's objects beside arrays and units of dimflow: they keep their labels and do the work."""

from typing import Any

import xarray as xr
from xarray.core.groupby import GroupBy

from dimflow.array.guests import Guest, guests


def take_part() -> None:
    """Make dimflow's operators and `DimArray(...)` know xarray's classes."""
    guests[xr.NamedArray] = guests[xr.DataArray] = Guest(lambda value: value.data, _leave)
    guests[xr.Dataset] = guests[xr.DataTree] = guests[GroupBy] = Guest(lambda value: value, _leave)


def _leave(function: Any, left: Any, right: Any) -> Any:
    return NotImplemented
