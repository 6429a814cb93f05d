"""Labelled arrays with units: the accessor `.dimflow` of xarray's DataArray and Dataset.

    import dimflow, xarray as xr
    ds = xr.open_dataset("weather.nc").dimflow.quantify()   # by CF's `units` attributes
    (ds.wind * ds.time_step).dimflow.to("km")
    ds.dimflow.dequantify().to_netcdf("out.nc")

It is imported by itself as soon as both dimflow's arrays and xarray are.
"""

from dimflow.xarray.accessor import ArrayAccessor, DatasetAccessor
from dimflow.xarray.block_functions import map_with_units as _map_with_units
from dimflow.xarray.files import refuse_quantities as _refuse_quantities
from dimflow.xarray.indexes import guard_units as _guard_units
from dimflow.xarray.lazy import meet_units as _meet_units
from dimflow.xarray.operands import take_part as _take_part

__all__ = ["ArrayAccessor", "DatasetAccessor"]

_take_part()
_guard_units()
_meet_units()
_map_with_units()
_refuse_quantities()
